"""Thousands of interleavings of the real application break nothing; without any one of its guards some do."""

import pytest

from tests.simulation.guards import GUARDS
from tests.simulation.story import Story
from tests.simulation.telling import tell, tell_many

SEEDS = 3_000
ENOUGH = 1_500
"""Seeds to look through for one that a missing guard breaks; the rarest break within a few hundred."""


def test_no_interleaving_of_crashes_stalls_and_lost_answers_breaks_a_promise():
    broken = [
        f"python -m tests.simulation --seeds 1 --from {seed}   # {what}"
        for seed, what in tell_many(range(1, SEEDS + 1), processes=2)
    ]
    assert not broken, "\n".join(broken[:10])


@pytest.mark.parametrize("guard", sorted(GUARDS))
def test_without_the_guard_a_promise_is_broken(guard: str):
    broken = next(filter(None, (tell(seed, without=guard) for seed in range(1, ENOUGH))), None)
    assert broken, f"nothing breaks without {guard!r}"
    assert "died of" not in broken, f"what stands in for {guard!r} does not fit the code any more: {broken}"


def test_a_seed_tells_the_same_story_again():
    assert _trace(17) == _trace(17)


def test_different_seeds_tell_different_stories():
    assert _trace(17) != _trace(18)


def _trace(seed: int) -> list[tuple[float, object, object]]:
    """What was written when, without ids that are random by design."""
    story = Story(seed)
    trace: list[tuple[float, object, object]] = []
    watch = story.invariants._watch

    def watched(key, before, after):
        trace.append((story.engine.t, key, after.get("status")))
        watch(key, before, after)

    story.invariants._watch = watched
    assert story.tell() is None
    return trace
