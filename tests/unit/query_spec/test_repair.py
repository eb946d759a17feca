"""Two repairs, then nothing: never without the filter."""

import pytest

from playbooks.query_spec import QuerySpecError, ask_until_read
from tests.unit.query_spec.assets import condition, read, where

GOOD = where(condition("asset_type", "eq", "pdf"))
BAD = where(condition("file_type", "eq", "pdf"), condition("asset_type", "eq", "PDF"))


class Model:
    """Answers in turn, and remembers what it was told."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.told = []

    def __call__(self, findings):
        self.told.append([item.code for item in findings])
        return self.answers.pop(0)


def test_a_good_answer_is_asked_for_once():
    model = Model(GOOD)
    assert ask_until_read(model, read) == read(GOOD)
    assert model.told == [[]]


def test_each_repair_is_told_everything_that_was_wrong():
    model = Model(BAD, BAD, GOOD)
    assert ask_until_read(model, read) == read(GOOD)
    assert model.told == [[], *[["unknown_column", "value_not_in_choices"]] * 2]


def test_after_two_repairs_the_refusal_stands():
    model = Model(BAD, BAD, BAD, GOOD)
    with pytest.raises(QuerySpecError):
        ask_until_read(model, read)
    assert len(model.told) == 3
