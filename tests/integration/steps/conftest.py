"""A query step against the real server: only the model's words are written down."""

import json
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest

from playbooks.adapters.memory.outside import MemorySecrets, ScriptedModel
from playbooks.adapters.postgres import PostgresDatabases
from playbooks.application.lease import HeldRun
from playbooks.application.steps.context import StepContext, StepWork
from playbooks.application.steps.query_database import query_database
from playbooks.application.steps.run_query import QueryRunner
from playbooks.domain.ids import StepId
from playbooks.domain.playbook import Step, StepKind
from playbooks.domain.sql.saved_query import SavedQuery, from_conversation
from playbooks.domain.usage import Usage
from playbooks.errors import Finding
from playbooks.ports.databases import Caps
from playbooks.ports.directory import RegisteredDatabase
from playbooks.ports.model import AssistantTurn, ModelAnswer, ModelRequest, StopReason, Text, ToolCall, UserTurn
from playbooks.ports.stores.runs import StepResult
from playbooks_local.postgres import PostgresServer
from tests.world import ACME, World

Call = tuple[str, dict[str, Any]]


class Script:
    """Answers one after the other; a call is a name and its arguments. What came back is in `results`."""

    def __init__(self, *answers: Call | str) -> None:
        self._answers: Iterator[Call | str] = iter(answers)
        self._number = 0
        self.results: list[tuple[str, bool]] = []
        self.requests: list[ModelRequest] = []

    def __call__(self, request: ModelRequest) -> ModelAnswer:
        self.requests.append(request)
        last = request.turns[-1]
        assert isinstance(last, UserTurn)
        self.results += [(part.content, part.is_error) for part in last.parts if not isinstance(part, Text)]
        answer = next(self._answers)
        self._number += 1
        if isinstance(answer, str):
            return ModelAnswer(AssistantTurn((Text(answer),)), StopReason.END, Usage(10, 5, 1))
        name, arguments = answer
        call = ToolCall(f"call_{self._number}", name, arguments)
        return ModelAnswer(AssistantTurn((Text(f"Now {name}."), call)), StopReason.TOOL_USE, Usage(10, 5, 1))


def finish(outcome: str = "done", next_sql: str = "none", statement: str = "", **placeholders: tuple[str, str]) -> Call:
    """A finish; placeholders are name=(type, example)."""
    described = [
        {"name": name, "type": kind, "description": f"the {name}", "example": example}
        for name, (kind, example) in placeholders.items()
    ]
    return (
        "finish_step",
        {
            "outcome": outcome,
            "summary": f"It is {outcome}.",
            "next_sql": next_sql,
            "statement": statement,
            "placeholders": described,
        },
    )


class Stage:
    """One query step of a playbook over the case database, run as `app_ro`."""

    def __init__(self, server: PostgresServer) -> None:
        self.world = World().people()
        self._numbers = count(2)
        self.port = server.port
        self.register("app_ro")
        self.secret = {"user": "postgres", "password": server.password}
        self.queries = QueryRunner(
            PostgresDatabases(),
            self.world.workspace,
            self.world.workspace,
            MemorySecrets({"shop-secret": self.secret}),
            self.world.artifacts,
            Caps(seconds=20),
        )
        self.script: Script

    def register(self, role: str) -> None:
        """Register the case database, read by analysts as the role."""
        roles = (("analysts", role),)
        shop = RegisteredDatabase("shop", "127.0.0.1", self.port, "shop", "shop-secret", roles, "off")
        self.world.workspace.register_database(ACME, shop)

    def play(
        self,
        *answers: Call | str,
        saved: str | None = None,
        role: str = "app_ro",
        during: Callable[["Stage"], None] | None = None,
        **step: bool,
    ) -> StepResult | None:
        """Run the step with the scripted answers, to the end of the run; its result, None when the run ended first."""
        self.script = Script(*answers)
        self.register(role)
        query = Step(StepId("s1"), StepKind.QUERY_DATABASE, "how many orders", {"database": "shop"}, **step)
        playbook = self.world.playbook(steps=(query,))
        if saved is not None:
            self._save(playbook, from_conversation(saved, "v1", self.world.clock.now()))
        self.during = during
        self.world.execute = self._execute
        self.id = self.world.use_runs.run_now(self.world.mina, playbook, "key").id
        self.playbook = playbook
        return self._deliver()

    def again(self, *answers: Call | str, key: str = "again") -> StepResult | None:
        """One more run of the same playbook."""
        self.script = Script(*answers)
        self.id = self.world.use_runs.run_now(self.world.mina, self.playbook, key).id
        return self._deliver()

    def cautions(self) -> tuple[Finding, ...]:
        """What Mina is told when she switches on a playbook that asks the case database."""
        query = Step(StepId("s1"), StepKind.QUERY_DATABASE, "how many orders", {"database": "shop"})
        asking = self.world.playbook(f"p{next(self._numbers)}", steps=(query,), on=False)
        return self.world.use_playbooks.cautions(self.world.mina, asking)

    def saved(self) -> SavedQuery | None:
        """The saved query as it is now."""
        return self.world.playbooks.saved_queries(ACME, self.playbook).get(StepId("s1"))

    def dataset(self, result: StepResult, number: int = -1) -> list[Any]:
        """The rows of a dataset, as they lie in the file."""
        data = self.world.artifacts.files[result.datasets[number].key]
        return [json.loads(line) for line in data.splitlines()[1:-1]]

    def _execute(self, held: HeldRun, context: StepContext) -> StepWork:
        return query_database(held, ScriptedModel(self._answer), context, self.queries)

    def _answer(self, request: ModelRequest) -> ModelAnswer:
        if self.during is not None:
            self.during(self)
        return self.script(request)

    def _deliver(self) -> StepResult | None:
        self.world.deliver()
        results = self.world.runs.steps(ACME, self.id)
        return results[0] if results else None

    def _save(self, playbook: Any, query: SavedQuery) -> None:
        from playbooks.adapters.dynamodb.operations import Put
        from playbooks.adapters.dynamodb.playbook_writes import saved_query_item

        self.world.table.write(Put(saved_query_item(ACME, playbook, StepId("s1"), query)))


@pytest.fixture
def stage(shop: PostgresServer) -> Stage:
    return Stage(shop)
