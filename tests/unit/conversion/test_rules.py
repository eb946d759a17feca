"""The rules of a conversion one by one: numbers, SQL in words, statements, schedules, what is shown."""

import copy
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playbooks.domain.conversation import Collected, ConfirmedQuery, Conversation, Role, Turn
from playbooks.domain.conversion import (
    Surroundings,
    chat_input_schema,
    objection,
    read_chat_plan,
    read_plan,
    turns_material,
)
from playbooks.domain.conversion.numbers import unwritten
from playbooks.domain.conversion.schedule_words import read_schedule
from playbooks.domain.conversion.schema import KINDS, PROPERTIES, STEP_PROPERTIES
from playbooks.domain.conversion.sql_text import holds_sql
from playbooks.domain.playbook import REQUIRED_INPUTS, StepKind
from playbooks.errors import Refused

GOOD = json.loads((Path(__file__).parents[2] / "cases" / "conversion" / "answers.json").read_text(encoding="utf-8"))[
    "good"
]
NOW = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
KEPT = tuple(ConfirmedQuery(number, f"SELECT {number}", "query") for number in (1, 2, 3))
AROUND = Surroundings(Collected(KEPT, (), used_tools=True), {"database": ("shop",), "format": ("xlsx",)})


def plan_of(change, surroundings=AROUND):
    arguments = copy.deepcopy(GOOD)
    arguments["steps"][0] |= change
    return read_plan(arguments, surroundings, zone="Asia/Seoul", now=NOW)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1",
        "select current_date",
        "  SELECT a FROM b;  ",
        "`SELECT a FROM b`",
        "WITH x AS (SELECT 1 AS a) SELECT a FROM x",
        "Answer with: SELECT name, sum(amount) FROM orders GROUP BY name",
        "```sql\nanything\n```",
        "INSERT INTO a VALUES (1)",
        "update orders set amount = 1",
        "DROP TABLE orders",
    ],
)
def test_a_statement_is_seen_where_a_question_belongs(text):
    assert holds_sql(text)


@pytest.mark.parametrize(
    "text",
    [
        "Sales by department last week",
        "지난주 부서별 매출을 큰 순서로",
        "Which customers select the express delivery most often, from all regions?",
        "With regards to sales, list the ten largest orders",
        "Delete duplicates before counting",
        "Update of the weekly figures: total per region (last week)",
        "Show sales where the department is Support",
        "",
    ],
)
def test_a_question_in_words_is_no_statement(text):
    assert not holds_sql(text)


@pytest.mark.parametrize(
    ("instruction", "user", "foreign"),
    [
        ("Total of 98,200 for Sales", "weekly sales", ("98,200",)),
        ("The top 10 customers", "show me the top 10", ()),
        ("Orders over 1,000", "orders over 1000 please", ()),
        ("Orders over 1000", "orders over 1,000 please", ()),
        ("From 2026-08-17 on", "last week's sales", ("2026-08-17",)),
        ("Every day at 9", "every day at 09:00", ()),
        ("Region 7", "region 07", ()),
        ("Rate 0.5", "a rate of 0.5", ()),
        ("전체 １２건", "12건", ()),
        ("No figures", "", ()),
        ("7 and 7 and 8", "", ("7", "8")),
    ],
)
def test_numbers_the_user_did_not_write_are_found(instruction, user, foreign):
    assert unwritten(instruction, user) == foreign


@settings(deadline=None)
@given(
    st.one_of(
        st.integers(), st.booleans(), st.text(max_size=5), st.floats(), st.none(), st.lists(st.integers(), max_size=2)
    )
)
def test_a_statement_that_is_not_on_the_list_never_survives(picked):
    plan = plan_of({"statement": picked})
    on_the_list = isinstance(picked, int) and not isinstance(picked, bool) and 1 <= picked <= 3
    assert list(plan.statements.values()) == ([KEPT[picked - 1].statement] if on_the_list else [])
    assert len(plan.steps) == 2


def test_a_kept_statement_is_checked_once_more():
    around = Surroundings(
        Collected((ConfirmedQuery(1, "DELETE FROM orders", "query"),), (), used_tools=True), AROUND.registered
    )
    plan = plan_of({"statement": 1}, around)
    assert plan.statements == {}
    assert "statement_refused" in [note.code for note in plan.notes]


def chat_arguments(sql):
    arguments = copy.deepcopy(GOOD)
    for step in arguments["steps"]:
        del step["statement"]
        step["sql"] = ""
    arguments["steps"][0]["sql"] = sql
    return arguments


@pytest.mark.parametrize(
    ("sql", "kept", "codes"),
    [
        ("SELECT 1", ["SELECT 1"], []),
        ("SELECT 1 ", [], ["statement_not_confirmed"]),
        ("DROP TABLE a", [], ["statement_refused"]),
        ("", [], []),
        (7, [], ["invalid_sql"]),
    ],
)
def test_a_playbook_made_in_the_chat_keeps_only_sql_that_ran_here(sql, kept, codes):
    known = {"SELECT 1", "DROP TABLE a"}
    plan = read_chat_plan(chat_arguments(sql), AROUND, known, zone="UTC", now=NOW)
    assert list(plan.statements.values()) == kept
    assert [note.code for note in plan.notes] == codes


def test_the_chat_tool_takes_neither_a_number_nor_the_right_to_end_a_run():
    step = chat_input_schema()["properties"]["steps"]["items"]
    assert {"statement", "may_end_run", "pin_sql"} & set(step["properties"]) == set()
    with pytest.raises(Refused) as refused:
        read_chat_plan(GOOD, AROUND, set(), zone="UTC", now=NOW)
    assert ("unknown_field", "/steps/0/statement") in {(f.code, f.path) for f in refused.value.findings}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@settings(deadline=None)
@given(
    st.dictionaries(st.sampled_from(list(PROPERTIES)), JSON),
    st.dictionaries(st.sampled_from(list(STEP_PROPERTIES)), JSON),
)
def test_arguments_of_any_shape_give_a_plan_or_findings_with_a_place(change, step):
    arguments = {**copy.deepcopy(GOOD), **change}
    if isinstance(arguments["steps"], list):
        arguments["steps"] = [*arguments["steps"], {**GOOD["steps"][0], **step}]
    try:
        plan = read_plan(arguments, AROUND, zone="Asia/Seoul", now=NOW)
    except Refused as refused:
        places = [finding.path for finding in refused.findings]
        assert places
        assert all(place.startswith("/") for place in places)
    else:
        assert plan.title
        assert plan.steps


def test_every_kind_of_step_and_every_input_it_needs_is_in_the_schema():
    assert STEP_PROPERTIES["kind"]["enum"] == [kind.value for kind in StepKind]
    assert {name for names in REQUIRED_INPUTS.values() for name in names} <= set(STEP_PROPERTIES)


def words(**change):
    return {**{name: GOOD[name] for name in PROPERTIES if name.startswith("schedule")}, **change}


@pytest.mark.parametrize(
    ("change", "zone", "now", "first"),
    [
        ({}, "Asia/Seoul", "2026-11-30T08:00+00:00", "2026-12-07T00:00+00:00"),
        ({}, "Asia/Seoul", "2026-11-29T23:00+00:00", "2026-11-30T00:00+00:00"),
        ({"schedule_interval": 2}, "Asia/Seoul", "2026-11-30T08:00+00:00", "2026-12-07T00:00+00:00"),
        (
            {"schedule_unit": "days", "schedule_weekdays": []},
            "America/New_York",
            "2026-10-31T12:00+00:00",
            "2026-10-31T13:00+00:00",
        ),
        (
            {"schedule_unit": "days", "schedule_weekdays": []},
            "America/New_York",
            "2026-10-31T14:00+00:00",
            "2026-11-01T14:00+00:00",
        ),
        (
            {"schedule_unit": "months", "schedule_day": "31", "schedule_weekdays": []},
            "UTC",
            "2026-11-30T08:00+00:00",
            "2026-11-30T09:00+00:00",
        ),
        (
            {"schedule_unit": "hours", "schedule_interval": 6, "schedule_weekdays": [], "schedule_time": "03:00"},
            "UTC",
            "2026-11-30T08:00+00:00",
            "2026-11-30T09:00+00:00",
        ),
        (
            {"schedule_kind": "once", "schedule_day": "+3", "schedule_weekdays": []},
            "Asia/Seoul",
            "2026-11-30T20:00+00:00",
            "2026-12-04T00:00+00:00",
        ),
    ],
)
def test_the_first_run_is_computed_in_the_users_zone(change, zone, now, first):
    read = read_schedule(words(**change), zone, datetime.fromisoformat(now))
    assert read.findings == []
    assert read.proposed.first.instant == datetime.fromisoformat(first)
    assert read.proposed.rule.zone == zone


def test_a_wish_that_cannot_be_expressed_is_never_stored_as_a_nearby_one():
    for interval in (5, 7, 9, 25):
        read = read_schedule(words(schedule_unit="hours", schedule_interval=interval, schedule_weekdays=[]), "UTC", NOW)
        assert (read.proposed, read.findings) == (None, [])
        assert [note.code for note in read.notes] == ["schedule_not_expressible"]


def test_no_schedule_in_the_chat_proposes_none():
    assert KINDS[0] == "none"
    read = read_schedule({"schedule_kind": "none"}, "UTC", NOW)
    assert (read.proposed, read.findings, read.notes) == (None, [], [])


def test_only_sql_that_ran_here_is_taken_from_outside():
    known = {"SELECT 1", "DELETE FROM a"}
    assert objection("SELECT 1", known, "/p") is None
    assert objection("SELECT  1", known, "/p").code == "statement_not_confirmed"
    assert objection("DELETE FROM a", known, "/p").code == "statement_refused"


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(Role), st.text(max_size=3000)), max_size=60))
def test_what_is_shown_stays_within_its_size_and_begins_and_ends_as_the_conversation_does(turns):
    conversation = Conversation("test", turns=tuple(Turn(role, text) for role, text in turns))
    shown = turns_material(conversation, Collected(), 10_000)
    assert sum(len(str(item)) for item in shown) < 10_000 + 9_000 + 30 * 60
    assert sum(item.get("left_out", 1) for item in shown) == len(turns)
    if turns:
        assert "text" in shown[0]
