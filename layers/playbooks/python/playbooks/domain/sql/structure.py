"""The tokens of a statement with what pairs them: parentheses, and the headers of WITH lists."""

from collections.abc import Sequence
from dataclasses import dataclass

from playbooks.domain.sql import vocabulary
from playbooks.domain.sql.lexer import Kind, LexicalError, Token, name_of

_OPENING = {"(": ")", "[": "]"}
_OPENERS = frozenset(
    ("between", "like", "ilike", "escape", "overlaps", "join", "cross", "natural", "inner", "outer", "left", "right")
) | {"full", "values", "is"}
_OPENERS_AFTER = {
    "by": ("order", "group", "partition", "breadth", "depth", "first"),
    "zone": ("time",),
    "first": ("fetch",),
    "next": ("fetch",),
    "rows": ("(", ")", "by", "asc", "desc", "first", "last"),
    "range": ("(", ")", "by", "asc", "desc", "first", "last"),
    "groups": ("(", ")", "by", "asc", "desc", "first", "last"),
}
"""Words that are not reserved and behind which an expression may begin, always or after these."""


@dataclass(frozen=True, slots=True)
class Structure:
    """Significant tokens (no comments), the folded text of each, and the partner of each bracket by index."""

    tokens: tuple[Token, ...]
    words: tuple[str, ...]
    """A WORD's folded text, an operator's or punctuation's text; empty for names in quotes and for literals."""
    pairs: dict[int, int]
    depth: int
    with_names: frozenset[int]
    """Indices of the names that a WITH list defines."""

    def is_name(self, index: int) -> bool:
        """Whether the token can be a name: quoted, or a word that is not reserved."""
        token = self.tokens[index]
        return token.kind is Kind.QUOTED or (token.kind is Kind.WORD and self.words[index] not in vocabulary.RESERVED)

    def is_plain_name(self, index: int) -> bool:
        """Whether the token can only be a name: quoted, or a word that is no keyword at all."""
        token = self.tokens[index]
        return token.kind is Kind.QUOTED or (token.kind is Kind.WORD and self.words[index] not in vocabulary.KEYWORDS)

    def ends_operand(self, index: int) -> bool:
        """Whether an expression can end with this token, so that what follows is an infix word."""
        if index < 0:
            return False
        match self.tokens[index].kind:
            case Kind.STRING | Kind.DOLLAR | Kind.NUMBER | Kind.QUOTED:
                return True
            case Kind.WORD if self.words[index] in vocabulary.RESERVED:
                return self.words[index] in vocabulary.VALUE_WORDS
            case Kind.WORD:
                return not self._opens_operand(index)
            case _:
                return self.words[index] == "]" or (self.words[index] == ")" and not self._is_prefix(index))

    def _opens_operand(self, index: int) -> bool:
        """Whether an expression may begin behind this word, which is not reserved: `BETWEEN`, `ORDER BY`, `VALUE` …"""
        word = self.words[index]
        if word in _OPENERS:
            return self.word(index - 1) != "."
        if word in _OPENERS_AFTER:
            return self.word(index - 1) in _OPENERS_AFTER[word]
        return word in ("value", "passing") and self.ends_operand(index - 1)

    def _is_prefix(self, closing: int) -> bool:
        """Whether brackets stand before an expression: `DISTINCT ON (…)` and `OPERATOR(…)`."""
        opening = self.pairs[closing]
        before = self.word(opening - 1)
        return before == "operator" or (before == "on" and self.word(opening - 2) == "distinct")

    def word(self, index: int) -> str:
        """`words[index]`, empty outside the statement."""
        return self.words[index] if 0 <= index < len(self.words) else ""

    def names_only(self, opening: int) -> bool:
        """Whether the brackets hold names and commas only, as a list of column aliases does."""
        inside = range(opening + 1, self.pairs[opening])
        return len(inside) > 0 and all(
            self.is_name(index) if (index - opening) % 2 else self.words[index] == "," for index in inside
        )


def build(tokens: Sequence[Token]) -> Structure:
    """Pair the brackets; raises LexicalError (code unbalanced) where one has no partner."""
    significant = tuple(token for token in tokens if token.kind is not Kind.COMMENT)
    words = tuple(
        name_of(token)
        if token.kind is Kind.WORD
        else token.text
        if token.kind in (Kind.OPERATOR, Kind.PUNCTUATION)
        else ""
        for token in significant
    )
    pairs: dict[int, int] = {}
    stack: list[int] = []
    depth = 0
    for index, word in enumerate(words):
        if word in ("(", "["):
            stack.append(index)
            depth = max(depth, len(stack))
        elif word in (")", "]"):
            if not stack or _OPENING[words[stack[-1]]] != word:
                raise LexicalError(f"This {word} closes nothing.", significant[index].start, code="unbalanced")
            opening = stack.pop()
            pairs[opening], pairs[index] = index, opening
    if stack:
        raise LexicalError("This bracket is never closed.", significant[stack[-1]].start, code="unbalanced")
    return Structure(significant, words, pairs, depth, _with_names(significant, words, pairs))


def _with_names(tokens: Sequence[Token], words: Sequence[str], pairs: dict[int, int]) -> frozenset[int]:
    """`WITH [RECURSIVE] name [(columns)] AS [[NOT] MATERIALIZED] (…) [, name …]`, at a start or after `(`."""
    found: set[int] = set()

    def word(index: int) -> str:
        return words[index] if index < len(words) else ""

    for start, text in enumerate(words):
        if text != "with" or (start > 0 and words[start - 1] != "("):
            continue
        index = start + 1 + (word(start + 1) == "recursive")
        while index < len(tokens) and tokens[index].kind in (Kind.WORD, Kind.QUOTED):
            name = index
            index += 1
            if word(index) == "(":
                index = pairs[index] + 1
            if word(index) != "as":
                break
            index += 1
            index += word(index) == "not"
            index += word(index) == "materialized"
            if word(index) != "(":
                break
            found.add(name)
            index = pairs[index] + 1
            while word(index) not in (",", "select", "(", "with", "values", ""):
                index += 1  # SEARCH and CYCLE clauses
            if word(index) != ",":
                break
            index += 1
    return frozenset(found)
