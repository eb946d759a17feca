"""The stand-in plans a playbook that stands every check, from the sample chat and from every format of one scenario."""

import json
from datetime import UTC, date, datetime, timedelta
from importlib import resources
from pathlib import Path

import pytest

from playbooks.adapters.model.anthropic import anthropic_model
from playbooks.domain.conversation import collect, read_conversation
from playbooks.domain.conversion import (
    DESCRIPTION,
    TOOL,
    Surroundings,
    input_schema,
    queries_material,
    read_plan,
    turns_material,
    user_text,
)
from playbooks.ports.model import ModelRequest, Text, ToolResult, ToolSpec, UserTurn
from playbooks.prompts import conversion as prompts
from playbooks_local.standin_model import STAND_IN, StandInModel

NOW = datetime(2026, 11, 30, 1, 0, tzinfo=UTC)
SCENARIO = Path("tests/cases/conversations/scenario")
FORMATS = sorted(path.name for path in SCENARIO.glob("*.json*") if path.name != "expected.json")
REGISTERED = {"database": ("shop",), "format": ("csv", "md", "xlsx"), "source": (), "tool": (), "approver": ()}


@pytest.fixture(scope="module")
def model():
    with StandInModel() as stand_in:
        yield anthropic_model("stand-in", key="none", base_url=stand_in.url)


def sample(language):
    """The sample chat with the results a database would give."""
    text = resources.files("playbooks_local.sample").joinpath(f"chat_{language}.json").read_text("utf-8")
    for name, back in (("previous_monday", 14), ("last_monday", 7), ("this_monday", 0)):
        text = text.replace("{{" + name + "}}", (date(2026, 11, 30) - timedelta(days=back)).isoformat())
    record = json.loads(text)
    for message in record["messages"]:
        for block in message["content"] if isinstance(message["content"], list) else ():
            if block.get("content") == "{{result}}":
                failed = block["tool_use_id"] in {"toolu_02", "toolu_06"}
                block["content"] = "ERROR: no" if failed else '[{"a": 1}]'
                block["is_error"] = failed
    return json.dumps(record).encode()


def converted(model, record, language, *, refused=()):
    """The plan, after the refusals given, as the converter would read it."""
    conversation = read_conversation(record)
    collected = collect(conversation)
    opening = prompts.opening(
        turns=turns_material(conversation, collected),
        confirmed_queries=queries_material(collected),
        databases=[{"name": "shop", "description": "orders"}],
        sources=[],
        tools=[],
        approvers=[],
        formats=["csv", "md", "xlsx"],
        today={"date": "2026-11-30", "weekday": "Monday", "time": "10:00", "zone": "Asia/Seoul"},
        language=language,
    )
    turns = [UserTurn((Text(opening),))]
    tools = (ToolSpec(TOOL, DESCRIPTION, input_schema()),)
    for refusal in (*refused, None):
        request = ModelRequest(prompts.SYSTEM, tuple(turns), tools, must_call=TOOL)
        answer = model.answer(request, within=timedelta(seconds=30))
        assert answer.model == STAND_IN
        (call,) = answer.turn.calls
        if refusal is not None:
            turns += [answer.turn, UserTurn((ToolResult(call.id, prompts.repair(refusal), is_error=True),))]
    surroundings = Surroundings(collected, REGISTERED, user_text(conversation))
    return read_plan(call.arguments, surroundings, zone="Asia/Seoul", now=NOW), collected


@pytest.mark.parametrize("language", ["en", "ko"])
def test_the_sample_chat_becomes_the_playbook_the_user_finally_asked_for(model, language):
    plan, collected = converted(model, sample(language), language)
    assert [step.kind.value for step in plan.steps] == ["query_database", "organize", "create_document"]
    ask, compare, write = plan.steps
    assert plan.statements == {ask.id: collected.kept[-1].statement}
    assert ask.inputs == {"database": "shop"}
    assert write.inputs == {"format": "xlsx"}
    department, region, before = {
        "en": ("by department", "region", "week before"),
        "ko": ("부서별", "지역", "그 전주"),
    }[language]
    assert department in ask.instruction
    assert region not in ask.instruction
    assert before in compare.instruction
    assert plan.title == {"en": "Weekly sales by department", "ko": "주간 부서별 매출"}[language]
    assert plan.schedule.first.instant == datetime(2026, 12, 7, 0, 0, tzinfo=UTC)
    assert [note.code for note in plan.notes] == ["literal_dates"]


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_of_the_scenario_picks_the_query_by_department(model, name):
    plan, collected = converted(model, (SCENARIO / name).read_bytes(), "ko")
    (statement,) = plan.statements.values()
    assert "JOIN departments" in statement
    assert statement in [query.statement for query in collected.kept]
    # The log of a tool server has no word of the user's, so nobody asked for a document in it.
    assert plan.steps[-1].inputs == ({"database": "shop"} if name == "mcp_jsonrpc.jsonl" else {"format": "xlsx"})
    assert plan.schedule is None


def test_a_chat_without_a_known_word_keeps_the_user_s_own(model):
    call = {
        "type": "tool_use",
        "id": "t1",
        "name": "query",
        "input": {"sql": "SELECT host FROM hosts WHERE up = false"},
    }
    messages = [
        {"role": "user", "content": "Which machines of the lab are down right now?"},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": '[{"host": "a"}]'}]},
        {"role": "user", "content": "Thanks! Run this every day at 7."},
    ]
    plan, _ = converted(model, json.dumps({"messages": messages}).encode(), "en")
    assert [step.instruction for step in plan.steps] == ["Which machines of the lab are down right now?"]
    assert len(plan.statements) == 1


def test_a_document_that_was_made_without_naming_its_format_is_made_again(model):
    query = {"type": "tool_use", "id": "t1", "name": "query", "input": {"sql": "SELECT host FROM hosts"}}
    document = {"type": "tool_use", "id": "t2", "name": "create_document", "input": {"format": "csv"}}
    results = [{"type": "tool_result", "tool_use_id": name, "content": '[{"a": 1}]'} for name in ("t1", "t2")]
    messages = [
        {"role": "user", "content": "Please list the hosts in a file."},
        {"role": "assistant", "content": [query, document]},
        {"role": "user", "content": results},
    ]
    plan, _ = converted(model, json.dumps({"messages": messages}).encode(), "en")
    assert plan.steps[-1].inputs == {"format": "csv"}


def test_a_finding_with_accepted_values_is_mended(model):
    finding = {"code": "unknown_format", "path": "/steps/2/format", "message": "no", "allowed": ["csv"]}
    plan, _ = converted(model, sample("en"), "en", refused=[[finding]])
    assert plan.steps[2].inputs == {"format": "csv"}
