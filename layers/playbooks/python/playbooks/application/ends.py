"""The notice that the end of a run owes to the person who ran it."""

from playbooks.domain.notice import Notice, NoticeKind
from playbooks.domain.run import Run, RunKind, RunStatus
from playbooks.language.notices import notice_text

MAX_DETAIL = 400
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
            if run.cursor:
                return notice_text("blocked_midway", run.language, step=run.cursor + 1, detail=detail)
            if not run.occurrence:
                return notice_text("blocked_now", run.language, detail=detail)
            return notice_text("blocked", run.language, when=run.occurrence.replace("T", " "), detail=detail)
        case _:
            said = f"{detail} ({run.progress})" if run.progress else detail
            key = "failed" if run.step_count else "failed_early"
            return notice_text(key, run.language, step=run.cursor + 1, detail=said)
