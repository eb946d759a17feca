"""Read one page from Qdrant in exactly the order SQL gives: nulls last, the key after equal values.

Qdrant forbids an offset beside `order_by`, leaves rows without the value out of it and returns equal values in any
order. So the first `offset + limit` points are read in value order, the group of equal values that the end of the
page cuts through is read again by id, rows without a value follow by id, and the page is cut out of that. Reads are
bounded by `offset + limit` points. The planner is a generator: it yields scroll bodies and is sent their results.
"""

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from itertools import groupby
from typing import Protocol, cast

from playbooks.query_spec.catalogue import ColumnType
from playbooks.query_spec.instants import parse_day, parse_span
from playbooks.query_spec.qdrant_target import Json, QdrantOrder, QdrantQuery, is_empty, matches_value
from playbooks.query_spec.tree import Ordered

PointId = int | str


class ScrollClient(Protocol):
    """The one call a page needs."""

    def scroll(self, body: Json) -> Mapping[str, object]:
        """POST /collections/{name}/points/scroll with this body; the `result` of its answer: `points`, each with
        `id` and `payload`, and `next_page_offset`."""
        ...


@dataclass(frozen=True, slots=True)
class PagePoint:
    """One point of the page."""

    id: PointId
    payload: Mapping[str, object]


Planner = Generator[Json, Mapping[str, object], list[PagePoint]]


def read_page(query: QdrantQuery, client: ScrollClient) -> list[PagePoint]:
    """Drive the planner over a client: the points of the page, in order, with their payloads."""
    planner = plan_page(query)
    body = next(planner)
    while True:
        try:
            body = planner.send(client.scroll(body))
        except StopIteration as finished:
            return cast("list[PagePoint]", finished.value)


def plan_page(query: QdrantQuery) -> Planner:
    """Plan the scrolls of one page; the last one reads the payloads, within the caller's scope."""
    needed = query.offset + query.limit
    if query.order is None:
        ids = yield from _by_id(query.filter, needed)
    else:
        ids = yield from _by_value(query.filter, query.order, needed)
    page = ids[query.offset : needed]
    if not page:
        return []
    # The scope is asked again: a point that left it between two reads is not shown.
    found = yield from _scroll({"must": [*query.scope, {"has_id": page}]}, len(page), with_payload=True)
    payloads = {_id(point): _payload(point) for point in found}
    return [PagePoint(key, payloads[key]) for key in page if key in payloads]


Point = Mapping[str, object]


def _by_id(condition: Json, needed: int) -> Generator[Json, Mapping[str, object], list[PointId]]:
    points = yield from _scroll(condition, needed, with_payload=False)
    return [_id(point) for point in points]


def _scroll(condition: Json, needed: int, *, with_payload: bool) -> Generator[Json, Mapping[str, object], list[Point]]:
    """The first points by id; a server may answer in shorter pages than it was asked for."""
    points: list[Point] = []
    body: Json = {"filter": condition, "with_payload": with_payload, "with_vector": False}
    while len(points) < needed:
        result = yield {**body, "limit": needed - len(points)}
        points.extend(_points(result))
        following = result.get("next_page_offset")
        if following is None:
            break
        body["offset"] = following
    return points[:needed]


def _by_value(condition: Json, order: QdrantOrder, needed: int) -> Generator[Json, Mapping[str, object], list[PointId]]:
    result = yield {
        "filter": condition,
        "limit": needed,
        "order_by": {"key": order.field, "direction": order.direction},
        "with_payload": [order.field],
        "with_vector": False,
    }
    read = [(_ordered(order.type, _payload(point)[order.field]), _id(point)) for point in _points(result)]
    groups = [(value, [key for _, key in group]) for value, group in groupby(read, key=lambda pair: pair[0])]
    if len(read) < needed:
        ids = _tie_broken(groups)
        missing = yield from _by_id(_also(condition, is_empty(order.field)), needed - len(ids))
        return ids + missing
    # The last group may go on beyond what was read, and any of its members may have been read.
    last, _ = groups.pop()
    ids = _tie_broken(groups)
    tied = yield from _by_id(_also(condition, matches_value(order.field, order.type, last)), needed - len(ids))
    return ids + tied


def _tie_broken(groups: Iterable[tuple[Ordered, list[PointId]]]) -> list[PointId]:
    # The ids of one collection are all integers or all uuids, and both compare as the key's column does.
    return [key for _, keys in groups for key in sorted(keys, key=lambda item: (isinstance(item, str), item))]


def _also(condition: Json, extra: Json) -> Json:
    must = cast("Sequence[object]", condition.get("must", []))
    return {"must": [*must, extra]}


def _ordered(kind: ColumnType, stored: object) -> Ordered:
    match kind:
        case ColumnType.INTEGER:
            return int(cast("int", stored))
        case ColumnType.DATETIME:
            return parse_span(cast("str", stored), UTC).first
        case ColumnType.DATE:
            return parse_day(cast("str", stored)[:10])
        case _:
            return float(cast("float", stored))


def _points(result: Mapping[str, object]) -> Sequence[Point]:
    return cast("Sequence[Point]", result["points"])


def _id(point: Point) -> PointId:
    return cast("PointId", point["id"])


def _payload(point: Point) -> Mapping[str, object]:
    return cast("Mapping[str, object]", point["payload"])
