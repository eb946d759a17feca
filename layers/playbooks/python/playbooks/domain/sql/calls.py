"""Which functions a statement calls, by their names as written: from the tokens, not from a syntax tree.

A tree has no node for `(0.3::float8).pg_sleep`, and turns some names into others. In the source, a call is a name
before a parenthesis that is neither a keyword's syntax, nor a type's length, nor a list of column aliases; or a
name after a dot, when what stands before the dot is a value.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from playbooks.domain.sql import vocabulary
from playbooks.domain.sql.lexer import Kind, name_of
from playbooks.domain.sql.structure import Structure

_CLAUSES = frozenset(
    ("select", "from", "where", "group", "order", "having", "window", "limit", "offset", "fetch", "on", "values", "set")
)
_SYNTAX_AFTER = {
    "by": ("order", "group", "partition"),
    "sets": ("grouping",),
    "first": ("fetch",),
    "next": ("fetch",),
    "bernoulli": ("tablesample",),
    "system": ("tablesample",),
    "varying": ("character", "char", "nchar", "bit"),
    "zone": ("time",),
}
"""Words that are grammar before a parenthesis after these; elsewhere they could be a function's name."""
_BEFORE_JOIN = frozenset(("cross", "natural", "inner", "outer", "left", "right", "full"))
_ROW_SYNTAX = frozenset(("json_table", "values", "row", "exists"))


@dataclass(frozen=True, slots=True)
class Call:
    """A call by name: `parts` are the name's parts as the server knows them; `index` is the first part's token."""

    parts: tuple[str, ...]
    index: int
    opening: int

    @property
    def name(self) -> str:
        """The name with its qualifiers."""
        return ".".join(self.parts)


@dataclass(frozen=True, slots=True)
class Attribute:
    """A name after a dot that calls, or may call, a function of one argument."""

    name: str
    index: int


def calls(structure: Structure) -> Iterator[Call]:
    """Every call with parentheses."""
    words, tokens = structure.words, structure.tokens
    for opening, word in enumerate(words):
        if word != "(" or opening == 0:
            continue
        last = opening - 1
        if tokens[last].kind not in (Kind.WORD, Kind.QUOTED):
            continue
        first = last
        while first >= 2 and words[first - 1] == "." and tokens[first - 2].kind in (Kind.WORD, Kind.QUOTED):
            first -= 2
        parts = tuple(name_of(tokens[index]) for index in range(first, last + 1, 2))
        if _is_type_or_alias(structure, first, opening):
            continue
        if len(parts) == 1 and tokens[last].kind is Kind.WORD and _is_syntax(structure, last):
            continue
        yield Call(parts, first, opening)


def attributes(structure: Structure, extra_functions: frozenset[str]) -> Iterator[Attribute]:
    """Every `value.name` that could run a function which is not allowed.

    For the server `value.name` is `name(value)` when there is no such column, also where `value` is the alias of a
    function in FROM that gives a single value: `SELECT x.pg_read_file FROM text('…') x` reads the file.

    A text does not tell a composite column from another: `(column).name` is refused for functions that are known to
    act, and passes for a user's own function of one argument; the transaction and the role's rights hold that one.
    """
    words, tokens = structure.words, structure.tokens
    scalars = _function_aliases(structure)
    for dot, word in enumerate(words):
        if word != "." or dot + 1 >= len(tokens) or tokens[dot + 1].kind not in (Kind.WORD, Kind.QUOTED):
            continue
        if dot == 0 or structure.word(dot + 2) == "(":
            continue
        name = name_of(tokens[dot + 1])
        if name in vocabulary.ALLOWED_FUNCTIONS or name in extra_functions:
            continue
        base = _base(structure, dot - 1)
        known = scalars.get(base, None) if base else None
        if (
            name in vocabulary.REFUSED_ATTRIBUTES
            or base is None
            or (known is not None and name not in known and name not in vocabulary.ROW_COLUMNS)
        ):
            yield Attribute(name, dot + 1)


def _is_type_or_alias(structure: Structure, first: int, opening: int) -> bool:
    before = structure.word(first - 1)
    if before in ("as", "::"):
        return True  # CAST(x AS varchar(5)), x::numeric(12, 2), FROM f() AS t(a, b)
    if first in structure.with_names:
        return True
    if first != opening - 1 or first == 0 or not structure.names_only(opening):
        return False
    if before == ")":
        # FROM (…) t(a, b); but DISTINCT ON (a) f(b) and OPERATOR(+) f(b) are calls
        return structure.word(structure.pairs[first - 1] - 1) not in ("on", "operator")
    return structure.is_plain_name(first - 1)


def _is_syntax(structure: Structure, index: int) -> bool:
    """Whether the word before a parenthesis is grammar there, so that no function can bear its name."""
    word = structure.words[index]
    if word in vocabulary.RESERVED or word in vocabulary.SYNTAX_CALLS:
        return True
    before = structure.word(index - 1)
    if word in _SYNTAX_AFTER:
        return before in _SYNTAX_AFTER[word]
    match word:
        case "over" | "filter" | "repeatable":
            return before == ")" and structure.ends_operand(index - 1)
        case "materialized":
            return before == "as" or (before == "not" and structure.word(index - 2) == "as")
        case "join":
            return before in _BEFORE_JOIN or structure.ends_operand(index - 1)
        case "like" | "ilike":
            return structure.ends_operand(index - 2 if before == "not" else index - 1)
        case "columns" | "escape":
            return structure.ends_operand(index - 1)
        case "cube" | "rollup":
            return before in ("by", ",", "(", "distinct", "all") and _in_group_by(structure, index)
        case "operator":
            return structure.tokens[structure.pairs[index + 1] - 1].kind is Kind.OPERATOR
        case _:
            return False


def _in_group_by(structure: Structure, index: int) -> bool:
    position = index - 1
    while position >= 0:
        word = structure.words[position]
        if word in (")", "]"):
            position = structure.pairs[position]
        elif word == "(":
            if structure.word(position - 1) != "sets":
                return False
        elif word == "by":
            return structure.word(position - 1) == "group"
        elif word in _CLAUSES:
            return False
        position -= 1
    return False


def _base(structure: Structure, end: int) -> str | None:
    """What stands before a dot: a single name, or "" for what has columns of its own, or None for a plain value."""
    words, tokens = structure.words, structure.tokens
    while words[end] == "]":
        end = structure.pairs[end] - 1
        if end < 0:
            return None
    if tokens[end].kind in (Kind.WORD, Kind.QUOTED):
        return "" if structure.word(end - 1) == "." else name_of(tokens[end])
    if words[end] != ")":
        return None
    start, stop = structure.pairs[end] + 1, end - 1
    if structure.is_name(start - 2) if start >= 2 else False:
        return ""  # f(x).name is refused by the server; (f(x)).name comes here with its own parentheses
    names = start
    while names < stop and tokens[names].kind in (Kind.WORD, Kind.QUOTED) and words[names + 1] == ".":
        names += 2
    if not structure.is_name(names):
        return "" if words[names] == "row" else None
    if names == stop:
        return name_of(tokens[names]) if names == start else ""
    if words[names + 1] == "(" and structure.pairs[names + 1] == stop:
        return ""
    return None


def _function_aliases(structure: Structure) -> dict[str, set[str]]:
    """Names under which a function in FROM can be referred to, with the columns the statement gives it."""
    found: dict[str, set[str]] = {}
    for index, word in enumerate(structure.words):
        if word == ")":
            head = structure.pairs[index] - 1
            named = _called_in_from(structure, head)
        else:
            head = index
            named = word in vocabulary.VALUE_WORDS and _in_from(structure, index)  # FROM current_user x
        if named:
            alias, columns = _alias(structure, head, index + 1)
            found.setdefault(alias, set()).update(columns | {alias})
    return found


def _called_in_from(structure: Structure, head: int) -> bool:
    """Whether a function of one value is called in FROM with this token before its parenthesis."""
    words = structure.words
    if head < 0 or structure.tokens[head].kind not in (Kind.WORD, Kind.QUOTED) or words[head] in _ROW_SYNTAX:
        return False
    if words[head] == "from":
        return structure.word(head - 1) == "rows"
    if not (structure.is_name(head) or words[head] == "cast"):
        return False
    first = head
    while first >= 2 and words[first - 1] == ".":
        first -= 2
    return _in_from(structure, first)


def _alias(structure: Structure, head: int, index: int) -> tuple[str, set[str]]:
    """The name an item of FROM goes by, and what stands in its list of columns; `index` is behind the item."""
    tokens = structure.tokens
    if structure.word(index) == "with" and structure.word(index + 1) == "ordinality":
        index += 2
    index += structure.word(index) == "as"
    alias = name_of(tokens[head])
    if index < len(tokens) and structure.is_name(index) and not _continues_from(structure, index):
        alias = name_of(tokens[index])
        index += 1
    if structure.word(index) != "(":
        return alias, set()
    inside = range(index + 1, structure.pairs[index])
    return alias, {name_of(tokens[inner]) for inner in inside if tokens[inner].kind in (Kind.WORD, Kind.QUOTED)}


def _continues_from(structure: Structure, index: int) -> bool:
    return structure.words[index] in ("join", "left", "right", "full", "inner", "cross", "natural", "tablesample")


def _in_from(structure: Structure, first: int) -> bool:
    """Whether an item of FROM begins with this token."""
    before = structure.word(first - 1)
    if before in ("from", "join", "lateral"):
        return True
    if before == "(":
        return structure.word(first - 2) in ("from", "join", "lateral", "(", ",")
    if before != ",":
        return False
    position = first - 2
    while position >= 0:
        word = structure.words[position]
        if word in (")", "]"):
            position = structure.pairs[position]
        elif word == "(":
            return structure.word(position - 1) == "from"
        elif word in _CLAUSES:
            return word in ("from", "on")
        position -= 1
    return False
