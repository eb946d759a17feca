"""A document step: the model says what goes where, the rows come from the datasets by name."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from playbooks.application.agent_loop import Finished, converse
from playbooks.application.artifact_keys import document_key
from playbooks.application.lease import HeldRun
from playbooks.application.steps.context import StepContext, StepWork, earlier_mapping
from playbooks.application.steps.finishing import FINISH, finish_spec, list_of, object_schema, read_finish, text_of
from playbooks.domain.dataset import Column, Row, decode
from playbooks.domain.run import Outcome
from playbooks.errors import PlaybooksError
from playbooks.ports.artifacts import Artifacts
from playbooks.ports.documents import DocumentWriter, Draft, Table
from playbooks.ports.model import Model, ToolCall, ToolResult, ToolSpec
from playbooks.ports.stores.runs import StoredDataset, StoredDocument
from playbooks.prompts import step as prompts

MAX_TABLES = 20
MAX_NAME = 120


def create_document(
    held: HeldRun, model: Model, context: StepContext, artifacts: Artifacts, writers: Mapping[str, DocumentWriter]
) -> StepWork:
    """Work on a document step until it is over."""
    step = context.step
    return converse(
        held,
        model,
        DocumentTools(context, artifacts, writers),
        system=prompts.system(step.kind.value, may_end_run=step.may_end_run, pinned=False),
        opening=prompts.opening(
            title=context.playbook.title,
            number=context.run.cursor + 1,
            count=context.run.step_count,
            kind=step.kind.value,
            instruction=step.instruction,
            inputs=step.inputs,
            now=context.now_text,
            earlier=earlier_mapping(context.earlier),
        ),
    )


def file_name(title: str, context: StepContext, extension: str) -> str:
    """Title and local date, without what a file system or a header refuses."""
    at = context.now_text[:10]
    plain = re.sub(r'[\\/:*?"<>|\x00-\x1f\x7f]+', " ", unicodedata.normalize("NFC", title))
    plain = " ".join(plain.split()).strip(". ")[:MAX_NAME] or "document"
    return f"{plain} {at}.{extension}"


@dataclass
class DocumentTools:
    """`write_document` and `finish_step`."""

    context: StepContext
    artifacts: Artifacts
    writers: Mapping[str, DocumentWriter]

    def __post_init__(self) -> None:
        self._documents: list[StoredDocument] = []

    @property
    def _datasets(self) -> dict[str, StoredDataset]:
        return {dataset.name: dataset for result in self.context.earlier for dataset in result.datasets}

    def specs(self) -> Sequence[ToolSpec]:
        """The two tools; dataset names are an enumeration of what there is."""
        names = sorted(self._datasets)
        dataset: dict[str, Any] = {"type": "string", "enum": names} if names else {"type": "string"}
        column = object_schema({"column": {"type": "string"}, "header": {"type": "string"}})
        table = object_schema(
            {"title": {"type": "string"}, "dataset": dataset, "columns": {"type": "array", "items": column}}
        )
        return [
            ToolSpec(
                "write_document",
                "Write the document: its title, a text beside the tables (may be empty), and the tables in order.",
                object_schema(
                    {
                        "title": {"type": "string"},
                        "notes": {"type": "string"},
                        "sheets": {"type": "array", "items": table},
                    }
                ),
            ),
            finish_spec(may_end_run=self.context.step.may_end_run),
        ]

    def call(self, call: ToolCall) -> ToolResult | Finished[StepWork]:
        """Make one call of the model."""
        match call.name:
            case "write_document":
                return self._write(call)
            case name if name == FINISH:
                return self._finish(call)
            case _:
                return ToolResult(call.id, f"There is no tool {call.name!r} in this step.", is_error=True)

    def state(self) -> Mapping[str, Any]:
        """The documents written so far."""
        return {"documents": [[d.name, d.key, d.size, d.content_type] for d in self._documents]}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Know them again."""
        self._documents = [StoredDocument(*fields) for fields in state["documents"]]

    def _write(self, call: ToolCall) -> ToolResult:
        writer = self.writers.get(self.context.step.inputs.get("format", ""))
        if writer is None:
            return ToolResult(call.id, "This format cannot be written here: finish with failed.", is_error=True)
        tables: list[Table] = []
        for sheet in list_of(call.arguments, "sheets")[:MAX_TABLES]:
            table = self._table(sheet)
            if isinstance(table, str):
                return ToolResult(call.id, table, is_error=True)
            tables.append(table)
        notes = text_of(call.arguments, "notes")
        if not tables and not notes.strip():
            return ToolResult(call.id, "The document would be empty: give a dataset or a text.", is_error=True)
        title = text_of(call.arguments, "title", MAX_NAME).strip() or self.context.playbook.title
        name = file_name(title, self.context, writer.format)
        key = document_key(self.context.run.tenant, self.context.run.id, self.context.run.cursor, name)
        draft = Draft(title, tables, notes, zone=self.context.run.zone, language=self.context.run.language)
        try:
            size = self.artifacts.put(key, writer.write(draft), writer.content_type)
        except PlaybooksError as error:
            if error.retryable:
                raise
            return ToolResult(call.id, error.message, is_error=True)
        self._documents = [document for document in self._documents if document.key != key]
        self._documents.append(StoredDocument(name, key, size, writer.content_type))
        return ToolResult(call.id, f"Written: {name}, {size} bytes.")

    def _table(self, sheet: Mapping[str, Any]) -> Table | str:
        dataset = self._datasets.get(str(sheet.get("dataset", "")))
        if dataset is None:
            return f"There is no dataset {sheet.get('dataset')!r}. There are: {', '.join(self._datasets) or 'none'}."
        source = DatasetSource(self.artifacts, dataset)
        columns = source.columns()
        positions: list[int] = []
        headers: list[str] = []
        for wanted in list_of(sheet, "columns"):
            position = next((n for n, column in enumerate(columns) if column.name == wanted.get("column")), None)
            if position is None:
                known = ", ".join(column.name for column in columns)
                return f"{dataset.name} has no column {wanted.get('column')!r}. It has: {known}."
            positions.append(position)
            headers.append(str(wanted.get("header") or columns[position].name))
        if not positions:
            positions = list(range(len(columns)))
            headers = [column.name for column in columns]
        title = str(sheet.get("title") or dataset.name)
        return Table(title, [columns[n] for n in positions], headers, lambda: source.rows(positions))

    def _finish(self, call: ToolCall) -> ToolResult | Finished[StepWork]:
        finish = read_finish(call)
        if isinstance(finish, str):
            return ToolResult(call.id, finish, is_error=True)
        if finish.outcome is Outcome.STOPPED and not self.context.step.may_end_run:
            return ToolResult(call.id, prompts.STOPPED_NOT_ALLOWED, is_error=True)
        if finish.outcome is Outcome.DONE and not self._documents:
            return ToolResult(call.id, "No document was written yet: call write_document first.", is_error=True)
        code = "step_failed" if finish.outcome is Outcome.FAILED else ""
        return Finished(StepWork(finish.outcome, finish.summary, code, documents=tuple(self._documents)))


@dataclass(frozen=True)
class DatasetSource:
    """A stored dataset, read from the start as often as a writer needs."""

    artifacts: Artifacts
    dataset: StoredDataset

    def columns(self) -> tuple[Column, ...]:
        """Its columns."""
        return decode(self.artifacts.get(self.dataset.key))[0]

    def rows(self, positions: Sequence[int]) -> Iterator[Row]:
        """Its rows with only these columns, streamed."""
        for row in decode(self.artifacts.get(self.dataset.key))[1]:
            yield tuple(row[position] for position in positions)
