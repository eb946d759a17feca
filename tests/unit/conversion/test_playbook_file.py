"""A playbook goes out as a file and comes back the same; SQL comes back only when it ran here."""

from datetime import UTC, date, datetime

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from playbooks.domain.ids import StepId
from playbooks.domain.playbook import REQUIRED_INPUTS, Step, StepKind
from playbooks.domain.playbook_file import export_mapping, import_mapping
from playbooks.domain.recurrence import parse_rule
from playbooks.domain.sql.placeholders import Placeholder, PlaceholderType
from playbooks.domain.sql.saved_query import SavedQuery, from_conversation
from playbooks.errors import Refused

NOW = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
SQL = "SELECT d.name, SUM(o.amount)\nFROM orders o\nWHERE o.ordered_at >= {{start}}\nGROUP BY d.name"
START = Placeholder("start", PlaceholderType.DATE, "First day of the week", "2026-09-01")
STEPS = (
    Step(
        StepId("s1"), StepKind.QUERY_DATABASE, "Sales by department last week", {"database": "shop"}, may_end_run=True
    ),
    Step(StepId("s2"), StepKind.CREATE_DOCUMENT, "An Excel workbook", {"format": "xlsx"}),
)
RULE = parse_rule(
    {"start": "2026-12-07T09:00", "zone": "Asia/Seoul", "unit": "weeks", "interval": 1, "weekdays": ["mon"]}
)
SAVED = {StepId("s1"): SavedQuery(SQL, (START,), NOW, 3, 1, "run r1", 4)}


def text(**changes):
    exported = export_mapping("Weekly sales", STEPS, schedule=RULE, saved=SAVED, language="ko")
    return yaml.safe_dump({**exported, **changes}, sort_keys=False, allow_unicode=True)


def findings(raw, known=frozenset()):
    with pytest.raises(Refused) as refused:
        import_mapping(raw, known)
    assert refused.value.code == "invalid_file"
    return {(finding.code, finding.path) for finding in refused.value.findings}


def test_a_playbook_comes_back_from_its_file_as_it_was():
    read = import_mapping(yaml.safe_load(text()), {SQL})
    assert (read.title, read.steps, read.schedule, read.language, read.notes) == ("Weekly sales", STEPS, RULE, "ko", ())
    assert (read.sql[StepId("s1")].statement, read.sql[StepId("s1")].placeholders) == (SQL, (START,))


def test_the_file_holds_nothing_that_changes_from_run_to_run():
    later = {StepId("s1"): SavedQuery(SQL, (START,), NOW, 9, 2, "run r9", 7)}
    assert export_mapping("a", STEPS, schedule=RULE, saved=SAVED) == export_mapping(
        "a", STEPS, schedule=RULE, saved=later
    )


def test_sql_that_did_not_run_here_is_left_out_with_a_reason_and_the_step_stays():
    read = import_mapping(yaml.safe_load(text()), {SQL + " "})
    assert (read.sql, [step.id for step in read.steps]) == ({}, ["s1", "s2"])
    assert [(note.code, note.path) for note in read.notes] == [("statement_not_confirmed", "/steps/0/sql")]


def test_a_confirmed_statement_without_placeholders_is_taken():
    saved = {StepId("s1"): from_conversation("SELECT 1", "c1", NOW)}
    exported = export_mapping("a", STEPS, schedule=None, saved=saved)
    assert import_mapping(exported, {"SELECT 1"}).sql[StepId("s1")].statement == "SELECT 1"
    assert import_mapping(exported, {"SELECT 2"}).sql == {}


def test_a_known_statement_with_other_placeholders_is_left_out():
    raw = yaml.safe_load(text())
    raw["steps"][0]["sql"]["placeholders"][0]["name"] = "other"
    read = import_mapping(raw, {SQL})
    assert (read.sql, [note.code for note in read.notes]) == ({}, ["statement_refused"])


def test_a_statement_that_is_no_select_is_left_out_even_when_it_is_known():
    raw = export_mapping("a", STEPS, schedule=None, saved={StepId("s1"): from_conversation("DROP TABLE a", "c", NOW)})
    assert [note.code for note in import_mapping(raw, {"DROP TABLE a"}).notes] == ["statement_refused"]


def test_unquoted_days_as_yaml_reads_them_are_taken():
    raw = yaml.safe_load(text())
    raw["schedule"]["until"] = date(2027, 1, 31)
    raw["steps"][0]["sql"]["placeholders"][0]["example"] = date(2026, 9, 1)
    read = import_mapping(raw, {SQL})
    assert read.schedule.until == date(2027, 1, 31)
    assert read.sql[StepId("s1")].placeholders == (START,)


def test_every_finding_is_given_at_once_with_its_place():
    raw = {
        "playbook": 2,
        "title": "",
        "state": "on",
        "schedule": {"start": "tomorrow", "zone": "KST"},
        "steps": [
            {"do": "query_database", "instruction": "SELECT 1", "inputs": {"databse": "shop"}, "may_end_run": "yes"},
            {"do": "run_sql", "instruction": "x"},
            "no step",
            {"do": "organize", "instruction": "", "sql": {"statement": 1}},
        ],
    }
    assert findings(raw) == {
        ("unknown_version", "/playbook"),
        ("invalid_title", "/title"),
        ("unknown_field", "/state"),
        ("invalid_start", "/schedule/start"),
        ("ambiguous_zone", "/schedule/zone"),
        ("sql_instead_of_question", "/steps/0/instruction"),
        ("unknown_input", "/steps/0/inputs/databse"),
        ("invalid_flag", "/steps/0/may_end_run"),
        ("unknown_kind", "/steps/1/do"),
        ("invalid_step", "/steps/2"),
        ("invalid_instruction", "/steps/3/instruction"),
        ("invalid_sql", "/steps/3/sql"),
    }


@pytest.mark.parametrize("raw", [None, [], "playbook: 1", 3])
def test_what_is_no_mapping_is_refused(raw):
    assert findings(raw) == {("invalid_file", "")}


def test_sql_of_a_step_that_keeps_none_is_left_out():
    raw = yaml.safe_load(text())
    raw["steps"][0]["pin_sql"] = False
    read = import_mapping(raw, {SQL})
    assert (read.sql, [note.code for note in read.notes]) == ({}, ["sql_out_of_place"])


WORDS = st.text("abc äö가나 :#-'\"{}[]&*!|>%@`\n0", min_size=1, max_size=40).map(lambda t: f"x {t} y")


@st.composite
def steps(draw):
    kinds = draw(st.lists(st.sampled_from(StepKind), min_size=1, max_size=6))
    return tuple(
        Step(
            StepId(f"s{number}"),
            kind,
            draw(WORDS),
            {name: draw(WORDS) for name in REQUIRED_INPUTS[kind]},
            may_end_run=draw(st.booleans()),
            pin_sql=draw(st.booleans()) if kind is StepKind.QUERY_DATABASE else True,
        )
        for number, kind in enumerate(kinds, 1)
    )


@settings(deadline=None)
@given(steps(), WORDS)
def test_any_playbook_survives_the_way_through_yaml(built, title):
    exported = export_mapping(title, built, schedule=RULE, saved={})
    read = import_mapping(yaml.safe_load(yaml.safe_dump(exported, sort_keys=False, allow_unicode=True)), set())
    assert (read.title, read.steps, read.schedule) == (title.strip(), built, RULE)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5) | st.integers(), inner, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from(["playbook", "title", "schedule", "steps", "do", "instruction", "inputs", "sql", "statement"])


@settings(deadline=None)
@given(st.dictionaries(NAMES, JSON), st.dictionaries(NAMES, JSON), st.dictionaries(NAMES, JSON))
def test_a_file_of_any_shape_is_read_or_refused_with_findings(change, step, sql):
    raw = yaml.safe_load(text())
    raw["steps"][0] |= {**step, "sql": {**raw["steps"][0]["sql"], **sql}}
    raw |= change
    found, read = (), None
    try:
        read = import_mapping(raw, {SQL})
    except Refused as refused:
        found = refused.findings
    assert found or read.steps
