"""A tree of messages has one active path: from a root to the message the user ended on."""

import json
import random
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from playbooks.domain.conversation import collect, read_conversation
from playbooks.domain.conversation.active_path import Node, latest_leaf, path_to

IDS = st.text("abcdefgh", min_size=1, max_size=2)


@st.composite
def trees(draw):
    """Parents by id: each node hangs on an earlier one or is a root."""
    size = draw(st.integers(1, 30))
    return {
        f"n{number}": f"n{draw(st.integers(0, number - 1))}" if number and draw(st.booleans()) else None
        for number in range(size)
    }


@settings(deadline=None)
@given(trees())
def test_a_path_leads_from_a_root_to_the_leaf_along_parents(parents):
    leaf = latest_leaf([Node(key, parent, (), float(at)) for at, (key, parent) in enumerate(parents.items())])
    path = path_to(leaf, parents)
    assert parents[path[0]] is None
    assert path[-1] == leaf
    assert leaf not in parents.values()
    assert all(parents[later] == earlier for earlier, later in pairwise(path))


@settings(deadline=None)
@given(st.dictionaries(IDS, st.one_of(st.none(), IDS), min_size=1), st.data())
def test_a_path_ends_also_where_parents_are_missing_or_go_round_in_a_circle(parents, data):
    leaf = data.draw(st.sampled_from(sorted(parents)))
    path = path_to(leaf, parents)
    assert path[-1] == leaf
    assert len(set(path)) == len(path)


@settings(deadline=None)
@given(trees(), st.randoms(use_true_random=False))
def test_the_order_of_nodes_in_the_record_changes_nothing_when_they_have_times(parents, rng):
    nodes = [Node(key, parent, (), float(at)) for at, (key, parent) in enumerate(parents.items())]
    shuffled = list(nodes)
    rng.shuffle(shuffled)
    assert latest_leaf(shuffled) == latest_leaf(nodes)


def claude_lines(parents):
    """Each node asks a query and gets rows, in Claude Code's lines."""
    lines = []
    for at, (key, parent) in enumerate(parents.items()):
        call = {"type": "tool_use", "id": f"t-{key}", "name": "query", "input": {"sql": f"SELECT '{key}' AS k"}}
        result = {"type": "tool_result", "tool_use_id": f"t-{key}", "content": f'[{{"k": "{key}"}}]'}
        for part, kind, content in (("", "assistant", call), ("r", "user", result)):
            lines.append(
                {
                    "uuid": f"{key}{part}",
                    "parentUuid": key if part else (f"{parent}r" if parent else None),
                    "type": kind,
                    "timestamp": f"2026-08-24T00:{at:02d}:{30 if part else 0:02d}Z",
                    "message": {"role": kind, "content": [content]},
                }
            )
    return lines


@settings(deadline=None)
@given(trees(), st.integers(0, 1000))
def test_shuffling_the_lines_of_a_tree_changes_neither_what_is_kept_nor_its_order(parents, seed):
    lines = claude_lines(parents)
    shuffled = list(lines)
    random.Random(seed).shuffle(shuffled)
    kept = [
        [query.statement for query in collect(read_conversation("\n".join(map(json.dumps, ls)).encode())).kept]
        for ls in (lines, shuffled)
    ]
    last = list(parents)[-1]
    expected = [f"SELECT '{key}' AS k" for key in path_to(last, parents)]
    assert kept == [expected[-20:], expected[-20:]]
