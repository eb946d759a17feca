"""What answers show: times with zone, nothing that only the machine needs."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from playbooks.application.conversations import Archive, Shown
from playbooks.application.playbooks import ShownPlaybook
from playbooks.application.runs import ShownRun
from playbooks.application.saved_queries import Version
from playbooks.application.uploads import Upload
from playbooks.domain.playbook import Playbook, steps_mapping
from playbooks.domain.recurrence import Occurrence, rule_mapping
from playbooks.domain.run import Run
from playbooks.domain.schedule import Schedule
from playbooks.domain.sql.saved_query import SavedQuery
from playbooks.errors import Finding
from playbooks.ports.model import ToolSpec
from playbooks.ports.stores.runs import StepResult
from playbooks.ports.stores.table_readers import TableReader

_SHOWN = 4_000


def moment(at: datetime | None) -> str | None:
    """An instant in UTC, to the second."""
    return at.isoformat(timespec="seconds").replace("+00:00", "Z") if at is not None else None


def conversation_view(shown: Shown) -> dict[str, Any]:
    """A record with what would be kept and dropped."""
    record, collected = shown.record, shown.collected
    return {
        "id": record.id,
        "title": record.title,
        "format": record.format,
        "size": record.size,
        "imported_at": moment(record.imported_at),
        "turns": len(shown.conversation.turns),
        "can_convert": not shown.why_not,
        "why_not": shown.why_not,
        "kept": [
            {
                "number": query.number,
                "statement": query.statement,
                "tool": query.tool,
                "inferred": query.inferred,
                "literal_dates": list(query.literal_dates),
            }
            for query in collected.kept
        ],
        "dropped": [
            {"statement": _beginning(item.statement), "code": item.reason_code, "reason": item.reason}
            for item in collected.dropped
        ],
        "problems": [finding_view(finding) for finding in shown.conversation.problems],
    }


def _beginning(statement: str) -> str:
    """A statement that was not kept, as far as a person reads it: 200 whole ones may weigh more than an answer may."""
    left_out = len(statement) - _SHOWN
    return statement if left_out <= 0 else f"{statement[:_SHOWN]} … ({left_out} characters left out)"


def upload_view(upload: Upload) -> dict[str, Any]:
    """A form to send one file with, and what to do then."""
    return {
        "id": upload.id,
        "url": upload.form.url,
        "fields": dict(upload.form.fields),
        "largest": upload.largest,
        "expires_at": moment(upload.expires_at),
        "then": f"POST the fields and then the file as multipart/form-data to url; then POST /v1/conversations"
        f"?upload={upload.id}",
    }


def archive_view(archive: Archive) -> dict[str, Any]:
    """The conversations of a record that holds several, to send it again with `?pick=` one of the ids."""
    return {
        "conversations": [
            {
                "id": item.id,
                "title": item.title,
                "format": item.format,
                "created_at": moment(item.created_at),
                "updated_at": moment(item.updated_at),
                "queries": item.queries,
            }
            for item in archive.conversations
        ],
        "pick": "The record holds several conversations: send it again with ?pick= the id of one.",
    }


def tool_view(tool: ToolSpec) -> dict[str, Any]:
    """A tool as chat backends take it."""
    return {"name": tool.name, "description": tool.description, "input_schema": dict(tool.schema)}


def made_view(playbook: Playbook) -> dict[str, Any]:
    """A playbook that has just been made, with what was left out of it and what to look at."""
    return {**playbook_row(playbook), "warnings": list(playbook.warnings)}


def conversion_view(run: Run) -> dict[str, Any]:
    """A conversion: where it stands, and the playbook when it is made."""
    return {
        "id": run.id,
        "conversation": run.conversation,
        "status": run.status.value,
        "reason": run.reason,
        "code": run.reason_code,
        "playbook": run.result or None,
        "tokens": run.usage.tokens,
    }


def playbook_row(playbook: Playbook) -> dict[str, Any]:
    """A playbook as a list shows it."""
    return {
        "id": playbook.id,
        "title": playbook.title,
        "state": playbook.state.value,
        "off_reason": playbook.off_reason,
        "rev": playbook.rev,
        "created_at": moment(playbook.created_at),
        "recent": [{"run": end.run, "status": end.status, "ended_at": moment(end.ended_at)} for end in playbook.recent],
    }


def playbook_view(shown: ShownPlaybook) -> dict[str, Any]:
    """A playbook with everything."""
    return {
        **playbook_row(shown.playbook),
        "conversation": shown.playbook.conversation,
        "definition_version": shown.playbook.definition_version,
        "warnings": list(shown.playbook.warnings),
        "steps": [
            {**step, "saved_query": _saved_or_none(shown.saved.get(step_.id))}
            for step, step_ in zip(steps_mapping(shown.definition.steps), shown.definition.steps, strict=True)
        ],
        "schedule": schedule_view(shown.schedule, shown.upcoming) if shown.schedule is not None else None,
        **checks_view(shown),
    }


def checks_view(shown: ShownPlaybook) -> dict[str, Any]:
    """What keeps a playbook from being switched on, and what does not but is worth knowing."""
    return {
        "findings": [finding_view(finding) for finding in shown.findings],
        "cautions": [finding_view(finding) for finding in shown.cautions],
    }


def enabled_view(playbook: Playbook, cautions: Sequence[Finding]) -> dict[str, Any]:
    """A playbook that has just been switched on, with what is worth knowing about it."""
    return {**playbook_row(playbook), "cautions": [finding_view(finding) for finding in cautions]}


def table_reader_view(playbook: Playbook, reader: TableReader) -> dict[str, Any]:
    """A playbook that reads a table: under which names its statements wrote it, and the run that was first."""
    return {
        **playbook_row(playbook),
        "tables": list(reader.tables),
        "first_read_by": reader.run,
        "first_read_at": moment(reader.at),
    }


def saved_versions_view(versions: Sequence[Version]) -> dict[str, Any]:
    """The present saved query first, then the former ones, each with what changed in it."""
    return {
        "versions": [
            {**saved_query_view(version.query), "present": number == 0, "diff": version.diff}
            for number, version in enumerate(versions)
        ]
    }


def _saved_or_none(saved: SavedQuery | None) -> dict[str, Any] | None:
    return saved_query_view(saved) if saved is not None else None


def saved_query_view(saved: SavedQuery) -> dict[str, Any]:
    """A saved query; `run` is the run that left it, None when it came from a conversation."""
    kind, _, origin = saved.origin.partition(" ")
    return {
        "statement": saved.statement,
        "placeholders": [
            {"name": p.name, "type": p.type.value, "description": p.description, "example": p.example}
            for p in saved.placeholders
        ],
        "saved_at": moment(saved.saved_at),
        "reused": saved.reused,
        "rewritten": saved.rewritten,
        "origin": saved.origin,
        "run": origin if kind == "run" else None,
        "version": saved.version,
    }


def schedule_view(schedule: Schedule, upcoming: Sequence[Occurrence]) -> dict[str, Any]:
    """A schedule with its next occurrences."""
    return {
        "rule": rule_mapping(schedule.rule),
        "rule_version": schedule.rule_version,
        "next_at": moment(schedule.next.instant) if schedule.next is not None else None,
        "upcoming": [occurrence_view(occurrence) for occurrence in upcoming],
    }


def occurrence_view(occurrence: Occurrence) -> dict[str, Any]:
    """An occurrence: local time with offset, instant, and why it was moved."""
    minutes = int(occurrence.offset.total_seconds() // 60)
    sign, (hours, rest) = ("-" if minutes < 0 else "+"), divmod(abs(minutes), 60)
    return {
        "local": f"{occurrence.local.isoformat(timespec='minutes')}{sign}{hours:02d}:{rest:02d}",
        "at": moment(occurrence.instant),
        "moved": occurrence.moved,
    }


def run_row(run: Run) -> dict[str, Any]:
    """A run as a list shows it."""
    return {
        "id": run.id,
        "kind": run.kind.value,
        "status": run.status.value,
        "title": run.title,
        "playbook": run.playbook,
        "occurrence": _occurrence(run),
        "due": moment(run.due),
        "started_at": moment(run.started_at),
        "ended_at": moment(run.ended_at),
        "reason": run.reason,
        "code": run.reason_code,
        "count": run.count,
        "tokens": run.usage.tokens,
    }


def _occurrence(run: Run) -> str | None:
    if not run.occurrence or run.due is None:
        return None
    offset = run.due.astimezone(ZoneInfo(run.zone)).isoformat()[19:]
    return f"{run.occurrence}{offset} {run.zone}"


def run_view(shown: ShownRun) -> dict[str, Any]:
    """A run with its steps: every statement that ran, and what came out."""
    return {
        **run_row(shown.run),
        "progress": shown.run.progress,
        "cursor": shown.run.cursor,
        "step_count": shown.run.step_count,
        "steps": [_step_view(step) for step in shown.steps],
    }


def _step_view(step: StepResult) -> dict[str, Any]:
    return {
        "step": step.step + 1,
        "kind": step.kind,
        "outcome": step.outcome,
        "summary": step.summary,
        "text": step.text,
        "ended_at": moment(step.ended_at),
        "saved_query": step.saved_query,
        "notes": list(step.notes),
        "queries": [
            {
                "statement": q.statement,
                "database": q.database,
                "role": q.role,
                "suggested": q.suggested,
                "ok": q.ok,
                "rows": q.rows,
                "milliseconds": q.milliseconds,
                "dataset": q.dataset,
                "cut": q.cut,
                "error": q.error,
                "tables": list(q.tables),
            }
            for q in step.queries
        ],
        "documents": [{"name": document.name, "size": document.size} for document in step.documents],
    }


def finding_view(finding: Finding) -> dict[str, Any]:
    """A finding."""
    return {
        "code": finding.code,
        "path": finding.path,
        "message": finding.message,
        "allowed": list(finding.allowed),
    }
