"""The YAML of playbook files: whatever text comes back as it was, and nothing from outside is trusted."""

import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from playbooks.errors import Finding, Refused
from playbooks.interfaces.playbook_yaml import read_yaml, write_yaml
from tests.world import World

CASES = json.loads(
    (Path(__file__).resolve().parents[2] / "cases/playbook_file/refused_yaml.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_text_that_is_no_plain_document_is_refused_with_its_reason(case):
    with pytest.raises(Refused, match=case["says"]) as refused:
        read_yaml((case["text"] * case.get("times", 1)).encode())
    assert refused.value.code == "invalid_yaml"


def test_bytes_that_are_no_text_are_refused():
    with pytest.raises(Refused, match="UTF-8"):
        read_yaml(b"title: \xff")


def test_a_time_of_day_stays_a_text_and_costs_no_arithmetic():
    long = "1:" * 200_000 + "1"
    assert read_yaml(f"a: 9:30\nb: 1:30.5\nc: {long}\n".encode()) == {"a": "9:30", "b": "1:30.5", "c": long}


def test_a_mark_before_the_text_is_no_part_of_it():
    assert read_yaml("\ufeffa: 1".encode()) == {"a": 1}


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60) | st.sampled_from(
    [
        "SELECT 1\n  FROM a\n",
        "a\r\nb",
        " a\n",
        "\n\n",
        "a \nb",
        "yes",
        "2026-01-01",
        "1:2",
        "- a",
        "\u2028",
        "\x00",
        "a\tb\n c",
    ]
)


@settings(deadline=None)
@given(st.dictionaries(TEXT, TEXT | st.booleans() | st.integers() | st.lists(TEXT, max_size=3), max_size=4))
def test_any_text_comes_back_to_the_letter(data):
    assert read_yaml(write_yaml(data).encode()) == data
    refused = [Finding("c", "/steps/0/a\nb: c", "two\nlines \u2028 and: a colon")]
    assert read_yaml(write_yaml(data, refused).encode()) == data


def test_a_statement_of_several_lines_is_a_block_in_which_a_line_is_a_line():
    text = write_yaml({"sql": {"statement": "SELECT a\n  FROM b\n WHERE c = 'x: y'"}})
    assert text == "sql:\n  statement: |-\n    SELECT a\n      FROM b\n     WHERE c = 'x: y'\n"


SCALAR = st.sampled_from(
    [
        None,
        True,
        0,
        -1,
        10**40,
        1.5,
        float("inf"),
        float("nan"),
        "",
        "x",
        "SELECT 1",
        "2026-01-01",
        [],
        {},
        ["a"],
        {"a": 1},
    ]
)


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_a_file_with_any_values_makes_a_playbook_or_is_refused(data):
    world = World().people()
    placeholder = {name: data.draw(SCALAR) for name in ("name", "type", "description", "example")}
    step = {
        "do": data.draw(st.sampled_from(["query_database", "organize", None])),
        "instruction": data.draw(SCALAR | st.just("how many")),
        "inputs": data.draw(SCALAR | st.just({"database": "shop"})),
        "sql": {"statement": data.draw(SCALAR), "placeholders": [placeholder]},
    }
    raw = {"playbook": 1, "title": data.draw(SCALAR), "schedule": data.draw(SCALAR), "steps": [step]}
    findings, made = (), None
    try:
        made = world.use_files.import_(world.mina, read_yaml(yaml.safe_dump(raw).encode()), "key")
    except Refused as refused:
        findings = refused.findings
    assert findings or made.state.value == "off"
