"""The notice that the end of a run owes to the person who ran it."""

from collections.abc import Mapping

from playbooks.domain.notice import Notice, NoticeKind
from playbooks.domain.run import Run, RunKind, RunStatus
from playbooks.language.notices import notice_text

MAX_DETAIL = 400
OVERDUE: Mapping[str, str] = {
    "deadline": "The run did not come to an end within its time.",
    "queued_too_long": "The run waited for a worker for too long and was given up.",
    "approval_expired": "Nobody decided within the time that the approval had.",
}
"""What a person reads for each reason code of `playbooks.domain.run.overdue`."""
_KINDS = {
    RunStatus.COMPLETED: NoticeKind.COMPLETED,
    RunStatus.STOPPED: NoticeKind.STOPPED,
    RunStatus.FAILED: NoticeKind.FAILED,
    RunStatus.SKIPPED: NoticeKind.FAILED,
    RunStatus.BLOCKED: NoticeKind.FAILED,
}


def ended_notice(run: Run) -> Notice | None:
    """The notice of an ended run, due at once; none for a cancelled run, a conversion or a test."""
    kind = _KINDS.get(run.status)
    if kind is None or run.kind in {RunKind.CONVERSION, RunKind.TEST} or run.ended_at is None:
        return None
    return Notice(
        tenant=run.tenant,
        to=run.run_as,
        kind=kind,
        title=run.title,
        body=_body(run),
        playbook=run.playbook,
        run=run.id,
        id=kind.value,
        due=run.ended_at,
    )


def _body(run: Run) -> str:
    detail = run.reason[:MAX_DETAIL]
    match run.status:
        case RunStatus.COMPLETED:
            return notice_text("completed", run.language, detail=detail)
        case RunStatus.STOPPED:
            return notice_text("stopped", run.language, detail=detail)
        case RunStatus.SKIPPED:
            return detail
        case RunStatus.BLOCKED:
            when = run.occurrence.replace("T", " ")
            return notice_text("blocked", run.language, when=when, detail=detail)
        case _:
            said = f"{detail} ({run.progress})" if run.progress else detail
            key = "failed" if run.step_count else "failed_early"
            return notice_text(key, run.language, step=run.cursor + 1, detail=said)
