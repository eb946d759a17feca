"""Days and wall-clock times in the zone of the person who asks."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from playbooks.query_spec.instants import FIRST_INSTANT, LAST_INSTANT, parse_span, to_text


@pytest.mark.parametrize(
    ("day", "zone", "first", "after"),
    [
        ("2026-03-07", "Asia/Seoul", "2026-03-06T15:00:00.000000Z", "2026-03-07T15:00:00.000000Z"),
        ("2026-03-08", "America/New_York", "2026-03-08T05:00:00.000000Z", "2026-03-09T04:00:00.000000Z"),  # 23 hours
        ("2026-11-01", "America/New_York", "2026-11-01T04:00:00.000000Z", "2026-11-02T05:00:00.000000Z"),  # 25 hours
        # Midnight does not exist on 16 October 2011 in São Paulo: the day begins at 01:00 local time.
        ("2011-10-16", "America/Sao_Paulo", "2011-10-16T03:00:00.000000Z", "2011-10-17T02:00:00.000000Z"),
        # 00:00 to 01:00 happens twice on 1 November 2020 in Havana: the day begins at the first pass.
        ("2020-11-01", "America/Havana", "2020-11-01T04:00:00.000000Z", "2020-11-02T05:00:00.000000Z"),
        # 30 December 2011 does not exist in Apia.
        ("2011-12-30", "Pacific/Apia", "2011-12-30T10:00:00.000000Z", "2011-12-30T10:00:00.000000Z"),
    ],
)
def test_a_day_is_the_half_open_day_of_the_zone(day, zone, first, after):
    span = parse_span(day, ZoneInfo(zone))
    assert (to_text(span.first), to_text(span.after)) == (first, after)


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-03-08T00:00:00", "2026-03-07T15:00:00.000000Z"),
        ("2026-03-08 00:00", "2026-03-07T15:00:00.000000Z"),
        ("2026-03-08T00:00:00Z", "2026-03-08T00:00:00.000000Z"),
        ("2026-03-08T00:00:00-05:30", "2026-03-08T05:30:00.000000Z"),
        ("2026-03-08T00:00:00.5+0000", "2026-03-08T00:00:00.500000Z"),
    ],
)
def test_a_time_without_an_offset_is_the_wall_clock_of_the_zone(text, instant):
    span = parse_span(text, ZoneInfo("Asia/Seoul"))
    assert (to_text(span.first), span.after) == (instant, None)


def test_what_falls_off_the_calendar_is_held_at_its_edge():
    seoul, honolulu = ZoneInfo("Asia/Seoul"), ZoneInfo("Pacific/Honolulu")
    assert parse_span("0001-01-01", seoul).first == FIRST_INSTANT
    assert parse_span("9999-12-31", honolulu).after == LAST_INSTANT
    assert parse_span("9999-12-31T23:59:59", honolulu).first == LAST_INSTANT
    assert to_text(datetime(1, 1, 1, tzinfo=UTC)) == "0001-01-01T00:00:00.000000Z"
