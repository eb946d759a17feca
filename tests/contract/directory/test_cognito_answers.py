"""What the pool's answers mean; the client is the real one, with answers it accepts as Cognito's."""

import boto3
import pytest
from botocore.exceptions import EndpointConnectionError
from botocore.stub import Stubber

from playbooks.adapters.directory import KEPT_SECONDS, CognitoDirectory, DirectoryRefused
from playbooks.domain.ids import TenantId, UserId
from playbooks.errors import Unavailable

ACME, GLOBEX, MINA = TenantId("acme"), TenantId("globex"), UserId("6f9d")
POOL = "eu-west-1_AbCdEf"
ATTRIBUTES = {"sub": MINA, "custom:tenant": "acme", "name": "Mina", "zoneinfo": "Asia/Seoul", "locale": "ko_KR"}


class Pool:
    """A user pool that answers what it is told, once each."""

    def __init__(self) -> None:
        self.now = 0.0
        client = boto3.client("cognito-idp", "eu-west-1", aws_access_key_id="a", aws_secret_access_key="b")
        self.stub = Stubber(client)
        self.stub.activate()
        self.directory = CognitoDirectory(lambda: client, POOL, "custom:tenant", lambda: self.now)

    def user(self, *, enabled: bool = True, status: str = "CONFIRMED", **attributes: str | None) -> None:
        """The next answer about Mina; an attribute given as None is not there."""
        told = {**ATTRIBUTES, **attributes}
        answer = {
            "Username": "mina",
            "Enabled": enabled,
            "UserStatus": status,
            "UserAttributes": [{"Name": n, "Value": v} for n, v in told.items() if v is not None],
        }
        self.stub.add_response("admin_get_user", answer, {"UserPoolId": POOL, "Username": MINA})

    def groups(self, *names: str, after: str | None = None, more: str | None = None) -> None:
        """The next page of Mina's groups."""
        expected = {"UserPoolId": POOL, "Username": MINA, "Limit": 60}
        answer: dict[str, object] = {"Groups": [{"GroupName": name} for name in names]}
        self.stub.add_response(
            "admin_list_groups_for_user",
            answer | ({"NextToken": more} if more else {}),
            expected | ({"NextToken": after} if after else {}),
        )

    def ask(self, tenant: TenantId = ACME):
        """Mina as the directory tells the tenant, or None."""
        return self.directory.people(tenant, [MINA]).get(MINA)


@pytest.fixture
def pool() -> Pool:
    return Pool()


def test_a_person_comes_with_name_zone_language_and_all_pages_of_groups(pool):
    pool.user()
    pool.groups("analysts", more="next")
    pool.groups("managers", after="next")
    mina = pool.ask()
    assert (mina.id, mina.name, mina.zone, mina.language) == (MINA, "Mina", "Asia/Seoul", "ko")
    assert (mina.groups, mina.active) == ({"analysts", "managers"}, True)


@pytest.mark.parametrize(
    "attributes", [{"custom:tenant": "globex"}, {"custom:tenant": None}, {"custom:tenant": ""}, {"sub": "other"}]
)
def test_a_person_of_another_tenant_or_of_none_looks_like_one_who_is_not_there(pool, attributes):
    pool.user(**attributes)
    if attributes.get("custom:tenant"):
        pool.groups("analysts")
    assert pool.ask() is None


def test_what_is_kept_for_one_tenant_is_not_told_to_another(pool):
    pool.user()
    pool.groups("analysts")
    assert pool.ask() is not None
    assert pool.ask(GLOBEX) is None
    assert pool.ask(TenantId("")) is None


def test_a_group_that_is_taken_away_is_gone_after_a_minute_and_not_asked_about_before(pool):
    pool.user()
    pool.groups("analysts")
    assert pool.ask().groups == {"analysts"}
    pool.now = KEPT_SECONDS - 0.1
    assert pool.ask().groups == {"analysts"}
    pool.user()
    pool.groups()
    pool.now = KEPT_SECONDS
    assert pool.ask().groups == frozenset()
    pool.stub.assert_no_pending_responses()


@pytest.mark.parametrize(
    ("enabled", "status", "active"),
    [
        (True, "CONFIRMED", True),
        (True, "EXTERNAL_PROVIDER", True),
        (True, "RESET_REQUIRED", True),
        (True, "FORCE_CHANGE_PASSWORD", True),
        (False, "CONFIRMED", False),
        (True, "UNCONFIRMED", False),
        (True, "ARCHIVED", False),
        (True, "COMPROMISED", False),
    ],
)
def test_who_is_active(pool, enabled, status, active):
    pool.user(enabled=enabled, status=status)
    pool.groups()
    assert pool.ask().active is active


@pytest.mark.parametrize(
    ("attributes", "zone", "language", "name"),
    [
        ({"zoneinfo": "Mars/Olympus", "locale": "de-DE"}, "UTC", "en", "Mina"),
        ({"zoneinfo": "../../etc/passwd", "locale": ""}, "UTC", "en", "Mina"),
        ({"zoneinfo": None, "locale": "KO", "name": None, "email": "m@x.org"}, "UTC", "ko", "m@x.org"),
        ({"name": None}, "Asia/Seoul", "ko", "mina"),
    ],
)
def test_what_a_person_left_out_or_got_wrong_has_a_default(pool, attributes, zone, language, name):
    pool.user(**attributes)
    pool.groups()
    mina = pool.ask()
    assert (mina.zone, mina.language, mina.name) == (zone, language, name)


def test_a_user_who_is_not_in_the_pool_is_nobody_and_that_is_kept_too(pool):
    pool.stub.add_client_error("admin_get_user", "UserNotFoundException")
    assert pool.ask() is None
    assert pool.ask() is None


@pytest.mark.parametrize("code", ["TooManyRequestsException", "InternalErrorException", "ThrottlingException"])
def test_a_pool_that_does_not_answer_is_asked_again_later_and_nobody_becomes_unknown(pool, code):
    pool.stub.add_client_error("admin_get_user", code)
    with pytest.raises(Unavailable) as away:
        pool.ask()
    assert away.value.retryable
    pool.user()
    pool.groups("analysts")
    assert pool.ask() is not None


@pytest.mark.parametrize("code", ["AccessDeniedException", "ResourceNotFoundException", "InvalidParameterException"])
def test_a_pool_that_may_not_be_read_is_told_to_the_operator(pool, code):
    pool.stub.add_client_error("admin_get_user", code)
    with pytest.raises(DirectoryRefused, match="UserPoolId"):
        pool.ask()


def test_groups_that_cannot_be_read_leave_nobody_without_groups(pool):
    pool.user()
    pool.stub.add_client_error("admin_list_groups_for_user", "TooManyRequestsException")
    with pytest.raises(Unavailable):
        pool.ask()


def test_a_network_that_is_away_is_a_pool_that_does_not_answer():
    class Away:
        def admin_get_user(self, **_: str):
            raise EndpointConnectionError(endpoint_url="https://cognito-idp.eu-west-1.amazonaws.com")

    with pytest.raises(Unavailable):
        CognitoDirectory(Away, POOL, "custom:tenant").people(ACME, [MINA])
