"""A query step: the saved query is a suggestion; the model runs, edits or rewrites it and leaves the next one."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from playbooks.application.agent_loop import Finished, converse
from playbooks.application.lease import HeldRun
from playbooks.application.steps.context import StepContext, StepWork, earlier_mapping
from playbooks.application.steps.finishing import (
    FINISH,
    Finish,
    finish_spec,
    list_of,
    object_schema,
    read_finish,
    text_of,
)
from playbooks.application.steps.run_query import QueryRunner
from playbooks.domain.run import Outcome
from playbooks.domain.sql import placeholders, saved_query
from playbooks.domain.sql.literal_dates import literal_dates
from playbooks.domain.sql.saved_query import SavedQuery
from playbooks.errors import Finding, Refused
from playbooks.ports.model import Model, ToolCall, ToolResult, ToolSpec
from playbooks.ports.stores.playbooks import SavedQueryChange
from playbooks.ports.stores.runs import ExecutedQuery, StepResult, StoredDataset
from playbooks.prompts import step as prompts

MAX_REFUSED_SUBMISSIONS = 2
MAX_SQL = 50_000
MAX_STATEMENTS = 50
MAX_LOG_BYTES = 150_000
"""Of all statements of a step with the tables they read: its log is one item of at most 400 KB and holds them all."""
MAX_PREVIEWS = 30_000
"""Characters of the rows and summaries that are kept of a step's earlier datasets."""
MAX_COLUMN_BYTES = 40_000
"""Of the names and types of columns that are kept of all datasets of a step, for the same item."""

_TYPES: Mapping[str, Mapping[str, Any]] = {
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "string": {"type": "string"},
    "date": {"type": "string", "format": "date"},
    "boolean": {"type": "boolean"},
}


def query_database(held: HeldRun, model: Model, context: StepContext, queries: QueryRunner) -> StepWork:
    """Work on a query step until it is over."""
    pinned, step = context.pinned, context.step
    tools = QueryTools(context, queries, held.clock.now())
    held.so_far = tools.so_far
    queries.check_role(context.run, step.inputs.get("database", ""), tools.now)
    saved = context.saved if pinned else None
    return converse(
        held,
        model,
        tools,
        system=prompts.system(step.kind.value, may_end_run=step.may_end_run, pinned=pinned),
        opening=prompts.opening(
            title=context.playbook.title,
            number=context.run.cursor + 1,
            count=context.run.step_count,
            kind=step.kind.value,
            instruction=step.instruction,
            inputs=step.inputs,
            now=context.now_text,
            earlier=earlier_mapping(context.earlier),
            saved_query=suggestion(saved) if saved is not None else None,
        ),
    )


def suggestion(saved: SavedQuery) -> dict[str, Any]:
    """The saved query as the model is shown it."""
    return {
        "statement": saved.statement,
        "placeholders": [
            {"name": item.name, "type": item.type.value, "description": item.description, "example": item.example}
            for item in saved.placeholders
        ],
        "saved_at": saved.saved_at.isoformat(timespec="minutes"),
        "reused": saved.reused,
        "rewritten": saved.rewritten,
        "literal_dates": list(literal_dates(saved.statement)),
    }


@dataclass
class QueryTools:
    """The tools of a query step and what happened in it."""

    context: StepContext
    queries: QueryRunner
    now: datetime

    def __post_init__(self) -> None:
        self._executed: list[ExecutedQuery] = []
        self._datasets: list[StoredDataset] = []
        self._asked_for_query = False
        self._refused = 0

    @property
    def _saved(self) -> SavedQuery | None:
        return self.context.saved if self.context.pinned else None

    @property
    def _database(self) -> str:
        return self.context.step.inputs.get("database", "")

    def specs(self) -> Sequence[ToolSpec]:
        """`run_saved_query` only where there is one, with a typed property for each placeholder."""
        specs = [
            ToolSpec(
                "run_query",
                "Run one SELECT and keep its rows as a dataset; you see the first rows and each column over all rows.",
                object_schema({"sql": {"type": "string", "description": "One PostgreSQL SELECT."}}),
            ),
            ToolSpec(
                "describe_tables",
                "Tables and columns you may read; search holds words of a name or comment, empty for all.",
                object_schema({"search": {"type": "string"}}),
            ),
            finish_spec(may_end_run=self.context.step.may_end_run, more=_NEXT_SQL if self.context.pinned else None),
        ]
        if self._saved is not None:
            values = {
                item.name: {**_TYPES[item.type.value], "description": f"{item.description} (example: {item.example})"}
                for item in self._saved.placeholders
            }
            specs.insert(
                0, ToolSpec("run_saved_query", "Run the saved query with these values.", object_schema(values))
            )
        return specs

    def call(self, call: ToolCall) -> ToolResult | Finished[StepWork]:
        """Make one call of the model."""
        match call.name:
            case "run_query":
                return self._run(call, text_of(call.arguments, "sql", MAX_SQL), suggested=False)
            case "run_saved_query" if self._saved is not None:
                return self._run_saved(call, self._saved)
            case "describe_tables":
                search = text_of(call.arguments, "search", 200)
                return ToolResult(call.id, self.queries.describe(self.context.run, self._database, search))
            case name if name == FINISH:
                return self._finish(call)
            case _:
                return ToolResult(call.id, f"There is no tool {call.name!r} in this step.", is_error=True)

    def state(self) -> Mapping[str, Any]:
        """What happened so far, as JSON data."""
        return {
            "executed": [_fields(entry) for entry in self._executed],
            "datasets": [_fields(entry) for entry in self._datasets],
            "asked_for_query": self._asked_for_query,
            "refused": self._refused,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Know again what `state` said."""
        self._executed = [ExecutedQuery(**{**entry, "tables": tuple(entry["tables"])}) for entry in state["executed"]]
        self._datasets = [
            StoredDataset(**{**entry, "columns": tuple((name, kind) for name, kind in entry["columns"])})
            for entry in state["datasets"]
        ]
        self._asked_for_query = state["asked_for_query"]
        self._refused = state["refused"]

    def so_far(self, outcome: str, summary: str, now: datetime) -> StepResult:
        """What the step has done until now: every statement that ran stands in the log, however the step ends."""
        work = StepWork(Outcome.FAILED, summary, queries=tuple(self._executed), datasets=tuple(self._datasets))
        return work.as_result(self.context, now, outcome=outcome)

    def _run_saved(self, call: ToolCall, saved: SavedQuery) -> ToolResult:
        try:
            sql = placeholders.render(saved.statement, saved.placeholders, call.arguments)
        except Refused as refused:
            said = said_of(refused.findings) or refused.message
            return ToolResult(call.id, said, is_error=True)
        return self._run(call, sql, suggested=True)

    def _run(self, call: ToolCall, sql: str, *, suggested: bool) -> ToolResult:
        # A statement may be little more than names of tables, and those stand in the log once more.
        needed = 2 * len(sql.encode(errors="replace"))
        if len(self._executed) >= MAX_STATEMENTS or self._log_bytes + needed > MAX_LOG_BYTES:
            said = f"This step has run {len(self._executed)} statements, and no more are taken: finish it."
            return ToolResult(call.id, said, is_error=True)
        name = f"s{self.context.run.cursor + 1}_q{len(self._executed) + 1}"
        executed, dataset = self.queries.run(self.context.run, self._database, sql, dataset=name, suggested=suggested)
        self._executed.append(executed)
        if dataset is None:
            return ToolResult(call.id, executed.error, is_error=True)
        self._datasets = _columns_within([*_previews_within(self._datasets, MAX_PREVIEWS), dataset], MAX_COLUMN_BYTES)
        shown = {
            "dataset": dataset.name,
            "rows": dataset.rows,
            "columns": [{"name": column, "type": kind} for column, kind in dataset.columns],
            **({"columns_left_off": dataset.columns_left_off} if dataset.columns_left_off else {}),
            "preview": json.loads(dataset.preview),
            "summary": json.loads(dataset.summary or "[]"),
            "cut": dataset.cut,
        }
        return ToolResult(call.id, json.dumps(shown, ensure_ascii=False))

    @property
    def _log_bytes(self) -> int:
        texts = (text for entry in self._executed for text in (entry.statement, entry.error, *entry.tables))
        return sum(len(text.encode(errors="replace")) for text in texts)

    def _finish(self, call: ToolCall) -> ToolResult | Finished[StepWork]:
        finish = read_finish(call)
        if isinstance(finish, str):
            return ToolResult(call.id, finish, is_error=True)
        if finish.outcome is Outcome.STOPPED and not self.context.step.may_end_run:
            return ToolResult(call.id, prompts.STOPPED_NOT_ALLOWED, is_error=True)
        succeeded = any(entry.ok for entry in self._executed)
        if finish.outcome is Outcome.DONE and not succeeded:
            if not self._asked_for_query:
                self._asked_for_query = True
                return ToolResult(call.id, prompts.ASK_AGAIN_FOR_QUERY, is_error=True)
            return Finished(self._work(finish, None, "", ("zero processed",)))
        if finish.outcome is Outcome.FAILED or not succeeded or not self.context.pinned:
            return Finished(self._work(finish, None, ""))
        change, problem = self._next_sql(call)
        if not problem:
            assert change is not None
            return Finished(self._work(finish, change, *self._told(change)))
        self._refused += 1
        if self._refused <= MAX_REFUSED_SUBMISSIONS:
            return ToolResult(call.id, problem, is_error=True)
        note = f"The SQL for next time was refused, the saved query stays as it was: {problem}"
        return Finished(self._work(finish, None, "kept", (note,)))

    def _next_sql(self, call: ToolCall) -> tuple[SavedQueryChange | None, str]:
        """The change of the saved query, or what is wrong with what was submitted."""
        saved, step_id = self._saved, self.context.step.id
        kind = call.arguments.get("next_sql")
        if kind == "unchanged":
            if saved is None or not any(entry.ok and entry.suggested for entry in self._executed):
                return None, (
                    'next_sql "unchanged" needs a successful run_saved_query in this step. Give "new" with the '
                    "statement for next time."
                )
            return SavedQueryChange(step_id, saved.version, saved_query.reused(saved)), ""
        if kind != "new":
            return None, 'A query succeeded, so next_sql must be "unchanged" or "new".'
        statement = text_of(call.arguments, "statement", MAX_SQL)
        try:
            described = placeholders.parse_placeholders(_typed(list_of(call.arguments, "placeholders")))
        except Refused as refused:
            return None, said_of(refused.findings) or refused.message
        functions = self.queries.functions(self.context.run.tenant, self._database)
        found = placeholders.check_submission(statement, described, extra_functions=functions)
        if found:
            return None, said_of(found)
        query = saved_query.rewritten(saved, statement, described, self.context.run.id, self.now)
        former = saved if saved is not None and query.version > saved.version else None
        return SavedQueryChange(step_id, saved.version if saved is not None else None, query, former), ""

    def _told(self, change: SavedQueryChange) -> tuple[str, tuple[str, ...]]:
        """What the log says of the saved query: a word, and why another one stands there now."""
        saved = self._saved
        if saved is not None and change.query.version == saved.version:
            return "reused" if change.query.reused > saved.reused else "kept", ()
        failed = next((entry.error for entry in reversed(self._executed) if entry.suggested and not entry.ok), "")
        return "replaced", (f"saved SQL failed: {failed.rstrip('.')}; rewritten",) if failed else ()

    def _work(
        self, finish: Finish, change: SavedQueryChange | None, note: str, notes: tuple[str, ...] = ()
    ) -> StepWork:
        return StepWork(
            finish.outcome,
            finish.summary,
            reason_code="step_failed" if finish.outcome is Outcome.FAILED else "",
            queries=tuple(self._executed),
            datasets=tuple(self._datasets),
            saved_query=change,
            saved_query_note=note,
            notes=notes,
        )


_NEXT_SQL: Mapping[str, Mapping[str, Any]] = {
    "next_sql": {"type": "string", "enum": ["unchanged", "new", "none"]},
    "statement": {"type": "string", "description": 'The SQL for next time when next_sql is "new", else empty.'},
    "placeholders": {
        "type": "array",
        "items": object_schema(
            {
                "name": {"type": "string"},
                "type": {"type": "string", "enum": ["integer", "number", "string", "date", "boolean"]},
                "description": {"type": "string", "description": "What value belongs here, in terms of the run."},
                "example": {"type": "string", "description": "A value, as text: 42, 2026-09-01, true."},
            }
        ),
    },
}


def _typed(raw: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Placeholders whose examples came as text, with the value the type says where the text is one."""
    return [{**item, "example": _example(item.get("type"), item.get("example"))} for item in raw]


def _example(kind: object, example: object) -> object:
    if not isinstance(example, str):
        return example
    try:
        match kind:
            case "integer":
                return int(example)
            case "number":
                return float(example) if not example.lstrip("-").isdigit() else int(example)
            case "boolean":
                return {"true": True, "false": False}.get(example.lower(), example)
    except ValueError:
        return example
    return example


def _previews_within(datasets: Sequence[StoredDataset], most: int) -> list[StoredDataset]:
    """The datasets, the newest with what the model saw of them while it fits; their rows stay in their files."""
    kept: list[StoredDataset] = []
    for dataset in reversed(datasets):
        most -= len(dataset.preview) + len(dataset.summary)
        kept.append(dataset if most >= 0 else replace(dataset, preview="[]", summary="[]"))
    return kept[::-1]


def _columns_within(datasets: Sequence[StoredDataset], most: int) -> list[StoredDataset]:
    """The datasets, the newest with the names of their columns while they fit; what is left off is counted."""
    kept: list[StoredDataset] = []
    for dataset in reversed(datasets):
        columns: list[tuple[str, str]] = []
        for name, kind in dataset.columns:
            most -= len(name.encode(errors="replace")) + len(kind)
            if most < 0:
                break
            columns.append((name, kind))
        left_off = len(dataset.columns) - len(columns)
        if left_off:
            left_off += dataset.columns_left_off
            dataset = replace(dataset, columns=tuple(columns), columns_left_off=left_off)  # noqa: PLW2901 - the same one
        kept.append(dataset)
    return kept[::-1]


def _fields(entry: ExecutedQuery | StoredDataset) -> dict[str, Any]:
    return {name: getattr(entry, name) for name in type(entry).__dataclass_fields__}


def said_of(findings: Sequence[Finding]) -> str:
    """What the findings say, each sentence once."""
    return " ".join(dict.fromkeys(finding.message for finding in findings))
