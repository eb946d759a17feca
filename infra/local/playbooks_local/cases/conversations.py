"""A folder of chat records with `expected.json`: which statements each must confirm, and why not the others.

`expected.json` holds `kept_in_order`, the statements every record confirms, and optionally `records`: by file name an
object with `format`, `kept` (instead of `kept_in_order`), `dropped` (statement to reason code), `pick` (an id in an
archive), `refused` (an error code) and `problems` (places that must be named). Where the file names statements that
must not be kept (`statements`), none of them is.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

from playbooks.domain.conversation import Collected, Conversation, collect, read_conversation
from playbooks.errors import Refused
from playbooks_local.cases import CaseResult
from playbooks_local.cases.case_file import read_object

_RECORDS = (".json", ".jsonl")
EXPECTED = "expected.json"


def check(path: Path) -> Iterator[CaseResult]:
    """Each record of the folder (or of the folder of a given `expected.json`), by its file name."""
    folder = path if path.is_dir() else path.parent
    expected: Mapping[str, object] = read_object(folder / EXPECTED)
    own = cast("Mapping[str, Mapping[str, object]]", expected.get("records", {}))
    common = {"kept": expected["kept_in_order"]} if "kept_in_order" in expected else {}
    named = cast("Mapping[str, str]", expected.get("statements", {}))
    files = sorted(file for file in folder.iterdir() if file.suffix in _RECORDS and file.name != EXPECTED)
    for file in files:
        wanted = {**common, **own.get(file.name, {})}
        yield CaseResult(file.name, _difference(file.read_bytes(), wanted, tuple(named.values())))
    for name in sorted(set(own) - {file.name for file in files}):
        yield CaseResult(name, f"{EXPECTED} names it, but it is not in the folder")


def _difference(data: bytes, wanted: Mapping[str, object], named: tuple[str, ...]) -> str | None:
    if "kept" not in wanted and "refused" not in wanted:
        return f"{EXPECTED} does not say what it must confirm"
    pick = wanted.get("pick")
    try:
        conversation = read_conversation(data, pick=pick if isinstance(pick, str) else None)
    except Refused as refused:
        if refused.code == wanted.get("refused"):
            return None
        return f"refused as {refused.code}: {refused.message}"
    if "refused" in wanted:
        return f"read, but must be refused as {wanted['refused']}"
    return next(_differences(conversation, collect(conversation), wanted, named), None)


def _differences(
    conversation: Conversation, collected: Collected, wanted: Mapping[str, object], named: tuple[str, ...]
) -> Iterator[str]:
    kept = [query.statement for query in collected.kept]
    reasons: dict[str, set[str]] = {}
    for item in collected.dropped:
        reasons.setdefault(item.statement, set()).add(item.reason_code)
    if wanted.get("format", conversation.format) != conversation.format:
        yield f"read as {conversation.format}, expected {wanted['format']}"
    if kept != wanted["kept"]:
        yield f"kept {kept}, expected {wanted['kept']}; dropped {reasons}"
    dropped = cast("Mapping[str, str]", wanted.get("dropped", {}))
    for statement, code in dropped.items():
        if code not in reasons.get(statement, ()):
            yield f"dropped {statement!r} as {reasons.get(statement)}, expected {code}"
    if "dropped" in wanted and set(reasons) != set(dropped):
        yield f"dropped also {sorted(set(reasons) - set(dropped))}"
    for item in collected.dropped:
        if not item.reason.strip():
            yield f"dropped {item.statement!r} without a reason"
    if unaccounted := set(reasons) & set(kept) & set(named):
        yield f"both kept and dropped: {sorted(unaccounted)}"
    places = {problem.path for problem in conversation.problems}
    for place in cast("list[str]", wanted.get("problems", [])):
        if place not in places:
            yield f"does not name the problem at {place!r}; named are {sorted(places)}"
