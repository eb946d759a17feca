"""A real pool's life, on the emulated Cognito: people, tenants, groups that come and go."""

import boto3
import pytest

from playbooks.adapters.directory import KEPT_SECONDS, CognitoDirectory
from playbooks.domain.ids import TenantId, UserId
from playbooks_local.emulator import REGION, Emulator
from playbooks_local.paths import emulator_python

ACME = TenantId("acme")


@pytest.fixture(scope="module")
def cognito(tmp_path_factory):
    """A client of an emulated account."""
    if not emulator_python().exists():
        pytest.skip("the emulator's environment is missing: run `make setup`")
    with Emulator(tmp_path_factory.mktemp("emulator")) as emulator:
        keys = emulator.credentials
        yield boto3.client(
            "cognito-idp",
            REGION,
            endpoint_url=emulator.url,
            aws_access_key_id=keys.access_key_id,
            aws_secret_access_key=keys.secret_access_key,
        )


@pytest.fixture
def pool(cognito):
    """A pool with the group `analysts`."""
    schema = [{"Name": "tenant", "AttributeDataType": "String", "Mutable": True}]
    pool = cognito.create_user_pool(PoolName="people", Schema=schema)["UserPool"]["Id"]
    cognito.create_group(UserPoolId=pool, GroupName="analysts")
    return pool


def person(cognito, pool, name, tenant):
    """A new user of the pool, by the `sub` that tokens carry."""
    attributes = [{"Name": "custom:tenant", "Value": tenant}, {"Name": "name", "Value": name.title()}]
    user = cognito.admin_create_user(UserPoolId=pool, Username=name, UserAttributes=attributes)["User"]
    return UserId(next(one["Value"] for one in user["Attributes"] if one["Name"] == "sub"))


def test_groups_come_and_go_within_a_minute_and_a_disabled_person_is_inactive(cognito, pool):
    now = [0.0]
    directory = CognitoDirectory(lambda: cognito, pool, "custom:tenant", lambda: now[0])
    mina = person(cognito, pool, "mina", ACME)
    jun = person(cognito, pool, "jun", "globex")
    cognito.admin_add_user_to_group(UserPoolId=pool, Username="mina", GroupName="analysts")
    found = directory.people(ACME, [mina, jun, UserId("nobody")])
    assert {user: (one.name, one.groups, one.active) for user, one in found.items()} == {
        mina: ("Mina", {"analysts"}, True)
    }
    cognito.admin_remove_user_from_group(UserPoolId=pool, Username="mina", GroupName="analysts")
    cognito.admin_disable_user(UserPoolId=pool, Username="mina")
    now[0] = KEPT_SECONDS
    again = directory.people(ACME, [mina])[mina]
    assert (again.groups, again.active) == (frozenset(), False)


def test_a_name_is_not_an_identity(cognito, pool):
    person(cognito, pool, "mina", ACME)
    assert CognitoDirectory(lambda: cognito, pool, "custom:tenant").people(ACME, [UserId("mina")]) == {}
