"""The tick when something is wrong with one item, with the table, or with the zone data."""

from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from playbooks.adapters.dynamodb import keys
from playbooks.adapters.dynamodb.items import read_schedule, schedule_item
from playbooks.adapters.dynamodb.operations import Put, Throttled, TransactionRefused
from playbooks.adapters.dynamodb.table import DynamoTable
from playbooks.adapters.memory.table import MemoryTable
from playbooks.application import recompute_zones
from playbooks.application.dispatch_due import TickFailed
from playbooks.domain.ids import PlaybookId, UserId
from playbooks.domain.recurrence import occurrence_of, parse_rule
from playbooks.domain.run import RunStatus
from playbooks.domain.schedule import state
from playbooks.errors import Unavailable
from playbooks.ports.directory import Person
from playbooks.ports.push import Platform
from tests.world import ACME, World, hourly


def at(hour: int, minute: int = 0) -> datetime:
    return datetime(2026, 11, 30, hour, minute, tzinfo=UTC)


class TroubledTable(MemoryTable):
    """Throttles every write until it is told to stop."""

    throttled = False
    unanswered = 0

    def write(self, write):
        if self.throttled:
            raise Throttled("patience")
        super().write(write)

    def transact(self, writes):
        if self.throttled:
            raise Throttled("patience")
        super().transact(writes)
        if self.unanswered:
            self.unanswered -= 1
            raise Unavailable("no answer")


def test_a_table_that_throttles_for_a_minute_loses_nothing_and_each_schedule_is_named():
    """F09"""
    table = TroubledTable()
    world = World(table=table).people()
    names = [world.playbook(f"p{number}") for number in range(3)]
    world.clock.at = at(9)
    table.throttled = True
    with pytest.raises(TickFailed):
        world.tick()
    assert {f["playbook"] for name, f in world.telemetry.events if name == "move_left"} == set(names)
    assert world.telemetry.counts["ClaimsFailed"] == 3

    table.throttled = False
    world.clock.forward(minutes=1)
    assert world.tick().claimed == 3


def test_an_answer_that_is_lost_is_asked_for_again_and_the_run_is_rung_a_minute_later():
    """F02"""
    table = TroubledTable()
    world = World(table=table).people()
    playbook = world.playbook()
    world.clock.at = at(9)
    table.unanswered = 1
    assert world.tick().lost == 1
    assert [run.status for run in world.runs_of(playbook)] == [RunStatus.QUEUED]
    world.clock.forward(minutes=1)
    assert world.tick().rung == 1


def test_one_person_that_cannot_be_read_holds_up_only_their_own_playbooks():
    world = World().people()
    world.workspace.register_person(ACME, Person(UserId("joon"), "Joon", frozenset()))
    mine = world.playbook("mine")
    other = world.playbook("other", owner=UserId("joon"))
    broken = {**world.table.get(keys.workspace_person(ACME, UserId("joon"))), "active": "perhaps"}
    world.table.write(Put(broken))
    world.clock.at = at(9)

    with pytest.raises(TickFailed):
        world.tick()

    assert [run.status for run in world.runs_of(mine)] == [RunStatus.QUEUED]
    assert world.runs_of(other) == []
    assert [f["playbook"] for name, f in world.telemetry.events if name == "undecided_schedule"] == ["other"]


def test_a_run_that_cannot_be_read_is_passed_over_and_the_others_are_rung():
    world = World().people()
    names = [world.playbook(f"p{number}") for number in range(2)]
    world.clock.at = at(9)
    world.tick()
    world.doorbell.rings.clear()
    reported = []
    world.runs._report = reported.append
    (bad,) = world.runs_of(names[0])
    world.table.write(Put({**world.table.get(keys.run(ACME, bad.id)), "due": "yesterday"}))
    world.clock.forward(minutes=1)

    world.tick()

    assert [run for _, run, _ in world.doorbell.rings] == [world.runs_of(names[1])[0].id]
    assert any(bad.id in error.message for error in reported)
    assert world.runs_of(names[0]) == []


def test_bells_that_the_queue_does_not_take_are_named(monkeypatch):
    world = World().people()
    playbook = world.playbook()
    monkeypatch.setattr(world.doorbell, "ring", lambda runs: [(tenant, run) for tenant, run, _ in runs])
    world.clock.at = at(9)
    world.tick()
    (run,) = world.runs_of(playbook)
    assert ("rings_unsent", {"count": 1, "runs": run.id}) in world.telemetry.events
    assert world.telemetry.counts["RingsUnsent"] == 1


def test_a_notice_that_cannot_be_sent_is_named_by_its_run(monkeypatch):
    world = World().people()
    playbook = world.playbook()
    world.clock.at = at(9, 11)

    def away(_ref, _now):
        raise Unavailable("The table did not answer.")

    monkeypatch.setattr(world.notices, "claim", away)
    with pytest.raises(TickFailed):
        world.tick()
    (skipped,) = world.runs_of(playbook)
    assert {f["run"] for name, f in world.telemetry.events if name == "notice_failed"} == {skipped.id}


def test_an_unknown_run_in_a_message_is_named_and_dropped():
    world = World().people()
    world.worker.work(ACME, "nobody", until=at(10))
    assert ("unknown_run", {"run": "nobody"}) in world.telemetry.events
    assert world.telemetry.counts["UnknownRuns"] == 1


def test_a_clock_that_jumps_back_runs_nothing_twice():
    world = World().people()
    playbook = world.playbook()
    world.clock.at = at(10, 1)
    assert world.tick().claimed == 1  # nine o'clock was too late, ten o'clock was not
    world.deliver()
    before = len(world.runs_of(playbook))
    world.clock.at = at(8, 30)
    world.use_playbooks.disable(world.mina, playbook)
    world.use_playbooks.enable(world.mina, playbook)
    for minute in range(90):
        world.clock.at = at(8, 30) + timedelta(minutes=minute)
        world.tick()
    assert len(world.runs_of(playbook)) == before
    assert world.playbooks.schedule(ACME, playbook).next.instant == at(11)


def test_a_tick_that_has_no_time_left_leaves_the_rest_to_the_next_one():
    """F04"""
    world = World().people()
    for number in range(60):
        world.playbook(f"p{number}")
    world.clock.at = at(9)
    table = world.table
    table.on_request = lambda operation: world.clock.forward(seconds=9) if operation == "transact" else None
    for _ in range(4):
        with suppress(TickFailed):
            world.tick()
        table.on_request = lambda _operation: None
    assert sum(len(world.runs_of(PlaybookId(f"p{number}"))) for number in range(60)) == 60


def test_a_run_that_nobody_takes_up_is_given_up_after_six_hours_and_its_owner_is_told():
    world = World().people()
    playbook = world.playbook(rule=parse_rule({"start": "2026-11-30T09:00", "zone": "UTC"}))
    world.clock.at = at(9)
    world.tick()
    world.clock.at = at(15, 1)
    assert world.tick().expired == 1
    (run,) = world.runs_of(playbook)
    assert (run.status, run.reason_code) == (RunStatus.FAILED, "queued_too_long")
    assert "waited for a worker for too long" in world.push.published[-1][1].body


def test_rings_that_nobody_answers_come_less_and_less_often():
    world = World().people()
    world.playbook(rule=parse_rule({"start": "2026-11-30T09:00", "zone": "UTC"}))
    rung = []
    for minute in range(180):
        world.clock.at = at(9) + timedelta(minutes=minute)
        if world.tick().rung:
            rung.append(minute)
    assert rung == [1, 3, 7, 15, 31, 63, 123]


# --- zone data


@pytest.fixture
def newer_zone_data(monkeypatch):
    """A later release of the zone data, in which Seoul's clocks are one hour behind what they were."""

    def use():
        for module in (state, recompute_zones):
            monkeypatch.setattr(module, "zone_data_version", lambda: "2099a")

        def moved(rule, nominal, pass_):
            found = at_before(rule, nominal, pass_)
            return replace(found, instant=found.instant + timedelta(hours=1))

        at_before = state.occurrence_of
        monkeypatch.setattr(state, "occurrence_of", moved)

    return use


def walked(world: World) -> World:
    """Everything has been gone through under the zone data of today."""
    for _ in range(40):
        world.tick()
    assert world.schedules.zones().over
    return world


def test_newer_zone_data_moves_every_schedule_page_by_page_and_keeps_its_place(monkeypatch, newer_zone_data):
    monkeypatch.setattr("playbooks.adapters.dynamodb.schedules.ZONES_PAGE", 3)
    world = World().people()
    names = [world.playbook(f"p{number}", rule=hourly("2026-12-07T09:00", "Asia/Seoul")) for number in range(12)]
    walked(world)
    before = world.playbooks.schedule(ACME, names[0]).next.instant
    newer_zone_data()

    moved = [world.tick().recomputed for _ in range(40)]

    assert sum(moved) == 12
    assert max(moved) <= 3
    assert {world.playbooks.schedule(ACME, name).next.instant for name in names} == {before + timedelta(hours=1)}
    assert {world.playbooks.schedule(ACME, name).zone_data for name in names} == {"2099a"}
    assert world.tick().recomputed == 0


def test_an_older_program_never_takes_the_walk_back(monkeypatch, newer_zone_data):
    world = World().people()
    world.playbook(rule=hourly("2026-12-07T09:00", "Asia/Seoul"))
    walked(world)
    with monkeypatch.context() as later:
        later.setattr(recompute_zones, "zone_data_version", lambda: "2099a")
        walked(world)
    before = world.schedules.zones()
    world.tick()
    assert world.schedules.zones() == before
    assert before.version == "2099a"


def test_a_walk_that_two_ticks_make_at_once_moves_each_schedule_once(newer_zone_data):
    world = World().people()
    playbook = world.playbook(rule=hourly("2026-12-07T09:00", "Asia/Seoul"))
    walked(world)
    newer_zone_data()
    seen = world.schedules.zones()
    world.tick()
    assert not world.schedules.save_zones(seen, seen)
    item = world.table.get(keys.schedule(ACME, playbook))
    assert schedule_item(ACME, playbook, read_schedule(item)) == item


def test_an_idle_tick_asks_no_more_however_many_schedules_there_are():
    counts = []
    for number in (0, 40):
        world = World().people()
        for name in range(number):
            world.playbook(f"p{name}")
        walked(world)
        requests: list[str] = []
        world.table.on_request = requests.append
        world.tick()
        counts.append(len(requests))
    assert counts[0] == counts[1] == 33


# --- what a refusal means


class ConflictingTable(MemoryTable):
    """Refuses the next transactions for the reasons given, by position."""

    def __init__(self) -> None:
        super().__init__()
        self.reasons: list[dict[int, str]] = []

    def transact(self, writes):
        if self.reasons:
            given = self.reasons.pop(0)
            raise TransactionRefused([given.get(number) for number in range(len(writes))])
        super().transact(writes)


@pytest.mark.parametrize(
    "reasons",
    [
        [{0: "TransactionConflict"}],
        [{0: "ThrottlingError"}, {0: "TransactionConflict"}],
        [{0: "ConditionalCheckFailed", 2: "TransactionConflict"}],
    ],
    ids=["conflict", "throttled, then conflict", "a loser and a conflict in one group"],
)
def test_a_conflict_is_not_a_loss_and_goes_again(reasons: list[dict[int, str]]):
    """F34"""
    table = ConflictingTable()
    world = World(table=table).people()
    same_shard = [f"p{n}" for n in range(200) if keys.shard_of("acme", f"p{n}") == 3][:2]
    first, second = (world.playbook(name) for name in same_shard)
    world.clock.at = at(9)
    losers = sum("ConditionalCheckFailed" in given.values() for given in reasons)
    table.reasons = list(reasons)
    report = world.tick()
    assert (report.claimed, report.lost) == (2 - losers, losers)
    assert world.runs_of(second) != []
    assert bool(world.runs_of(first)) is not bool(losers)


@pytest.mark.parametrize(("hour", "rest"), [(9, 0), (10, 1), (12, 3)])
def test_a_skipped_range_whose_first_occurrence_has_its_run_keeps_a_row_for_the_rest(hour: int, rest: int):
    world = World().people()
    playbook = world.playbook()
    world.clock.at = at(9)
    world.tick()
    world.deliver()
    (done,) = world.runs_of(playbook)
    # As newer zone data may leave it: the occurrence that ran is due once more, and an outage follows.
    seen = world.playbooks.schedule(ACME, playbook)
    again = replace(seen, next=occurrence_of(seen.rule, datetime.fromisoformat("2026-11-30T09:00"), 0))
    world.table.write(Put(schedule_item(ACME, playbook, again)))
    world.clock.at = at(hour, 30)

    world.tick()

    rows = [(run.status, run.occurrence, run.count) for run in world.runs_of(playbook) if run.id != done.id]
    assert rows == ([(RunStatus.SKIPPED, "2026-11-30T10:00", rest)] if rest else [])
    assert world.run(done.id) == done
    assert world.playbooks.schedule(ACME, playbook).next.instant == at(hour + 1)
    assert len(world.push.published) == (2 if rest else 1)


def test_an_index_that_still_shows_a_claimed_occurrence_changes_nothing():
    """F05"""
    table = MemoryTable(refresh_indexes=False)
    world = World(table=table).people()
    playbook = world.playbook()
    table.refresh()
    world.clock.at = at(9)
    claimed = [world.tick().claimed for _ in range(3)]
    assert claimed == [1, 0, 0]
    assert len(table.query(keys.due_shard(keys.shard_of("acme", playbook)), index="wake")[0]) == 1


def test_a_transaction_carries_no_token_of_ours():
    """F35: a token made from the occurrence would tell two callers that both succeeded."""
    asked: list[dict[str, object]] = []

    class Client:
        def transact_write_items(self, **request):
            asked.append(request)
            return {}

    DynamoTable(Client(), "table").transact([Put({"PK": "a", "SK": "b"})])
    assert set(asked[0]) == {"TransactItems"}


def test_a_phone_that_the_push_service_gave_up_goes_inactive_and_the_run_is_untouched():
    """F32"""
    world = World().people()
    playbook = world.playbook()
    (phone,) = world.devices.of_user(ACME, world.mina.user)
    world.push.disabled.add(phone.endpoint)
    world.clock.at = at(9)
    world.tick()
    world.deliver()
    assert world.runs_of(playbook)[0].status is RunStatus.COMPLETED
    assert not world.devices.of_user(ACME, world.mina.user)[0].active
    world.push.disabled.clear()
    world.use_devices.register(world.mina, Platform.FCM, "token-of-mina")
    assert world.devices.of_user(ACME, world.mina.user)[0].active
