"""What must hold after every write, and what must have come true when everything has come to rest.

The numbers are the promises: 1 one occurrence, one run; 2 nothing committed is lost; 3 no push of what was not
committed; 5 no outside write twice unseen; 7 every due occurrence has a row.
"""

from collections import Counter, defaultdict
from datetime import datetime, timedelta
from typing import Any

from playbooks.adapters.dynamodb import keys
from playbooks.adapters.dynamodb.items import FREE, read_run, read_schedule
from playbooks.adapters.dynamodb.operations import Item, Key
from playbooks.domain.ids import PlaybookId, RunId, TenantId
from playbooks.domain.run import MAX_RUNNING, Run, RunKind, RunStatus
from playbooks.ports.push import PushMessage
from tests.simulation.engine import START, Actor, Engine
from tests.simulation.outside import Outside
from tests.simulation.table import WatchedTable

OVER = {"completed", "stopped", "failed", "cancelled", "skipped", "blocked"}
MAX_LEASES_IN_VAIN = 9
"""Three, one more that ends the run, and some that crash before they can write the end."""
TOLD = {RunStatus.COMPLETED, RunStatus.STOPPED, RunStatus.FAILED, RunStatus.SKIPPED, RunStatus.BLOCKED}
GRACE = timedelta(minutes=10)
TICKS_COME = 120
"""Seconds within which a tick has come to what is due, when nothing goes wrong."""
ENDS_WITHIN = MAX_RUNNING + timedelta(minutes=3)
"""The tick after the deadline ends it; nothing goes wrong any more by then."""
HOUR = timedelta(hours=1)


class Invariants:
    """Watches the table and the outside."""

    def __init__(self, engine: Engine, table: WatchedTable, outside: Outside) -> None:
        self._engine, self._table, self._outside = engine, table, outside
        self._occurrences: dict[tuple[str, str], str] = {}
        self._due: dict[str, str] = {}
        self._leased_by: dict[str, Actor] = {}
        self._touched: set[str] = set()
        self._moved: list[tuple[str, str, str]] = []

    def start(self) -> None:
        """From here on everything is watched."""
        self._table.watch = self._watch
        self._table.settled = self._settled
        self._outside.ring_seen = self._ring_seen
        self._outside.push_seen = self._push_seen

    def _broken(self, what: str) -> None:
        self._engine.break_(what)

    # --- after every write

    def _watch(self, key: Key, before: Item | None, after: Item) -> None:
        partition, sort = key[0].split("#"), key[1].split("#")
        if len(partition) == 4 and partition[2] == "PB":
            self._touched.add(key[0])
        match [*partition[2:3], *sort]:
            case ["RUN", "META"]:
                self._run(before, after)
            case ["RUN", "STEP", number] if before is not None:
                self._broken(f"step {number} of {key[0]} was saved twice")
            case ["RUN", "CK", *_] if before is not None and before["body"] != after["body"]:
                self._broken(f"a checkpoint was written over: {key}")
            case ["RUN", "CALL", *_] if before is not None and before["state"] != "started":
                self._broken(f"a call that was over changed: {key}")
            case [_, "NOTE", *_] if before is not None and "sent_at" in before:
                self._broken(f"a notice that was sent changed: {key}")
            case ["PB", "SCHED"] if before is not None:
                self._schedule(before, after)

    def _run(self, before: Item | None, after: Any) -> None:
        name = after["id"]
        if before is not None:
            self._run_changed(name, before, after)
        elif after["kind"] == "scheduled":
            self._due[name] = after["due"]
            first = self._occurrences.setdefault((after["playbook"], after["occurrence"]), name)
            if first != name:
                self._broken(f"1: two runs of {after['playbook']} at {after['occurrence']}")
            # Only in the calm: a tick comes each minute then, and nothing holds it up.
            late = after.get("late_seconds", 0)
            if self._engine.switched_off_at and after.get("reason_code") == "switched_off" and late > TICKS_COME:
                self._broken(f"7: {after['playbook']} was due for {late} seconds, and no tick came to it")

    def _run_changed(self, name: str, was: Any, after: Any) -> None:
        if was["status"] in OVER and was != after:
            self._broken(f"1: {name} was over ({was['status']}) and changed to {after['status']}")
        if after["fence"] < was["fence"]:
            self._broken(f"the fence of {name} went back")
        if after.get("cursor", 0) < was.get("cursor", 0):
            self._broken(f"{name} went back to an earlier step")
        if _calls(after) < _calls(was):
            self._broken(f"what {name} cost was forgotten")
        if after.get("without_progress", 0) > MAX_LEASES_IN_VAIN:
            self._broken(f"{name} is leased for ever without progress")
        if after["fence"] == was["fence"] and after["lease_id"] not in {was["lease_id"], ""}:
            self._broken(f"{name} has two holders under one fence")
        if after["fence"] > was["fence"] and after["status"] not in OVER:
            if was["lease_until"] != FREE and was["lease_until"] > _text(self._engine.t):
                self._broken(f"{name} was leased while its lease ran")
            if self._engine.writer is not None:
                self._leased_by[after["lease_id"]] = self._engine.writer

    def _schedule(self, before: Any, after: Any) -> None:
        name = after["PK"]
        if after["rule_version"] < before["rule_version"]:
            self._broken(f"an old rule came back: {name}")
        if after.get("last_at", "") < before.get("last_at", ""):
            self._broken(f"the last claimed occurrence of {name} went back")
        self._moved.append((name, before.get("last_run", ""), after.get("last_run", "")))

    def _settled(self) -> None:
        for partition in self._touched:
            playbook: Any = self._table._items.get((partition, keys.META))
            schedule: Any = self._table._items.get((partition, keys.SCHED))
            if playbook is None or schedule is None:
                continue
            on, due = playbook["state"] == "on", "next_at" in schedule
            if due and not on:
                self._broken(f"{partition} is {playbook['state']} and due")
            if on and not due and schedule["rule"].get("unit"):
                self._broken(f"{partition} is on and never due")
        self._touched.clear()
        for name, before, after in self._moved:
            if self._due.get(after, "") < self._due.get(before, ""):
                self._broken(f"the last run of {name} went back")
        self._moved.clear()

    def _ring_seen(self, tenant: TenantId, run: RunId) -> None:
        if keys.run(tenant, run) not in self._table._items:
            self._broken(f"3: a bell rang for {run}, which was not committed")

    def _push_seen(self, message: PushMessage) -> None:
        owner, _, note = message.collapse_key.partition(":")
        places = [(f"T#acme#RUN#{owner}", f"NOTE#{note}"), (f"T#acme#PB#{owner}", f"NOTE#{note}")]
        if not any(place in self._table._items for place in places):
            self._broken(f"3: a push of {owner} that nobody owed")
        run: Any = self._table._items.get((f"T#acme#RUN#{owner}", keys.META))
        if run is not None and run["status"] not in OVER:
            self._broken(f"3: a push told the end of {owner}, which was not over")

    def process_ended(self, actor: Actor) -> None:
        """A worker that ended by itself, with nothing going wrong, holds no lease."""
        if actor.error is not None:
            self._broken(f"a worker died of {actor.error!r}")
        if actor.crashed or actor.troubled():
            return
        for item in self._table.stored():
            if self._leased_by.get(str(item.get("lease_id", "-"))) is actor and item.get("status") not in OVER:
                self._broken(f"a worker went away with the lease of {item['id']}")

    # --- at rest

    def not_at_rest(self) -> None:
        """Nine calm hours were not enough."""
        left = [item["wake_sk"] for item in self._table.stored() if "wake_sk" in item]
        self._broken(f"2: it never came to rest; still waiting: {left[:3]}")

    def at_the_end(self, untouched: set[PlaybookId]) -> None:
        """Everything is over: the accounts must be right."""
        runs = [read_run(item) for item in self._table.stored() if item["SK"] == "META" and "#RUN#" in str(item["PK"])]
        for run in runs:
            self._run_at_rest(run)
        self._pushes(runs)
        self._usage(runs)
        by_playbook: dict[PlaybookId, list[Run]] = defaultdict(list)
        for run in runs:
            if run.playbook is not None and run.kind is RunKind.SCHEDULED:
                by_playbook[run.playbook].append(run)
        for playbook in untouched:
            self._accounted(playbook, by_playbook[playbook])

    def _run_at_rest(self, run: Run) -> None:
        if not run.status.over:
            self._broken(f"2: {run.id} never ended ({run.status.value})")
        if run.status is RunStatus.COMPLETED and run.kind is not RunKind.CONVERSION:
            steps = [n for n in range(run.step_count) if keys.step(run.tenant, run.id, n) in self._table._items]
            if len(steps) != run.step_count or run.cursor != run.step_count:
                self._broken(f"2: {run.id} completed with the steps {steps} of {run.step_count}")
        converted = run.kind is RunKind.CONVERSION and run.status is RunStatus.COMPLETED
        if converted and keys.playbook(run.tenant, PlaybookId(run.result)) not in self._table._items:
            self._broken("2: a conversion completed without its playbook")
        if run.started_at is not None and run.ended_at is not None and run.ended_at - run.started_at > ENDS_WITHIN:
            self._broken(f"2: {run.id} took longer than a run may")
        late = run.started_at is not None and run.due is not None and run.started_at - run.due > GRACE
        if late and run.kind is RunKind.SCHEDULED and run.status in {RunStatus.COMPLETED, RunStatus.STOPPED}:
            self._broken(f"{run.id} began more than ten minutes late and ran")
        self._writes(run)

    def _writes(self, run: Run) -> None:
        for step in range(run.step_count):
            made = self._outside.writes.get((run.id, step, "report"), [])
            if len(made) > 1:
                self._broken(f"5: {run.id} wrote {len(made)} times outside in step {step}")
            unknown = run.reason_code in {"outcome_unknown", "no_progress", "deadline"}
            if made and run.status is RunStatus.COMPLETED:
                calls = [
                    item
                    for item in self._table.stored()
                    if item["PK"] == keys.run_partition(run.tenant, run.id)
                    and str(item["SK"]).startswith(f"CALL#{step:02d}#")
                ]
                if not any(item.get("state") == "done" for item in calls) and not unknown:
                    self._broken(f"5: {run.id} completed, and its outside write is in no ledger")

    def _pushes(self, runs: list[Run]) -> None:
        told = Counter(owner for owner, _ in self._outside.pushed)
        for item in self._table.stored():
            if str(item["SK"]).startswith("NOTE#") and "sent_at" not in item and item.get("tries", 0) < 10:
                self._broken(f"2: the notice {item['PK']} {item['SK']} was never sent")
        for run in runs:
            owed = run.status in TOLD and run.reason_code != "switched_off"
            if run.kind is RunKind.SCHEDULED and owed and not told[run.id]:
                notes = [i for i in self._table.stored() if i["PK"] == keys.run_partition(run.tenant, run.id)]
                if not any(note.get("tries", 0) >= 10 for note in notes):
                    self._broken(f"2: nobody was told that {run.id} is {run.status.value}")

    def _usage(self, runs: list[Run]) -> None:
        counted = [item for item in self._table.stored() if str(item["SK"]).startswith("USE#")]
        ended = [
            run for run in runs if run.started_at is not None or run.status is RunStatus.CANCELLED or _expired(run)
        ]
        for name, spent in (
            ("runs", len(ended)),
            ("input_tokens", sum(run.usage.input_tokens for run in ended)),
        ):
            found = sum(item.get(name, 0) for item in counted)  # type: ignore[misc] # numbers
            if found != spent:
                self._broken(f"the month says {found} {name}, the runs {spent}")

    def _accounted(self, playbook: PlaybookId, runs: list[Run]) -> None:
        """The rows tile the schedule: none twice, none missing."""
        item = self._table.get(keys.schedule(TenantId("acme"), playbook))
        assert item is not None
        schedule = read_schedule(item)
        covered: list[datetime] = []
        for run in sorted(runs, key=lambda run: run.occurrence):
            first = datetime.fromisoformat(run.occurrence)
            covered += [first + HOUR * number for number in range(run.count)]
        expected = [datetime.fromisoformat("2026-11-30T09:00")]
        if schedule.rule.unit is not None:
            last = (schedule.last_at or START).replace(tzinfo=None)
            until = max(last, (START + timedelta(seconds=self._engine.switched_off_at)).replace(tzinfo=None))
            while expected[-1] + HOUR <= until:
                expected.append(expected[-1] + HOUR)
        if covered != expected:
            shown = [f"{at:%H:%M}" for at in covered]
            self._broken(f"7: {playbook} has rows for {shown}, {len(expected)} occurrences were due")


def _calls(run: Any) -> int:
    usage = run.get("usage", {})
    calls: int = usage.get("model_calls", 0)
    return calls


def _expired(run: Run) -> bool:
    return run.reason_code == "queued_too_long"


def _text(t: float) -> str:
    return (START + timedelta(seconds=t - 15)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
