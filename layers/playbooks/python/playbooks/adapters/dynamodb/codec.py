"""Frozen dataclasses to plain items and back, by their type hints.

pydantic would do this, at 30 to 40 % of the scheduler's start; this knows only the forms our values have. Defaults are
left out, unknown attributes are passed over and missing ones take their default, so that old items stay readable.
"""

import dataclasses
import functools
import types
import typing
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from typing import Any, TypeVar

from playbooks.ports.stores.faults import CorruptItem

T = TypeVar("T")
Coder = tuple[Callable[[Any], Any], Callable[[Any], Any]]

_AWARE = "%Y-%m-%dT%H:%M:%S.%fZ"


def instant(value: datetime) -> str:
    """An instant as text that sorts by time: UTC, microseconds, `Z`."""
    return value.astimezone(UTC).strftime(_AWARE)


def parse_instant(text: str) -> datetime:
    """The inverse of `instant`."""
    return datetime.fromisoformat(text)


def fault_name(error: Exception) -> str:
    """What is wrong with a stored item, without its content: an error's code, or the kind of fault."""
    return str(getattr(error, "code", type(error).__name__))


def pack(value: Any) -> dict[str, Any]:
    """A dataclass as an item's attributes, without those that have their default."""
    packed = {}
    for name, default, (encode, _) in _fields(type(value)):
        attribute = getattr(value, name)
        if attribute is not default and attribute != default:
            packed[name] = encode(attribute)
    return packed


def unpack(kind: type[T], item: Mapping[str, Any]) -> T:
    """The dataclass that `pack` made the item from; raises CorruptItem naming the item and what does not fit."""
    try:
        return _unpack(kind, item)
    except CorruptItem as error:
        raise CorruptItem(f"{_place(item)} cannot be read: {error.message}.") from error


def _place(item: object) -> str:
    return f"{item.get('PK')} {item.get('SK')}" if isinstance(item, Mapping) else "A part of an item"


def _unpack(kind: type[T], item: Mapping[str, Any]) -> T:
    if not isinstance(item, Mapping):
        raise CorruptItem(f"{kind.__name__} is no map")
    values = {}
    for name, default, (_, decode) in _fields(kind):
        if name in item:
            try:
                values[name] = decode(item[name])
            except (TypeError, ValueError, KeyError, AttributeError) as error:
                raise CorruptItem(f"{kind.__name__}.{name} does not fit ({type(error).__name__})") from error
        elif default is _REQUIRED:
            raise CorruptItem(f"{kind.__name__}.{name} is missing")
    return kind(**values)


_REQUIRED = object()


_known: dict[type[Any], tuple[tuple[str, object, Coder], ...]] = {}


def _fields(kind: type[Any]) -> tuple[tuple[str, object, Coder], ...]:
    if kind not in _known:
        _known[kind] = _read_fields(kind)
    return _known[kind]


def _read_fields(kind: type[Any]) -> tuple[tuple[str, object, Coder], ...]:
    hints = typing.get_type_hints(kind)
    found = []
    for field in dataclasses.fields(kind):
        default: object = _REQUIRED
        if field.default is not dataclasses.MISSING:
            default = field.default
        elif field.default_factory is not dataclasses.MISSING:
            default = field.default_factory()
        found.append((field.name, default, _coder(hints[field.name])))
    return tuple(found)


def _same(value: Any) -> Any:
    return value


def _coder(hint: Any) -> Coder:
    hint = getattr(hint, "__supertype__", hint)
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in {typing.Union, types.UnionType}:
        inner = [argument for argument in arguments if argument is not type(None)]
        encode, decode = _coder(inner[0]) if len(inner) == 1 else (_same, _same)
        return (
            lambda value: None if value is None else encode(value),
            lambda value: None if value is None else decode(value),
        )
    if origin is tuple:
        return _tuple_coder(arguments)
    if origin in {Mapping, dict}:
        encode, decode = _coder(arguments[1])
        return (
            lambda value: {key: encode(item) for key, item in value.items()},
            lambda value: {key: decode(item) for key, item in value.items()},
        )
    return _plain_coder(hint)


def _tuple_coder(arguments: tuple[Any, ...]) -> Coder:
    if arguments[-1] is Ellipsis:
        encode, decode = _coder(arguments[0])
        return (
            lambda value: [encode(item) for item in value],
            lambda value: tuple(decode(item) for item in value),
        )
    coders = [_coder(argument) for argument in arguments]
    return (
        lambda value: [encode(item) for (encode, _), item in zip(coders, value, strict=True)],
        lambda value: tuple(decode(item) for (_, decode), item in zip(coders, value, strict=True)),
    )


def _plain_coder(hint: Any) -> Coder:
    if hint is datetime:
        return (
            lambda value: value.isoformat(timespec="minutes") if value.tzinfo is None else instant(value),
            parse_instant,
        )
    if hint is date:
        return (date.isoformat, date.fromisoformat)
    if hint is timedelta:
        return (lambda value: int(value.total_seconds()), lambda value: timedelta(seconds=int(value)))
    if isinstance(hint, type) and issubclass(hint, Enum):
        return (lambda value: value.value, hint)
    if dataclasses.is_dataclass(hint):
        return (pack, lambda value: _unpack(typing.cast("type[Any]", hint), value))
    if hint is int:
        return (_same, int)
    if hint in {str, bool}:
        return (_same, functools.partial(_checked, hint))
    return (_same, _same)


def _checked(kind: type, value: Any) -> Any:
    if not isinstance(value, kind):
        raise TypeError(f"{kind.__name__} expected, {type(value).__name__} found")
    return value
