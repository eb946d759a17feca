"""The phrase form, the sentence of a rule, and the reasons of an occurrence."""

import json
from pathlib import Path

import pytest

from playbooks.domain.recurrence import parse_rule
from playbooks.domain.recurrence.phrase import parse_phrase
from playbooks.errors import Refused
from playbooks.language.schedule_sentences import moved_sentence, rule_sentence
from playbooks_local.cli import main

CASES = Path(__file__).parents[2] / "cases"
PHRASES = json.loads((CASES / "schedule_phrases.json").read_text("utf-8"))
UNDERSTOOD = [case for case in PHRASES if "rule" in case]
REFUSED = [case for case in PHRASES if "rule" not in case]
SENTENCES = json.loads((CASES / "schedule_sentences.json").read_text("utf-8"))


@pytest.mark.parametrize("case", UNDERSTOOD, ids=[case["id"] for case in UNDERSTOOD])
def test_a_phrase_names_a_rule(case: dict) -> None:
    assert parse_phrase(case["phrase"]) == parse_rule(case["rule"])


@pytest.mark.parametrize("case", REFUSED, ids=[case["id"] for case in REFUSED])
def test_a_phrase_that_is_not_understood_names_the_word(case: dict) -> None:
    with pytest.raises(Refused) as refusal:
        parse_phrase(case["phrase"])

    (finding,) = refusal.value.findings
    assert finding.code == case["code"]
    assert case["says"] in finding.message


def test_a_phrase_of_a_million_characters_is_refused_at_once() -> None:
    with pytest.raises(Refused) as refusal:
        parse_phrase("every " * 200_000)

    assert len(refusal.value.findings[0].message) < 100


@pytest.mark.parametrize("case", SENTENCES, ids=[case["en"] for case in SENTENCES])
@pytest.mark.parametrize("language", ["en", "ko"])
def test_a_rule_is_said_in_a_sentence(case: dict, language: str) -> None:
    assert rule_sentence(parse_rule(case["rule"]), language) == case[language]


@pytest.mark.parametrize(
    ("moved", "korean"),
    [
        ("moved: 02:30 does not exist", "옮김: 존재하지 않는 시각 02:30"),
        ("first of two 01:30", "두 번 오는 01:30 중 첫 번째"),
        ("second of two 01:00", "두 번 오는 01:00 중 두 번째"),
        ("last day of month; moved: 02:30 does not exist", "그 달의 말일; 옮김: 존재하지 않는 시각 02:30"),
    ],
)
def test_the_reason_of_a_move_is_said_in_both_languages(moved: str, korean: str) -> None:
    assert moved_sentence(moved, "en") == moved
    assert moved_sentence(moved, "ko") == korean


def test_the_command_prints_the_next_five_with_offset_and_reason(capsys: pytest.CaptureFixture[str]) -> None:
    phrase = "every day 02:30 Europe/Berlin from 2026-03-02"

    assert main(["schedule", phrase, "--after", "2027-03-27T00:00Z"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "Every day at 02:30 (Europe/Berlin), from 2 March 2026.",
        "  2027-03-27 Sat 02:30 +01:00  2027-03-27T01:30Z",
        "  2027-03-28 Sun 03:30 +02:00  2027-03-28T01:30Z  (moved: 02:30 does not exist)",
        "  2027-03-29 Mon 02:30 +02:00  2027-03-29T00:30Z",
        "  2027-03-30 Tue 02:30 +02:00  2027-03-30T00:30Z",
        "  2027-03-31 Wed 02:30 +02:00  2027-03-31T00:30Z",
    ]


def test_the_command_speaks_korean_throughout(capsys: pytest.CaptureFixture[str]) -> None:
    phrase = "once 2027-03-28 02:30 Europe/Berlin"

    assert main(["schedule", phrase, "--after", "2027-03-27T00:00Z", "--language", "ko"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "2027년 3월 28일 일요일 02:30에 한 번 (Europe/Berlin).",
        "  2027-03-28 일 03:30 +02:00  2027-03-28T01:30Z  (옮김: 존재하지 않는 시각 02:30)",
    ]


@pytest.mark.parametrize("after", ["soon", "2026-03-02", "2026-03-02T09:00", "9999-12-31T23:59-14:00", "x" * 100_000])
def test_the_command_says_what_an_instant_looks_like(after: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["schedule", "every day 09:00 UTC from 2026-03-02", "--after", after])

    error = capsys.readouterr().err
    assert "is not an instant: write 2026-03-01T00:00Z" in error
    assert len(error) < 300


def test_the_command_says_when_a_schedule_is_over(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schedule", "once 2026-03-02 09:00 America/St_Johns", "--after", "2026-03-02T12:30Z"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == ["It is over: it never runs again."]


def test_the_command_names_what_it_did_not_understand(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schedule", "every 5 hours 09:00 Europe/Berlin from 2026-03-02"]) == 1
    assert "/interval: 5 hours do not divide the day" in capsys.readouterr().err
