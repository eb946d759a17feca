"""What became of a call, read from the error flag *and* the body.

A flag alone is not enough: several PostgreSQL tool servers return an SQL error as ordinary text, and some formats have
no error field at all. A body that reads as rows is never taken for an error because of a word in one of its cells.
"""

import re
from collections.abc import Mapping
from enum import Enum, auto

from playbooks.domain.conversation.fields import encodable, joined_text, mapping, sequence, text
from playbooks.domain.conversation.json_record import parse_text
from playbooks.domain.conversation.model import ResultState, ToolResult

PREVIEW = 2_000
"""Characters of an answer that are kept: enough to see what it was, whatever it weighed."""
_BEGINNING = 8_000
_LAYERS = 5

_ERROR_START = re.compile(
    r"""\W{0,3}(?:
      (?:\w+\ ){0,3}error\b\s*(?:[:(\[]|-?\d|executing|running|while|in\b|calling|invoking|occurred|$)
      | error\b(?!s?\s*,)
      | (?:\w+\.)*\w+(?:Error|Exception)\b\s*[:(]
      | exception\b | traceback\b | fatal\b\s*: | panic\b\s*: | failed\b | failure\b
      | (?:the\ )?(?:sql\ |tool\ |query\ |execution\ |statement\ |database\ |request\ |connection\ |call\ ){1,3}
        (?:has\ |was\ |execution\ )?(?:failed|failure|cancel+ed|denied|refused|rejected|aborted|timed\ out)\b
      | (?:could|can)\s?not\b | can't\b | cannot\b | unable\ to\b | invalid\b | forbidden\b | unauthori[sz]ed\b
      | (?:access|permission)\ denied\b | timeout\b | timed\ out\b | rate\ limit
      | not\ (?:allowed|permitted|found|authori[sz]ed)\b | unknown\ (?:tool|column|table|function)\b
      | mcp\ error\b | tool\ (?:invoke|call|execution)\ error | (?:psycopg2?|asyncpg|sqlalchemy|sqlstate|pg8000)\b
      | ORA-\d | 오류 | 에러 | エラー | 错误 | 錯誤 | FEHLER\b | ERREUR\b | ERRO\b | ОШИБКА\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_ERROR_INSIDE = re.compile(
    r"""^\s*LINE\ \d+:\ .*$\n?^\s*\^ | \bsyntax\ error\ at\ (?:or\ near|end\ of\ input)
      | \b(?:column|relation|function|schema|table|type|role|database|operator|view)
        \ \S{1,200}+(?:\ (?!does\ not\ exist)\S{1,200}+){0,6}+\ does\ not\ exist
      | \bpermission\ denied\ for\ | \bcancel+ing\ statement\ due\ to\ | \bcurrent\ transaction\ is\ aborted
      | \bcannot\ execute\ \w+(?:\ \w+)?\ in\ a\ read-only\ transaction
      | \bmust\ appear\ in\ the\ GROUP\ BY\ clause | \bcolumn\ reference\ \S{1,200}+\ is\ ambiguous
      | \bmissing\ FROM-clause\ entry | \binvalid\ input\ syntax\ for\ | \bSQLSTATE\b | \bpsycopg2?\.errors\.
      | ^Traceback\ \(most\ recent\ call\ last\)""",
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
_NEVER_RAN = re.compile(
    r"\W{0,3}(?:request interrupted by user|the user (?:doesn't|does not) want to|user (?:rejected|denied|declined)"
    r"|tool use (?:was )?(?:rejected|denied)|(?:interrupted|aborted|cancel+ed)(?: by (?:the )?user)?\W*$"
    r"|no response requested|tool (?:call )?(?:was )?not (?:executed|run))",
    re.IGNORECASE,
)
_CUT = re.compile(r"\s*<persisted-output>")
_UNTRUSTED = re.compile(r"<(?P<tag>untrusted-data[\w-]{0,80}+)>")
_PYTHON_ROWS = re.compile(r"\s*\[\s*(?:\(|\{\s*'|\]\s*$)")
_ROW_COUNT = re.compile(
    r"^\s*\(\d+ rows?\)\s*$|^\s*(?:\d+ rows?|no rows|0 results?|no results?)\b", re.MULTILINE | re.IGNORECASE
)
_RULE_LINE = re.compile(r"^\s*\|?\s*:?[-=+─┼]{3,}[-=+|:\s─┼]*$", re.MULTILINE)
_ROW_KEYS = ("rows", "data", "result", "results", "records", "items", "recordset")
_TEXT_KEYS = ("text", "output", "content", "value", "message", "response", "structuredContent", *_ROW_KEYS)
_ERROR_KEYS = ("error", "errors", "err", "errorMessage", "error_message", "exception")
_BAD_STATUS = frozenset({"error", "failed", "failure", "denied", "cancelled", "canceled", "timeout"})


class _Body(Enum):
    """What a body reads as."""

    ROWS = auto()
    ERROR = auto()
    NEVER_RAN = auto()
    CUT = auto()
    EMPTY = auto()
    OTHER = auto()


def judge(body: object, flag: bool | None) -> ToolResult:  # noqa: FBT001 - a flag is what the record holds
    """The result of a call that has an answer. `flag` is the record's error field: None when its format has none."""
    shown = _shown(body)
    preview, cut = encodable(shown[:PREVIEW]), len(shown) > PREVIEW
    if flag:
        return ToolResult(ResultState.ERROR, preview, cut)
    kind = _read(body)
    inferred = flag is None
    match kind:
        case _Body.ERROR:
            state = ResultState.ERROR
        case _Body.NEVER_RAN:
            state = ResultState.NONE
        case _Body.ROWS:
            state = ResultState.OK
        case _Body.CUT:
            state, cut = ResultState.OK, True
        case _Body.EMPTY:
            state = ResultState.UNKNOWN
        case _Body.OTHER:
            state = ResultState.UNKNOWN if inferred else ResultState.OK
    return ToolResult(state, preview, cut, inferred=inferred and state is ResultState.OK)


def no_result(body: object = None) -> ToolResult:
    """The result of a call of which the record says that it did not come to an end, or was not allowed to begin."""
    return ToolResult(ResultState.NONE, encodable(_shown(body)[:PREVIEW]))


def _shown(body: object) -> str:
    if isinstance(body, str):
        return body
    if joined := joined_text(body):
        return joined
    return "" if body is None else str(body)[: PREVIEW + 1]


def _read(body: object, layer: int = 0) -> _Body:
    if body is None:
        return _Body.EMPTY
    if isinstance(body, str):
        return _read_text(body, layer)
    if layer >= _LAYERS:
        return _Body.OTHER
    if isinstance(body, list):
        return _read_list(body, layer)
    if isinstance(body, dict):
        return _read_object(body, layer)
    return _Body.OTHER


def _read_text(body: str, layer: int) -> _Body:
    if not body.strip():
        return _Body.EMPTY
    if _CUT.match(body):
        return _Body.CUT
    if layer < _LAYERS and body.lstrip()[:1] in {"[", "{", '"'}:
        parsed = parse_text(body)
        if parsed is not None:
            return _read(parsed.value, layer + 1)
        if _PYTHON_ROWS.match(body):
            return _Body.ROWS
    beginning = body[:_BEGINNING]
    if wrapped := _UNTRUSTED.search(beginning):
        end = body.find(f"</{wrapped['tag']}>", wrapped.end())
        inside = body[wrapped.end() : end if end >= 0 else len(body)]
        return _read_text(inside, layer + 1) if layer < _LAYERS else _Body.OTHER
    if _NEVER_RAN.match(beginning):
        return _Body.NEVER_RAN
    if _reads_as_table(beginning):
        return _Body.ROWS
    if _ERROR_START.match(beginning) or _ERROR_INSIDE.search(beginning):
        return _Body.ERROR
    return _Body.ROWS if _ROW_COUNT.search(beginning) else _Body.OTHER


def _reads_as_table(body: str) -> bool:
    """A ruled table (psql, Markdown), or a header and lines with as many commas, tabs or bars."""
    lines = [line for line in body.splitlines()[:50] if line.strip()]
    if len(lines) < 2:
        return False
    if _RULE_LINE.match(lines[1]) and ("|" in lines[0] or not _ERROR_START.match(lines[0])):
        return True
    for mark in ("\t", "|", ","):
        counts = {line.count(mark) for line in lines[:10]}
        if len(counts) == 1 and counts != {0} and not _ERROR_START.match(lines[0]):
            return not any(_ERROR_INSIDE.search(line) for line in lines[:10])
    return False


def _read_list(body: list[object], layer: int) -> _Body:
    if not body:
        return _Body.ROWS
    blocks = [mapping(item) for item in body]
    if all("type" in block and ("text" in block or "source" in block or "json" in block) for block in blocks):
        return _read_blocks(blocks, layer)
    if len(body) == 1 and isinstance(body[0], dict):
        only = body[0]
        is_error = (len(only) == 1 and _says_error(only)) or _is_flagged(only)
        return _Body.ERROR if is_error else _Body.ROWS
    if all(isinstance(item, dict | list) for item in body):
        return _Body.ROWS
    if len(body) == 1 and isinstance(body[0], str):
        return _read_text(body[0], layer + 1)
    return _Body.ROWS if not any(isinstance(item, dict | list) for item in body) else _Body.OTHER


def _read_blocks(blocks: list[Mapping[str, object]], layer: int) -> _Body:
    """Content blocks: one block is read by itself; of several, one error is an error and one that has rows is rows."""
    kinds = [_read(block.get("text", block.get("json")), layer + 1) for block in blocks]
    for kind in (_Body.ERROR, _Body.NEVER_RAN, _Body.CUT, _Body.ROWS, _Body.OTHER):
        if kind in kinds:
            return kind
    return _Body.EMPTY


def _says_error(body: Mapping[str, object]) -> bool:
    return any(bool(body.get(key)) for key in _ERROR_KEYS)


def _is_flagged(body: Mapping[str, object]) -> bool:
    """`isError: true`, or `success: false` beside a message and no rows."""
    if any(body.get(key) is True for key in ("isError", "is_error")):
        return True
    failed = any(body.get(key) is False for key in ("success", "ok"))
    return failed and any(key in body for key in (*_ERROR_KEYS, "message", "detail", "code", "reason"))


def _says_failure(body: Mapping[str, object]) -> bool:
    """An envelope that tells of a failure; inside a list the same words may be a row."""
    status = text(body.get("status")).lower()
    has_reason = any(key in body for key in ("message", "detail", "error", "reason"))
    return _is_flagged(body) or body.get("success") is False or (status in _BAD_STATUS and has_reason)


def _read_object(body: Mapping[str, object], layer: int) -> _Body:
    if _says_error(body) or _says_failure(body):
        return _Body.ERROR
    for key in _ROW_KEYS:
        if isinstance(body.get(key), list):
            inner = _read_list(list(sequence(body[key])), layer + 1)
            return _Body.ROWS if inner is _Body.OTHER else inner
    for key in _TEXT_KEYS:
        if key in body and isinstance(body[key], str | list | dict) and _is_envelope(body, key):
            return _read(body[key], layer + 1)
    if text(body.get("type")).lower() in {"error", "tool_error"}:
        return _Body.ERROR
    return _Body.OTHER


def _is_envelope(body: Mapping[str, object], key: str) -> bool:
    """An object that wraps an answer holds little besides: flags, counts, a type, a duration."""
    return len(body) <= 8 if key not in {"message", "value", "text"} else len(body) <= 4
