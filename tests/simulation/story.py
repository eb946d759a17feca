"""One seed: playbooks with hourly and one-time schedules, two hours of faults, then calm until all has come to rest."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta

from playbooks.adapters.dynamodb import keys
from playbooks.adapters.dynamodb.items import read_run, read_schedule, schedule_item
from playbooks.adapters.dynamodb.operations import Put
from playbooks.adapters.dynamodb.people import DynamoDevices
from playbooks.adapters.dynamodb.playbook_writes import creation_writes
from playbooks.adapters.dynamodb.workspace import DynamoWorkspace
from playbooks.application.identity import Caller
from playbooks.domain.ids import ConversationId, PlaybookId, RunId, StepId, TenantId, UserId, scheduled_run_id
from playbooks.domain.playbook import Definition, Playbook, PlaybookState, Step, StepKind
from playbooks.domain.recurrence import Occurrence, Rule, parse_rule
from playbooks.domain.run import FIRST_RING, Run, RunKind, RunStatus
from playbooks.domain.schedule import change_rule, enable
from playbooks.errors import PlaybooksError
from playbooks.ports.directory import Person
from playbooks.ports.push import Device, Platform
from playbooks.ports.stores.playbooks import NewPlaybook
from tests.simulation.engine import START, Actor, Engine
from tests.simulation.faults import Fates, Rates
from tests.simulation.invariants import Invariants
from tests.simulation.outside import Outside
from tests.simulation.process import Process
from tests.simulation.table import WatchedTable

ACME, MINA = TenantId("acme"), UserId("mina")
SKEW = 15.0
"""Seconds a clock may be off in either direction: two differ by 30 at most."""
NAMES = [name for name in (f"p{n}" for n in range(400)) if keys.shard_of("acme", name) == 7][:6]
"""Playbooks of one shard, so that their claims meet in one group."""
HOURLY = {"start": "2026-11-30T09:00", "zone": "UTC", "unit": "hours", "interval": 1}
EVERY_TWO_HOURS = {**HOURLY, "interval": 2}
ONCE = {"start": "2026-11-30T09:00", "zone": "UTC"}
NINE = 300.0
"""When the first occurrence is due."""
DRAIN_FOR = 9 * 3600.0


class Story:
    """Builds what a seed has and tells it."""

    def __init__(self, seed: int) -> None:
        self.engine = Engine(seed)
        random = self.engine.random
        self.fates = Fates(self.engine, Rates.drawn(random))
        self.table = WatchedTable()
        self.outside = Outside()
        self.invariants = Invariants(self.engine, self.table, self.outside)
        self.outside.deliver = self._deliver
        self.fault_phase = random.choice((20, 80, 80, 140)) * 60.0
        self.no_ticks = (0.0, 0.0)
        self.ambushes = random.random() < 0.25
        self.untouched: set[PlaybookId] = set()

    def tell(self) -> str | None:
        """What was broken, or None."""
        self._people()
        random = self.engine.random
        trapped = random.random() < 0.06
        for number in range(1 if trapped else random.choice((1, 2, 3))):
            self._playbook(PlaybookId(NAMES[number]))
        self.table.refresh()
        self.invariants.start()
        if trapped:
            self._clock_runs_ahead_and_back(PlaybookId(NAMES[0]))
        if random.random() < 0.25:
            self._queue_goes_away()
        if random.random() < 0.15:
            self._no_tick_comes()
        self.outside.model_overloaded = random.random() < 0.04
        if random.random() < 0.3:
            self._ask_for_a_conversion()
        if random.random() < 0.2:
            self._zone_data_moves(PlaybookId(NAMES[0]))
        for _ in range(random.choice((0, 0, 1, 2, 4))):
            self._person_does_something()
        self._tick_at(0.0)
        self.engine.at(self.fault_phase, self._calm)
        return self.engine.run()

    # --- what there is

    def _people(self) -> None:
        workspace = DynamoWorkspace(self.table)
        workspace.register_person(ACME, Person(MINA, "Mina", frozenset()))
        phone = Device(ACME, MINA, "phone", Platform.FCM, "token-of-mina", "endpoint/mina", START)
        DynamoDevices(self.table, lambda _attempt: None).register(phone)

    def _playbook(self, name: PlaybookId) -> None:
        random = self.engine.random
        kinds = [random.choice(("look", "look", "key", "plain")) for _ in range(random.choice((1, 1, 2)))]
        if random.random() < 0.08:
            kinds[0] = "poison"
        steps = tuple(Step(StepId(f"s{n}"), StepKind.ORGANIZE, kind) for n, kind in enumerate(kinds))
        definition = Definition(1, steps)
        schedule = enable(change_rule(None, self._rule(), START), START)
        playbook = Playbook(ACME, name, MINA, str(name), PlaybookState.ON, 1, 1, definition.hash, START)
        self.table.transact(creation_writes(NewPlaybook(playbook, definition, {}, schedule)))
        self.untouched.add(name)

    def _rule(self) -> Rule:
        return parse_rule(ONCE if self.engine.random.random() < 0.1 else HOURLY)

    # --- what happens

    def process(self, actor: Actor) -> Process:
        return Process(self.engine, self.fates, self.table, self.outside, actor)

    def _skew(self) -> float:
        return 0.0 if self.fates.calm else self.engine.random.uniform(-SKEW, SKEW)

    def _tick_at(self, t: float) -> None:
        """The rule fires every minute; now and then a tick never comes, comes late, or comes twice."""
        self.engine.at(t, lambda: self._minute(t))

    def _minute(self, t: float) -> None:
        if self.fates.calm and self._at_rest():
            self.invariants.at_the_end(self.untouched)
            return
        if self.fates.calm and t > self.fault_phase + DRAIN_FOR:
            self.invariants.not_at_rest()
            return
        random = self.engine.random
        if self._something_due() and not self.no_ticks[0] <= t < self.no_ticks[1]:
            fate = 1.0 if self.fates.calm else random.random()
            if fate > 0.05:
                late = random.uniform(0, 45) if fate < 0.15 else random.uniform(0, 1)
                if self.ambushes and random.random() < 0.3 and not self.fates.calm:
                    self._ambushed_tick(t + late)
                else:
                    self._tick(t + late)
                if fate > 0.85 and not self.fates.calm:
                    self._tick(t + late + random.choice((0.0, 0.02, 1, 180)) * random.random())
        self._tick_at(t + 60)

    def _tick(
        self, t: float, *, before_write: Callable[[Actor], None] = lambda _actor: None, skew: float | None = None
    ) -> None:
        def body(actor: Actor) -> None:
            with suppress(PlaybooksError):  # the alarm rings
                self.process(actor).dispatcher(before_write=lambda: before_write(actor)).tick()

        self.engine.spawn(t, "tick", body, skew=self._skew() if skew is None else skew)

    def _ambushed_tick(self, t: float) -> None:
        """Between what a tick decides and what it writes, the owner switches the playbook off or edits its rule."""
        random = self.engine.random
        name = PlaybookId(random.choice(NAMES[:2]))
        again = random.random() < 0.6

        def owner(actor: Actor) -> None:
            use, caller = self.process(actor).use_playbooks(), Caller(ACME, MINA)
            use.disable(caller, name)
            if again:
                rev = use.show(caller, name).playbook.rev
                use.set_schedule(caller, name, rev=rev, rule=parse_rule(EVERY_TWO_HOURS))
                use.enable(caller, name)

        def waits(actor: Actor) -> None:
            self.untouched.discard(name)
            self._person(self.engine.t, owner, skew=-SKEW)
            self.engine.sleep(actor, 2)

        self._tick(t, before_write=waits, skew=SKEW)

    def _clock_runs_ahead_and_back(self, name: PlaybookId) -> None:
        """A clock two hours ahead switches on and ticks; that tick goes to sleep between its decision and its write.

        When it wakes, the right clocks have brought the schedule to the same next occurrence by way of others.
        """
        self.fault_phase = 140 * 60.0
        self.untouched.discard(name)
        caller = Caller(ACME, MINA)

        def off(actor: Actor) -> None:
            self.process(actor).use_playbooks().disable(caller, name)

        def on(actor: Actor) -> None:
            self.process(actor).use_playbooks().enable(caller, name)

        def active(is_active: bool) -> Callable[[], None]:
            person = Person(MINA, "Mina", frozenset(), active=is_active)
            return lambda: DynamoWorkspace(self.table).register_person(ACME, person)

        self._person(60, off, skew=0)
        self._person(70, on, skew=3_900)
        self.engine.at(100, active(is_active=False))
        self._tick(130, before_write=lambda actor: self.engine.sleep(actor, 4_200), skew=7_500)
        self.engine.at(160, active(is_active=True))
        self._person(170, off, skew=0)
        self._person(175, on, skew=0)

    def _deliver(self, tenant: TenantId, run: RunId, _kind: RunKind, t: float) -> None:
        def body(actor: Actor) -> None:
            process = self.process(actor)
            actor.troubled = lambda: any("error" in fields for _, fields in process.telemetry.events)
            process.work(tenant, run)

        actor = self.engine.spawn(t, f"worker of {run[:6]}", body, skew=self._skew())
        actor.after = self.invariants.process_ended

    def _calm(self) -> None:
        """The faults end; later the playbooks are switched off, so that nothing new becomes due.

        Now and then just when something is due and no tick has come to it.
        """
        self.fates.calm = True
        later = 720.0
        if self.engine.random.random() < 0.2:
            later = 3_600 - (self.engine.t - NINE) % 3_600 + self.engine.random.uniform(0, 2)
        self.engine.spawn(self.engine.t + later, "owner", self._switch_all_off)
        # Somebody whose request was held up may have switched one on again meanwhile.
        self.engine.spawn(self.engine.t + later + 3_000, "owner", self._switch_all_off)

    def _switch_all_off(self, actor: Actor) -> None:
        self.engine.switched_off_at = self.engine.switched_off_at or self.engine.t
        for playbook in self.process(actor).playbooks.of_user(ACME, MINA):
            self.process(actor).use_playbooks().disable(Caller(ACME, MINA), playbook.id)

    def _something_due(self) -> bool:
        limit = (START + timedelta(seconds=self.engine.t + SKEW + 1)).isoformat()[:19]
        return any(str(item["wake_sk"])[:19] <= limit for item in self.table.stored() if "wake_sk" in item)

    def _at_rest(self) -> bool:
        """Switched off, and nothing stands in the wake index any more."""
        waits = any("wake_pk" in item for item in self.table.stored())
        return not waits and self.engine.t > self.fault_phase + 780

    # --- what disturbs

    def _queue_goes_away(self) -> None:
        random = self.engine.random
        begin = random.uniform(200, self.fault_phase)
        until = begin + random.uniform(300, 1_500)
        self.engine.at(begin, lambda: setattr(self.outside, "queue_away_until", until))

    def _no_tick_comes(self) -> None:
        """An outage of the rule: what was due is more than ten minutes late when it is over."""
        random = self.engine.random
        begin = random.uniform(0, self.fault_phase)
        self.no_ticks = (begin, min(begin + random.choice((900, 2_000, 8_000)), self.fault_phase))

    def _ask_for_a_conversion(self) -> None:
        def body(actor: Actor) -> None:
            process = self.process(actor)
            now = process.clock.now()
            run = Run(
                tenant=ACME,
                id=RunId("conversion"),
                kind=RunKind.CONVERSION,
                status=RunStatus.QUEUED,
                run_as=MINA,
                title="a chat",
                created_at=now,
                conversation=ConversationId("c1"),
                step_count=1,
                wake_at=now + FIRST_RING,
            )
            if process.runs.create(run):
                process.doorbell.ring([(ACME, run.id, run.kind)])

        self._person(self.engine.random.uniform(0, self.fault_phase), body)

    def _zone_data_moves(self, name: PlaybookId) -> None:
        """Newer zone data may put the occurrence that was claimed last at a later instant: due once more."""

        def moves() -> None:
            stored = self.table.get(keys.schedule(ACME, name))
            schedule = read_schedule(stored) if stored is not None else None
            if schedule is None or schedule.last_run is None or schedule.next is None or schedule.last_at is None:
                return
            run = self.table.get(keys.run(ACME, RunId(schedule.last_run)))
            claimed = read_run(run) if run is not None else None
            if claimed is None or claimed.due != schedule.last_at:
                return
            nominal = datetime.fromisoformat(claimed.occurrence)
            if claimed.id != scheduled_run_id(ACME, name, schedule.rule_version, nominal, 0):
                return  # the rule was edited meanwhile
            at = max(START + timedelta(seconds=self.engine.t), schedule.last_at) + timedelta(minutes=6)
            if at >= schedule.next.instant:
                return
            again = Occurrence(at, nominal, 0, timedelta(0), None)
            self.table.write(Put(schedule_item(ACME, name, replace(schedule, next=again))))

        self.engine.at(self.engine.random.uniform(600, 2_400), moves)

    def _person_does_something(self) -> None:
        random = self.engine.random
        near_the_hour = random.choice((NINE, NINE + 3_600)) + random.uniform(-3, 60)
        hourly = random.random() < 0.7 and near_the_hour < self.fault_phase
        at = near_the_hour if hourly else random.uniform(0, self.fault_phase)
        name = PlaybookId(random.choice(NAMES[:3]))
        caller = Caller(ACME, MINA)

        def edits(process: Process) -> None:
            use = process.use_playbooks()
            use.disable(caller, name)
            if random.random() < 0.7:
                rev = use.show(caller, name).playbook.rev
                rule = parse_rule(random.choice((HOURLY, EVERY_TWO_HOURS)))
                use.set_schedule(caller, name, rev=rev, rule=rule)
            if random.random() < 0.8:
                use.enable(caller, name)

        def runs_now(process: Process) -> None:
            process.use_runs().run_now(caller, name, f"key{random.getrandbits(20)}")

        def cancels(process: Process) -> None:
            shown, _ = process.use_runs().list(caller, name, None)
            if shown:
                process.use_runs().cancel(caller, shown[0].id)

        def deletes(process: Process) -> None:
            process.use_playbooks().delete(caller, name)

        does: Callable[[Process], None] = random.choice((edits, edits, runs_now, cancels, cancels, deletes))
        if does in {edits, deletes}:
            self.untouched.discard(name)
        self._person(at, lambda actor: does(self.process(actor)))

    def _person(self, at: float, body: Callable[[Actor], None], *, skew: float | None = None) -> None:
        def asks(actor: Actor) -> None:
            with suppress(PlaybooksError):  # told so in the answer
                body(actor)

        self.engine.spawn(max(at, 0.0), "person", asks, skew=self._skew() if skew is None else skew)
