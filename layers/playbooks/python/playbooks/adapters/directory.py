"""The directory over a Cognito user pool: who a person is now, and which groups they are in, kept for a minute."""

import time
from collections.abc import Callable, Collection, Mapping
from typing import Any, Protocol
from zoneinfo import ZoneInfo

from botocore.exceptions import BotoCoreError, ClientError

from playbooks.domain.ids import TenantId, UserId
from playbooks.errors import PlaybooksError, Unavailable
from playbooks.ports.directory import Person

KEPT_SECONDS = 60.0
MAX_KEPT = 10_000
LANGUAGES = ("en", "ko")
_NO_PERSON_YET = frozenset({"UNCONFIRMED", "ARCHIVED", "COMPROMISED", "UNKNOWN"})
"""User statuses (Cognito API reference, UserType) of an account nobody has proved to own, or that is closed."""
_NOT_THERE = frozenset({"UserNotFoundException"})
_FOR_GOOD = frozenset(
    {"AccessDeniedException", "NotAuthorizedException", "ResourceNotFoundException", "InvalidParameterException"}
)


class DirectoryRefused(PlaybooksError):
    """Raised when the user pool is not there or may not be read: the operator mends the deployment's parameters."""

    code = "directory_refused"


class CognitoClient(Protocol):
    """The two calls of boto3's `cognito-idp` client that are made."""

    def admin_get_user(self, *, UserPoolId: str, Username: str) -> Mapping[str, Any]:  # noqa: N803 - AWS' names
        """`UserAttributes`, `Enabled`, `UserStatus`; a local user may be named by their `sub`."""
        ...

    def admin_list_groups_for_user(self, **arguments: Any) -> Mapping[str, Any]:
        """`Groups` and, when there are more, `NextToken`."""
        ...


class CognitoDirectory:
    """`Directory` over a user pool. A user of the pool is a person of a tenant only when their attribute says so.

    `tenant_attribute` is the attribute behind the token's tenant claim (`custom:tenant`): it must not be writable by
    the app client, or people could choose their tenant. What was read is kept for 60 seconds, absence as well; a group
    that is taken away is gone from the next step after that.
    """

    def __init__(
        self,
        client: Callable[[], CognitoClient],
        pool: str,
        tenant_attribute: str,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._make_client = client
        self._client: CognitoClient | None = None
        self._pool = pool
        self._tenant_attribute = tenant_attribute
        self._monotonic = monotonic
        self._kept: dict[UserId, tuple[float, str, Person | None]] = {}

    def people(self, tenant: TenantId, users: Collection[UserId]) -> Mapping[UserId, Person]:
        """See `Directory.people`; a person of another tenant looks like one who is not there.

        Raises Unavailable when Cognito does not answer or throttles, DirectoryRefused when it never will.
        """
        found = {}
        for user in dict.fromkeys(users):
            belongs_to, person = self._person(user)
            if person is not None and belongs_to == tenant:
                found[user] = person
        return found

    def _person(self, user: UserId) -> tuple[str, Person | None]:
        now = self._monotonic()
        kept = self._kept.get(user)
        if kept is not None and now - kept[0] < KEPT_SECONDS:
            return kept[1:]
        tenant, person = self._read(user)
        if len(self._kept) >= MAX_KEPT:
            self._kept.clear()
        self._kept[user] = (now, tenant, person)
        return tenant, person

    def _read(self, user: UserId) -> tuple[str, Person | None]:
        if self._client is None:
            self._client = self._make_client()
        client = self._client
        try:
            stored = client.admin_get_user(UserPoolId=self._pool, Username=user)
            attributes = {str(one["Name"]): str(one.get("Value", "")) for one in stored.get("UserAttributes", ())}
            tenant = attributes.get(self._tenant_attribute, "")
            # A name is not an identity: rights hang on the `sub` that tokens carry, and on nothing else.
            if not tenant or attributes.get("sub") != user:
                return "", None
            groups = self._groups(client, user)
        except ClientError as error:
            code = str(error.response.get("Error", {}).get("Code"))
            if code in _NOT_THERE:
                return "", None
            if code in _FOR_GOOD:
                raise DirectoryRefused(
                    f"The user pool {self._pool} cannot be read ({code}): the operator checks the parameter UserPoolId "
                    "and that the pool is in this account and region."
                ) from error
            raise Unavailable(f"The user pool did not answer: {code}.") from error
        except BotoCoreError as error:
            raise Unavailable(f"The user pool did not answer: {error}.") from error
        active = bool(stored.get("Enabled", False)) and stored.get("UserStatus") not in _NO_PERSON_YET
        return tenant, Person(
            id=user,
            name=attributes.get("name") or attributes.get("email") or str(stored.get("Username", user)),
            groups=groups,
            active=active,
            zone=_zone(attributes.get("zoneinfo", "")),
            language=_language(attributes.get("locale", "")),
        )

    def _groups(self, client: CognitoClient, user: UserId) -> frozenset[str]:
        names: set[str] = set()
        arguments = {"UserPoolId": self._pool, "Username": user, "Limit": 60}
        while True:
            page = client.admin_list_groups_for_user(**arguments)
            names.update(str(group["GroupName"]) for group in page.get("Groups", ()))
            if not page.get("NextToken"):
                return frozenset(names)
            arguments["NextToken"] = page["NextToken"]


def _zone(text: str) -> str:
    """The person's IANA zone, UTC when they gave none or one that is not known."""
    try:
        return ZoneInfo(text).key
    except (ValueError, OSError, KeyError):
        return "UTC"


def _language(text: str) -> str:
    """`ko-KR`, `ko_KR` and `ko` are ko; a language that nothing is written in is en."""
    language = text.replace("_", "-").partition("-")[0].lower()
    return language if language in LANGUAGES else LANGUAGES[0]
