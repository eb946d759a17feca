"""Which of a person's playbooks read a table: written with the step's commit, asked by the route."""

from dataclasses import replace

import pytest

from playbooks.adapters.dynamodb.table_readers import MAX_NAMES, MAX_NEW, DynamoTableReaders
from playbooks.adapters.memory.table import MemoryTable
from playbooks.application.steps.context import StepWork
from playbooks.domain.ids import PlaybookId, TenantId, UserId
from playbooks.domain.run import Outcome
from playbooks.errors import Unavailable
from playbooks.ports.directory import Person
from playbooks.ports.stores.runs import ExecutedQuery
from tests.unit.api.client import Client
from tests.world import ACME, World, steps

RAN = ExecutedQuery("SELECT 1", "shop", "shop_reader", suggested=False, ok=True, rows=1, milliseconds=1)


class CountingTable(MemoryTable):
    """Counts what is written of the index, and may refuse to be read."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[str] = []
        self.deaf = False

    def transact(self, writes):
        self.written += [write.key[1] for write in writes if write.key[1].startswith("READS#")]
        super().transact(writes)

    def batch_get(self, keys):
        if self.deaf and any(sort.startswith("READS#") for _, sort in keys):
            raise Unavailable("no answer")
        return super().batch_get(keys)


@pytest.fixture
def world() -> World:
    return World(CountingTable()).people()


def run(world: World, *tables: str, playbook: str = "p1", database: str = "shop", ok: bool = True) -> None:
    """One run of a playbook whose one step reads the tables."""
    query = replace(RAN, tables=tables, database=database, ok=ok)
    world.execute = lambda _held, _context: StepWork(Outcome.DONE, "read", queries=(query,))
    if world.playbooks.playbook(ACME, PlaybookId(playbook)) is None:
        world.playbook(playbook, steps=steps(1))
    world.use_runs.run_now(world.mina, PlaybookId(playbook), f"key{len(world.table.items())}")
    world.deliver()


def readers(world: World, table: str, database: str = "shop", **claims) -> list[tuple[str, list[str]]]:
    status, answer = Client(world).call("GET", f"/v1/tables/{database}/{table}/playbooks", **claims)
    assert status == 200
    return [(found["id"], found["tables"]) for found in answer["playbooks"]]


def test_a_playbook_whose_statement_read_a_table_is_listed_with_the_run_that_was_first(world):
    run(world, "public.orders", "customers")
    status, answer = Client(world).call("GET", "/v1/tables/shop/customers/playbooks")
    (found,) = answer["playbooks"]
    assert (status, found["id"], found["tables"]) == (200, "p1", ["customers"])
    assert Client(world).call("GET", f"/v1/runs/{found['first_read_by']}")[0] == 200
    assert found["first_read_at"].endswith("Z")


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("orders", ["p1", "p2", "p3"]),
        ("public.orders", ["p1", "p2"]),
        ("sales.orders", ["p1", "p3"]),
        ("order", []),
        ("public.orders.id", []),
    ],
)
def test_a_name_without_schema_is_any_table_of_that_name(world, asked, found):
    for playbook, table in (("p1", "orders"), ("p2", "public.orders"), ("p3", "sales.orders")):
        run(world, table, playbook=playbook)
    assert sorted(playbook for playbook, _ in readers(world, asked)) == found


def test_a_second_run_that_reads_the_same_writes_nothing(world):
    run(world, "orders")
    run(world, "orders")
    assert world.table.written == ["READS#shop.orders#p1"]


def test_another_name_of_the_table_joins_the_first(world):
    run(world, "orders")
    run(world, "public.orders")
    assert readers(world, "orders") == [("p1", ["orders", "public.orders"])]


def test_what_was_refused_or_failed_read_nothing(world):
    run(world, "orders", ok=False)
    assert readers(world, "orders") == []


def test_tables_of_another_database_are_others(world):
    run(world, "orders", database="stock")
    assert readers(world, "orders") == []
    assert readers(world, "orders", "stock") == [("p1", ["orders"])]


def test_a_playbook_that_was_deleted_is_not_listed(world):
    run(world, "orders")
    world.use_playbooks.delete(world.mina, PlaybookId("p1"))
    assert readers(world, "orders") == []


@pytest.mark.parametrize("claims", [{"sub": "jun"}, {"tenant": "globex"}])
def test_nobody_else_sees_who_reads(world, claims):
    for tenant in (ACME, TenantId("globex")):
        world.workspace.register_person(tenant, Person(UserId("jun"), "Jun", frozenset()))
    run(world, "orders")
    assert readers(world, "orders", **claims) == []


@pytest.mark.parametrize("name", ["a#b", "주문", 'public."odd.name"', "x" * 63, "50%", '"'])
def test_any_name_a_table_can_bear_is_kept(world, name):
    run(world, name)
    (found,) = DynamoTableReaders(world.table).readers(ACME, "shop", name)
    assert (found.playbook, found.tables) == ("p1", (name,))


def test_what_one_commit_adds_is_bounded_and_the_next_run_adds_the_rest(world):
    many = [f"t{number}" for number in range(MAX_NEW + 5)]
    run(world, *many)
    assert len(world.table.written) == MAX_NEW
    run(world, *many)
    assert len(set(world.table.written)) == len(world.table.written) == len(many)


def test_the_names_of_one_item_are_bounded(world):
    run(world, *(f"s{number}.orders" for number in range(MAX_NAMES + 5)))
    assert [len(names) for _, names in readers(world, "orders")] == [MAX_NAMES]


def test_an_index_that_cannot_be_read_does_not_undo_the_step(world):
    world.table.deaf = True
    run(world, "orders")
    (done,) = world.use_runs.list(world.mina, PlaybookId("p1"), None)[0]
    assert done.status.value == "completed"
    world.table.deaf = False
    run(world, "orders")
    assert readers(world, "orders") == [("p1", ["orders"])]
