"""Who calls, from the claims that the gateway's JWT authorizer verified, and nothing else."""

import time
from collections.abc import Mapping
from typing import Any

from playbooks.application.identity import Caller
from playbooks.domain.ids import TenantId, UserId, parse_id
from playbooks.errors import Refused
from playbooks.interfaces.api.problems import Unauthorized


def caller_of(event: Mapping[str, Any], tenant_claim: str) -> Caller:
    """The caller. An access token carries no tenant, so only ID tokens are taken; a token must have an end."""
    claims = event.get("requestContext", {}).get("authorizer", {}).get("jwt", {}).get("claims", {})
    if claims.get("token_use") != "id":
        raise Unauthorized("An ID token is needed, not an access token.")
    expires = str(claims.get("exp", ""))
    if not expires.isdigit() or int(expires) <= time.time():
        raise Unauthorized("The token is over or has no end: sign in again.")
    try:
        return Caller(TenantId(parse_id(claims.get(tenant_claim))), UserId(parse_id(claims.get("sub"))))
    except Refused as refused:
        raise Unauthorized("The token names no tenant or no person: the operator adds the claim.") from refused
