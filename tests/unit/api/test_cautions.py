"""What a database role may do beyond reading is said when a playbook is checked, shown and switched on."""

from dataclasses import replace

import pytest

from playbooks.domain.ids import StepId
from playbooks.domain.playbook import Step, StepKind
from playbooks.errors import Finding
from playbooks.ports.directory import RoleCheck
from tests.unit.api.client import Client
from tests.world import ACME, SHOP, World

RISK = Finding("role_superuser", "/role", "The role is a superuser.")


@pytest.fixture
def world() -> World:
    world = World().people()
    asking = [Step(StepId(f"s{n}"), StepKind.QUERY_DATABASE, "how many orders", {"database": "shop"}) for n in (1, 2)]
    world.playbook(steps=tuple(asking), on=False)
    return world


def cautions(world: World) -> list[list[tuple[str, str]]]:
    """Codes and paths as the three routes tell them."""
    client = Client(world)
    answers = [
        client.call("GET", "/v1/playbooks/p1"),
        client.call("GET", "/v1/playbooks/p1/checks"),
        client.call("POST", "/v1/playbooks/p1/enable"),
    ]
    assert [status for status, _ in answers] == [200, 200, 200]
    return [[(one["code"], one["path"]) for one in body["cautions"]] for _, body in answers]


def test_a_role_that_no_run_has_met_is_said_to_be_unchecked_and_keeps_nothing_from_running(world):
    assert cautions(world) == [[("role_not_checked", "/steps/0/inputs/database")]] * 3
    assert world.playbooks.playbook(ACME, "p1").state.value == "on"


def test_each_risk_of_a_checked_role_is_told_once_a_database(world):
    world.workspace.save_role_check(ACME, SHOP, RoleCheck("shop_reader", world.clock.now(), (RISK,)))
    assert cautions(world) == [[("role_superuser", "/steps/0/inputs/database")]] * 3


def test_a_check_of_another_role_does_not_count(world):
    world.workspace.save_role_check(ACME, SHOP, RoleCheck("someone_else", world.clock.now()))
    assert cautions(world)[0] == [("role_not_checked", "/steps/0/inputs/database")]


def test_a_role_that_only_reads_brings_no_caution(world):
    world.workspace.save_role_check(ACME, SHOP, RoleCheck("shop_reader", world.clock.now()))
    assert cautions(world) == [[], [], []]


def test_a_check_of_the_server_that_had_the_name_before_does_not_count(world):
    world.workspace.save_role_check(ACME, SHOP, RoleCheck("shop_reader", world.clock.now()))
    world.workspace.register_database(ACME, replace(SHOP, host="db.example.com"))
    assert cautions(world)[0] == [("role_not_checked", "/steps/0/inputs/database")]
