"""The routes on a step's saved SQL."""

import pytest

from playbooks.adapters.dynamodb.playbook_writes import saved_query_writes
from playbooks.domain.ids import StepId
from playbooks.domain.playbook import Step, StepKind
from playbooks.domain.sql.saved_query import from_conversation, rewritten
from playbooks.ports.stores.playbooks import SavedQueryChange
from tests.unit.api.client import Client
from tests.world import ACME, World

STEP = StepId("s1")
PATH = "/v1/playbooks/p1/steps/s1/saved-queries"


@pytest.fixture
def world() -> World:
    world = World().people()
    ask = Step(STEP, StepKind.QUERY_DATABASE, "how many orders", {"database": "shop"})
    playbook = world.playbook(steps=(ask,), on=False)
    first = from_conversation("SELECT 1", "v1", world.clock.now())
    second = rewritten(first, "SELECT 2", (), "r1", world.clock.now())
    world.table.transact(saved_query_writes(ACME, playbook, SavedQueryChange(STEP, None, first)))
    world.table.transact(saved_query_writes(ACME, playbook, SavedQueryChange(STEP, 1, second, first)))
    return world


@pytest.fixture
def client(world) -> Client:
    return Client(world)


def test_the_versions_are_listed_newest_first_with_run_and_difference(client):
    status, shown = client.call("GET", PATH)
    assert status == 200
    told = [(v["version"], v["statement"], v["run"], v["origin"], v["present"]) for v in shown["versions"]]
    assert told == [(2, "SELECT 2", "r1", "run r1", True), (1, "SELECT 1", None, "conversation v1", False)]
    assert "-SELECT 1\n+SELECT 2" in shown["versions"][0]["diff"]


def test_a_former_version_comes_back_while_the_playbook_is_off(client):
    status, query = client.call("POST", f"{PATH}/restore", {"rev": 1, "version": 1})
    assert (status, query["statement"], query["version"]) == (200, "SELECT 1", 3)
    assert client.call("GET", "/v1/playbooks/p1")[1]["steps"][0]["saved_query"]["statement"] == "SELECT 1"
    status, problem = client.call("POST", f"{PATH}/restore", {"rev": 1, "version": 2})
    assert (status, problem["code"]) == (409, "changed")


def test_nothing_comes_back_while_the_playbook_is_on(client):
    client.call("POST", "/v1/playbooks/p1/enable")
    status, problem = client.call("POST", f"{PATH}/restore", {"rev": 2, "version": 1})
    assert (status, problem["code"]) == (409, "playbook_is_on")


@pytest.mark.parametrize("claims", [{"sub": "jun"}, {"tenant": "globex"}])
def test_another_persons_saved_sql_is_neither_shown_nor_changed(client, claims):
    assert client.call("GET", PATH, **claims)[0] == 404
    assert client.call("POST", f"{PATH}/restore", {"rev": 1, "version": 1}, **claims)[0] == 404
    assert client.call("GET", PATH)[1]["versions"][0]["version"] == 2


@pytest.mark.parametrize("path", [PATH.replace("s1", "s9"), PATH.replace("p1", "p9")])
def test_what_is_not_there_is_not_found(client, path):
    assert client.call("GET", path)[0] == 404


@pytest.mark.parametrize("body", [{"rev": 1}, {"rev": 1, "version": "1"}, {"rev": 1, "version": 0}])
def test_a_body_that_names_no_version_is_refused(client, body):
    assert client.call("POST", f"{PATH}/restore", body)[0] == 422
