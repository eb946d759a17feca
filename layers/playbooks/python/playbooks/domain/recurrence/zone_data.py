"""Time zones from the `tzdata` package and from nowhere else.

`zoneinfo` looks into the operating system's files first, which may be years older than the package: one machine
gave 2026-12-01 09:00 America/Vancouver an hour late. So zones are read from the package's files directly, and the
search path of `zoneinfo` is emptied for every other part of the program as soon as this module is imported.
"""

import importlib
import zoneinfo
from datetime import UTC, datetime
from functools import cache, lru_cache
from pathlib import Path

from playbooks.errors import Finding, PlaybooksError, Refused

zoneinfo.reset_tzpath(())
zoneinfo.ZoneInfo.clear_cache()

_PROBE_ZONE = "America/Vancouver"
_PROBE_LOCAL = datetime(2026, 12, 1, 9)  # noqa: DTZ001 - a wall clock's time
_PROBE_INSTANT = datetime(2026, 12, 1, 16, tzinfo=UTC)
_OLDEST = "2026f"


class ZoneDataError(PlaybooksError):
    """Raised at start when zone data is missing, too old, or would come from the operating system."""

    code = "zone_data"


def zone_data_version() -> str:
    """The IANA version of the package's data, such as `2026f`; later versions compare greater as text."""
    version: str = importlib.import_module("tzdata").IANA_VERSION
    return version


def probe_zone_data() -> None:
    """Fail loudly, once, at start: raises ZoneDataError unless every zone comes from a recent package."""
    try:
        version = zone_data_version()
    except ModuleNotFoundError as error:
        raise ZoneDataError(
            "The tzdata package is missing: without it no local time can be computed. Install the runtime layer."
        ) from error
    if version < _OLDEST:
        raise ZoneDataError(f"Zone data {version} is too old: {_OLDEST} or later is needed. Update tzdata.")
    if zoneinfo.TZPATH:
        raise ZoneDataError(
            f"zoneinfo would read {zoneinfo.TZPATH[0]} before the tzdata package. Remove what resets its path."
        )
    for zone in (load_zone(_PROBE_ZONE), zoneinfo.ZoneInfo(_PROBE_ZONE)):
        instant = _PROBE_LOCAL.replace(tzinfo=zone).astimezone(UTC)
        if instant != _PROBE_INSTANT:
            raise ZoneDataError(
                f"Zone data is wrong: {_PROBE_LOCAL:%Y-%m-%d %H:%M} {_PROBE_ZONE} came out as "
                f"{instant:%H:%M}Z, not {_PROBE_INSTANT:%H:%M}Z. Use the tzdata package {_OLDEST} or later."
            )


@cache
def zone_names() -> frozenset[str]:
    """Every name the package holds, legacy names included (about 600)."""
    return frozenset((_root() / "zones").read_text("utf-8").split())


@lru_cache(maxsize=1024)
def load_zone(name: str) -> zoneinfo.ZoneInfo:
    """The zone of this name; Refused when the package has none."""
    if name not in zone_names():
        raise Refused(
            f"There is no time zone {name[:64]!r}.",
            [Finding("unknown_zone", "/zone", f"There is no time zone {name[:64]!r}.")],
            code="unknown_zone",
        )
    with (_root() / "zoneinfo" / name).open("rb") as file:
        return zoneinfo.ZoneInfo.from_file(file, key=name)


@cache
def zone_links() -> dict[str, str]:
    """Legacy and alternative names with the zone each stands for, from the package's `tzdata.zi`."""
    lines = (_root() / "zoneinfo" / "tzdata.zi").read_text("utf-8").splitlines()
    return {name: target for kind, target, name in (line.split() for line in lines if line[:2] == "L ")}


def _root() -> Path:
    return Path(str(importlib.import_module("tzdata").__file__)).parent
