"""A decision on a due schedule as what is to be committed: the moved schedule, its run or row, its notice. Pure."""

from dataclasses import replace
from datetime import datetime

from playbooks.domain.ids import RunId, scheduled_run_id
from playbooks.domain.notice import Notice, NoticeKind
from playbooks.domain.playbook import Definition, Playbook, PlaybookState
from playbooks.domain.recurrence import Occurrence, next_after
from playbooks.domain.run import FIRST_RING, Run, RunKind, RunStatus
from playbooks.domain.schedule import Block, Claim, NotDue, Schedule, Skip, SkipReason, SwitchOff
from playbooks.language.notices import notice_text
from playbooks.ports.stores.schedules import ScheduleMove
from playbooks.ports.stores.wake_index import ScheduleRef


def move_for(
    decision: Claim | Skip | Block | SwitchOff | NotDue,
    schedule: Schedule,
    playbook: Playbook,
    definition: Definition | None,
    now: datetime,
) -> ScheduleMove | None:
    """What to commit for a decision; None when nothing is due."""
    ref = ScheduleRef(playbook.tenant, playbook.id)
    match decision:
        case NotDue():
            return None
        case Claim(occurrence, after):
            run = _run(playbook, definition, schedule, occurrence, now)
            queued = replace(run, wake_at=now + FIRST_RING)
            return ScheduleMove(ref, schedule, replace(after, last_run=run.id), queued)
        case Skip():
            return skip_move(decision, schedule, playbook, definition, now)
        case Block(occurrence, reason, after):
            run = _run(playbook, definition, schedule, occurrence, now)
            over = _over(run, RunStatus.BLOCKED, reason.text, reason.code, now)
            text = notice_text("blocked", playbook.language, when=_when(occurrence), detail=reason.text)
            return ScheduleMove(ref, schedule, after, over, _notice(playbook, over.id, text, now))
        case SwitchOff(occurrence, reason, after):
            run = _run(playbook, definition, schedule, occurrence, now)
            row = _over(run, RunStatus.BLOCKED, reason.text, reason.code, now)
            off = replace(playbook, state=PlaybookState.OFF, off_reason=reason.text, off_at=now, rev=playbook.rev + 1)
            text = notice_text("turned_off", playbook.language, detail=reason.text)
            notice = _notice(playbook, None, text, now, id_=f"off-{off.rev}")
            return ScheduleMove(ref, schedule, after, row, notice, off, reason.text)


def without_its_row(move: ScheduleMove) -> ScheduleMove:
    """The move when the run of its occurrence exists already: zone data moved the instant of one that was claimed.

    Then only the schedule moves on. Of a range that is skipped, the occurrences after that one keep their row.
    """
    run = move.run
    following = next_after(move.seen.rule, run.due) if run is not None and run.due is not None else None
    if run is None or run.due is None or run.playbook is None or run.count == 1 or following is None:
        return replace(move, run=None, notice=move.notice if move.playbook is not None else None)
    late_seconds = run.late_seconds - int((following.instant - run.due).total_seconds())
    reason = SkipReason(run.reason_code)
    text = _skip_text(reason, following, run.count - 1, late_seconds, run.language)
    version = move.seen.rule_version
    rest = replace(
        run,
        id=scheduled_run_id(run.tenant, run.playbook, version, following.nominal, following.pass_),
        due=following.instant,
        occurrence=following.nominal.isoformat(timespec="minutes"),
        count=run.count - 1,
        late_seconds=late_seconds,
        reason=text,
    )
    notice = replace(move.notice, run=rest.id, body=text) if move.notice is not None else None
    return replace(move, run=rest, notice=notice)


def skip_move(
    skip: Skip,
    schedule: Schedule,
    playbook: Playbook,
    definition: Definition | None,
    now: datetime,
) -> ScheduleMove:
    """What to commit for occurrences that are passed over: one row, and a notice unless the owner did it."""
    run = _run(playbook, definition, schedule, skip.first, now)
    text = _skip_text(skip.reason, skip.first, skip.count, skip.lateness_seconds, playbook.language)
    over = replace(
        _over(run, RunStatus.SKIPPED, text, skip.reason.value, now),
        count=skip.count,
        late_seconds=skip.lateness_seconds,
    )
    # Who switched it off knows: that needs no push.
    told = skip.reason is not SkipReason.SWITCHED_OFF
    notice = _notice(playbook, over.id, text, now) if told else None
    return ScheduleMove(ScheduleRef(playbook.tenant, playbook.id), schedule, skip.schedule_after, over, notice)


def _skip_text(reason: SkipReason, first: Occurrence, count: int, late_seconds: int, language: str) -> str:
    key = {
        SkipReason.LATE: "skipped_late",
        SkipReason.OVERLAP: "skipped_overlap",
        SkipReason.SWITCHED_OFF: "skipped_off",
    }[reason]
    if count > 1:
        return notice_text(f"{key}_many", language, when=_when(first), count=count)
    return notice_text(key, language, when=_when(first), minutes=late_seconds // 60)


def _run(
    playbook: Playbook, definition: Definition | None, schedule: Schedule, occurrence: Occurrence, now: datetime
) -> Run:
    version = schedule.rule_version
    return Run(
        tenant=playbook.tenant,
        id=scheduled_run_id(playbook.tenant, playbook.id, version, occurrence.nominal, occurrence.pass_),
        kind=RunKind.SCHEDULED,
        status=RunStatus.QUEUED,
        run_as=playbook.owner,
        title=playbook.title,
        created_at=now,
        playbook=playbook.id,
        definition_version=playbook.definition_version,
        step_count=len(definition.steps) if definition is not None else 0,
        due=occurrence.instant,
        occurrence=occurrence.nominal.isoformat(timespec="minutes"),
        zone=schedule.rule.zone,
        language=playbook.language,
    )


def _over(run: Run, status: RunStatus, reason: str, code: str, now: datetime) -> Run:
    return replace(run, status=status, reason=reason, reason_code=code, ended_at=now)


def _notice(playbook: Playbook, run: RunId | None, text: str, now: datetime, *, id_: str = "failed") -> Notice:
    return Notice(
        playbook.tenant, playbook.owner, NoticeKind.FAILED, playbook.title, text, playbook.id, run, id_, due=now
    )


def _when(occurrence: Occurrence) -> str:
    return f"{occurrence.nominal:%Y-%m-%d %H:%M}"
