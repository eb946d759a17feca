"""Tokens end where PostgreSQL ends them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playbooks.domain.sql.lexer import Kind, LexicalError, Token, lex


def _texts(source: str) -> list[str]:
    return [token.text for token in lex(source)]


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        ("'a''b' 'c'", ["'a''b'", "'c'"]),
        (r"'\' x", [r"'\'", "x"]),
        (r"E'\'' x", [r"E'\''", "x"]),
        ("E'a'\n'\\'' x", ["E'a'\n'\\''", "x"]),
        ("'a' -- c\n 'b'", ["'a' -- c\n 'b'"]),
        ("'a' /* c */\n'b'", ["'a'", "/* c */", "'b'"]),
        ("'a'\n-- c\n'b'", ["'a'\n-- c\n'b'"]),
        ("b'1''0'", ["b'1'", "'0'"]),
        ("$a$ $b$ $a$ $$'$$", ["$a$ $b$ $a$", "$$'$$"]),
        ("a$b$c", ["a$b$c"]),
        ("/* a /* b */ c */ d", ["/* a /* b */ c */", "d"]),
        ("1 -- x\r2", ["1", "-- x", "2"]),
        ("a<-1 a--1", ["a", "<", "-", "1", "a", "--1"]),
        ("a @-1 b", ["a", "@-", "1", "b"]),
        ("a*/*c*/b", ["a", "*", "/*c*/", "b"]),
        ("x[1:2]::int := ..", ["x", "[", "1", ":", "2", "]", "::", "int", ":=", ".."]),
        ("1..2 .5 1.e3 0xFf 1_0", ["1", "..", "2", ".5", "1.e3", "0xFf", "1_0"]),
        ('"a""b" U&"c" U&\'d\' n\'e\'', ['"a""b"', 'U&"c"', "U&'d'", "n'e'"]),
        ("{{ n }}{ {", ["{{ n }}", "{", "{"]),
        ("고객.이름", ["고객", ".", "이름"]),
    ],
)
def test_tokens_are_cut_as_the_server_cuts_them(source: str, texts: list[str]) -> None:
    assert _texts(source) == texts


@pytest.mark.parametrize("source", ["'a", "'a''", "E'\\'", '"a', '"a""', "$a$ $b$", "/* /* */", "U&'x", "b'0"])
def test_what_is_never_closed_is_refused(source: str) -> None:
    with pytest.raises(LexicalError) as refused:
        lex("SELECT " + source)
    assert (refused.value.code, refused.value.position) == ("unterminated", 7)


@pytest.mark.parametrize("space", ["\u00a0", "\u3000", "\u0085", "\u2028", "\u200b", "\ufeff", "\u202e"])
def test_white_space_the_server_takes_for_a_letter_is_refused(space: str) -> None:
    with pytest.raises(LexicalError) as refused:
        lex(f"SELECT a{space}b")
    assert refused.value.code == "white_space"


def _lex_or_none(source: str) -> list[Token] | None:
    try:
        return lex(source)
    except LexicalError:
        return None


@given(st.text(alphabet="ab1_'\"$E\\-/*\n ;.:+<({[é\u3000", max_size=30))
def test_tokens_cover_the_text_in_order_and_leave_only_white_space(source: str) -> None:
    tokens = _lex_or_none(source)
    if tokens is None:
        return
    position = 0
    for token in tokens:
        assert not source[position : token.start].strip(" \t\n\r\f")
        assert source[token.start : token.end] == token.text != ""
        position = token.end
    assert not source[position:].strip(" \t\n\r\f")
    assert all(token.kind in Kind for token in tokens)
