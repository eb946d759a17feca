"""The step runner's parts: the worker with an executor for each kind of step."""

from collections.abc import Mapping
from functools import cached_property

from playbooks.adapters.telemetry import PowertoolsTelemetry
from playbooks.application.agent_loop import WorkFailed
from playbooks.application.lease import HeldRun
from playbooks.application.steps.context import StepContext, StepWork
from playbooks.application.work_on_run import Worker
from playbooks.bootstrap.settings import read_settings
from playbooks.bootstrap.working import WorkingParts
from playbooks.domain.playbook import StepKind
from playbooks.ports.databases import Caps
from playbooks.ports.documents import DocumentWriter


class StepParts(WorkingParts):
    """Adapters that only steps need, loaded by the kind of step."""

    @cached_property
    def writers(self) -> Mapping[str, DocumentWriter]:
        """Document writers by format."""
        from playbooks.adapters.documents import document_writers

        return document_writers()

    def execute(self, held: HeldRun, context: StepContext) -> StepWork:
        """Work on a step with what its kind needs."""
        match context.step.kind:
            case StepKind.QUERY_DATABASE:
                return self._query(held, context)
            case StepKind.ORGANIZE:
                from playbooks.application.steps.organize import organize

                return organize(held, self.model, context)
            case StepKind.CREATE_DOCUMENT:
                from playbooks.application.steps.create_document import create_document

                return create_document(held, self.model, context, self.artifacts, self.writers)
            case kind:
                raise WorkFailed(f"Steps of the kind {kind.value} cannot run in this version.", code="unsupported_kind")

    def _query(self, held: HeldRun, context: StepContext) -> StepWork:
        from playbooks.adapters.postgres import PostgresDatabases
        from playbooks.application.steps.query_database import query_database
        from playbooks.application.steps.run_query import QueryRunner

        caps = Caps(seconds=self.settings.times.call_budget.total_seconds() / 2)
        runner = QueryRunner(PostgresDatabases(), self.workspace, self.directory, self.secrets, self.artifacts, caps)
        return query_database(held, self.model, context, runner)


def build() -> tuple[Worker, PowertoolsTelemetry]:
    """The worker, and the telemetry to flush after each message."""
    parts = StepParts(read_settings().require("table", "bucket", "run_queue"))
    return parts.worker(execute=parts.execute), parts.telemetry
