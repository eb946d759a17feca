"""Bytes from anywhere become a conversation, a list of conversations, or a sentence that helps."""

import contextlib
import json
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playbooks.domain.conversation import json_record, json_scan, list_conversations, read_conversation
from playbooks.errors import Refused

USER = {"role": "user", "content": "Sales by department, please"}


def chat(identifier, title, *messages, at="2026-08-24T00:00:00Z"):
    return {
        "uuid": identifier,
        "name": title,
        "chat_messages": [
            {"uuid": str(n), "sender": sender, "content": content, "created_at": at}
            for n, (sender, content) in enumerate(messages)
        ],
    }


QUERY = [
    {"type": "tool_use", "id": "t", "name": "query", "input": {"sql": "SELECT 1 AS one"}},
    {"type": "tool_result", "tool_use_id": "t", "content": '[{"one": 1}]', "is_error": False},
]
SAID = [{"type": "text", "text": "hello"}]
ARCHIVE = json.dumps(
    [
        chat("c1", "Old", ("human", SAID), at="2026-08-01T00:00:00Z"),
        chat("c2", "Weekly\nsales", ("human", SAID), ("assistant", QUERY), at="2026-08-09T00:00:00Z"),
    ]
).encode()


def test_an_archive_is_listed_newest_first_with_title_date_and_number_of_queries():
    listed = [(item.id, item.title, item.queries, item.updated_at.day) for item in list_conversations(ARCHIVE)]
    assert listed == [("c2", "Weekly sales", 1, 9), ("c1", "Old", 0, 1)]


def test_a_conversation_is_taken_from_an_archive_by_its_id():
    assert read_conversation(ARCHIVE, pick="c2").title == "Weekly sales"


def test_an_archive_without_a_pick_is_refused_with_the_ids():
    with pytest.raises(Refused) as refused:
        read_conversation(ARCHIVE)
    assert refused.value.code == "several_conversations"
    assert refused.value.findings[0].allowed == ("c1", "c2")


def test_an_id_that_is_not_in_the_archive_is_refused():
    with pytest.raises(Refused) as refused:
        read_conversation(ARCHIVE, pick="c3")
    assert refused.value.code == "unknown_conversation"


def test_a_single_conversation_needs_no_pick_and_takes_its_listed_id():
    data = json.dumps([USER]).encode()
    (listing,) = list_conversations(data)
    assert read_conversation(data) == read_conversation(data, pick=listing.id)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "empty"),
        (b" \n ", "empty"),
        (b"PK\x03\x04rest", "unpack"),
        (b"hello", "JSON"),
        (b'"text"', "JSON"),
        (b"{}", "Understood are"),
        (b"[]", "Understood are"),
        (b'{"rows": [1]}', "rows"),
        (b'{"messages": []}', "messages"),
        (b"\xff\xfe\x00", "chat record"),
        (b'{"messages": "\xff"}', "UTF-8"),
    ],
)
def test_what_is_no_chat_record_is_refused_with_a_sentence_that_helps(data, says):
    with pytest.raises(Refused, match=says) as refused:
        read_conversation(data)
    assert refused.value.code == "not_a_conversation"


def test_a_record_over_the_limit_is_refused_with_its_size(monkeypatch):
    monkeypatch.setattr(json_record, "MAX_BYTES", 1024 * 1024)
    with pytest.raises(Refused, match=r"2\.0 MB") as refused:
        read_conversation(b" " * (2 * 1024 * 1024))
    assert refused.value.code == "too_large"


def test_an_archive_costs_the_memory_of_its_largest_conversation_not_of_all():
    long = [{"type": "text", "text": "x" * 100_000}]
    data = json.dumps([chat(f"id-{n}", "Long", ("human", long), ("assistant", QUERY)) for n in range(240)]).encode()
    tracemalloc.start()
    try:
        assert len(list_conversations(data)) == 240
        assert read_conversation(data, pick="id-7").id == "id-7"
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < len(data) / 4


@pytest.mark.parametrize(
    ("limit", "data"),
    [
        ("MAX_MARKS", b"[" + b"[]," * 50 + b"[]]"),
        ("MAX_VALUES", b'{"messages": [' + b'{"role":"user"},' * 50 + b"{}]}"),
    ],
)
def test_more_values_than_memory_should_hold_are_refused_before_they_are_built(monkeypatch, limit, data):
    monkeypatch.setattr(json_scan, limit, 20)
    with pytest.raises(Refused) as refused:
        read_conversation(data)
    assert refused.value.code == "too_large"


def test_more_lines_than_memory_should_hold_are_refused(monkeypatch):
    monkeypatch.setattr(json_record, "MAX_ELEMENTS", 20)
    with pytest.raises(Refused) as refused:
        read_conversation(b"{}\n" * 21)
    assert refused.value.code == "too_large"


@pytest.mark.parametrize("open_", ["[", '{"a":', '{"messages":[', '[{"role":"user","content":['])
@pytest.mark.parametrize("closed", [True, False])
def test_nesting_ten_thousand_deep_is_refused_and_never_exhausts_the_stack(open_, closed):
    data = (
        open_ * 10_000
        + ("1" + "".join({"[": "]", "{": "}"}[c] for c in reversed(open_ * 10_000) if c in "[{")) * closed
    )
    with pytest.raises(Refused):
        read_conversation(data.encode())


def test_arguments_nested_too_deep_cost_only_their_own_call():
    deep = "[" * 5_000 + "]" * 5_000
    record = json.dumps({"messages": [USER, {"role": "assistant", "content": [*QUERY[:1], {"type": "x", "input": 0}]}]})
    conversation = read_conversation(record.replace('"input": 0', f'"input": {deep}').encode())
    assert [call.name for call in conversation.calls] == ["query"]
    assert [problem.path for problem in conversation.problems] == ["/messages/1/content/1/input"]


def test_an_integer_of_ten_thousand_digits_is_read_as_text():
    record = json.dumps({"messages": [USER]}).replace("}", ', "n": ' + "9" * 10_000 + "}", 1)
    assert len(read_conversation(record.encode()).turns) == 1


def test_malformed_lines_are_named_by_their_number_and_the_rest_is_read():
    data = b'{"role":"user","content":"one"}\nnot json\n\n{"role":"user","content":"two"}\n'
    conversation = read_conversation(data)
    assert [turn.text for turn in conversation.turns] == ["one", "two"]
    assert [(problem.path, "Line 2" in problem.message) for problem in conversation.problems] == [("/1", True)]


def test_objects_over_several_lines_one_after_the_other_are_read():
    data = json.dumps(USER, indent=1) + "\n" + json.dumps({**USER, "content": "more"}, indent=1)
    assert len(read_conversation(data.encode()).turns) == 2


def refused_or(read, data):
    """Anything but a value or Refused fails the test."""
    with contextlib.suppress(Refused):
        read(data)


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data):
    refused_or(read_conversation, data)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    *("messages", "role", "content", "type", "id", "name", "input", "output", "tool_calls", "function"),
                    *("arguments", "parts", "state", "mapping", "current_node", "message", "author", "chat_messages"),
                    *("uuid", "parentUuid", "jsonrpc", "method", "params", "result", "data", "query", "answer"),
                    *("agent_thoughts", "history", "values", "kwargs", "tool_use_id", "text", "chat"),
                ]
            ),
            inner
            | st.sampled_from(["user", "assistant", "tool", "tool_use", "tool_result", "ai", "tools/call", "2.0"]),
            max_size=5,
        )
    ),
    max_leaves=25,
)


@settings(deadline=None)
@given(JSON)
def test_any_json_with_the_formats_field_names_is_read_or_refused(value):
    refused_or(list_conversations, json.dumps(value).encode())


@settings(deadline=None)
@given(
    JSON, st.sampled_from(["mapping", "chat_messages", "messages", "data", "output", "history"]), st.integers(0, 200)
)
def test_a_torn_record_is_read_in_part_or_refused(value, key, cut):
    data = json.dumps({key: value, "messages": [USER]}).encode()
    refused_or(read_conversation, data[: len(data) - cut])
