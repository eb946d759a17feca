"""Reading a page: which scrolls are made, how much they read, and what the page holds."""

from collections.abc import Mapping

import pytest

from playbooks.query_spec import read_page, to_qdrant
from tests.unit.query_spec.assets import SCOPE, read


class Points:
    """A collection whose equal values come back in the least helpful order, `page` points at a time."""

    def __init__(self, values: Mapping[int, int | None], page: int = 10_000) -> None:
        self.values = dict(values)
        self.page = page
        self.bodies = []

    def scroll(self, body):
        self.bodies.append(body)
        extra = body["filter"]["must"][1:] if len(body["filter"]["must"]) > 1 else []
        ids = [key for key in self.values if all(self._holds(key, item) for item in extra)]
        if "order_by" in body:
            valued = [key for key in ids if self.values[key] is not None]
            sign = 1 if body["order_by"]["direction"] == "asc" else -1
            valued.sort(key=lambda key: (sign * self.values[key], -key))
            return self._result(valued[: body["limit"]], None)
        ids.sort()
        start = body.get("offset", 0)
        ids = [key for key in ids if key >= start]
        cut = min(body["limit"], self.page)
        return self._result(ids[:cut], ids[cut] if len(ids) > cut else None)

    def _holds(self, key, item):
        if "has_id" in item:
            return key in item["has_id"]
        if "is_empty" in item:
            return self.values[key] is None
        return self.values[key] == item["match"]["value"]

    def _result(self, ids, following):
        points = [{"id": key, "payload": {"size_bytes": self.values[key]}} for key in ids]
        return {"points": points, "next_page_offset": following}


def page_of(points, **spec):
    return [point.id for point in read_page(to_qdrant(read(spec), SCOPE), points)]


VALUES = {key: None if key % 7 == 0 else key % 5 for key in range(1, 61)}
ORDER = [{"column": "size_bytes", "direction": "asc"}]


@pytest.mark.parametrize("direction", ["asc", "desc"])
@pytest.mark.parametrize("limit", [1, 2, 7, 13, 60, 100])
def test_the_pages_together_are_the_whole_order_once(direction, limit):
    sign = 1 if direction == "asc" else -1
    expected = sorted(VALUES, key=lambda key: (VALUES[key] is None, sign * (VALUES[key] or 0), key))
    found = []
    for offset in range(0, 60, limit):
        found += page_of(
            Points(VALUES), order_by=[{"column": "size_bytes", "direction": direction}], limit=limit, offset=offset
        )
    assert found == expected


def test_a_page_that_ends_inside_equal_values_reads_that_group_by_id():
    points = Points(dict.fromkeys(range(1, 2_000), 5))
    assert page_of(points, order_by=ORDER, limit=3, offset=2) == [3, 4, 5]
    by_value, tied, payloads = points.bodies
    assert (by_value["limit"], tied["limit"], payloads["limit"]) == (5, 5, 3)
    assert tied["filter"]["must"][1] == {"key": "size_bytes", "match": {"value": 5}}
    assert "order_by" not in tied


def test_rows_without_the_value_follow_by_id():
    points = Points({1: None, 2: 9, 3: None, 4: 8})
    assert page_of(points, order_by=ORDER) == [4, 2, 1, 3]
    assert points.bodies[1]["filter"]["must"][1] == {"is_empty": {"key": "size_bytes"}}


def test_a_server_that_answers_in_short_pages_is_read_on():
    points = Points(VALUES, page=4)
    assert page_of(points, limit=10, offset=3) == list(range(4, 14))


def test_a_page_beyond_the_end_is_empty_and_reads_no_payload():
    points = Points({1: 1})
    assert page_of(points, offset=5) == []
    assert all(body["with_payload"] is not True for body in points.bodies)


def test_every_scroll_is_within_the_scope():
    points = Points(VALUES)
    page_of(points, order_by=ORDER, limit=5)
    tenant = {"key": "tenant_id", "match": {"value": "acme"}}
    assert len(points.bodies) == 3
    assert all(body["filter"]["must"][0] == tenant for body in points.bodies)


def test_a_point_that_is_gone_between_two_reads_is_left_out():
    class Vanishing(Points):
        def scroll(self, body):
            if body["with_payload"] is True:
                del self.values[2]
            return super().scroll(body)

    assert page_of(Vanishing({1: 1, 2: 2, 3: 3}), order_by=ORDER) == [1, 3]
