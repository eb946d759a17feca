"""The guards of the protocol, each as a way to take it away: a simulation without one must come out broken."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Any

from playbooks.adapters.dynamodb import items, keys, run_commits, runs, schedules
from playbooks.adapters.dynamodb.operations import AllOf, Equals, Put
from playbooks.application import agent_loop, commit_moves, dispatch_due, playbooks, work_on_run
from playbooks.application.transcript import answer_mapping
from playbooks.domain import run
from playbooks.ports.push import PushMessage
from playbooks.ports.stores.schedules import MoveRefusal

Guard = Callable[[], AbstractContextManager[None]]
GUARDS: dict[str, Guard] = {}


def _guard(name: str) -> Callable[[Callable[[], Iterator[tuple[Any, str, Any]]]], Guard]:
    """Register what to put in place of what; everything is put back at the end."""

    def register(changes: Callable[[], Iterator[tuple[Any, str, Any]]]) -> Guard:
        @contextmanager
        def taken_away() -> Iterator[None]:
            before = []
            try:
                for owner, attribute, instead in changes():
                    before.append((owner, attribute, getattr(owner, attribute)))
                    setattr(owner, attribute, instead)
                yield
            finally:
                for owner, attribute, value in reversed(before):
                    setattr(owner, attribute, value)

        GUARDS[name] = taken_away
        return taken_away

    return register


@_guard("fence")
def _fence():
    """Commits do not ask whose run it is."""
    carry = run_commits.RunTransactions._carry

    def unfenced(self, run, condition, more):
        return carry(self, run, run_commits.OPEN, more)

    yield run_commits.RunTransactions, "_carry", unfenced


@_guard("predecessor")
def _predecessor():
    """Commits do not name the commit before them."""
    carry = run_commits.RunTransactions._carry

    def unchained(self, run, condition, more):
        kept = tuple(part for part in condition.parts if getattr(part, "name", "") != "lease_until")
        return carry(self, run, AllOf(kept), more)

    yield run_commits.RunTransactions, "_carry", unchained


@_guard("lease-as-seen")
def _lease_as_seen():
    """A lease is taken over a run that moved since it was looked at."""
    equals = runs.Equals
    yield runs, "Equals", lambda name, value: runs.Less(name, "~") if name == "lease_until" else equals(name, value)


@_guard("ledger")
def _ledger():
    """Outside calls are made without a look at the ledger."""
    yield runs.DynamoRuns, "call", lambda self, tenant, run, step, call_id: None
    yield run_commits, "_call_write", lambda run, call: Put(_call_item(run, call))


def _call_item(run, call):
    from playbooks.adapters.dynamodb.codec import pack

    return items.item(keys.call(run.tenant, run.id, call.step, f"{call.id}-{run.lease.fence}-{call.state}"), pack(call))


@_guard("answer-before-call")
def _answer_before_call():
    """The model's answer is saved only when its calls have been made."""
    act = agent_loop._act
    unsaved = {}

    def ask(held, model, toolbox, saved, number, system, turns, must_call):
        if number < len(saved):
            return agent_loop.read_answer(saved[number])
        held.check_time()
        request = agent_loop.ModelRequest(system, tuple(turns), tuple(toolbox.specs()), must_call=must_call)
        unsaved[id(held)] = number, model.answer(request, within=held.times.call_budget)
        return unsaved[id(held)][1]

    def act_then_save(held, toolbox, answer, unfinished):
        done = act(held, toolbox, answer, unfinished)
        if (given := unsaved.pop(id(held), None)) is not None:
            number, told = given
            held.save(number, answer_mapping(told), usage=held.run.usage + told.usage)
        return done

    yield agent_loop, "_answer", ask
    yield agent_loop, "_act", act_then_save


@_guard("wake-index")
def _wake_index():
    """Runs and notices are written without a time to wake at."""
    yield keys, "work_wake", lambda *_: {}


@_guard("own-lease")
def _own_lease():
    """A refusal always means that somebody else won."""
    yield runs, "_holds", lambda stored, leased: False


@_guard("own-write")
def _own_write():
    """A commit that was applied and not answered is taken for refused."""
    yield run_commits.RunTransactions, "_is_stored", lambda self, run, write_id: False


def _without(*names: str) -> Callable[[Any], AllOf]:
    whole = items.schedule_as_seen
    return lambda seen: AllOf(tuple(part for part in whole(seen).parts if part.name not in names) or (Equals("v", 1),))


@_guard("next-at")
def _next_at():
    """A schedule moves though its next occurrence is another."""
    yield schedules, "schedule_as_seen", _without("next_at")


@_guard("rule-version")
def _rule_version():
    """A schedule moves though its rule is another."""
    yield schedules, "schedule_as_seen", _without("rule_version")


@_guard("last-at")
def _last_at():
    """A schedule moves though another occurrence was claimed meanwhile."""
    yield schedules, "schedule_as_seen", _without("last_at")


@_guard("run-key")
def _run_key():
    """A run is written over one that has its key."""
    writes = schedules._writes

    def unkeyed(move):
        return [(part, replace(write, condition=None) if part == "run" else write) for part, write in writes(move)]

    yield schedules, "_writes", unkeyed


@_guard("run-exists")
def _run_exists():
    """A move whose run exists is dropped like one that somebody else won."""
    refusal = schedules._refusal

    def all_lost(refused, owners, count):
        found = refusal(refused, owners, count)
        moves = tuple(MoveRefusal.SCHEDULE_MOVED if move is MoveRefusal.RUN_EXISTS else move for move in found.moves)
        return replace(found, moves=moves)

    yield schedules, "_refusal", all_lost


@_guard("shed-losers")
def _shed_losers():
    """A refused group is given up as a whole."""

    def give_up(group, refusals, result):
        result.left += [commit_moves.Left(move, "refused") for move in group]
        return []

    yield commit_moves, "_shed", give_up


@_guard("no-progress")
def _no_progress():
    """Leases without a checkpoint are not counted."""
    yield work_on_run, "gone_in_circles", lambda run: False


@_guard("deadline")
def _deadline():
    """A run may take as long as it likes."""
    yield work_on_run, "overdue", lambda run, now: None
    yield dispatch_due, "overdue", lambda run, now: None


@_guard("row-of-switched-off")
def _row_of_switched_off():
    """Switching off drops what is due."""
    yield playbooks, "skip_what_is_due", lambda schedule, now: None


@_guard("late-at-first-lease")
def _late():
    """A run begins however late it is."""
    yield work_on_run, "late_at_first_lease", lambda due, now: None


@_guard("bell-after-commit")
def _bell_after_commit():
    """Bells ring for what is about to be committed."""
    commit = dispatch_due._Tick._commit

    def ring_first(self, moves):
        self._doorbell([move.run for move in moves if move.run is not None and not move.run.status.over])
        commit(self, moves)

    yield dispatch_due._Tick, "_commit", ring_first


@_guard("push-after-commit")
def _push_after_commit():
    """The end of a run is pushed before it is written."""
    end = work_on_run.Worker._end
    commit_step = work_on_run.Worker._commit_step

    def push(self, run):
        notice = work_on_run.ended_notice(run)
        if run.status.over and notice is not None:
            message = PushMessage(notice.title, notice.body, notice.collapse_key, "")
            for device in self.notifier.devices.of_user(notice.tenant, notice.to):
                self.notifier.push.publish(device, message)

    def end_pushed(self, held, status, reason, code):
        push(self, run.end(held.run, status, reason, self.clock.now(), code))
        end(self, held, status, reason, code)

    def commit_pushed(self, held, after, work, context):
        push(self, after)
        commit_step(self, held, after, work, context)

    yield work_on_run.Worker, "_end", end_pushed
    yield work_on_run.Worker, "_commit_step", commit_pushed


@_guard("one-transaction")
def _one_transaction():
    """A claim is two writes: the schedule moves on, then the run is created."""

    def two_writes(self, moves):
        for move in moves:
            for _, write in schedules._writes(move):
                try:
                    self._table.write(write)
                except schedules.ConditionFailed:
                    break
        return

    yield schedules.DynamoSchedules, "commit", two_writes


@_guard("claim-of-notice")
def _claim_of_notice():
    """What became of a notice is written though the claim is somebody else's by now."""
    from playbooks.adapters.dynamodb import notices

    def settle(self, claimed, after):
        self._table.write(Put(items.notice_item(replace(after, claimed_until=None))))
        return True

    yield notices.DynamoNotices, "settle", settle


@_guard("clock-skew")
def _clock_skew():
    """A lease is taken by a fast clock as soon as it seems over."""
    from datetime import timedelta

    yield runs, "CLOCK_SKEW", timedelta(0)
    yield run, "CLOCK_SKEW", timedelta(0)
