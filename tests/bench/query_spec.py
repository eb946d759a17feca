"""Time the Query Spec: a spec of 20 nodes beside its peers, and the refusal of hostile documents.

    python -m tests.bench.query_spec [--peers FOLDER]

The peers live in a virtual environment of their own in FOLDER, made there when it is missing (about half a minute);
without the option they are made in a temporary folder and removed. Seconds are CPU time, best of several rounds, so
that a busy machine disturbs them less. The measurements take about 15 seconds.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

from playbooks.query_spec import (
    Access,
    Catalogue,
    Column,
    ColumnType,
    QuerySpecError,
    interpret,
    interpret_wire,
    to_qdrant,
)
from playbooks.query_spec.sqlalchemy_target import SqlTarget
from playbooks_local.cases.query_spec import table_of
from tests.bench.query_spec_peers import best

PEERS = (
    "langchain-classic==1.0.8",
    "langchain-community==0.4.2",
    "lark==1.3.1",
    "llama-index-vector-stores-qdrant==0.10.4",
    "qdrant-client==1.20.0",
)
ZONE = ZoneInfo("Asia/Seoul")
SCOPE = {"tenant_id": "acme"}
CATALOGUE = Catalogue(
    {
        "tenant_id": Column(type=ColumnType.STRING, access=Access.SCOPE),
        "id": Column(type=ColumnType.INTEGER),
        "file_name": Column(type=ColumnType.STRING, fold="file_name_fold"),
        "asset_type": Column(type=ColumnType.ENUM, choices=("pdf", "docx", "xlsx", "png")),
        "size_bytes": Column(type=ColumnType.INTEGER),
        "score": Column(type=ColumnType.NUMBER),
    },
    "id",
)


def condition(column: str, operator: str, value: object) -> dict[str, object]:
    return {"column": column, "operator": operator, "value": value}


def twenty_nodes() -> dict[str, object]:
    """Five groups and fifteen conditions, all of which the peers can express too."""
    groups = [
        {
            "op": "or" if number % 2 else "and",
            "conditions": [
                condition("size_bytes", "gte", 1_000 * number),
                condition("score", "lt", 0.5 + number / 10),
                condition("file_name", "like", f"%회의록 {number}%"),
            ],
        }
        for number in range(1, 5)
    ]
    first = [condition("asset_type", "eq", "pdf"), condition("id", "gt", 7), condition("size_bytes", "lte", 10**9)]
    return {"where": {"op": "and", "conditions": [*first, *groups]}, "limit": 20, "offset": 0}


def nested(levels: int) -> object:
    document: object = condition("id", "eq", 1)
    for _ in range(levels):
        document = {"op": "and", "conditions": [document]}
    return document


def hostile() -> dict[str, object]:
    """Documents that must be refused in time bounded by the limits."""
    one = condition("id", "eq", 1)
    return {
        "groups 100,000 deep": {"where": nested(100_000)},
        "a million conditions": {"where": {"op": "or", "conditions": [one] * 1_000_000}},
        "a list of a million": {"where": {"conditions": [condition("id", "in", list(range(1_000_000)))]}},
        "a million fields": {str(number): None for number in range(1_000_000)},
        "text of 10 MB": '{"where":' + " " * 10_000_000 + "null}",
        "text 60,000 brackets deep": "[" * 60_000,
        "a lone surrogate": {"where": {"conditions": [condition("file_name", "eq", "\ud800")]}},
        "NaN": {"where": {"conditions": [condition("score", "gt", float("nan"))]}},
        "an integer of 300,000 digits": {"where": {"conditions": [condition("id", "eq", 10**300_000)]}},
        "50 conditions, all wrong": {"where": {"conditions": [condition("id", "eq", "x")] * 49}},
        "the years 1 and 9999": {
            "where": {"conditions": [condition("created_at", "between", ["0001-01-01", "9999-12-31"])]}
        },
        "wire: a million groups": {"op": "and", "conditions": [], "groups": [one] * 1_000_000},
    }


def refuse(document: object, *, wire: bool) -> None:
    try:
        if wire:
            interpret_wire(document, CATALOGUE, zone=ZONE)
        else:
            interpret(document, CATALOGUE, zone=ZONE)
    except QuerySpecError:
        return
    raise AssertionError("a hostile document was accepted")


def peers_of(folder: Path) -> Path:
    """The peers' interpreter; makes its environment when it is not there."""
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *PEERS], check=True)
    return python


def peers(python: Path, spec: dict[str, object]) -> dict[str, float]:
    script = Path(__file__).with_name("query_spec_peers.py")
    done = subprocess.run(
        [str(python), "-W", "ignore", str(script)], input=json.dumps(spec), capture_output=True, text=True, check=True
    )
    seconds: dict[str, float] = json.loads(done.stdout)
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", type=Path, help="folder of the peers' environment; kept for the next run")
    folder = parser.parse_args().peers
    spec = twenty_nodes()
    text = json.dumps(spec)
    target = SqlTarget(table_of(CATALOGUE, "bench"), CATALOGUE)
    query = interpret(spec, CATALOGUE, zone=ZONE)
    ours = {
        "read, type and compile for Qdrant": best(lambda: to_qdrant(interpret(spec, CATALOGUE, zone=ZONE), SCOPE)),
        "the same from JSON text": best(lambda: to_qdrant(interpret(text, CATALOGUE, zone=ZONE), SCOPE)),
        "read and type alone": best(lambda: interpret(spec, CATALOGUE, zone=ZONE)),
        "compile to a SELECT": best(lambda: target.select(query, SCOPE)),
    }
    print("A spec of 20 nodes, microseconds of CPU a call")
    for name, seconds in ours.items():
        print(f"  {name:36} {seconds * 1e6:9.1f}")
    with tempfile.TemporaryDirectory(prefix="query-spec-peers-") as temporary:
        theirs = peers(peers_of(folder if folder is not None else Path(temporary)), spec)
    full = ours["read, type and compile for Qdrant"]
    for name, what in (("LangChain", "parse and translate"), ("LlamaIndex", "translate alone")):
        print(f"  {name + ', ' + what:36} {theirs[name] * 1e6:9.1f}   {theirs[name] / full:5.2f} times ours")
    print("Refusing a hostile document, milliseconds of CPU (goal: under 5 each)")
    for name, document in hostile().items():
        seconds = best(partial(refuse, document, wire=name.startswith("wire")))
        print(f"  {name:36} {seconds * 1e3:9.3f}")


if __name__ == "__main__":
    main()
