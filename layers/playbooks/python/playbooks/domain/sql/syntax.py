"""The syntax tree of a statement, and the check that its reader cut the text into the same tokens as we did."""

from collections.abc import Sequence

from sqlglot import exp
from sqlglot.dialects.postgres import Postgres
from sqlglot.errors import ParseError, SqlglotError
from sqlglot.tokenizer_core import Token as ReaderToken
from sqlglot.tokenizer_core import TokenType

from playbooks.domain.sql.lexer import Kind, Token
from playbooks.errors import PlaybooksError

MAX_NODES = 15_000
"""The reader tries nested forms again and again (time grows fourfold a level for ARRAY[ARRAY[…); this bounds it."""

_LITERALS = frozenset(
    {
        TokenType.STRING,
        TokenType.BYTE_STRING,
        TokenType.HEX_STRING,
        TokenType.BIT_STRING,
        TokenType.NATIONAL_STRING,
        TokenType.UNICODE_STRING,
        TokenType.RAW_STRING,
        TokenType.HEREDOC_STRING,
    }
)
_DIALECT = Postgres()


class NotUnderstood(PlaybooksError):
    """Raised when a statement cannot be read; `position` is where, or None."""

    def __init__(self, message: str, position: int | None, *, code: str) -> None:
        super().__init__(message, code=code)
        self.position = position


def parse(source: str, tokens: Sequence[Token]) -> list[exp.Expr]:
    """The statements of a source, without empty ones. Raises NotUnderstood: ambiguous, syntax, too_complex."""
    try:
        read = _DIALECT.tokenize(source)
        _agree(tokens, read)
        trees = _DIALECT.parser(max_nodes=MAX_NODES).parse(read, source)
    except RecursionError:
        raise NotUnderstood(
            "The statement is nested too deeply: split it into WITH parts.", None, code="too_complex"
        ) from None
    except ParseError as error:
        raise _from_parse_error(source, error) from None
    except (SqlglotError, ValueError, IndexError, KeyError, TypeError, AttributeError):
        raise NotUnderstood(
            "The statement cannot be read. Write it in plain PostgreSQL syntax.", None, code="syntax"
        ) from None
    return [tree for tree in trees if isinstance(tree, exp.Expr) and not isinstance(tree, exp.Semicolon)]


def _from_parse_error(source: str, error: ParseError) -> NotUnderstood:
    if "Maximum number of AST nodes" in str(error):
        return NotUnderstood("The statement is too complex: split it into WITH parts.", None, code="too_complex")
    detail = error.errors[0] if error.errors else {}
    position = None
    line, column = detail.get("line"), detail.get("col")
    if isinstance(line, int) and isinstance(column, int):
        lines = source.splitlines(keepends=True)
        token = str(detail.get("highlight") or "")
        position = min(max(sum(map(len, lines[: line - 1])) + column - len(token), 0), len(source))
    near = str(detail.get("highlight") or "").strip()[:40]
    return NotUnderstood(
        f"The statement cannot be read{f' near {near!r}' if near else ''}. It may be cut off, or use a form that is "
        "not supported here: write it in a simpler way.",
        position,
        code="syntax",
    )


def _agree(ours: Sequence[Token], theirs: Sequence[ReaderToken]) -> None:
    """Raise unless literals, quoted names and all other tokens lie at the same places in both readings."""
    literal = {(t.start, t.end) for t in ours if t.kind in (Kind.STRING, Kind.DOLLAR)}
    named = {(t.start, t.end) for t in ours if t.kind is Kind.QUOTED}
    plain = [t for t in ours if t.kind not in (Kind.STRING, Kind.DOLLAR, Kind.QUOTED, Kind.COMMENT)]
    other = []
    for read in theirs:
        span = (read.start, read.end + 1)
        if read.token_type in _LITERALS:
            _require(span in literal, span[0])
            literal.discard(span)
        elif read.token_type is TokenType.IDENTIFIER:
            _require(span in named, span[0])
            named.discard(span)
        elif read.text:
            other.append(span)
    for rest in (*literal, *named):
        _require(condition=False, position=rest[0])
    index = 0
    for token in plain:
        while index < len(other) and other[index][1] <= token.start:
            index += 1
        _require(index < len(other) and other[index][0] < token.end, token.start)
    index = 0
    for start, end in other:
        while index < len(plain) and plain[index].end <= start:
            index += 1
        _require(index < len(plain) and plain[index].start < end, start)


def _require(condition: bool, position: int) -> None:  # noqa: FBT001 - an assertion, named at its call sites
    if not condition:
        raise NotUnderstood(
            "This part can be read in two ways. Write strings as one plain '…' literal and names without unusual "
            "characters.",
            position,
            code="ambiguous",
        )
