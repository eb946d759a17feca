"""What every kind of step is given, and what it leaves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from playbooks.domain.playbook import Playbook, Step
from playbooks.domain.run import Outcome, Run, StepOutcome
from playbooks.domain.sql.saved_query import SavedQuery
from playbooks.ports.directory import Person
from playbooks.ports.stores.playbooks import SavedQueryChange
from playbooks.ports.stores.runs import ExecutedQuery, StepResult, StoredDataset, StoredDocument


@dataclass(frozen=True)
class StepContext:
    """One step of one run, with what is known before it begins. `zone` is the schedule's, or the person's."""

    run: Run
    playbook: Playbook
    step: Step
    person: Person
    earlier: Sequence[StepResult]
    saved: SavedQuery | None = None

    @property
    def now_text(self) -> str:
        """The run's own now, the same on every resume: local time with offset, zone and weekday."""
        at = self.run.due or self.run.started_at or self.run.created_at
        return moment_text(at, self.run.zone)

    @property
    def pinned(self) -> bool:
        """Whether the step is given saved SQL and leaves some for next time."""
        return self.step.pin_sql


@dataclass(frozen=True)
class StepWork:
    """How a step ended and what it left: rows, files, the SQL for next time."""

    outcome: Outcome
    summary: str
    reason_code: str = ""
    text: str = ""
    queries: tuple[ExecutedQuery, ...] = ()
    datasets: tuple[StoredDataset, ...] = ()
    documents: tuple[StoredDocument, ...] = ()
    saved_query: SavedQueryChange | None = None
    saved_query_note: str = ""
    notes: tuple[str, ...] = field(default_factory=tuple)

    def as_outcome(self) -> StepOutcome:
        """What the run's rule decides on."""
        return StepOutcome(self.outcome, self.summary, self.reason_code)

    def as_result(self, context: StepContext, now: datetime, *, outcome: str = "") -> StepResult:
        """What is kept of the step; `outcome` says another word for a step that is not over."""
        return StepResult(
            step=context.run.cursor,
            step_id=context.step.id,
            kind=context.step.kind.value,
            outcome=outcome or self.outcome.value,
            summary=self.summary,
            text=self.text,
            ended_at=now,
            queries=self.queries,
            datasets=self.datasets,
            documents=self.documents,
            saved_query=self.saved_query_note,
            notes=self.notes,
        )


def moment_text(at: datetime, zone: str) -> str:
    """`2026-11-30T09:00+09:00 Monday Asia/Seoul`."""
    local = at.astimezone(ZoneInfo(zone))
    return f"{local.isoformat(timespec='minutes')} {local:%A} {zone}"


def earlier_mapping(results: Sequence[StepResult]) -> list[Mapping[str, Any]]:
    """The earlier results as the model sees them."""
    return [
        {
            "step": result.step + 1,
            "kind": result.kind,
            "outcome": result.outcome,
            "summary": result.summary,
            "text": result.text,
            "datasets": [
                {
                    "name": dataset.name,
                    "rows": dataset.rows,
                    "columns": [{"name": name, "type": kind} for name, kind in dataset.columns],
                    **({"columns_left_off": dataset.columns_left_off} if dataset.columns_left_off else {}),
                    "preview": dataset.preview,
                    "summary": dataset.summary,
                    "cut": dataset.cut,
                }
                for dataset in result.datasets
            ],
            "documents": [document.name for document in result.documents],
        }
        for result in results
    ]
