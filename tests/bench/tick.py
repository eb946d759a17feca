"""What a tick costs: requests and CPU for each occurrence claimed, and whether an idle one knows how many there are.

    python -m tests.bench.tick [--due 1000 10000 100000] [--idle 0 10000 1000000]

Counts and ratios are what must hold on any machine; times are CPU time of this process. Grouped and one by one run
against the same emulated DynamoDB in turn (left out, and said so, where the emulator is not set up).
"""

import argparse
import gc
import json
import math
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from playbooks.adapters.dynamodb import keys
from playbooks.adapters.dynamodb.items import definition_item, playbook_item, schedule_item
from playbooks.adapters.dynamodb.operations import Item, Key, Put, Table, Write
from playbooks.adapters.memory.table import MemoryTable
from playbooks.application import commit_moves
from playbooks.application.lease import HeldRun
from playbooks.application.steps.context import StepContext, StepWork
from playbooks.domain.ids import PlaybookId
from playbooks.domain.playbook import Definition, Playbook, PlaybookState
from playbooks.domain.run import Outcome
from playbooks.domain.schedule import change_rule, enable
from playbooks.ports.stores.schedules import ZoneProgress
from playbooks.ports.stores.wake_index import SHARDS
from playbooks_local.problems import NotSetUp
from tests.world import ACME, MINA, World, hourly, steps

EIGHT, NINE = datetime(2026, 11, 30, 8, tzinfo=UTC), datetime(2026, 11, 30, 9, 0, 5, tzinfo=UTC)
MESSAGES_A_BATCH = 10


PROJECTED = ("status", "due", "started_at", "ended_at", "reason", "kind", "playbook", "title")


class MeteredTable(MemoryTable):
    """Counts write units as DynamoDB bills them: a kilobyte each, twice in a transaction, and once more an index."""

    def __init__(self) -> None:
        super().__init__()
        self.units = 0
        self._factor = 1

    def transact(self, writes: Sequence[Write]) -> None:
        self._factor = 2
        super().transact(writes)
        self._factor = 1

    def _store(self, key: Key, item: Item) -> None:
        before = self._items.get(key, {})
        self.units += self._factor * math.ceil(len(json.dumps(item, default=str)) / 1024)
        for index, projected in (("wake", ()), ("runs", PROJECTED)):
            was = [before.get(name) for name in (f"{index}_pk", f"{index}_sk", *projected)]
            now = [item.get(name) for name in (f"{index}_pk", f"{index}_sk", *projected)]
            if was != now:
                moved = was[:2] != now[:2]
                self.units += (was[0] is not None) + (now[0] is not None) if moved else 1
        super()._store(key, item)


def write_units() -> None:
    """Write units of a claim, and of its run with one step of three model turns."""
    table = MeteredTable()

    def three_turns(held: HeldRun, _context: StepContext) -> StepWork:
        for number in range(6):
            held.save(number, {"answer": "x" * 800}, usage=held.run.usage)
        return StepWork(Outcome.DONE, "done")

    world = installation(table)
    world.execute = three_turns
    fill(table, ["p1"])
    table.units = 0
    world.tick()
    claim, table.units = table.units, 0
    world.deliver()
    print(f"  write units: {claim} a claim, {table.units} its run of one step with three turns, push included")


def fill(table: Table, names: Iterable[str]) -> None:
    """Playbooks that are on and due at nine, with one step each."""
    schedule = enable(change_rule(None, hourly(), EIGHT), EIGHT)
    definition = Definition(1, steps(1))
    batch: list[Put] = []
    for text in names:
        name = PlaybookId(text)
        playbook = Playbook(ACME, name, MINA, "Report", PlaybookState.ON, 1, 1, definition.hash, EIGHT)
        batch += [
            Put(playbook_item(playbook)),
            Put(definition_item(ACME, name, definition)),
            Put(schedule_item(ACME, name, schedule)),
        ]
        if len(batch) >= 96:
            table.transact(batch)
            batch = []
    if batch:
        table.transact(batch)


def installation(table: Table) -> World:
    """A world at nine o'clock, its zone data gone through, whose bells cost what SQS asks for them."""
    world = World(table=table).people()
    now = world.schedules.zones()
    assert world.schedules.save_zones(now, ZoneProgress(_zone_version(), SHARDS))
    world.clock.at = NINE
    world.dispatcher = replace(world.dispatcher, pause=lambda attempt: time.sleep(0.01 * attempt))
    return world


def _zone_version() -> str:
    from playbooks.domain.recurrence import zone_data_version

    return zone_data_version()


def counted(world: World, table: MemoryTable) -> Counter[str]:
    """Requests from here on, by operation."""
    requests: Counter[str] = Counter()
    table.on_request = lambda operation: requests.update([operation])
    ring = world.doorbell.ring

    def counted_ring(runs: Any) -> Any:
        requests["send_message_batch"] += math.ceil(len(runs) / MESSAGES_A_BATCH)
        return ring(runs)

    world.doorbell.ring = counted_ring  # type: ignore[method-assign] # to count
    return requests


def claims_in_memory(due: int) -> None:
    """Requests and CPU of a tick with so many due."""
    table = MemoryTable()
    world = installation(table)
    fill(table, (f"p{number}" for number in range(due)))
    requests = counted(world, table)
    # The table lies in this process, which a real one does not: its items are not to cost collections of garbage.
    gc.collect()
    gc.disable()
    before = time.process_time()
    report = world.tick()
    spent = time.process_time() - before
    gc.enable()
    assert report.claimed == due
    each = {name: round(count / due, 3) for name, count in sorted(requests.items())}
    total = sum(requests.values()) / due
    print(f"{due:>9,} due: {total:.3f} requests and {1e6 * spent / due:.0f} µs of CPU a claim  {each}")


def idle_in_memory(schedules: int) -> None:
    """Requests of a tick that finds nothing, beside so many schedules that are due tomorrow."""
    table = MemoryTable()
    world = installation(table)
    for number in range(schedules):
        name = PlaybookId(f"p{number}")
        pk, sk = keys.schedule(ACME, name)
        table.write(Put({"PK": pk, "SK": sk, **keys.schedule_wake(ACME, name, "2026-12-01T09:00:00.000000Z")}))
    requests = counted(world, table)
    before = time.process_time()
    world.tick()
    spent = time.process_time() - before
    print(f"{schedules:>9,} schedules, none due: {sum(requests.values())} requests, {1e3 * spent:.1f} ms of CPU")


def grouped_against_single(claims: int) -> None:
    """Client CPU and claims a second over an emulated DynamoDB, for groups of one, 25 and 50."""
    import boto3

    from playbooks.adapters.dynamodb.table import DynamoTable
    from playbooks_local.cloudformation_yaml import load_template
    from playbooks_local.emulator import REGION, Emulator
    from playbooks_local.paths import TEMPLATE

    properties = load_template(TEMPLATE)["Resources"]["Table"]["Properties"]
    names = ("BillingMode", "AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes")
    costs: dict[int, float] = {}
    with tempfile.TemporaryDirectory() as folder, Emulator(Path(folder)) as emulator:
        client = boto3.client(
            "dynamodb",
            endpoint_url=emulator.url,
            region_name=REGION,
            aws_access_key_id=emulator.credentials.access_key_id,
            aws_secret_access_key=emulator.credentials.secret_access_key,
        )
        for size in (1, 25, 50, 1, 25, 50):
            table_name = f"bench{len(client.list_tables()['TableNames'])}"
            client.create_table(TableName=table_name, **{name: properties[name] for name in names})
            table = DynamoTable(client, table_name)
            world = installation(table)
            one_shard = (name for name in (f"p{n}" for n in range(99_999)) if keys.shard_of(ACME, name) == 5)
            fill(table, (next(one_shard) for _ in range(claims)))
            seen = world.schedules.load_due(world.schedules.due(5, NINE).schedules)
            from playbooks.application.claims import move_for
            from playbooks.domain.schedule import PreRunCheck, decide

            moves = [
                move_for(
                    decide(item.schedule, NINE, PreRunCheck()), item.schedule, item.playbook, item.definition, NINE
                )
                for item in seen
                if item.schedule is not None and item.playbook is not None
            ]
            commit_moves.MAX_ITEMS = 2 * size
            cpu, wall = time.process_time(), time.perf_counter()
            done = commit_moves.commit_moves(
                world.schedules, [move for move in moves if move is not None], pause=lambda _attempt: None
            )
            cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
            assert len(done.done) == claims, (len(done.done), done.left[:1])
            costs[size] = min(costs.get(size, math.inf), cpu / claims)
            each, rate = 1e3 * cpu / claims, claims / wall
            print(f"  groups of {size:>2}: {each:.2f} ms of client CPU a claim, {rate:,.0f} a second")
    commit_moves.MAX_ITEMS = 100
    print(f"  CPU, one by one against grouped: 25: {costs[1] / costs[25]:.1f}x, 50: {costs[1] / costs[50]:.1f}x")


def main(arguments: list[str]) -> int:
    """Print everything."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.tick", description=__doc__)
    parser.add_argument("--due", type=int, nargs="*", default=[1_000, 10_000, 100_000])
    parser.add_argument("--idle", type=int, nargs="*", default=[0, 10_000, 1_000_000])
    parser.add_argument("--claims", type=int, default=300)
    chosen = parser.parse_args(arguments)
    print("a tick over the memory adapters")
    for due in chosen.due:
        claims_in_memory(due)
    for schedules in chosen.idle:
        idle_in_memory(schedules)
    write_units()
    print("commits over the emulated DynamoDB")
    try:
        grouped_against_single(chosen.claims)
    except NotSetUp as problem:
        print(f"  left out: {problem}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
