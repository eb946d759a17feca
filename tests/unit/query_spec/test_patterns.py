"""LIKE patterns against what SQL says of them."""

import re

from hypothesis import given
from hypothesis import strategies as st

from playbooks.query_spec.memory_target import _matches
from playbooks.query_spec.patterns import PatternError, Wildcard, fold, parse_pattern

TEXT = st.text(alphabet="ab%_\\회", max_size=8)


def expression(pattern: str) -> re.Pattern[str]:
    """PostgreSQL manual 9.7.1, character by character."""
    parts, characters = [], iter(pattern)
    for character in characters:
        if character == "\\":
            parts.append(re.escape(next(characters)))
        else:
            parts.append({"%": ".*", "_": "."}.get(character, re.escape(character)))
    return re.compile("".join(parts), re.DOTALL)


def parsed(pattern: str):
    try:
        return parse_pattern(pattern)
    except PatternError:
        return None


@given(TEXT, TEXT)
def test_a_pattern_matches_what_sql_matches(pattern, text):
    read = parsed(pattern)
    if read is None:
        assert len(re.search(r"\\*$", pattern).group()) % 2 == 1
        return
    assert _matches(read, text) == (expression(pattern).fullmatch(text) is not None)


@given(TEXT)
def test_a_pattern_written_for_sql_is_read_back_the_same(pattern):
    read = parsed(pattern)
    assert read is None or parse_pattern(read.to_sql()) == read


@given(TEXT, TEXT)
def test_the_simple_forms_mean_what_their_names_say(pattern, text):
    read = parsed(pattern)
    if read is None:
        return
    holds = _matches(read, text)
    if read.literal is not None:
        assert holds == (text == read.literal)
    if read.prefix is not None:
        assert holds == text.startswith(read.prefix)
    if read.substring is not None:
        assert holds == (read.substring in text)
    if read.matches_any:
        assert holds


def test_runs_of_percent_are_one_wildcard():
    assert parse_pattern("%%a%%%").parts == (Wildcard.ANY_RUN, "a", Wildcard.ANY_RUN)


def test_a_pattern_with_many_wildcards_is_matched_without_backtracking():
    assert not _matches(parse_pattern("%a" * 8 + "b"), "a" * 5_000)


def test_folding_is_full_and_in_nfc():
    assert fold("STRAßE") == "strasse"
    assert fold("RE\u0301SUME\u0301") == "résumé"
    assert fold("İ") != fold("i")
