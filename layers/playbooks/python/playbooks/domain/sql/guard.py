"""The static guard: whether a statement is one SELECT that only reads, judged on its source text.

It never regenerates SQL: what it passes is sent as it was written. It is one of three layers; a user's own
functions, operators, casts, views and domains with side effects are beyond a text's reach and are held by the
READ ONLY transaction and by the role's rights.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from playbooks.domain.sql import vocabulary
from playbooks.domain.sql.calls import attributes, calls
from playbooks.domain.sql.lexer import Kind, LexicalError, lex, name_of
from playbooks.domain.sql.relations import tables
from playbooks.domain.sql.structure import Structure, build
from playbooks.domain.sql.syntax import NotUnderstood, parse

MAX_CHARACTERS = 20_000
MAX_DEPTH = 30
MAX_IDENTIFIER_BYTES = 63
"""The server cuts longer names silently (NAMEDATALEN - 1)."""

_WRITES = (exp.DML, exp.DDL, exp.Command, exp.Drop, exp.Alter, exp.Set, exp.TruncateTable, exp.Transaction)
_LOCKS = frozenset(("update", "share", "no", "key", "read"))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the guard says of a statement.

    `code` is "ok" or the reason: empty, too_long, invalid_character, white_space, unterminated, junk_after_number,
    unbalanced, too_complex, placeholder, parameter, several_statements, not_select, writes, into, lock, function,
    attribute_call, operator, unicode_name, long_name, system_relation, ambiguous, syntax.
    `position` is a 0-based offset into the source in characters; `tables` are what an allowed statement reads.
    """

    allowed: bool
    code: str
    message: str
    position: int | None = None
    tables: tuple[str, ...] = ()


class _Refusal(Exception):
    def __init__(self, code: str, message: str, position: int | None) -> None:
        super().__init__(message)
        self.verdict = Verdict(allowed=False, code=code, message=message, position=position)


def check(sql: str, *, extra_functions: frozenset[str] = frozenset()) -> Verdict:
    """The verdict on one statement; never raises.

    `extra_functions` are names an administrator allows for this database, in lower case as `name` or `schema.name`.
    """
    try:
        return Verdict(allowed=True, code="ok", message="One SELECT that reads.", tables=_check(sql, extra_functions))
    except _Refusal as refusal:
        return refusal.verdict
    except (LexicalError, NotUnderstood) as error:
        return Verdict(allowed=False, code=error.code, message=error.message, position=error.position)


def _check(sql: str, extra_functions: frozenset[str]) -> tuple[str, ...]:
    _text(sql)
    tokens = lex(sql)
    structure = build(tokens)
    _shape(structure)
    for refusal in (
        *_words(structure),
        *_calls(structure, extra_functions),
        *_operators(structure),
        *_system_relations(structure, extra_functions),
    ):
        raise refusal
    tree = _one_select(parse(sql, tokens))
    for node in tree.walk():
        if isinstance(node, _WRITES):
            raise _Refusal("writes", "The statement contains a part that writes: only SELECT may run.", None)
        if isinstance(node, exp.Into):
            raise _Refusal("into", "SELECT … INTO makes a table: leave INTO out.", None)
        if isinstance(node, exp.Lock):
            raise _Refusal("lock", "The statement locks rows: leave FOR UPDATE or FOR SHARE out.", None)
        if isinstance(node, (exp.Parameter, exp.SessionParameter)):
            raise _Refusal("parameter", "The statement has a parameter without a value: write the value.", None)
    return tables(tree)


def _text(sql: str) -> None:
    if len(sql) > MAX_CHARACTERS:
        raise _Refusal(
            "too_long",
            f"The statement has {len(sql):,} characters and {MAX_CHARACTERS:,} are allowed: join with a table or a "
            "range instead of listing values.",
            MAX_CHARACTERS,
        )
    for position, character in enumerate(sql):
        if character == "\0" or "\ud800" <= character <= "\udfff":
            raise _Refusal(
                "invalid_character",
                f"The character U+{ord(character):04X} cannot be sent to the database: leave it out.",
                position,
            )


def _shape(structure: Structure) -> None:
    words, tokens = structure.words, structure.tokens
    if structure.depth > MAX_DEPTH:
        raise _Refusal(
            "too_complex", f"Brackets are nested more than {MAX_DEPTH} deep: split the query into WITH parts.", None
        )
    first = next((index for index, word in enumerate(words) if word != "("), None)
    if first is None or words[first] == ";":
        raise _Refusal("empty", "There is no statement: write one SELECT.", None)
    if words[first] not in ("select", "with"):
        raise _Refusal(
            "not_select",
            f"Only one SELECT may run, and this begins with {tokens[first].text[:40]!r}.",
            tokens[first].start,
        )
    for index, word in enumerate(words):
        if word == ";" and index + 1 < len(words):
            raise _Refusal(
                "several_statements",
                "There is more than one statement: send them one after the other.",
                tokens[index + 1].start,
            )


def _words(structure: Structure) -> Iterator[_Refusal]:
    words = structure.words
    for index, token in enumerate(structure.tokens):
        match token.kind:
            case Kind.PLACEHOLDER:
                yield _Refusal("placeholder", f"{token.text} has no value: write the value in its place.", token.start)
            case Kind.PARAMETER:
                yield _Refusal("parameter", f"{token.text} has no value: write the value in its place.", token.start)
            case Kind.PUNCTUATION if _is_bind_marker(structure, index):
                yield _Refusal(
                    "parameter", "The statement has a parameter without a value: write the value.", token.start
                )
            case Kind.OTHER:
                yield _Refusal("invalid_character", f"{token.text!r} is not SQL here.", token.start)
            case Kind.UNICODE_QUOTED:
                yield _Refusal("unicode_name", 'Write the name itself instead of U&"…".', token.start)
            case Kind.QUOTED | Kind.WORD if len(name_of(token).encode()) > MAX_IDENTIFIER_BYTES:
                yield _Refusal(
                    "long_name", f"Names have at most {MAX_IDENTIFIER_BYTES} bytes: shorten this one.", token.start
                )
            case Kind.WORD:
                yield from _keyword(structure, index, words[index])


def _is_bind_marker(structure: Structure, index: int) -> bool:
    """`:name`; but not `x[1:n]`, `x[:n]` or `JSON_OBJECT(key: value)`."""
    return structure.words[index] == ":" and structure.word(index - 1) != "[" and not structure.ends_operand(index - 1)


def _keyword(structure: Structure, index: int, word: str) -> Iterator[_Refusal]:
    start = structure.tokens[index].start
    match word:
        case "into":
            yield _Refusal("into", "SELECT … INTO makes a table: leave INTO out.", start)
        case "table":
            yield _Refusal("not_select", "Write SELECT * FROM … instead of TABLE ….", start)
        case "for" if structure.word(index + 1) in _LOCKS:
            yield _Refusal("lock", "The statement locks rows: leave FOR UPDATE or FOR SHARE out.", start)
        case "insert" | "update" | "delete" | "merge" if structure.word(index - 1) in ("(", ")") and (
            _begins_write(structure, index)
        ):
            yield _Refusal("writes", f"{word.upper()} writes: only SELECT may run, also inside WITH.", start)


def _begins_write(structure: Structure, index: int) -> bool:
    if structure.words[index] == "update":
        return "set" in structure.words[index + 2 : index + 10]
    return structure.word(index + 1) in ("into", "from")


def _calls(structure: Structure, extra: frozenset[str]) -> Iterator[_Refusal]:
    for call in calls(structure):
        match call.parts:
            case (name,) | ("pg_catalog", name) if name in vocabulary.ALLOWED_FUNCTIONS:
                continue
            case _ if call.name in extra:
                continue
        yield _Refusal(
            "function",
            f"The function {call.name[:80]} is not on the list of functions that only compute: leave it out, or ask "
            "the administrator to allow it for this database.",
            structure.tokens[call.index].start,
        )
    for attribute in attributes(structure, extra):
        yield _Refusal(
            "attribute_call",
            f"The name {attribute.name[:80]} after the dot could call a function here. For a column, name it in the "
            "alias: FROM f(…) AS t(column); a function is called as f(value).",
            structure.tokens[attribute.index].start,
        )


def _operators(structure: Structure) -> Iterator[_Refusal]:
    words, tokens = structure.words, structure.tokens
    for index, token in enumerate(tokens):
        if token.kind is not Kind.OPERATOR:
            continue
        if words[index] not in vocabulary.OPERATORS:
            yield _Refusal(
                "operator", f"The operator {token.text[:40]} is not one of PostgreSQL's own: leave it out.", token.start
            )
        if structure.word(index - 1) == "." and words[index] != "*" and name_of(tokens[index - 2]) != "pg_catalog":
            yield _Refusal("operator", "Only operators of pg_catalog may be named this way.", token.start)
        if structure.word(index - 1) == "." and structure.word(index + 1) == ")":
            start = structure.pairs[index + 1]
            if structure.word(start - 1) == "operator" and name_of(tokens[index - 2]) != "pg_catalog":
                yield _Refusal("operator", "Only operators of pg_catalog may be named this way.", token.start)


def _system_relations(structure: Structure, extra: frozenset[str]) -> Iterator[_Refusal]:
    known = vocabulary.ALLOWED_RELATIONS | vocabulary.ALLOWED_FUNCTIONS | {"pg_catalog", "pg_lsn"}
    allowed = known | {name.rpartition(".")[2] for name in extra}
    for index, token in enumerate(structure.tokens):
        if token.kind not in (Kind.WORD, Kind.QUOTED):
            continue
        name = name_of(token)
        inside = structure.word(index - 1) == "." and name_of(structure.tokens[index - 2]) == "information_schema"
        hidden = inside and (name.startswith("_pg_") or name in vocabulary.REFUSED_RELATIONS)
        if hidden or (name.startswith("pg_") and name not in allowed):
            yield _Refusal(
                "system_relation",
                f"{name[:80]} belongs to the system and is not open to questions: use information_schema or the "
                "schema help.",
                token.start,
            )


def _one_select(trees: list[exp.Expr]) -> exp.Expr:
    if len(trees) != 1:
        raise _Refusal("several_statements", "There is not exactly one statement: send one SELECT.", None)
    root = trees[0]
    inner: exp.Expr = root
    while isinstance(inner, exp.Subquery):
        inner = inner.this
    if not isinstance(inner, (exp.Select, exp.SetOperation)):
        raise _Refusal("not_select", "Only one SELECT may run.", None)
    return root
