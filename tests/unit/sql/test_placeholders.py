"""A placeholder is a value: wherever it stands, the statement keeps its tokens whatever is filled in."""

import json
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playbooks.domain.sql.lexer import Kind, lex
from playbooks.domain.sql.placeholders import (
    Placeholder,
    PlaceholderType,
    check_submission,
    parse_placeholders,
    placeholder_mapping,
    render,
)
from playbooks.errors import Refused
from playbooks_local.cases.placeholders import check as run_cases

CASES = Path(__file__).parents[2] / "cases" / "placeholders.json"
RESULTS = list(run_cases(CASES))


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: result.id)
def test_a_submitted_statement_is_judged_and_filled_as_its_case_says(result: object) -> None:
    assert result.difference is None  # type: ignore[attr-defined]  # parametrized values come as objects


def test_every_case_of_the_file_ran() -> None:
    assert [result.id for result in RESULTS] == [case["id"] for case in json.loads(CASES.read_text(encoding="utf-8"))]
    assert len(RESULTS) >= 175


def _one(kind: PlaceholderType) -> tuple[Placeholder, ...]:
    example = {"integer": 1, "number": 1, "string": "a", "date": "2026-01-01", "boolean": True}[kind.value]
    return (Placeholder("v", kind, "a value", example),)


VALUES: dict[PlaceholderType, st.SearchStrategy[object]] = {
    PlaceholderType.INTEGER: st.integers(-(2**63), 2**63 - 1),
    PlaceholderType.NUMBER: st.one_of(
        st.floats(allow_nan=False, allow_infinity=False), st.decimals(-(10**30), 10**30), st.integers(-(10**40), 10**40)
    ),
    PlaceholderType.STRING: st.text(alphabet=st.characters(exclude_categories=("Cs",), exclude_characters="\0")),
    PlaceholderType.DATE: st.dates(),
    PlaceholderType.BOOLEAN: st.booleans(),
}
STATEMENTS = (
    "SELECT 1 WHERE a = {{v}} AND b <> {{ v }}",
    "SELECT -{{v}}, 10 -{{v}}, 'it''s' || {{v}} || $q$x$q$ -- done",
    "SELECT f[1:{{v}}], {{v}}::text, ({{v}}) /* c */ LIMIT {{v}}",
)


def _shape(sql: str) -> list[tuple[Kind, str]]:
    """Tokens without the text of values; a negative number in parentheses counts as a number."""
    tokens = [
        (t.kind, "" if t.kind in (Kind.STRING, Kind.NUMBER) else t.text.replace("FALSE", "TRUE")) for t in lex(sql)
    ]
    negative = [(Kind.PUNCTUATION, "("), (Kind.OPERATOR, "-"), (Kind.NUMBER, ""), (Kind.PUNCTUATION, ")")]
    while negative in (found := [tokens[index : index + 4] for index in range(len(tokens))]):
        index = found.index(negative)
        tokens[index : index + 4] = [(Kind.NUMBER, "")]
    return tokens


@pytest.mark.parametrize("statement", STATEMENTS)
@pytest.mark.parametrize("kind", list(PlaceholderType))
@given(data=st.data())
def test_any_value_leaves_the_same_tokens_as_any_other(
    statement: str, kind: PlaceholderType, data: st.DataObject
) -> None:
    placeholders = _one(kind)
    value = data.draw(VALUES[kind])
    filled = render(statement, placeholders, {"v": value})
    assert _shape(filled) == _shape(render(statement, placeholders, {"v": placeholders[0].example}))


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        (PlaceholderType.INTEGER, -5, "(-5)"),
        (PlaceholderType.INTEGER, "-5", "(-5)"),
        (PlaceholderType.NUMBER, Decimal("1E+3"), "1000"),
        (PlaceholderType.NUMBER, -1e-7, "(-0.0000001)"),
        (PlaceholderType.STRING, "{{v}}'; --", "'{{v}}''; --'"),
        (PlaceholderType.DATE, date(2026, 9, 1), "DATE '2026-09-01'"),
        (PlaceholderType.BOOLEAN, "False", "FALSE"),
    ],
)
def test_a_value_is_written_as_its_type_says(kind: PlaceholderType, value: object, text: str) -> None:
    assert render("SELECT {{v}}", _one(kind), {"v": value}) == f"SELECT {text}"


def test_all_that_is_wrong_with_values_is_said_at_once() -> None:
    placeholders = (
        *_one(PlaceholderType.INTEGER),
        Placeholder("w", PlaceholderType.DATE, "the first day", "2026-01-01"),
    )
    with pytest.raises(Refused) as refused:
        render("SELECT {{v}}, {{w}}", placeholders, {"v": "x", "u": 1})
    assert {finding.code for finding in refused.value.findings} == {"unknown_value", "invalid_value", "missing_value"}
    assert "the first day" in next(f.message for f in refused.value.findings if f.code == "missing_value")


def test_a_statement_with_a_quoted_placeholder_is_never_filled() -> None:
    with pytest.raises(Refused) as refused:
        render("SELECT '{{v}}', {{v}}", _one(PlaceholderType.STRING), {"v": "x"})
    assert "%' || {{v}}" in refused.value.findings[0].message


def test_the_checks_take_the_functions_an_administrator_allowed() -> None:
    placeholders = _one(PlaceholderType.INTEGER)
    assert check_submission("SELECT tax({{v}})", placeholders)[0].code == "function"
    assert check_submission("SELECT tax({{v}})", placeholders, extra_functions=frozenset({"tax"})) == ()


@pytest.mark.parametrize("raw", [None, "x", {"name": "v"}, ["x"], [{}], [{"name": "v", "extra": 1}]])
def test_what_is_not_a_list_of_placeholders_is_refused(raw: object) -> None:
    with pytest.raises(Refused) as refused:
        parse_placeholders(raw)
    assert refused.value.findings


def _round_trip(make: Callable[[], tuple[Placeholder, ...]]) -> None:
    placeholders = make()
    assert parse_placeholders([placeholder_mapping(item) for item in placeholders]) == placeholders


@pytest.mark.parametrize("kind", list(PlaceholderType))
def test_placeholders_survive_being_written_down(kind: PlaceholderType) -> None:
    _round_trip(lambda: _one(kind))
