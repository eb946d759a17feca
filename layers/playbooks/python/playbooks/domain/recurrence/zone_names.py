"""Which zone names a person may use, and what to say about the others."""

from playbooks.domain.recurrence.zone_data import zone_links, zone_names
from playbooks.errors import Finding

_LONGEST = 64


def zone_finding(name: str) -> Finding | None:
    """None for a usable IANA name (`Area/Location`, or `UTC`); else a finding with what was probably meant."""
    if name == "UTC" or ("/" in name and name in zone_names()):
        return None
    shown = repr(name[:_LONGEST])
    if name in zone_names():
        meant = _full_name(name)
        return Finding(
            "ambiguous_zone",
            "/zone",
            f"{shown} is an abbreviation that does not say which place's clock is meant: "
            + (f"write {meant} or the place's own zone." if meant else "write a name such as Europe/Berlin."),
            (meant,) if meant else (),
        )
    bare = name.partition("/")[2]
    if name.startswith(("posix/", "right/")) and bare in zone_names() and "/" in bare:
        return Finding("unknown_zone", "/zone", f"{shown} is a copy under another name: write {bare}.", (bare,))
    similar = _similar(name) if len(name) <= _LONGEST else ()
    hint = f"did you mean {' or '.join(similar)}?" if similar else "write an IANA name such as Asia/Seoul."
    return Finding("unknown_zone", "/zone", f"There is no time zone {shown}: {hint}", similar)


def _full_name(name: str) -> str | None:
    target = zone_links().get(name)
    return target if target is not None and "/" in target else None


def _similar(name: str) -> tuple[str, ...]:
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake needs it; the scheduler's start does not

    usable = {known.lower(): known for known in zone_names() if "/" in known}
    places: dict[str, str] = {}
    for known in sorted(usable.values()):
        places.setdefault(known.rpartition("/")[2].lower(), known)
    wanted = name.strip().lower().replace(" ", "_")
    if wanted in places:
        return (places[wanted],)
    close = get_close_matches(wanted, usable, n=3, cutoff=0.75)
    by_place = get_close_matches(wanted.rpartition("/")[2], places, n=2, cutoff=0.8) if not close else []
    return tuple(usable[match] for match in close) or tuple(places[match] for match in by_place)
