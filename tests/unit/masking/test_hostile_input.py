"""Input that is made to be slow, deep, large or strange: refused or masked, with a bounded number of questions."""

import pytest

from playbooks.domain.masking import Kind, MaskingRules, Unmaskable, mask_arguments, mask_text
from playbooks.domain.masking import phones as phones_module
from playbooks.domain.masking.phones import MAX_ASKED, PhoneBook

RULES = MaskingRules(names=tuple(f"name{number}x" for number in range(5_000)))
LONG = 150_000
SLOW = {
    "digits": "4" * LONG,
    "digits in ones": "4 " * (LONG // 2),
    "digits in twos": "01-" * (LONG // 3),
    "digits with wide gaps": "1 - 0 - " * (LONG // 8),
    "ats": "@" * LONG,
    "addresses without an end": "a@a." * (LONG // 4),
    "percent": "%40" * (LONG // 3),
    "words": "a" * LONG,
    "dots": "a." * (LONG // 2),
    "accounts": "DE89 " * (LONG // 5),
    "passport": "passport " * (LONG // 9),
    "machine lines": "P<" + "A<" * (LONG // 2),
    "names": "name" * (LONG // 4),
    "brackets": "(" * LONG,
    "quotes": '"' * LONG,
    "invisible": "\u200b1" * (LONG // 2),
    "full width": "０" * LONG,
    "tokens": "[phone]" * (LONG // 7),
}


@pytest.mark.parametrize("text", SLOW.values(), ids=SLOW)
def test_a_text_made_to_be_slow_is_masked_all_the_same(text):
    """Each takes well under a second; one that were quadratic would not end within this suite's patience."""
    masked = mask_text(f"{text}\n\nmina@example.com", RULES)
    assert masked.text.endswith("[email]")


def test_the_phone_library_is_asked_a_bounded_number_of_times_and_then_the_look_is_enough(monkeypatch):
    asked = 0

    def counted(self, written, region):
        nonlocal asked
        asked += 1
        return False

    monkeypatch.setattr(phones_module.PhoneBook, "_is_personal", counted)
    found = list(PhoneBook(("KR",)).phones("010-00-000-00,," * (MAX_ASKED // 2)))
    assert asked <= MAX_ASKED * 2
    assert found
    assert all(span.kind is Kind.PHONE for span in found)


def test_the_budget_is_one_for_all_values_of_a_call():
    half = "x" * 600_000
    with pytest.raises(Unmaskable, match="1,000,000 characters"):
        mask_arguments({"a": half, "b": half}, MaskingRules())


def test_too_many_values_are_refused():
    with pytest.raises(Unmaskable, match="100,000 values"):
        mask_arguments({"a": [[0] * 1_000] * 101}, MaskingRules())


def test_too_deep_a_value_is_refused_before_it_is_walked():
    deep = []
    for _ in range(10_000):
        deep = [deep]
    with pytest.raises(Unmaskable, match="64 levels"):
        mask_arguments({"a": deep}, MaskingRules())


@pytest.mark.parametrize("value", [b"mina@example.com", {1: "a"}, object(), {"a", "b"}], ids=lambda v: type(v).__name__)
def test_what_is_no_json_is_refused_by_its_place(value):
    with pytest.raises(Unmaskable):
        mask_arguments({"a": value}, MaskingRules())


def test_a_lone_surrogate_is_text_like_any_other():
    assert mask_text("\ud800 mina@example.com", MaskingRules()).text == "\ud800 [email]"


@pytest.mark.parametrize("number", [float("inf"), float("nan"), 1e300, -(10**400), True])
def test_numbers_beyond_measure_pass(number):
    done = mask_arguments({"n": number}, MaskingRules())
    assert done.arguments["n"] is number
