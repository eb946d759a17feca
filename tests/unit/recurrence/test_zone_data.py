"""Zone data comes from the package, whatever the machine offers; and the package is as the code takes it to be."""

import itertools
import os
import subprocess
import sys
import zoneinfo
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from playbooks.domain.recurrence import next_after, parse_rule, probe_zone_data, zone_data, zone_data_version
from playbooks.domain.recurrence.zone_clock import CalmDays
from tests.unit.recurrence import package_zones

ROOT = Path(__file__).parents[3]


def run_python(code: str, **environment: str) -> str:
    """What a fresh interpreter prints."""
    paths = os.pathsep.join(str(ROOT / part) for part in ("layers/playbooks/python", "infra/local"))
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": paths, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@pytest.fixture
def wrong_system_files(tmp_path: Path) -> Path:
    """A system folder in which Vancouver's clock is Tokyo's."""
    tokyo = package_zones.PACKAGE.joinpath("zoneinfo", "Asia", "Tokyo").read_bytes()
    for name in ("America/Vancouver", "Europe/Berlin"):
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        path.write_bytes(tokyo)
    return tmp_path


def test_zone_data__the_systems_files_are_never_read(wrong_system_files: Path) -> None:
    code = """
import zoneinfo
before = zoneinfo.ZoneInfo("America/Vancouver")
from datetime import UTC, datetime
from playbooks.domain.recurrence import next_after, parse_rule, probe_zone_data
probe_zone_data()
rule = parse_rule({"start": "2026-12-01T09:00", "zone": "America/Vancouver"})
local = datetime(2026, 12, 1, 9)
print(local.replace(tzinfo=before).astimezone(UTC).hour)
print(next_after(rule, datetime(2026, 1, 1, tzinfo=UTC)).instant.hour)
print(local.replace(tzinfo=zoneinfo.ZoneInfo("America/Vancouver")).astimezone(UTC).hour)
"""
    assert run_python(code, PYTHONTZPATH=str(wrong_system_files)).split() == ["0", "16", "16"]


def test_the_probe_is_silent_when_all_is_well() -> None:
    probe_zone_data()


def test_the_probe_is_loud_when_something_resets_the_search_path(wrong_system_files: Path) -> None:
    zoneinfo.reset_tzpath((str(wrong_system_files),))
    try:
        with pytest.raises(zone_data.ZoneDataError, match="would read"):
            probe_zone_data()
    finally:
        zoneinfo.reset_tzpath(())


def test_the_probe_is_loud_when_the_package_is_old(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zone_data, "zone_data_version", lambda: "2025b")

    with pytest.raises(zone_data.ZoneDataError, match="2025b is too old"):
        probe_zone_data()


def test_the_probe_is_loud_when_a_known_value_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zone_data, "load_zone", lambda _: package_zones.zone("Asia/Tokyo"))

    with pytest.raises(zone_data.ZoneDataError, match="came out as 00:00Z, not 16:00Z"):
        probe_zone_data()


def test_the_version_is_the_packages() -> None:
    assert zone_data_version() == zone_data.importlib.import_module("tzdata").IANA_VERSION
    assert zone_data_version() >= "2026f"


def test_every_zone_of_the_package_gives_an_occurrence_a_day() -> None:
    for name in package_zones.names():
        if "/" in name:
            rule = parse_rule({"start": "2026-03-02T09:00", "zone": name, "unit": "days"})
            asked = datetime(2026, 3, 10, tzinfo=UTC)
            found = next_after(rule, asked)
            assert found is not None
            assert found.instant - asked <= timedelta(days=1), name
            assert found.instant.astimezone(package_zones.zone(name)).hour == 9, name


def test_clock_changes_lie_days_apart_so_one_look_up_a_day_finds_them_all() -> None:
    for name in package_zones.names():
        listed = package_zones.changes(name)
        apart = [later.at - earlier.at for earlier, later in itertools.pairwise(listed)]
        assert all(seconds > 4 * 86_400 for seconds in apart), name


def test_no_change_moves_the_clocks_by_more_than_a_day() -> None:
    """Less than the 32 hours left around a calm day; and no two offsets of a zone are two days apart."""
    for name in package_zones.names():
        listed = package_zones.changes(name)
        assert all(abs(change.after - change.before) <= 86_400 for change in listed), name
        offsets = [offset for change in listed for offset in change[1:]]
        assert not offsets or max(offsets) - min(offsets) < 1.5 * 86_400, name


def test_no_day_near_a_change_is_calm() -> None:
    for name in package_zones.names():
        calm = CalmDays(package_zones.zone(name))
        for change in package_zones.changes(name):
            if change.at > -60 * 365 * 86_400:
                for clock in (0, change.before, change.after):
                    shown = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=change.at + clock)
                    near = {(shown + timedelta(hours=hours)).toordinal() for hours in (-32, -24, 0, 24, 32)}
                    assert all(calm[day] is None for day in near), (name, shown)


def test_a_calm_stretch_has_one_offset_and_holds_the_day_asked_for() -> None:
    for name in ("America/New_York", "Pacific/Apia", "Africa/Casablanca", "Asia/Seoul"):
        zone = package_zones.zone(name)
        calm = CalmDays(zone)
        for day in range(datetime(2011, 1, 1, tzinfo=UTC).toordinal(), datetime(2013, 1, 1, tzinfo=UTC).toordinal(), 7):
            stretch = calm[day]
            if stretch is not None:
                assert stretch.first <= day <= stretch.last
                days = range(stretch.first - 2, stretch.last + 4)
                assert {zone.utcoffset(datetime.fromordinal(each)) for each in days} == {stretch.offset}


def test_most_days_are_calm() -> None:
    calm = CalmDays(package_zones.zone("America/New_York"))
    year = range(datetime(2026, 1, 1, tzinfo=UTC).toordinal(), datetime(2027, 1, 1, tzinfo=UTC).toordinal())

    assert sum(calm[day] is None for day in year) == 2 * 5


def test_the_days_kept_of_a_zone_do_not_grow_without_bound() -> None:
    calm = CalmDays(package_zones.zone("UTC"))
    for day in range(700_000, 725_000):
        stretch = calm[day]
        assert stretch is not None
        assert stretch.offset == timedelta(0)
        assert len(calm) <= 20_000


def test_the_scheduler_loads_nothing_heavy_for_its_rules() -> None:
    loaded = run_python("import playbooks.domain.schedule, sys; print(*sys.modules)").split()

    heavy = {
        "pydantic",
        "anthropic",
        "sqlglot",
        "pg8000",
        "sqlalchemy",
        "boto3",
        "json",
        "difflib",
        "logging",
        "asyncio",
    }
    assert not heavy & {name.partition(".")[0] for name in loaded}
