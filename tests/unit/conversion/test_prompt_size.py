"""A run sends its step, not the chat it comes from."""

from playbooks_local.standin_model.server import StandInModel
from tests.bench.prompt_size import GOAL, GOAL_FROM, LARGEST_GROWTH, longer_chat, measure


def test_a_runs_prompt_is_a_tenth_of_a_long_chat_and_does_not_grow_with_it():
    with StandInModel() as model:
        short, long = (measure(longer_chat(size), model.url, len) for size in (0, GOAL_FROM))
    assert long.replay >= GOAL_FROM
    assert long.run_largest * GOAL <= long.replay
    assert long.run_largest <= short.run_largest * LARGEST_GROWTH
    assert long.conversion < long.replay
