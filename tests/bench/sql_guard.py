"""How long a statement is judged and filled, and which judgements are wrong, beside other guards.

    python -m tests.bench.sql_guard [--write]

Contenders: this guard; plain parsing with the same reader ("one SELECT without a node that writes"), with and without
the judgement; and crystaldba/postgres-mcp's SafeSqlDriver where its package is importable (it asks for Python 3.12).
All take the statements of tests/cases/sql_guard.json in turn, round after round; times are CPU time of this process,
and the median round counts. A miss is a statement that should be refused by a text guard and passed; a false refusal
is one that only reads and was refused. `--write` puts the table into infra/bench.
"""

import argparse
import importlib.util
import json
import logging
import platform
import statistics
import sys
import time
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import sqlglot
from sqlglot import exp

from playbooks.domain.sql.guard import MAX_CHARACTERS, check
from playbooks.domain.sql.placeholders import Placeholder, check_submission, parse_placeholders, render
from playbooks.errors import Refused

ROUNDS = 7
SHOWN = 40
"""Ids are named where they are at most this many."""
ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "cases"

Judge = Callable[[str], bool]


@dataclass
class Contender:
    """A guard: whether it passes a statement. `times` are CPU microseconds a statement, one a round."""

    name: str
    passes: Judge
    times: list[float] = field(default_factory=list)
    misses: list[str] = field(default_factory=list)
    false_refusals: list[str] = field(default_factory=list)


def ours(sql: str) -> bool:
    """This project's guard."""
    return check(sql).allowed


def plain_sqlglot(sql: str) -> bool:
    """What many guards do: it parses to one SELECT, and no node of the tree writes."""
    try:
        trees = sqlglot.parse(sql, read="postgres")
    except (sqlglot.errors.SqlglotError, RecursionError, ValueError):
        return False
    if len(trees) != 1 or not isinstance(trees[0], (exp.Select, exp.SetOperation, exp.Subquery)):
        return False
    return not any(isinstance(node, (exp.DML, exp.DDL, exp.Command)) for node in trees[0].walk())


def postgres_mcp() -> Contender | None:
    """SafeSqlDriver of crystaldba/postgres-mcp, without the server around it; None where it is not installed."""
    spec = importlib.util.find_spec("postgres_mcp")
    if spec is None or not spec.submodule_search_locations:
        return None
    for name, folder in (("postgres_mcp", ""), ("postgres_mcp.sql", "sql")):
        package = types.ModuleType(name)
        package.__path__ = [str(Path(next(iter(spec.submodule_search_locations))) / folder)]
        sys.modules[name] = package
    driver = importlib.import_module("postgres_mcp.sql.safe_sql").SafeSqlDriver(None)

    def passes(sql: str) -> bool:
        try:
            driver._validate(sql)
        except Exception:  # noqa: BLE001 - every refusal and every fault of the contender is a refusal
            return False
        return True

    return Contender(f"postgres-mcp {_version('postgres-mcp')} (pglast {_version('pglast')})", passes)


def main() -> int:
    """Measure, print the table, and fail when a judgement of ours is wrong beyond the statements known for it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write infra/bench/sql_guard.md")
    arguments = parser.parse_args()
    logging.getLogger("sqlglot").setLevel(logging.ERROR)
    cases = json.loads((CASES / "sql_guard.json").read_text(encoding="utf-8"))
    contenders = [Contender("playbooks", ours), Contender(f"plain sqlglot {_version('sqlglot')}", plain_sqlglot)]
    peer = postgres_mcp()
    if peer is not None:
        contenders.append(peer)
    for contender in contenders:
        judge_all(contender, cases)
    usual = [case["sql"] for case in cases if case["verdict"] == "allow" and len(case["sql"]) < MAX_CHARACTERS]
    for _ in range(ROUNDS):
        for contender in contenders:
            contender.times.append(microseconds(contender.passes, usual))
    table = "\n".join(lines(contenders, cases, peer is not None))
    print(table)
    if arguments.write:
        (ROOT / "infra" / "bench" / "sql_guard.md").write_text(table + "\n", encoding="utf-8")
    return 1 if contenders[0].misses or len(contenders[0].false_refusals) > 12 else 0


def judge_all(contender: Contender, cases: list[dict[str, str]]) -> None:
    """Note every wrong judgement by the case's id."""
    for case in cases:
        passed = contender.passes(case["sql"])
        if case["verdict"] == "allow" and not passed:
            contender.false_refusals.append(case["id"])
        if case["verdict"] == "refuse" and case["layer"] == "guard" and passed:
            contender.misses.append(case["id"])


def microseconds(passes: Judge, statements: list[str]) -> float:
    """CPU microseconds a statement, over all of them once."""
    started = time.process_time()
    for sql in statements:
        passes(sql)
    return (time.process_time() - started) / len(statements) * 1e6


def lines(contenders: list[Contender], cases: list[dict[str, str]], with_peer: bool) -> Iterator[str]:
    """The table in Markdown."""
    refuse = sum(case["verdict"] == "refuse" and case["layer"] == "guard" for case in cases)
    allow = sum(case["verdict"] == "allow" for case in cases)
    yield "# The SQL guard beside others"
    yield ""
    yield f"`python -m tests.bench.sql_guard`, CPython {platform.python_version()}, {platform.machine()}."
    yield ""
    yield f"| guard | misses of {refuse} | false refusals of {allow} | µs a statement |"
    yield "| --- | ---: | ---: | ---: |"
    for contender in contenders:
        yield (
            f"| {contender.name} | {len(contender.misses)} | {len(contender.false_refusals)} "
            f"| {statistics.median(contender.times):,.0f} |"
        )
    if with_peer:
        yield ""
        yield "postgres-mcp allows EXPLAIN, SHOW, FETCH and the like on purpose; here they count as misses."
    else:
        yield ""
        yield "crystaldba/postgres-mcp was not installed in this environment (it asks for Python 3.12)."
    for contender in contenders:
        for what, ids in (("misses", contender.misses), ("false refusals", contender.false_refusals)):
            if ids and len(ids) <= SHOWN:
                yield ""
                yield f"{contender.name}, {what}: {', '.join(ids)}."
    submitted, filled = placeholder_times()
    yield ""
    yield "| placeholders | µs |"
    yield "| --- | ---: |"
    yield f"| the three checks of a submission | {submitted:,.0f} |"
    yield f"| filling a statement | {filled:,.0f} |"


def placeholder_times() -> tuple[float, float]:
    """CPU microseconds for checking a submission and for filling it, over the cases that are accepted."""
    accepted: list[tuple[str, tuple[Placeholder, ...], dict[str, object]]] = []
    for case in json.loads((CASES / "placeholders.json").read_text(encoding="utf-8")):
        if case["verdict"] == "allow":
            placeholders = parse_placeholders(case["placeholders"])
            accepted.append((case["statement"], placeholders, {item.name: item.example for item in placeholders}))
    checks, fills = [], []
    for _ in range(ROUNDS):
        started = time.process_time()
        for statement, placeholders, _values in accepted:
            check_submission(statement, placeholders)
        checks.append(time.process_time() - started)
        started = time.process_time()
        for statement, placeholders, values in accepted:
            try:
                render(statement, placeholders, values)
            except Refused:
                continue
        fills.append(time.process_time() - started)
    return tuple(statistics.median(times) / len(accepted) * 1e6 for times in (checks, fills))  # type: ignore[return-value]  # two of them


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


if __name__ == "__main__":
    sys.exit(main())
