"""A step worked on by the stand-in through the real client and adapter, with the application's own tools."""

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from playbooks.adapters.model.anthropic import anthropic_model
from playbooks.application.agent_loop import Finished
from playbooks.application.steps.context import StepContext, earlier_mapping
from playbooks.application.steps.query_database import suggestion
from playbooks.domain.ids import PlaybookId, RunId, StepId, TenantId, UserId
from playbooks.domain.playbook import Definition, Playbook, PlaybookState, Step, StepKind
from playbooks.domain.run import Run, RunKind, RunStatus
from playbooks.ports.directory import Person
from playbooks.ports.model import ModelRequest, Text, UserTurn
from playbooks.ports.stores.runs import ExecutedQuery, StoredDataset
from playbooks.prompts import step as prompts

SALES = [["Online", 12, "200.50", "100.25"], ["Retail", 3, "50.00", "100.00"]]
COLUMNS = (("department", "text"), ("orders", "integer"), ("sales", "numeric"), ("sales_week_before", "numeric"))


def context(kind, instruction, *, at, saved=None, earlier=(), inputs=None):
    """A step of a run that is due at `at` (aware)."""
    step = Step(StepId("s1"), kind, instruction, inputs or {"database": "shop"})
    definition = Definition(1, (step,))
    playbook = Playbook(
        tenant=TenantId("t"),
        id=PlaybookId("p"),
        owner=UserId("u"),
        title="Weekly sales",
        state=PlaybookState.ON,
        rev=1,
        definition_version=1,
        definition_hash=definition.hash,
        created_at=at,
    )
    run = Run(
        tenant=TenantId("t"),
        id=RunId("r"),
        kind=RunKind.SCHEDULED,
        status=RunStatus.RUNNING,
        run_as=UserId("u"),
        title="Weekly sales",
        created_at=at,
        playbook=PlaybookId("p"),
        step_count=1,
        zone="Asia/Seoul",
        due=at,
    )
    return StepContext(run, playbook, step, Person(UserId("u"), "mina", frozenset()), earlier, saved)


@dataclass
class Database:
    """Answers every statement with the same rows; those that hold `fails` fail with `error`."""

    fails: str = ""
    error: str = 'column "departmet" does not exist'
    tables: str = "orders(id, department, amount, ordered_at)"
    asked: list[str] = field(default_factory=list)

    def run(self, _run, name, sql, *, dataset, suggested):
        self.asked.append(sql)
        failed = bool(self.fails) and self.fails in sql
        executed = ExecutedQuery(
            statement=sql,
            database=name,
            role="reader",
            suggested=suggested,
            ok=not failed,
            rows=0 if failed else len(SALES),
            milliseconds=1,
            error=self.error if failed else "",
        )
        stored = StoredDataset(dataset, f"k/{dataset}", len(SALES), 10, COLUMNS, json.dumps(SALES), "")
        return executed, None if failed else stored

    def describe(self, _run, _name, _search):
        return self.tables

    def functions(self, _tenant, _name):
        return frozenset()


def work(url, step_context, tools, *, pinned=True):
    """Let the model call the tools until one says the step is over; what came out, and what was said on the way."""
    step = step_context.step
    saved = step_context.saved
    opening = prompts.opening(
        title=step_context.playbook.title,
        number=1,
        count=1,
        kind=step.kind.value,
        instruction=step.instruction,
        inputs=step.inputs,
        now=step_context.now_text,
        earlier=earlier_mapping(step_context.earlier),
        saved_query=suggestion(saved) if saved is not None else None,
    )
    model = anthropic_model("stand-in", key="none", base_url=url)
    system = prompts.system(step.kind.value, may_end_run=False, pinned=pinned)
    turns, said = [UserTurn((Text(opening),))], []
    for _ in range(10):
        answer = model.answer(ModelRequest(system, tuple(turns), tuple(tools.specs())), within=timedelta(seconds=30))
        said.append(answer.turn.text)
        (call,) = answer.turn.calls
        result = tools.call(call)
        if isinstance(result, Finished):
            return result.value, said
        turns += [answer.turn, UserTurn((result,))]
    raise AssertionError("the step did not come to an end")


def monday(day, hour=9):
    """09:00 in Seoul on a day of December 2026."""
    return datetime(2026, 12, day, hour, tzinfo=UTC) - timedelta(hours=9)


QUERY, ORGANIZE, DOCUMENT = StepKind.QUERY_DATABASE, StepKind.ORGANIZE, StepKind.CREATE_DOCUMENT
