"""An OpenID Connect issuer on a loopback port: keys, discovery, and ID tokens for the sample people.

It stands in for the user pool, so that the HTTP API's JWT authorizer and the functions check real RS256 tokens.
The key is made at each start. Logging in asks for a name and no password: whoever reaches the port is on this
machine already; a page in a browser is kept out by the content type and the `Host` that it cannot choose.
"""

import json
import time
from collections.abc import Mapping
from typing import Any, Final

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from playbooks_local.loopback_ports import HOST
from playbooks_local.loopback_server import Handler, LoopbackServer
from playbooks_local.people import PEOPLE, Person

AUDIENCE: Final = "playbooks-local"
_LIFETIME_SECONDS: Final = 3600
_KEY_ID: Final = "local-1"

# A claim set to this is left out of the token.
ABSENT: Final = object()


class Issuer(LoopbackServer):
    """A context manager; `url` is the issuer, `token(person)` an ID token for the audience `AUDIENCE`."""

    def __init__(self, *, port: int | None = None, people: Mapping[str, Person] = PEOPLE) -> None:
        super().__init__("the local issuer", self._handler_class, port=port)
        self.people = people
        self._key = rsa.generate_private_key(public_exponent=65537, key_size=2048)

    def token(
        self, person: Person | str, *, claims: Mapping[str, Any] | None = None, key: rsa.RSAPrivateKey | None = None
    ) -> str:
        """An ID token as Cognito makes it, valid for an hour.

        `claims` replaces or, with ABSENT, removes single claims, and `key` signs with another RSA key: for tests
        of what must be refused. Raises KeyError for an unknown name.
        """
        who = self.people[person] if isinstance(person, str) else person
        now = int(time.time())
        payload: dict[str, Any] = {
            "iss": self.url,
            "aud": AUDIENCE,
            "sub": who.sub,
            "token_use": "id",
            "email": who.email,
            "cognito:username": who.name,
            "cognito:groups": list(who.groups),
            "custom:tenant": who.tenant,
            "custom:role": who.role,
            "auth_time": now,
            "iat": now,
            "exp": now + _LIFETIME_SECONDS,
            **(claims or {}),
        }
        present = {name: value for name, value in payload.items() if value is not ABSENT}
        return jwt.encode(present, key or self._key, algorithm="RS256", headers={"kid": _KEY_ID})

    def jwks(self) -> dict[str, Any]:
        """The public key, RFC 7517."""
        public = RSAAlgorithm.to_jwk(self._key.public_key(), as_dict=True)
        return {"keys": [{**public, "kid": _KEY_ID, "alg": "RS256", "use": "sig"}]}

    def discovery(self) -> dict[str, Any]:
        """OpenID Connect Discovery 1.0, section 3."""
        return {
            "issuer": self.url,
            "jwks_uri": f"{self.url}/.well-known/jwks.json",
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
        }

    def _handler_class(self) -> type[Handler]:
        issuer = self

        class IssuerHandler(Handler):
            def do_GET(self) -> None:  # noqa: N802 - the base class looks for this name
                """Serve the two public documents."""
                documents = {
                    "/.well-known/jwks.json": issuer.jwks,
                    "/.well-known/openid-configuration": issuer.discovery,
                }
                document = documents.get(self.path)
                if document is None:
                    self.answer(404, b'{"error":"not_found"}')
                else:
                    self.answer(200, json.dumps(document()).encode())

            def do_POST(self) -> None:  # noqa: N802 - the base class looks for this name
                """`POST /dev/login {"person": "mina"}` answers `{"id_token": …, "expires_in": 3600}`."""
                body = self.body()
                here = f"{HOST}:{issuer.port}"
                if self.path != "/dev/login":
                    self.answer(404, b'{"error":"not_found"}')
                    return
                if self.headers.get("Host") != here or self.headers.get_content_type() != "application/json":
                    self.answer(400, b'{"error":"invalid_request"}')
                    return
                try:
                    token = issuer.token(str(json.loads(body)["person"]))
                except (ValueError, KeyError, TypeError):
                    known = ", ".join(issuer.people)
                    self.answer(400, json.dumps({"error": f"name one of: {known}"}).encode())
                    return
                self.answer(200, json.dumps({"id_token": token, "expires_in": _LIFETIME_SECONDS}).encode())

        return IssuerHandler
