"""Where a placeholder may stand in a statement: only where a value belongs, apart from its neighbours.

A placeholder becomes a literal of its own. In a string, a name or a comment it would be text; beside a literal, a
prefix or a type's name it would become part of another token.
"""

import re
from collections.abc import Iterator

from playbooks.domain.sql import vocabulary
from playbooks.domain.sql.lexer import Kind, LexicalError, Token, lex
from playbooks.domain.sql.structure import Structure, build
from playbooks.errors import Finding

PATH = "/statement"

_INSIDE = re.compile(r"\{\{\s*(\w{1,80})\s*\}\}")
_BRACED = re.compile(r"\{\{([^{}]{0,80})\}\}")
_QUOTED_KINDS = (Kind.STRING, Kind.DOLLAR, Kind.QUOTED, Kind.UNICODE_QUOTED)
_VALUE_BEFORE = frozenset(("like", "ilike", "escape", "between", "first", "next", "rows", "range", "groups"))
"""Words that are not reserved and after which a value stands."""
_NAME_BEFORE = frozenset(("as", "from", "join", "only", "using", "lateral", "with", "collate", "window"))
_FROM_FORMS = frozenset(("extract", "substring", "trim", "overlay", "position"))
_ITEM_END = frozenset(
    (",", ")", ";", "", "asc", "desc", "nulls", "limit", "offset", "fetch", "having", "order", "using")
)


def findings(statement: str) -> tuple[tuple[str, ...], tuple[Finding, ...]]:
    """The names of the placeholders that stand as tokens, in order, and what is wrong with where they stand."""
    try:
        tokens = lex(statement)
        structure = build(tokens)
    except LexicalError as error:
        return (), (Finding(error.code, PATH, error.message),)
    names = tuple(name(token) for token in tokens if token.kind is Kind.PLACEHOLDER)
    found = [*_hidden(tokens), *_stray(statement, tokens)]
    for index, token in enumerate(structure.tokens):
        if token.kind is Kind.PLACEHOLDER:
            problem = _glued(statement, structure, index) or _misplaced(structure, index)
            if problem is not None:
                found.append(Finding(problem[0], PATH, f"{token.text}: {problem[1]}"))
    return names, tuple(found)


def name(token: Token) -> str:
    """The name of a PLACEHOLDER token."""
    return token.text[2:-2].strip(" \t")


def _hidden(tokens: list[Token]) -> Iterator[Finding]:
    for token in tokens:
        if token.kind is Kind.COMMENT:
            if _INSIDE.search(token.text):
                yield Finding(
                    "placeholder_in_comment", PATH, "A placeholder stands in a comment: take it out of there."
                )
        elif token.kind in _QUOTED_KINDS and (inside := _INSIDE.search(token.text)):
            yield Finding(
                "quoted_placeholder",
                PATH,
                f"{inside.group()} stands inside quotes. Write it without quotes, they are added: column = "
                f"{{{{{inside.group(1)}}}}}; for a pattern write '%' || {{{{{inside.group(1)}}}}} || '%'.",
            )


def _stray(statement: str, tokens: list[Token]) -> Iterator[Finding]:
    for token in tokens:
        if token.kind is Kind.OTHER and token.text in "{}":
            braced = _BRACED.match(statement, token.start)
            hint = f"{braced.group()} is no placeholder. " if braced else "There are braces that are no placeholder. "
            yield Finding(
                "stray_braces",
                PATH,
                hint + "Write {{name}}: a lower-case letter, then at most 39 lower-case letters, digits or _.",
            )
            return


def _glued(statement: str, structure: Structure, index: int) -> tuple[str, str] | None:
    token = structure.tokens[index]
    before = statement[token.start - 1 : token.start]
    after = statement[token.end : token.end + 1]
    text_before = statement[max(token.start - 3, 0) : token.start]
    if before and (before.isalnum() or before in "_$'\"`.{}\\" or ord(before) > 127):
        return "glued", "it touches what stands before it: put a space or an operator there."
    if re.search(r"(?:^|[^A-Za-z0-9_])[uU]&\Z", text_before):
        return "glued", "U& before it would change how the text is read: leave U& out."
    if before == ":" and not _in_slice(structure, index - 1):
        return "glued", "a colon stands before it: write the placeholder alone, or CAST({{…}} AS type) for a type."
    if after and (after.isalnum() or after in "_$'\"`.({[}\\" or ord(after) > 127):
        return "glued", "it touches what stands behind it: put a space or an operator there."
    return None


def _misplaced(structure: Structure, index: int) -> tuple[str, str] | None:
    before, after = structure.word(index - 1), structure.word(index + 1)
    kind_before = structure.tokens[index - 1].kind if index else None
    kind_after = structure.tokens[index + 1].kind if index + 1 < len(structure.tokens) else None
    literals = (*_QUOTED_KINDS, Kind.PLACEHOLDER, Kind.NUMBER)
    if (kind_before in literals and kind_before is not Kind.QUOTED) or kind_after in (Kind.STRING, Kind.PLACEHOLDER):
        return "beside_literal", "it stands beside another value: put an operator or a comma between them."
    if after in ("(", ".", "["):
        return "name_place", "it stands where a name belongs; a placeholder is a value, never a name."
    if before == "in":
        return "list_place", "IN needs a list: write IN ({{a}}, {{b}}) or = ANY (string_to_array({{…}}, ','))."
    if before in _NAME_BEFORE and not _is_from_of_value(structure, index - 1):
        return "name_place", "it stands where a name belongs; a placeholder is a value, never a name."
    if kind_before is Kind.QUOTED or _is_type_before(structure, index - 1):
        return (
            "typed_literal",
            "a type's name stands before it. Cast instead: {{…}}::timestamptz, or make_interval(days => {{…}}).",
        )
    if after in _ITEM_END and _is_sort_item(structure, index):
        return "sort_place", "a value does not sort or group anything: write the column itself."
    return None


def _in_slice(structure: Structure, colon: int) -> bool:
    if structure.word(colon) != ":":
        return False
    depth = 0
    for index in range(colon - 1, -1, -1):
        word = structure.words[index]
        if word in (")", "]"):
            depth += 1
        elif word in ("(", "["):
            if depth == 0:
                return word == "["
            depth -= 1
    return False


def _is_from_of_value(structure: Structure, index: int) -> bool:
    """FROM in `IS DISTINCT FROM`, `extract(… FROM …)`, `substring(… FROM …)`, `trim(… FROM …)`."""
    if structure.words[index] != "from":
        return False
    if structure.word(index - 1) == "distinct":
        return True
    for opening in range(index - 1, -1, -1):
        if structure.words[opening] == "(" and structure.pairs[opening] > index:
            return structure.word(opening - 1) in _FROM_FORMS
    return False


def _is_type_before(structure: Structure, index: int) -> bool:
    """Whether a literal after this token would be read as `type 'literal'`."""
    if index < 0:
        return False
    word = structure.words[index]
    if word == "]":
        return True
    if word == ")":
        return structure.word(structure.pairs[index] - 1) not in ("on", "operator")
    if structure.tokens[index].kind is not Kind.WORD:
        return False
    if word == "zone":
        return structure.word(index - 2) != "at"
    if word == "by":
        return False
    return word not in vocabulary.RESERVED and word not in _VALUE_BEFORE


def _is_sort_item(structure: Structure, index: int) -> bool:
    position = index - 1
    if structure.word(position) not in (",", "by"):
        return False
    while position >= 0:
        word = structure.words[position]
        if word in (")", "]"):
            position = structure.pairs[position]
        elif word == "by":
            return structure.word(position - 1) in ("order", "group", "partition")
        elif word in ("(", "[", "select", "from", "where", "values"):
            return False
        position -= 1
    return False
