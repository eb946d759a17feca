"""The workspace as a file: what stands in it is all there is."""

import argparse
from pathlib import Path

import pytest

from playbooks.adapters.dynamodb.workspace import DynamoWorkspace
from playbooks.adapters.memory.table import MemoryTable
from playbooks.domain.ids import TenantId, UserId
from playbooks.errors import Refused
from playbooks.interfaces.playbook_yaml import read_yaml
from playbooks_local.commands import workspace as command
from playbooks_local.workspace_file import parse_workspace

ACME, MINA, JUN = TenantId("acme"), UserId("mina"), UserId("jun")
FILE = b"""
tenant: acme
people:
  - {id: mina, name: Mina, groups: [analysts], zone: Asia/Seoul, language: ko}
  - {id: jun, name: Jun, groups: []}
databases:
  - name: shop
    host: db.example.org
    database: shop
    secret: playbooks/databases/shop
    roles: [{group: analysts, role: playbooks_reader}]
    functions: [word_similarity]
"""


@pytest.fixture
def workspace() -> DynamoWorkspace:
    return DynamoWorkspace(MemoryTable())


def apply(workspace: DynamoWorkspace, text: bytes, *, dry_run: bool = False) -> list[str]:
    written: list[str] = []
    command.apply(parse_workspace(read_yaml(text)), workspace, written.append, dry_run=dry_run)
    return written


def test_people_and_databases_are_registered_and_a_second_time_nothing_changes(workspace):
    assert apply(workspace, FILE) == [
        "person mina (Mina): analysts",
        "person jun (Jun): no group",
        "database shop: read by analysts as playbooks_reader",
    ]
    mina = workspace.people(ACME, [MINA])[MINA]
    assert (mina.groups, mina.zone, mina.language, mina.active) == ({"analysts"}, "Asia/Seoul", "ko", True)
    shop = workspace.database(ACME, "shop")
    assert (shop.role_for(mina), shop.port, shop.tls, shop.functions) == (
        *("playbooks_reader", 5432, "verify"),
        ("word_similarity",),
    )
    assert apply(workspace, FILE) == ["Nothing changes."]


def test_who_and_what_is_taken_out_of_the_file_may_nothing_any_more(workspace):
    apply(workspace, FILE)
    assert apply(workspace, b"tenant: acme\npeople: [{id: jun, name: Jun, groups: []}]\ndatabases: []\n") == [
        "person mina: inactive",
        "database shop: not registered any more",
    ]
    mina = workspace.people(ACME, [MINA])[MINA]
    assert (mina.active, mina.groups, workspace.database(ACME, "shop")) == (False, frozenset(), None)


def test_a_part_that_is_left_out_and_another_tenant_stay_as_they_are(workspace):
    apply(workspace, FILE)
    apply(workspace, FILE.replace(b"acme", b"globex"))
    apply(workspace, b"tenant: acme\npeople: []\n")
    assert workspace.database(ACME, "shop") is not None
    assert workspace.people(TenantId("globex"), [MINA])[MINA].active


def test_a_dry_run_says_what_would_change_and_writes_nothing(workspace):
    assert len(apply(workspace, FILE, dry_run=True)) == 3
    assert workspace.people(ACME, [MINA, JUN]) == {}
    assert workspace.databases(ACME) == []


def test_everything_that_is_wrong_is_said_at_once():
    text = b"""
tenant: "a#b"
people:
  - {id: mina, name: "", groups: analysts, zone: Mars, language: de, active: "yes", admin: true}
  - {id: mina, name: Mina, groups: [1]}
  - nobody
databases:
  - {name: shop, host: db, database: shop, secret: s, port: 99999, tls: "off", roles: [{group: g}]}
"""
    with pytest.raises(Refused) as refused:
        parse_workspace(read_yaml(text))
    assert {finding.path for finding in refused.value.findings} >= {
        *("/tenant", "/people/0/name", "/people/0/groups", "/people/0/zone", "/people/0/language"),
        *("/people/0/active", "/people/0/admin", "/people", "/people/1/groups/0", "/people/2"),
        *("/databases/0/port", "/databases/0/tls", "/databases/0/roles/0/role"),
    }


def test_a_file_that_is_not_there_is_said_in_one_line(tmp_path: Path):
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    parsed = parser.parse_args([str(tmp_path / "none.yaml"), "--table", "t"])
    with pytest.raises(command.WorkspaceUnreachable, match=r"none\.yaml cannot be read"):
        command.run(parsed)
