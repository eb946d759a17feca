"""A saved query changes only by the rules of its life."""

from datetime import UTC, datetime

from playbooks.domain.sql.literal_dates import literal_dates
from playbooks.domain.sql.placeholders import Placeholder, PlaceholderType
from playbooks.domain.sql.saved_query import difference, from_conversation, restored, reused, rewritten

MONDAY = datetime(2026, 11, 30, 9, tzinfo=UTC)
TUESDAY = datetime(2026, 12, 1, 9, tzinfo=UTC)
FIRST = from_conversation("SELECT 1", "c1", MONDAY)
SINCE = (Placeholder("since", PlaceholderType.DATE, "first day", "2026-11-30"),)


def test_the_first_version_is_the_statement_as_it_ran_in_the_chat() -> None:
    assert (FIRST.statement, FIRST.placeholders, FIRST.version, FIRST.origin) == ("SELECT 1", (), 1, "conversation c1")
    assert (FIRST.reused, FIRST.rewritten, FIRST.saved_at) == (0, 0, MONDAY)


def test_reuse_counts_and_keeps_the_version() -> None:
    again = reused(reused(FIRST))
    assert (again.reused, again.version, again.saved_at) == (2, 1, MONDAY)


def test_a_rewriting_is_the_next_version_and_counts_its_reuses_anew() -> None:
    second = rewritten(reused(FIRST), "SELECT {{since}}", SINCE, "r9", TUESDAY)
    assert (second.version, second.rewritten, second.reused) == (2, 1, 0)
    assert (second.origin, second.saved_at, second.placeholders) == ("run r9", TUESDAY, SINCE)


def test_submitting_the_same_again_is_no_rewriting() -> None:
    assert rewritten(FIRST, "SELECT 1", (), "r9", TUESDAY) is FIRST


def test_a_step_without_a_saved_query_gets_its_first_from_a_run() -> None:
    first = rewritten(None, "SELECT 2", (), "r1", TUESDAY)
    assert (first.version, first.rewritten, first.origin) == (1, 0, "run r1")


def test_going_back_makes_the_former_text_the_next_version() -> None:
    second = rewritten(FIRST, "SELECT 2", (), "r9", MONDAY)
    back = restored(second, FIRST, TUESDAY)
    assert (back.statement, back.version, back.origin) == ("SELECT 1", 3, "conversation c1")
    assert (back.reused, back.saved_at) == (0, TUESDAY)


def test_a_difference_shows_the_lines_that_changed_and_nothing_when_none_did() -> None:
    before = from_conversation("SELECT a\nFROM t", "c1", MONDAY)
    after = rewritten(before, "SELECT a\nFROM t\nWHERE d >= {{since}}", SINCE, "r9", TUESDAY)
    assert difference(before, before) == ""
    lines = difference(before, after).splitlines()
    assert lines[:2] == ["--- version 1", "+++ version 2"]
    assert [line for line in lines[2:] if line.startswith("+")] == [
        "+WHERE d >= {{since}}",
        "+{{since}} date: first day (example: 2026-11-30)",
    ]


def test_dates_that_stand_in_the_text_are_pointed_out_and_other_numbers_are_not() -> None:
    sql = (
        "SELECT 2026, '2026-13-01', '010-2026-0901', a FROM t -- '2020-01-01'\n"
        "WHERE d >= DATE '2026-09-01' AND d < '2026/9/30 10:00' AND m = '2026-09' AND n = '20260901' "
        "AND e = '2026-09-01'"
    )
    assert literal_dates(sql) == ("2026-09-01", "2026/9/30", "2026-09", "20260901")
    assert literal_dates("SELECT 'never closed 2026-09-01") == ()
