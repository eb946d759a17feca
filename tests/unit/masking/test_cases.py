"""What leaves the house is what the case file says."""

import json
from pathlib import Path

import pytest

from playbooks.domain.masking import MaskingRules, mask_arguments, mask_text

CASES = json.loads((Path(__file__).parents[2] / "cases" / "masking.json").read_text())


def rules_of(case):
    given = {name: tuple(case[name]) for name in ("clear_fields", "names", "regions") if name in case}
    return MaskingRules(**given)


@pytest.mark.parametrize("case", CASES["texts"], ids=lambda case: case["why"])
def test_a_text_leaves_masked(case):
    assert mask_text(case["text"], rules_of(case)).text == case["masked"]


@pytest.mark.parametrize("case", CASES["arguments"], ids=lambda case: case["why"])
def test_arguments_leave_masked_and_it_is_said_where(case):
    done = mask_arguments(case["arguments"], rules_of(case))
    assert done.arguments == case["masked"]
    assert [[one.pointer, one.kind.value, one.count] for one in done.found] == case["found"]
