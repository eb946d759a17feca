"""PostgreSQL's lexical rules: where each token of a statement begins and ends.

After `src/backend/parser/scan.l` of PostgreSQL 18 with `standard_conforming_strings` on, which the connection sets.
Two things are stricter than the server: white space is only space, tab, LF, CR and FF (Unicode spaces are identifier
letters for the server, and readers take them for spaces), and `{{name}}` is a token of its own.
"""

import re
from enum import Enum, auto
from typing import NamedTuple

from playbooks.errors import PlaybooksError


class Kind(Enum):
    """What a token is. Literals of all spellings are STRING; white space is no token."""

    WORD = auto()
    """An identifier or keyword without quotes."""
    QUOTED = auto()
    """An identifier in double quotes."""
    UNICODE_QUOTED = auto()
    """An identifier written `U&"…"`."""
    STRING = auto()
    """`'…'`, with a prefix E, B, X, N or U&, continued over line breaks as the server does."""
    DOLLAR = auto()
    """A dollar-quoted string."""
    NUMBER = auto()
    PARAMETER = auto()
    """`$1`."""
    OPERATOR = auto()
    PUNCTUATION = auto()
    """One of `, ( ) [ ] . ; :` or `::`, `:=`, `..`."""
    COMMENT = auto()
    PLACEHOLDER = auto()
    """`{{name}}`, which is no SQL."""
    OTHER = auto()
    """A character that begins no token."""


class Token(NamedTuple):
    """A token with its half-open span in the source, in characters."""

    kind: Kind
    text: str
    start: int
    end: int


class LexicalError(PlaybooksError):
    """Raised where the text cannot be cut into tokens; `position` is the offset of what is wrong."""

    code = "lexical"

    def __init__(self, message: str, position: int, *, code: str) -> None:
        super().__init__(message, code=code)
        self.position = position


_HIGH = "\x80-\U0010ffff"
_DIGITS = r"\d(?:_?\d)*"
_TOKEN = re.compile(
    rf"""(?P<space>[ \t\n\r\f]+)
    |(?P<line_comment>--[^\n\r]*)
    |(?P<block_comment>/\*)
    |(?P<string>(?:[eEbBxXnN]|[uU]&)?')
    |(?P<unicode_quoted>[uU]&")
    |(?P<quoted>")
    |(?P<word>[A-Za-z_{_HIGH}][A-Za-z0-9_${_HIGH}]*)
    |(?P<dollar>\$(?:[A-Za-z_{_HIGH}][A-Za-z0-9_{_HIGH}]*)?\$)
    |(?P<parameter>\$\d+)
    |(?P<number>0[xX](?:_?[0-9A-Fa-f])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+
        |(?:{_DIGITS}(?:\.(?!\.)(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][+-]?{_DIGITS})?)
    |(?P<placeholder>\{{\{{[ \t]*[a-z][a-z0-9_]{{0,39}}[ \t]*\}}\}})
    |(?P<punctuation>::|:=|\.\.|[,()\[\].;:])
    |(?P<operator>[~!@#^&|`?+\-*/%<>=]+)""",
    re.VERBOSE | re.ASCII,
)
_PLAIN_BODY = re.compile(r"[^']*+(?:''[^']*+)*+'")
_BITS_BODY = re.compile(r"[^']*'")
_ESCAPE_BODY = re.compile(r"(?:[^'\\]++|\\.|'')*+'", re.DOTALL)
_IDENTIFIER_BODY = re.compile(r'[^"]*+(?:""[^"]*+)*+"')
_CONTINUATION = re.compile(r"(?:[ \t\f]|--[^\n\r]*)*[\n\r](?:[ \t\n\r\f]|--[^\n\r]*[\n\r])*'")
_BLOCK_EDGE = re.compile(r"/\*|\*/")
_JUNK = re.compile(rf"[A-Za-z0-9_{_HIGH}]", re.ASCII)
_KINDS = {
    "quoted": Kind.QUOTED,
    "word": Kind.WORD,
    "parameter": Kind.PARAMETER,
    "number": Kind.NUMBER,
    "placeholder": Kind.PLACEHOLDER,
    "punctuation": Kind.PUNCTUATION,
    "line_comment": Kind.COMMENT,
}


def lex(source: str) -> list[Token]:
    """All tokens in order, comments among them. Raises LexicalError: unterminated, junk_after_number, white_space."""
    tokens: list[Token] = []
    position, length = 0, len(source)
    while position < length:
        match = _TOKEN.match(source, position)
        if match is None:
            end = position + 1
            tokens.append(Token(Kind.OTHER, source[position], position, end))
            position = end
            continue
        name, end = str(match.lastgroup), match.end()
        if name == "space":
            position = end
            continue
        kind = _KINDS.get(name)
        match name:
            case "string":
                kind, end = Kind.STRING, _string_end(source, position, end)
            case "dollar":
                kind, end = Kind.DOLLAR, _dollar_end(source, match)
            case "quoted":
                end = _closed(_IDENTIFIER_BODY, source, end, position)
            case "unicode_quoted":
                kind, end = Kind.UNICODE_QUOTED, _closed(_IDENTIFIER_BODY, source, end, position)
            case "block_comment":
                kind, end = Kind.COMMENT, _block_end(source, position)
            case "operator":
                kind, end = Kind.OPERATOR, _operator_end(source, position, end)
            case "word":
                _refuse_disguised(source, position, end)
            case "number" | "parameter" if _JUNK.match(source, end):
                raise LexicalError(
                    "A number runs into letters here: put a space between them.", end, code="junk_after_number"
                )
        assert kind is not None
        tokens.append(Token(kind, source[position:end], position, end))
        position = end
    return tokens


def fold(identifier: str) -> str:
    """The name as the server knows it: case folded in ASCII letters only, as for a UTF-8 database."""
    return identifier.lower() if identifier.isascii() else "".join(c.lower() if c.isascii() else c for c in identifier)


def name_of(token: Token) -> str:
    """The name a WORD or QUOTED token stands for."""
    if token.kind is Kind.QUOTED:
        return token.text[1:-1].replace('""', '"')
    return fold(token.text)


def _string_end(source: str, start: int, body: int) -> int:
    match source[start]:
        case "e" | "E":
            pattern = _ESCAPE_BODY
        case "b" | "B" | "x" | "X":
            pattern = _BITS_BODY
        case _:
            pattern = _PLAIN_BODY
    end = _closed(pattern, source, body, start)
    while more := _CONTINUATION.match(source, end):
        end = _closed(pattern, source, more.end(), start)
    return end


def _closed(pattern: re.Pattern[str], source: str, body: int, start: int) -> int:
    match = pattern.match(source, body)
    if match is None:
        raise LexicalError("The quote that opens here is never closed.", start, code="unterminated")
    return match.end()


def _dollar_end(source: str, opening: re.Match[str]) -> int:
    tag = opening.group()
    found = source.find(tag, opening.end())
    if found < 0:
        raise LexicalError(f"The quote {tag} that opens here is never closed.", opening.start(), code="unterminated")
    return found + len(tag)


def _block_end(source: str, start: int) -> int:
    depth, position = 1, start + 2
    while depth:
        edge = _BLOCK_EDGE.search(source, position)
        if edge is None:
            raise LexicalError("A comment that opens here is never closed.", start, code="unterminated")
        depth += 1 if edge.group() == "/*" else -1
        position = edge.end()
    return position


def _operator_end(source: str, start: int, end: int) -> int:
    """Cut an operator where a comment begins, and its trailing signs as the server does."""
    text = source[start:end]
    for opening in ("/*", "--"):
        found = text.find(opening)
        if found > 0:
            text = text[:found]
    if len(text) > 1 and text[-1] in "+-" and not any(sign in text for sign in "~!@#^&|`?%"):
        text = text.rstrip("+-") or text[0]
    return start + len(text)


def _refuse_disguised(source: str, start: int, end: int) -> None:
    text = source[start:end]
    if text.isascii():
        return
    for offset, character in enumerate(text):
        if not (character.isascii() or ("_" + character).isidentifier()):
            raise LexicalError(
                f"The character U+{ord(character):04X} stands between words here; the database takes it for a letter. "
                "Use an ordinary space.",
                start + offset,
                code="white_space",
            )
