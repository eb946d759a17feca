"""What a conversion and a run send to the model, beside replaying the chat they come from.

    python -m tests.bench.prompt_size [--write]

The sample chat is made longer by look-ups that the user does not come back to. Each record is imported, converted and
run twice by the real application with the stand-in model; what is counted is what the model's client would send.
Replaying the chat sends the whole of it with every request; a run sends a step. Characters always; tokens too where
`tiktoken` and its cached encoding are at hand. `--write` puts the table into infra/bench.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from playbooks.adapters.documents import document_writers
from playbooks.adapters.memory.outside import MemorySecrets
from playbooks.adapters.model.anthropic import anthropic_model
from playbooks.adapters.model.messages import request_body
from playbooks.application.convert import Converter
from playbooks.application.lease import HeldRun
from playbooks.application.steps.context import StepContext, StepWork
from playbooks.application.steps.create_document import create_document
from playbooks.application.steps.organize import organize
from playbooks.application.steps.query_database import query_database
from playbooks.application.steps.run_query import QueryRunner
from playbooks.domain.dataset import Column, ColumnType
from playbooks.domain.ids import PlaybookId
from playbooks.domain.playbook import StepKind
from playbooks.domain.run import RunStatus
from playbooks.domain.sql.schema import SchemaDescription
from playbooks.errors import Finding
from playbooks.ports.databases import Caps, DatabaseTarget, QueryResult
from playbooks.ports.model import Model, ModelAnswer, ModelRequest
from playbooks_local.standin_model.server import StandInModel
from tests.world import FORMATS, World

SAMPLE = Path(__file__).parents[1] / "cases/conversations/scenario/anthropic_messages.json"
WRITE_TO = Path(__file__).parents[2] / "infra/bench"
SIZES = (0, 30_000, 100_000, 300_000, 1_000_000)
"""Characters of look-ups put before the sample chat."""
GOAL_FROM, GOAL = 100_000, 10.0
LARGEST_GROWTH = 1.02
"""A run's prompt may differ by that much between the shortest and the longest chat: ids and times differ in length."""

Count = Callable[[str], int]


@dataclass
class Counted:
    """A model that keeps what was asked, as the text its client sends."""

    model: Model
    sent: list[str] = field(default_factory=list)

    def answer(self, request: ModelRequest, *, within: timedelta) -> ModelAnswer:
        body = request_body(request, "m", strict=True, force=True)
        self.sent.append(json.dumps(body, ensure_ascii=False))
        return self.model.answer(request, within=within)


class Shop:
    """A database that answers every statement with the same two hundred departments."""

    @contextmanager
    def session(self, target: DatabaseTarget, caps: Caps) -> Iterator["Shop"]:
        yield self

    def query(self, sql: str) -> QueryResult:
        columns = (Column("department", ColumnType.TEXT, "text"), Column("total", ColumnType.NUMERIC, "numeric"))
        return QueryResult(columns, iter([(f"Department {n}", Decimal(n) * 1000) for n in range(200)]))

    def describe(self, search: str = "", limit: int = 50) -> SchemaDescription:
        raise AssertionError("the sample chat's SQL needs no look-up")

    def risks(self) -> tuple[Finding, ...]:
        return ()


@dataclass(frozen=True)
class Sizes:
    """Of one record: the chat, its conversion, and its second run (the first one still moves the dates)."""

    replay: int
    conversion: int
    run_largest: int
    run_total: int
    requests: int

    @property
    def times(self) -> float:
        """How many times as large the replay is as the largest prompt of a run."""
        return self.replay / self.run_largest


def longer_chat(characters: int) -> bytes:
    """The sample chat after look-ups of about so many characters, each a question, a query, its rows and an answer."""
    record = json.loads(SAMPLE.read_text("utf-8"))
    before: list[dict[str, Any]] = []
    size = number = 0
    while size < characters:
        number += 1
        day = date(2026, 1, 1) + timedelta(days=number)
        sql = f"SELECT id, customer, amount FROM orders WHERE ordered_at = DATE '{day}' ORDER BY id LIMIT 40"
        rows = [{"id": number * 100 + n, "customer": f"Customer {n}", "amount": f"{n}.50"} for n in range(40)]
        call = {"type": "tool_use", "id": f"look_{number}", "name": "execute_sql", "input": {"sql": sql}}
        answer = {"type": "tool_result", "tool_use_id": f"look_{number}", "content": json.dumps(rows)}
        turns = [
            {"role": "user", "content": f"And which orders came in on {day}?"},
            {"role": "assistant", "content": [{"type": "text", "text": "I look them up."}, call]},
            {"role": "user", "content": [answer]},
            {"role": "assistant", "content": f"Forty orders came in on {day}; the largest was by Customer 39."},
        ]
        before += turns
        size += len(json.dumps(turns))
    return json.dumps({**record, "messages": before + record["messages"]}, ensure_ascii=False).encode()


def measure(record: bytes, url: str, count: Count) -> Sizes:
    """Import, convert and run the record, counting what is sent."""
    world = World().people()
    model = Counted(anthropic_model("stand-in", key="none", base_url=url))
    secrets = MemorySecrets({"databases/shop": {"user": "reader", "password": "none"}})
    queries = QueryRunner(Shop(), world.workspace, world.workspace, secrets, world.artifacts, Caps())

    def execute(held: HeldRun, context: StepContext) -> StepWork:
        match context.step.kind:
            case StepKind.QUERY_DATABASE:
                return query_database(held, model, context, queries)
            case StepKind.ORGANIZE:
                return organize(held, model, context)
            case _:
                return create_document(held, model, context, world.artifacts, document_writers())

    store = world.use_conversations.store
    converter = Converter(model, store, world.artifacts, world.workspace, world.workspace, FORMATS)
    world.worker = replace(world.worker, convert=converter, execute=execute)
    shown = world.use_conversations.save(world.mina, record)
    asked = world.use_conversions.request(world.mina, shown.record.id, "key", zone=None, language=None)
    world.deliver()
    playbook = PlaybookId(world.run(asked.id).result)
    assert playbook, world.run(asked.id).reason
    conversion = sum(map(count, model.sent))
    for key in ("first", "second"):
        model.sent.clear()
        run = world.use_runs.run_now(world.mina, playbook, key)
        world.deliver()
        assert world.run(run.id).status is RunStatus.COMPLETED, world.run(run.id).reason
    sizes = [count(text) for text in model.sent]
    replay = count(json.dumps(json.loads(record)["messages"], ensure_ascii=False))
    return Sizes(replay, conversion, max(sizes), sum(sizes), len(sizes))


def tokenizer() -> Count | None:
    """Counts tokens where tiktoken is installed and has its encoding in its cache: nothing is fetched here."""
    if not os.environ.get("TIKTOKEN_CACHE_DIR"):
        return None
    try:
        import tiktoken
    except ImportError:
        return None
    encoding = tiktoken.get_encoding("o200k_base")
    return lambda text: len(encoding.encode(text, disallowed_special=()))


def table(results: Sequence[Sizes], unit: str) -> list[str]:
    """The result as Markdown."""
    lines = [
        f"| chat replayed, {unit} | conversion | a run's largest prompt | times smaller | its requests | together |",
        "| ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for sizes in results:
        cells = (sizes.replay, sizes.conversion, sizes.run_largest)
        shown = " | ".join(f"{number:,}" for number in cells)
        lines.append(f"| {shown} | {sizes.times:.1f}× | {sizes.requests} | {sizes.run_total:,} |")
    return lines


def verdicts(results: Sequence[Sizes]) -> tuple[list[str], bool]:
    """The goals in words, and whether all are met."""
    worst = min(sizes.times for sizes in results if sizes.replay >= GOAL_FROM)
    growth = results[-1].run_largest / results[0].run_largest
    small, steady = worst >= GOAL, growth <= LARGEST_GROWTH
    met = "met" if small else "not met"
    steadiness = "it does not grow with the chat" if steady else "it grows with the chat"
    said = [
        f"- from {GOAL_FROM:,} characters on, times smaller than a replay: {worst:.1f} at least, goal {GOAL:.0f} {met}",
        f"- the longest chat's largest prompt is {growth:.2f} times the shortest chat's: {steadiness}",
    ]
    return said, small and steady


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and write when asked; 1 when a goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.prompt_size", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the table into infra/bench")
    chosen = parser.parse_args(arguments)
    records = [longer_chat(size) for size in SIZES]
    with StandInModel() as model:
        results = [measure(record, model.url, len) for record in records]
        tokens = tokenizer()
        in_tokens = [measure(record, model.url, tokens) for record in records] if tokens is not None else []
    said, met = verdicts(results)
    lines = [
        "# What the model is sent",
        "",
        "Written by `make bench`. A replay sends the whole chat with each request.",
        "",
    ]
    lines += [*table(results, "characters"), "", *said]
    if in_tokens:
        lines += ["", *table(in_tokens, "tokens (tiktoken o200k_base)")]
    text = "\n".join(lines) + "\n"
    print(text)
    if chosen.write:
        WRITE_TO.mkdir(parents=True, exist_ok=True)
        (WRITE_TO / "prompt_size.md").write_text(text, "utf-8")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
