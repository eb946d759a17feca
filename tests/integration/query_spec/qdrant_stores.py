"""The two Qdrant engines that run without a server, behind the one call a page needs.

`LocalQdrant` is qdrant-client's Python engine; `EdgeQdrant` is the Rust engine of the server. The edge binding turns a
boolean match into an integer, so queries that match booleans are asked of the local engine only.
"""

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import qdrant_edge as edge
from qdrant_client import QdrantClient, models

from playbooks.query_spec import Catalogue, QdrantPoint, payload_indexes, to_point

Json = dict[str, Any]
NAME = "assets"


def points_of(catalogue: Catalogue, rows: Sequence[Mapping[str, object]], *, nulls: bool) -> list[QdrantPoint]:
    """The rows as points; without `nulls` a field that has no value is absent."""
    points = [to_point(catalogue, row) for row in rows]
    if nulls:
        return points
    return [
        QdrantPoint(point.id, {name: value for name, value in point.payload.items() if value is not None})
        for point in points
    ]


def matches_booleans(condition: object) -> bool:
    """Whether a filter holds a match on true or false."""
    if isinstance(condition, Mapping):
        return any(matches_booleans(value) for value in condition.values())
    if isinstance(condition, list):
        return any(matches_booleans(value) for value in condition)
    return isinstance(condition, bool)


class LocalQdrant:
    """qdrant-client in local mode; filters are given to it as the REST interface takes them."""

    def __init__(self, points: Sequence[QdrantPoint]) -> None:
        self._client = QdrantClient(":memory:")
        self._client.create_collection(NAME, vectors_config=models.VectorParams(size=1, distance=models.Distance.DOT))
        self._client.upsert(
            NAME, [models.PointStruct(id=point.id, vector=[0.0], payload=dict(point.payload)) for point in points]
        )

    def scroll(self, body: Json) -> Json:
        """As ScrollClient."""
        order = body.get("order_by")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found, following = self._client.scroll(
                NAME,
                scroll_filter=models.Filter.model_validate(body["filter"]),
                limit=body["limit"],
                offset=body.get("offset"),
                order_by=None if order is None else models.OrderBy.model_validate(order),
                with_payload=body["with_payload"],
            )
        return {"points": [{"id": item.id, "payload": item.payload} for item in found], "next_page_offset": following}


class EdgeQdrant:
    """The Rust engine, one shard in a folder, with an index on every field or on none."""

    def __init__(self, folder: Path, points: Sequence[QdrantPoint], catalogue: Catalogue, *, indexed: bool) -> None:
        vectors = edge.EdgeVectorParams(size=1, distance=edge.Distance.Dot)
        self._shard = edge.EdgeShard.create(str(folder), edge.EdgeConfig(vectors=vectors))
        self.indexed = indexed
        batch = [edge.Point(point.id, [0.0], dict(point.payload)) for point in points]
        self._shard.update(edge.UpdateOperation.upsert_points(batch))
        for body in payload_indexes(catalogue) if indexed else []:
            kind = body["field_schema"]["type"].capitalize()  # type: ignore[index] # plain JSON
            schema = getattr(edge.PayloadSchemaType, kind)
            self._shard.update(edge.UpdateOperation.create_field_index(body["field_name"], schema))

    def scroll(self, body: Json) -> Json:
        """As ScrollClient."""
        order = body.get("order_by")
        directions = {"asc": edge.Direction.Asc, "desc": edge.Direction.Desc}
        found, following = self._shard.scroll(
            edge.ScrollRequest(
                offset=body.get("offset"),
                limit=body["limit"],
                filter=_filter(body["filter"]),
                with_payload=body["with_payload"],
                with_vector=False,
                order_by=None if order is None else edge.OrderBy(order["key"], directions[order["direction"]]),
            )
        )
        following = None if following is None else _id(following)
        return {
            "points": [{"id": _id(item.id), "payload": item.payload} for item in found],
            "next_page_offset": following,
        }

    def close(self) -> None:
        """Release the shard's files."""
        self._shard.close()


def _id(key: object) -> int | str:
    return key if isinstance(key, int) else str(key)


def _filter(body: Json) -> edge.Filter:
    parts = {name: [_condition(item) for item in items] for name, items in body.items()}
    return edge.Filter(**parts)


def _condition(body: Json) -> Any:
    if "is_empty" in body:
        return edge.IsEmptyCondition(body["is_empty"]["key"])
    if "has_id" in body:
        return edge.HasIdCondition(set(body["has_id"]))
    if "match" in body:
        ((kind, value),) = body["match"].items()
        match = {
            "value": edge.MatchValue,
            "any": edge.MatchAny,
            "prefix": edge.MatchPrefix,
            "substring": edge.MatchSubstring,
        }[kind]
        return edge.FieldCondition(body["key"], match=match(value))
    if "range" in body:
        texts = any(isinstance(bound, str) for bound in body["range"].values())
        bounds = (edge.RangeDateTime if texts else edge.RangeFloat)(**body["range"])
        return edge.FieldCondition(body["key"], range=bounds)
    return _filter(body)
