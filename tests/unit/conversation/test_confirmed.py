"""Only statements that ran on the active path and came back good are kept, exactly as they ran."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playbooks.domain.conversation import (
    Conversation,
    ExecutorTools,
    ResultState,
    Role,
    ToolCall,
    ToolResult,
    Turn,
    collect,
    read_conversation,
)
from playbooks.domain.conversation.executors import tool_key


def conversation(*calls):
    return Conversation("test", turns=(Turn(Role.ASSISTANT, "", tuple(calls)),))


def call(sql, state=ResultState.OK, name="execute_sql", **arguments):
    return ToolCall("c", name, {"sql": sql, **arguments}, ToolResult(state))


def test_statements_keep_their_first_seen_order_and_are_numbered_from_one():
    collected = collect(conversation(call("SELECT 2"), call("SELECT 1"), call("SELECT 2")))
    assert [(query.number, query.statement) for query in collected.kept] == [(1, "SELECT 2"), (2, "SELECT 1")]


def test_a_statement_is_kept_to_the_last_space():
    sql = "\n  SELECT id  -- which?\nFROM\torders\n\n"
    assert [query.statement for query in collect(conversation(call(sql))).kept] == [sql]


def test_statements_that_differ_in_a_space_are_two():
    assert len(collect(conversation(call("SELECT 1"), call("SELECT  1"))).kept) == 2


def test_the_last_twenty_are_kept_and_the_earlier_ones_are_named():
    collected = collect(conversation(*(call(f"SELECT {number}") for number in range(23))))
    assert [query.statement for query in collected.kept] == [f"SELECT {number}" for number in range(3, 23)]
    assert [(item.statement, item.reason_code) for item in collected.dropped] == [
        (f"SELECT {number}", "over_limit") for number in range(3)
    ]


def test_a_statement_that_failed_once_and_succeeded_once_is_kept_and_not_listed_as_dropped():
    collected = collect(conversation(call("SELECT 1", ResultState.ERROR), call("SELECT 1")))
    assert [query.statement for query in collected.kept] == ["SELECT 1"]
    assert collected.dropped == ()


@pytest.mark.parametrize(
    ("state", "code"),
    [
        (ResultState.ERROR, "result_error"),
        (ResultState.NONE, "no_result"),
        (ResultState.UNKNOWN, "result_unknown"),
    ],
)
def test_a_result_that_is_not_good_drops_the_statement_with_its_reason(state, code):
    collected = collect(conversation(call("SELECT 1", state)))
    assert collected.kept == ()
    assert [item.reason_code for item in collected.dropped] == [code]


@pytest.mark.parametrize("sql", ["DELETE FROM a", "SELECT 1; DROP TABLE a", "SELECT pg_sleep(1)", "SELECT $1"])
def test_what_the_guard_refuses_is_dropped_with_what_the_guard_says(sql):
    (item,) = collect(conversation(call(sql))).dropped
    assert item.reason_code == "not_read_only_select"
    assert len(item.reason) > len("It is not one read-only SELECT: ")


@pytest.mark.parametrize("key", ["params", "queryParameters", "bind-values", "args"])
def test_values_that_travelled_apart_drop_the_statement(key):
    (item,) = collect(conversation(call("SELECT 1", **{key: ["x"]}))).dropped
    assert item.reason_code == "bind_values"
    assert key in item.reason


@pytest.mark.parametrize("empty", [None, [], {}, "", "[]"])
def test_an_empty_list_of_values_is_no_reason(empty):
    assert len(collect(conversation(call("SELECT 1", params=empty))).kept) == 1


def test_the_database_comes_from_the_arguments_when_they_name_one():
    kept = collect(conversation(call("SELECT 1", databaseName="sales"), call("SELECT 2"))).kept
    assert [query.database for query in kept] == ["sales", None]


def test_literal_dates_are_pointed_out():
    (query,) = collect(conversation(call("SELECT 1 WHERE now() > DATE '2026-08-17'"))).kept
    assert query.literal_dates


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("mcp__postgres__query", "query"),
        ("Acme Postgres:execute_sql", "execute_sql"),
        ("/Acme/link_1/executeSql", "execute_sql"),
        ("acme.run-query", "run_query"),
        ("query", "query"),
        ("__arg1", "__arg1"),
    ],
)
def test_a_tool_is_known_by_the_last_part_of_its_name(name, key):
    assert tool_key(name) == key


def test_an_administrator_adds_names_and_argument_keys():
    own = ToolCall("c", "warehouse.ask", {"text_of_query": "SELECT 1", "vals": [1]}, ToolResult(ResultState.OK))
    assert collect(conversation(own)).dropped == ()
    added = ExecutorTools(names=frozenset({"warehouse.ask"}), statement_keys=("text_of_query",))
    assert [query.statement for query in collect(conversation(own), added).kept] == ["SELECT 1"]
    with_binds = ExecutorTools(added.names, added.statement_keys, frozenset({"vals"}))
    assert [item.reason_code for item in collect(conversation(own), with_binds).dropped] == ["bind_values"]


def test_an_unknown_tool_that_carries_sql_is_named_so_that_an_administrator_can_add_it():
    (item,) = collect(conversation(call("SELECT 1", name="warehouse_ask"))).dropped
    assert item.reason_code == "not_an_executor"
    assert "warehouse_ask" in item.reason


def test_a_search_in_words_is_no_statement():
    search = ToolCall("c", "search_documents", {"query": "sales by department"}, ToolResult(ResultState.OK))
    collected = collect(conversation(search))
    assert (collected.kept, collected.dropped, collected.used_tools) == ((), (), True)


def test_a_conversation_without_tools_has_nothing_to_convert():
    assert not collect(Conversation("test", turns=(Turn(Role.USER, "SELECT 1"),))).used_tools


def test_rows_confirmed_with_an_error_field_weigh_more_than_rows_alone():
    inferred = ToolCall("a", "query", {"sql": "SELECT 1"}, ToolResult(ResultState.OK, inferred=True))
    certain = ToolCall("b", "query", {"sql": "SELECT 1"}, ToolResult(ResultState.OK))
    assert collect(conversation(inferred)).kept[0].inferred
    assert not collect(conversation(inferred, certain)).kept[0].inferred


STATES = st.sampled_from(ResultState)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from([f"SELECT {n}" for n in range(6)] + ["DELETE FROM a"]), STATES)))
def test_nothing_is_kept_that_did_not_come_back_good(calls):
    kept = {query.statement for query in collect(conversation(*(call(sql, state) for sql, state in calls))).kept}
    good = {sql for sql, state in calls if state is ResultState.OK and sql != "DELETE FROM a"}
    assert kept == good


@settings(deadline=None)
@given(st.text(max_size=60))
def test_any_text_in_the_place_of_sql_is_kept_verbatim_or_dropped_with_a_reason(sql):
    record = {
        "messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "query", "input": {"sql": sql}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "[]"}]},
        ]
    }
    collected = collect(read_conversation(json.dumps(record).encode()))
    if sql.strip():
        assert [query.statement for query in collected.kept] == [sql] or all(item.reason for item in collected.dropped)
        assert len(collected.kept) + len(collected.dropped) == 1
