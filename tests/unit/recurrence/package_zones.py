"""The zones as the package's own files hold them, read without anything the product uses."""

import struct
import zoneinfo
from functools import cache
from importlib import resources
from typing import NamedTuple

PACKAGE = resources.files("tzdata")


class Change(NamedTuple):
    """A clock change: UTC seconds since 1970, and the offset in seconds before and after it."""

    at: int
    before: int
    after: int


@cache
def names() -> tuple[str, ...]:
    """Every name of the package."""
    return tuple(PACKAGE.joinpath("zones").read_text("utf-8").split())


@cache
def names_by_clock() -> tuple[tuple[str, ...], ...]:
    """Every name, those together whose files are the same."""
    by_file: dict[bytes, list[str]] = {}
    for name in names():
        by_file.setdefault(PACKAGE.joinpath("zoneinfo", *name.split("/")).read_bytes(), []).append(name)
    return tuple(map(tuple, by_file.values()))


@cache
def zone(name: str) -> zoneinfo.ZoneInfo:
    """The zone from the package's file."""
    with PACKAGE.joinpath("zoneinfo", *name.split("/")).open("rb") as file:
        return zoneinfo.ZoneInfo.from_file(file, key=name)


@cache
def changes(name: str) -> tuple[Change, ...]:
    """The changes of the UTC offset that a zone's file lists (RFC 9636, the version 2 data block)."""
    data = PACKAGE.joinpath("zoneinfo", *name.split("/")).read_bytes()
    start = 44 + _length(_counts(data, 0), 4)
    isut, isstd, leap, timecnt, typecnt, charcnt = _counts(data, start)
    del isut, isstd, leap, charcnt
    place = start + 44
    times = struct.unpack_from(f">{timecnt}q", data, place)
    kinds = struct.unpack_from(f">{timecnt}B", data, place + 8 * timecnt)
    place += 9 * timecnt
    offsets = [struct.unpack_from(">i", data, place + 6 * kind)[0] for kind in range(typecnt)]
    before = [offsets[0], *(offsets[kind] for kind in kinds)]
    return tuple(
        Change(at, was, offsets[kind])
        for at, was, kind in zip(times, before, kinds, strict=False)
        if was != offsets[kind]
    )


def _counts(data: bytes, start: int) -> tuple[int, ...]:
    assert data[start : start + 4] == b"TZif"
    return struct.unpack_from(">6l", data, start + 20)


def _length(counts: tuple[int, ...], size: int) -> int:
    isut, isstd, leap, timecnt, typecnt, charcnt = counts
    return timecnt * (size + 1) + typecnt * 6 + charcnt + leap * (size + 4) + isstd + isut
