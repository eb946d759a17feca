"""What the real client sends and how its answers read, against a scripted server."""

from datetime import timedelta

import pytest

from playbooks.adapters.model.anthropic import anthropic_model
from playbooks.domain.usage import Usage
from playbooks.ports.model import (
    AssistantTurn,
    ModelRejected,
    ModelRequest,
    Opaque,
    StopReason,
    Text,
    ToolCall,
    ToolResult,
    ToolSpec,
    UserTurn,
)
from tests.contract.model.scripted import Scripted, message

WITHIN = timedelta(seconds=30)
LOOK = ToolSpec(
    "look",
    "Looks something up.",
    {
        "type": "object",
        "properties": {
            "word": {"type": "string", "minLength": 1, "description": "What to look up."},
            "where": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
        },
    },
)
HELLO = message({"type": "text", "text": "Hello"})


def ask(script, request, **options):
    with script.server() as server:
        model = anthropic_model("claude-test-1", key="sk-test", base_url=server.url, **options)
        return model.answer(request, within=WITHIN)


def opening(text="Hi"):
    return UserTurn((Text(text),))


def test_tools_go_out_strict_flat_and_with_everything_required():
    script = Scripted([{"body": HELLO}])
    ask(script, ModelRequest("Be brief.", (opening(),), (LOOK,)))
    (tool,) = script.requests[0]["body"]["tools"]
    schema = tool["input_schema"]
    assert tool["strict"] is True
    assert schema["additionalProperties"] is False
    assert schema["required"] == ["word", "where"]
    assert schema["properties"]["where"]["items"]["required"] == ["name"]
    assert schema["properties"]["where"]["items"]["additionalProperties"] is False
    assert schema["properties"]["word"] == {"type": "string", "description": "What to look up. (minLength: 1)"}


def test_the_key_goes_out_with_each_request_and_nowhere_else():
    script = Scripted([{"body": HELLO}])
    ask(script, ModelRequest("", (opening(),), ()))
    (request,) = script.requests
    assert "sk-test" in [value.removeprefix("Bearer ") for value in request["headers"].values()]
    assert "sk-test" not in str(request["body"])
    assert request["path"] == "/v1/messages"


def test_a_model_without_strict_tools_gets_the_schema_as_it_is():
    script = Scripted([{"body": HELLO}])
    ask(script, ModelRequest("", (opening(),), (LOOK,)), strict=False)
    (tool,) = script.requests[0]["body"]["tools"]
    assert "strict" not in tool
    assert tool["input_schema"]["properties"]["word"]["minLength"] == 1


def test_a_choice_at_the_top_of_a_schema_is_a_mistake_of_ours():
    tool = ToolSpec("x", "", {"type": "object", "anyOf": []})
    with pytest.raises(ValueError, match="anyOf"):
        ask(Scripted([{"body": HELLO}]), ModelRequest("", (opening(),), (tool,)))


def test_a_tool_that_must_be_called_is_forced():
    script = Scripted([{"body": HELLO}])
    ask(script, ModelRequest("", (opening(),), (LOOK,), must_call="look"))
    assert script.requests[0]["body"]["tool_choice"] == {"type": "tool", "name": "look"}


def test_a_model_that_takes_no_forced_choice_is_asked_with_a_free_one():
    refusal = {"type": "error", "error": {"type": "invalid_request_error", "message": "tool_choice: not with thinking"}}
    script = Scripted([{"status": 400, "body": refusal}, {"body": HELLO}])
    answer = ask(script, ModelRequest("", (opening(),), (LOOK,), must_call="look"))
    assert answer.turn.text == "Hello"
    assert "tool_choice" not in script.requests[1]["body"]


def test_a_model_that_takes_no_strict_tools_is_asked_without_from_then_on():
    refusal = {
        "type": "error",
        "error": {"type": "invalid_request_error", "message": "tools.0.custom.strict: not here"},
    }
    script = Scripted([{"status": 400, "body": refusal}, {"body": HELLO}])
    with script.server() as server:
        model = anthropic_model("claude-test-1", key="sk-test", base_url=server.url)
        for _ in range(2):
            assert model.answer(ModelRequest("", (opening(),), (LOOK,)), within=WITHIN).turn.text == "Hello"
    assert ["strict" in request["body"]["tools"][0] for request in script.requests] == [True, False, False]


def test_a_refusal_of_what_was_left_out_already_ends():
    refusal = {"type": "error", "error": {"type": "invalid_request_error", "message": "strict tool_choice"}}
    script = Scripted([{"status": 400, "body": refusal}])
    with pytest.raises(ModelRejected):
        ask(script, ModelRequest("", (opening(),), (LOOK,), must_call="look"))
    assert len(script.requests) == 3


def test_a_bad_request_without_a_forced_choice_is_not_repeated():
    refusal = {"type": "error", "error": {"type": "invalid_request_error", "message": "tool_choice: odd"}}
    script = Scripted([{"status": 400, "body": refusal}])
    with pytest.raises(ModelRejected, match="tool_choice: odd"):
        ask(script, ModelRequest("", (opening(),), (LOOK,)))
    assert len(script.requests) == 1


def test_system_and_the_end_of_the_conversation_are_cache_points():
    script = Scripted([{"body": HELLO}])
    turns = (opening(), AssistantTurn((ToolCall("t1", "look", {"word": "a"}),)), UserTurn((ToolResult("t1", "b"),)))
    ask(script, ModelRequest("Be brief.", turns, (LOOK,)))
    body = script.requests[0]["body"]
    assert body["system"][0]["cache_control"] == {"type": "ephemeral"}
    assert body["messages"][-1]["content"][-1]["cache_control"] == {"type": "ephemeral"}
    assert "cache_control" not in body["messages"][0]["content"][0]


def test_turns_come_out_as_alternating_messages_without_empty_blocks():
    turns = (
        opening("one"),
        AssistantTurn(()),
        UserTurn((Text(" "), Text("two"))),
        AssistantTurn((Text("Looking."), ToolCall("t1", "look", {"word": "a"}))),
        UserTurn((ToolResult("t1", "", is_error=True), Text("go on"))),
    )
    script = Scripted([{"body": HELLO}])
    ask(script, ModelRequest("", turns, (LOOK,)))
    first, second, third = script.requests[0]["body"]["messages"]
    assert [block["text"] for block in first["content"]] == ["one", "two"]
    assert second["content"][1] == {"type": "tool_use", "id": "t1", "name": "look", "input": {"word": "a"}}
    assert third["content"][0] == {"type": "tool_result", "tool_use_id": "t1", "content": "(empty)", "is_error": True}


def test_a_thought_travels_back_exactly_as_it_came():
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
    call = {"type": "tool_use", "id": "t1", "name": "look", "input": {"word": "a"}}
    script = Scripted([{"body": message(thought, call, stop="tool_use")}, {"body": HELLO}])
    with script.server() as server:
        model = anthropic_model("claude-test-1", key="sk-test", base_url=server.url)
        answer = model.answer(ModelRequest("", (opening(),), (LOOK,)), within=WITHIN)
        assert answer.turn.parts == (Opaque(thought), ToolCall("t1", "look", {"word": "a"}))
        turns = (opening(), answer.turn, UserTurn((ToolResult("t1", "b"),)))
        model.answer(ModelRequest("", turns, (LOOK,)), within=WITHIN)
    assert script.requests[1]["body"]["messages"][1]["content"] == [thought, call]


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("end_turn", StopReason.END),
        ("tool_use", StopReason.TOOL_USE),
        ("max_tokens", StopReason.MAX_TOKENS),
        ("model_context_window_exceeded", StopReason.MAX_TOKENS),
        ("refusal", StopReason.REFUSAL),
        ("stop_sequence", StopReason.END),
        ("something_new", StopReason.END),
    ],
)
def test_stop_reasons_are_read(said, read):
    answer = ask(Scripted([{"body": message(stop=said)}]), ModelRequest("", (opening(),), ()))
    assert answer.stop is read


def test_usage_counts_what_was_read_from_and_written_to_the_cache():
    body = message(input_tokens=7, output_tokens=3, cache_creation_input_tokens=100, cache_read_input_tokens=1000)
    answer = ask(Scripted([{"body": body}]), ModelRequest("", (opening(),), ()))
    assert answer.usage == Usage(1107, 3, 1)
    assert answer.model == "claude-test-1"


def test_half_a_surrogate_pair_neither_goes_out_nor_comes_in():
    call = {"type": "tool_use", "id": "t1", "name": "look", "input": {"word": "a\ud800"}}
    script = Scripted([{"body": message(call, stop="tool_use")}])
    answer = ask(script, ModelRequest("", (opening("b\udc00, 회의 😀"),), (LOOK,)))
    assert script.requests[0]["body"]["messages"][0]["content"][0]["text"] == "b\ufffd, 회의 😀"
    assert answer.turn.calls[0].arguments == {"word": "a\ufffd"}
