"""Random specs with fixed seeds: the same ids in the same order on every store."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import pytest
import sqlalchemy

from playbooks.query_spec import (
    Catalogue,
    ColumnType,
    Nulls,
    QuerySpecError,
    canonical_row,
    interpret,
    qdrant_target,
    read_page,
    to_qdrant,
)
from playbooks.query_spec.memory_target import Row, answer
from playbooks.query_spec.sqlalchemy_target import SqlTarget
from playbooks_local.cases.query_spec import table_of
from tests.integration.query_spec.qdrant_stores import EdgeQdrant, LocalQdrant, matches_booleans, points_of
from tests.integration.query_spec.worlds import NEW_YORK, SCOPE, SEOUL, World, make_world, random_spec

T = TypeVar("T")
BLOCKS = 16
COMPARED_IN_A_BLOCK = 100


@dataclass(frozen=True)
class Stores:
    """One world in every store."""

    world: World
    rows: list[Row]
    connection: sqlalchemy.Connection
    target: SqlTarget
    local: LocalQdrant
    rust: EdgeQdrant

    def compare(self, spec: dict[str, object]) -> tuple[str | None, int, int]:
        """What differs, or None; how many Qdrant engines were asked, and how many rows they found."""
        catalogue: Catalogue = self.world.catalogue
        query = _tried(lambda: interpret(spec, catalogue, zone=self.world.zone), "between_reversed")
        if query is None:
            return None, 0, 0
        expected = [row["id"] for row in answer(query, SCOPE, self.rows)]
        found = self.connection.execute(self.target.select(query, SCOPE)).mappings()
        if (ids := [row["id"] for row in found]) != expected:
            return f"memory {expected}, PostgreSQL {ids}", 0, 0
        compiled = _tried(lambda: to_qdrant(query, SCOPE), "unsupported_on_target")
        if compiled is None:
            return None, 0, 0
        engines = [self.local] if matches_booleans(compiled.filter) else [self.local, self.rust]
        for engine in engines:
            if (ids := [point.id for point in read_page(compiled, engine)]) != expected:
                return f"SQL {expected}, {type(engine).__name__} {ids}", len(engines), len(ids)
        return None, len(engines), len(expected)


def _tried(attempt: Callable[[], T], only: str) -> T | None:
    """The result, or None when it was refused with nothing but this code."""
    try:
        return attempt()
    except QuerySpecError as error:
        if {item.code for item in error.findings} != {only}:
            raise
        return None


WORLDS = {
    "integer key, SQL nulls": make_world(key=ColumnType.INTEGER, nulls=Nulls.SQL, zone=SEOUL, seed=1),
    "uuid key, distinct nulls": make_world(key=ColumnType.UUID, nulls=Nulls.DISTINCT, zone=NEW_YORK, seed=2),
}


@pytest.fixture(scope="module", params=WORLDS)
def stores(request, database_url: sqlalchemy.URL, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    world = WORLDS[request.param]
    table = table_of(world.catalogue, f"world_{len(request.param)}")
    engine = sqlalchemy.create_engine(database_url)
    rust = EdgeQdrant(
        tmp_path_factory.mktemp("rust"),
        points_of(world.catalogue, world.rows, nulls=False),
        world.catalogue,
        indexed=True,
    )
    with engine.begin() as connection:
        table.create(connection)
        rows = [canonical_row(world.catalogue, row) for row in world.rows]
        connection.execute(table.insert(), rows)
        local = LocalQdrant(points_of(world.catalogue, world.rows, nulls=True))
        yield Stores(world, rows, connection, SqlTarget(table, world.catalogue), local, rust)
    rust.close()
    engine.dispose()


@pytest.mark.parametrize("block", range(BLOCKS // 2))
def test_a_hundred_random_specs_find_the_same_ids_in_the_same_order_on_every_store(stores, block):
    rng = random.Random(1000 + block)
    compared = found = 0
    while compared < COMPARED_IN_A_BLOCK:
        spec = random_spec(stores.world, rng)
        difference, engines, rows = stores.compare(spec)
        assert difference is None, spec
        compared += engines == 2
        found += engines == 2 and rows > 0
    assert found >= COMPARED_IN_A_BLOCK // 2, "most of these specs must find something to be worth comparing"


def test_without_the_null_guard_the_stores_no_longer_agree(stores, monkeypatch):
    if stores.world.catalogue.nulls is Nulls.DISTINCT:
        # There the guard is what must not be added.
        monkeypatch.setattr(
            qdrant_target,
            "_negatable",
            lambda found, leaf: {"must_not": [found, qdrant_target.is_empty(leaf.field)]} if leaf.negated else found,
        )
    else:
        monkeypatch.setattr(
            qdrant_target, "_negatable", lambda found, leaf: {"must_not": [found]} if leaf.negated else found
        )
    rng = random.Random(1000)
    assert any(stores.compare(random_spec(stores.world, rng))[0] is not None for _ in range(200))


def test_the_random_specs_ask_about_every_column_with_every_operator():
    seen = set()
    for world in WORLDS.values():
        rng = random.Random(1000)
        stack: list[object] = [random_spec(world, rng) for _ in range(1500)]
        while stack:
            item = stack.pop()
            if isinstance(item, dict):
                if "operator" in item:
                    seen.add((item["column"], item["operator"]))
                stack.extend(item.values())
            elif isinstance(item, list):
                stack.extend(item)
    columns = WORLDS["integer key, SQL nulls"].catalogue.open_columns
    assert seen >= {(name, operator) for name, column in columns.items() for operator in column.allowed_operators()}
