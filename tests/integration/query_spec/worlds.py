"""Rows that are hard to keep alike in two stores, and random specs that ask about them."""

import random
import unicodedata
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from playbooks.query_spec import Access, Catalogue, Column, ColumnType, Nulls

SEOUL = ZoneInfo("Asia/Seoul")
NEW_YORK = ZoneInfo("America/New_York")
SCOPE = {"tenant": "acme"}

_TEXTS = (
    *("", "a", "A", "ab", "aB", "a%b", "a_b", "a\\b", "100%", "100", "%", "_", "\\", "O'Brien", 'a"b', "x') OR 1=1 --"),
    *("회의록", "회의록.pdf", "회의", unicodedata.normalize("NFD", "회의록"), "계약서", "straße", "STRASSE", "Straße"),
    *(
        "İstanbul",
        "istanbul",
        "ISTANBUL",
        "ısparta",
        "résumé",
        "re\u0301sume\u0301",
        "RÉSUMÉ",
        "ǅ",
        "ſ",
        "ﬁ",
        "🙂",
        "🙂a",
    ),
    *("line\nbreak", "tab\t", " a", "a ", "null", "true", "1", "A\u030a", "Å", "ά", "ΑΣ", "ας"),
)
_INTEGERS = (0, 1, -1, 2, 7, 5000, 2**31, -(2**31), 2**53 - 1, 2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63))
_NUMBERS = (0.0, -0.0, 0.1, 0.2, 0.1 + 0.2, 0.3, 1.0, 1, -1.5, 1e300, -1e300, 5e-324, 0.7, 0.70000001, 1 / 3)
_TAGS = ("x", "y", "z", "회의록", "", "X")
_KINDS = ("pdf", "docx", "png", "회의")
_DAYS = (date(1, 1, 1), date(2026, 2, 28), date(2026, 3, 1), date(2026, 3, 8), date(9999, 12, 31))
_MIDNIGHT = datetime(2026, 3, 7, 15, tzinfo=UTC)  # 8 March in Seoul
_INSTANTS = (
    *(_MIDNIGHT + timedelta(microseconds=step) for step in (-1, 0, 1)),
    *(_MIDNIGHT + timedelta(hours=step) for step in (-24, -1, 1, 23, 24)),
    *(datetime(2026, 3, 8, hour, tzinfo=UTC) for hour in (5, 6, 7)),  # the New York gap
    *(datetime(2025, 11, 2, hour, 30, tzinfo=UTC) for hour in (4, 5, 6)),  # and its overlap
    *(datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC), datetime(1969, 12, 31, tzinfo=UTC)),
)


@dataclass(frozen=True, slots=True)
class World:
    """A catalogue, its rows as they arrive, and the zone of the person who asks."""

    catalogue: Catalogue
    rows: tuple[Mapping[str, object], ...]
    zone: ZoneInfo


def make_world(*, key: ColumnType, nulls: Nulls, zone: ZoneInfo, seed: int, size: int = 150) -> World:
    """Random rows; a fifth of all values is null, and most values are shared by several rows."""
    rng = random.Random(seed)
    columns = {
        "tenant": Column(type=ColumnType.STRING, access=Access.SCOPE),
        "id": Column(type=key),
        "name": Column(type=ColumnType.STRING, fold="name_fold"),
        "kind": Column(type=ColumnType.ENUM, choices=_KINDS),
        "size": Column(type=ColumnType.INTEGER),
        "score": Column(type=ColumnType.NUMBER),
        "made": Column(type=ColumnType.DATETIME),
        "day": Column(type=ColumnType.DATE),
        "owner": Column(type=ColumnType.UUID),
        "gone": Column(type=ColumnType.BOOLEAN),
        "tags": Column(type=ColumnType.STRINGS),
    }
    owners = [str(uuid.UUID(int=rng.getrandbits(128))) for _ in range(4)]
    keys = rng.sample(range(10_000), size) if key is ColumnType.INTEGER else _uuids(rng, size)
    rows = []
    for row_key in keys:
        tags = rng.sample(_TAGS, rng.randrange(4))
        row: dict[str, object] = {
            "name": rng.choice(_TEXTS),
            "kind": rng.choice(_KINDS),
            "size": rng.choice(_INTEGERS),
            "score": rng.choice(_NUMBERS),
            "made": rng.choice(_INSTANTS),
            "day": rng.choice(_DAYS),
            "owner": rng.choice(owners),
            "gone": rng.random() < 0.5,
            "tags": tags,
        }
        row = {name: None if rng.random() < 0.2 else value for name, value in row.items()}
        rows.append(row | {"id": row_key, "tenant": "acme" if rng.random() < 0.85 else "rival"})
    return World(Catalogue(columns, "id", nulls), tuple(rows), zone)


def random_spec(world: World, rng: random.Random) -> dict[str, object]:
    """A valid spec; most can be answered by both stores."""
    spec: dict[str, object] = {"limit": rng.choice((1, 3, 10, 20, 200)), "offset": rng.choice((0, 0, 0, 1, 5, 40, 200))}
    if rng.random() < 0.95:
        spec["where"] = _group(world, rng, rng.choice((1, 1, 2, 2, 3, 4)))
    draw = rng.random()
    if draw < 0.6:
        spec["order_by"] = _order_by(world, rng)
    elif draw < 0.65:
        spec["order_by"] = [{"column": "name"}, {"column": "size", "direction": "asc"}]
    return spec


def _order_by(world: World, rng: random.Random) -> list[dict[str, object]]:
    key_sorts = world.catalogue.columns["id"].is_sortable()
    names = ["size", "score", "made", "day", *(["id"] if key_sorts else [])]
    first = {"column": rng.choice(names), "direction": rng.choice(("asc", "desc"))}
    if key_sorts and first["column"] != "id" and rng.random() < 0.2:
        return [first, {"column": "id", "direction": "asc"}]
    return [first]


def _uuids(rng: random.Random, size: int) -> Sequence[str]:
    return [str(uuid.UUID(int=rng.getrandbits(128))) for _ in range(size)]


def _group(world: World, rng: random.Random, depth: int) -> dict[str, object]:
    children = [
        _group(world, rng, depth - 1) if depth > 1 and rng.random() < 0.4 else _condition(world, rng)
        for _ in range(rng.choice((1, 1, 2, 2, 3)))
    ]
    return {"op": rng.choice(("and", "or")), "conditions": children}


def _condition(world: World, rng: random.Random) -> dict[str, object]:
    # Booleans are rare: the edge binding cannot be asked about them.
    name = rng.choice(("id", "name", "name", "kind", "size", "score", "made", "made", "day", "owner", "tags", "tags"))
    if rng.random() < 0.02:
        name = "gone"
    column = world.catalogue.columns[name]
    if name == "id" and column.type is ColumnType.UUID and rng.random() < 0.5:
        name, column = "tags", world.catalogue.columns["tags"]
    operator = rng.choice(column.allowed_operators())
    condition: dict[str, object] = {"column": name, "operator": operator}
    if operator in ("is_null", "is_not_null"):
        return condition
    if operator in ("like", "ilike"):
        return condition | {"value": _pattern(rng)}
    if operator in ("in", "not_in"):
        return condition | {"value": [_value(world, name, rng) for _ in range(rng.choice((1, 2, 4, 9)))]}
    if operator == "between":
        ends = sorted((_value(world, name, rng) for _ in range(2)), key=_order)
        return condition | ({"value": ends} if rng.random() < 0.5 else dict(zip(("start", "end"), ends, strict=True)))
    return condition | {"value": _value(world, name, rng)}


def _order(value: object) -> object:
    """Written instants by what they mean; those at the edge of the calendar have no room for an offset."""
    if not isinstance(value, str):
        return value
    moment = datetime.fromisoformat(value)
    offset = moment.utcoffset() or timedelta()
    return moment.replace(tzinfo=None) - (offset if 1 < moment.year < 9999 else timedelta())


def _pattern(rng: random.Random) -> str:
    text = rng.choice(_TEXTS).replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    if rng.random() < 0.3 and text and not text.endswith("\\"):
        text = unicodedata.normalize("NFD", text)
    shapes = ("{}", "{}%", "%{}%", "%{}%", "%%{}%", "%{}", "_{}", "%", "{}_%")
    return rng.choice(shapes).format(text)


def _value(world: World, name: str, rng: random.Random) -> object:
    stored = rng.choice([row[name] for row in world.rows if row[name] is not None])
    match world.catalogue.columns[name].type:
        case ColumnType.STRINGS:
            return rng.choice(_TAGS)
        case ColumnType.INTEGER if name == "size" and rng.random() < 0.5:
            return rng.choice((-10, 0, 1, 6, 5000, 5001, 2**31))
        case ColumnType.DATETIME:
            return _written(stored, rng)
        case ColumnType.DATE:
            return str(stored)
        case ColumnType.UUID:
            return str(stored).upper() if rng.random() < 0.3 else stored
        case _:
            return stored


def _written(stored: object, rng: random.Random) -> str:
    assert isinstance(stored, datetime)
    draw = rng.random()
    if draw < 0.4:
        return stored.date().isoformat()
    if draw < 0.6:
        return stored.replace(tzinfo=None).isoformat()
    if draw < 0.8 and 1 < stored.year < 9999:
        return stored.astimezone(SEOUL).isoformat()
    return stored.isoformat().replace("+00:00", "Z")
