"""Which zone names a person may use, and what to say about the others."""

from collections.abc import Mapping

from playbooks.domain.recurrence.zone_data import zone_links, zone_names
from playbooks.errors import Finding

_LONGEST = 64
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
    if name == "UTC" or ("/" in name and name in zone_names()):
        return None
    shown = repr(name[:_LONGEST])
    meant = _ABBREVIATIONS.get(name.upper()) or _full_name(name)
    if meant:
        return Finding(
            "ambiguous_zone",
            "/zone",
            f"{shown} does not say which place's clock is meant: write {' or '.join(meant)}.",
            meant,
        )
    bare = name.partition("/")[2]
    if name.startswith(("posix/", "right/")) and bare in zone_names() and "/" in bare:
        return Finding("unknown_zone", "/zone", f"{shown} is a copy under another name: write {bare}.", (bare,))
    similar = _similar(name) if len(name) <= _LONGEST else ()
    hint = f"did you mean {' or '.join(similar)}?" if similar else "write an IANA name such as Asia/Seoul."
    return Finding("unknown_zone", "/zone", f"There is no time zone {shown}: {hint}", similar)


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
