"""Which zone names a person may use, and what to say about the others."""

import re
from collections.abc import Mapping

from playbooks.domain.recurrence.zone_data import zone_links, zone_names
from playbooks.errors import Finding

_LONGEST = 64
_FIXED_OFFSET = re.compile(r"\s*(UTC|GMT|Z)?\s*[+-]?\s*[0-9]{1,2}(:?[0-9]{2})?\s*", re.IGNORECASE)
_ABBREVIATIONS: Mapping[str, tuple[str, ...]] = {
    "BST": ("Europe/London", "Asia/Dhaka"),
    "CDT": ("America/Chicago",),
    "CEST": ("Europe/Berlin",),
    "CET": ("Europe/Berlin",),
    "CST": ("America/Chicago", "Asia/Shanghai"),
    "CST6CDT": ("America/Chicago",),
    "EDT": ("America/New_York",),
    "EST": ("America/New_York", "America/Panama"),
    "EST5EDT": ("America/New_York",),
    "GMT": ("UTC", "Europe/London"),
    "HST": ("Pacific/Honolulu",),
    "IST": ("Asia/Kolkata", "Europe/Dublin", "Asia/Jerusalem"),
    "JST": ("Asia/Tokyo",),
    "KST": ("Asia/Seoul",),
    "MDT": ("America/Denver",),
    "MST": ("America/Denver", "America/Phoenix"),
    "MST7MDT": ("America/Denver",),
    "PDT": ("America/Los_Angeles",),
    "PST": ("America/Los_Angeles", "Asia/Manila"),
    "PST8PDT": ("America/Los_Angeles",),
    "Z": ("UTC",),
}
"""What people mean by names that do not say which place's clock is meant."""


def zone_finding(name: str) -> Finding | None:
    """None for a usable IANA name (`Area/Location`, or `UTC`); else a finding with what was probably meant."""
    if _usable(name):
        return None
    shown = repr(name[:_LONGEST])
    plain = name.removeprefix("posix/").removeprefix("right/")
    if plain != name and (meant := (plain,) if _usable(plain) else _meant(plain)):
        return _finding("unknown_zone", f"{shown} is a copy under another name: write {' or '.join(meant)}.", meant)
    if meant := _meant(name):
        message = f"{shown} does not say which place's clock is meant: write {' or '.join(meant)}."
        return _finding("ambiguous_zone", message, meant)
    if _FIXED_OFFSET.fullmatch(name[:_LONGEST]):
        # Never "did you mean": Etc/GMT+5 is UTC-5, the signs of those names are turned round.
        return _finding("unknown_zone", f"{shown} is an offset, no place's clock: write a name such as Asia/Seoul.")
    similar = _similar(name) if len(name) <= _LONGEST else ()
    hint = f"did you mean {' or '.join(similar)}?" if similar else "write an IANA name such as Asia/Seoul."
    return _finding("unknown_zone", f"There is no time zone {shown}: {hint}", similar)


def _usable(name: str) -> bool:
    return name == "UTC" or ("/" in name and name in zone_names())


def _finding(code: str, message: str, meant: tuple[str, ...] = ()) -> Finding:
    return Finding(code, "/zone", message, meant)


def _meant(name: str) -> tuple[str, ...]:
    return _ABBREVIATIONS.get(name.upper()) or _full_name(name)


def _full_name(name: str) -> tuple[str, ...]:
    target = zone_links().get(name)
    return (target,) if target is not None and "/" in target else ()


def _similar(name: str) -> tuple[str, ...]:
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake needs it; the scheduler's start does not

    usable = {known.lower(): known for known in zone_names() if "/" in known}
    places: dict[str, str] = {}
    for known in sorted(usable.values()):
        places.setdefault(known.rpartition("/")[2].lower(), known)
    wanted = name.strip().lower().replace(" ", "_")
    exact = usable.get(wanted) or places.get(wanted)
    if exact is not None:
        return (exact,)
    close = get_close_matches(wanted, usable, n=3, cutoff=0.75)
    by_place = get_close_matches(wanted.rpartition("/")[2], places, n=2, cutoff=0.8) if not close else []
    return tuple(usable[match] for match in close) or tuple(places[match] for match in by_place)
