"""How fast the next occurrence is found, beside the libraries people use for it.

    python -m tests.bench.next_occurrence [--write]

Every contender gets an aware UTC datetime and gives one back, for the same rules and the same instants, in one run:
round after round each takes its turn, so that a busy machine is busy for all of them. Times are CPU time of this
process; the median round counts. Answers are compared with ours first, and a contender that differs is named.
`--write` puts the table and the picture into infra/bench.
"""

import argparse
import platform
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from zoneinfo import ZoneInfo

import whenever
from apscheduler.triggers.cron import CronTrigger
from croniter import croniter
from cronsim import CronSim
from dateutil import rrule

from playbooks.domain.recurrence import Rule, next_after, parse_rule, zone_data_version

ZONE = "America/New_York"
CLOCK = ZoneInfo(ZONE)
START = datetime.fromisoformat("2021-01-04T09:00")
FIRST = datetime(2026, 1, 1, 0, 7, 30, tzinfo=UTC)
INSTANTS = tuple(FIRST + number * timedelta(hours=17, minutes=11, seconds=1) for number in range(1000))
"""Two years of instants at all times of day, none of them an occurrence, clock changes included."""

ROUNDS = 15
ROUND_SECONDS = 0.012
OURS = "playbooks"
GOALS = {
    ("daily", "APScheduler"): 8.0,
    ("weekly", "APScheduler"): 8.0,
    ("monthly", "APScheduler"): 5.0,
    ("daily", "whenever"): 1.0,
}
SLOW_PATH_GOAL = 5_000
WRITE_TO = Path(__file__).parents[2] / "infra" / "bench"

NextOf = Callable[[datetime], datetime]


@dataclass
class Contender:
    """One library's way to the next occurrence; `rates` are calls per CPU second, a round each."""

    name: str
    next_of: NextOf
    rates: list[float] = field(default_factory=list)
    differs: int = 0

    @property
    def rate(self) -> float:
        """Calls per CPU second in the median round."""
        return statistics.median(self.rates)


RULES = {
    "daily": {"unit": "days"},
    "weekly": {"unit": "weeks", "weekdays": ["mon"]},
    "monthly": {"unit": "months"},
}
CRON = {"daily": "0 9 * * *", "weekly": "0 9 * * 1", "monthly": "0 9 4 * *"}


def contenders(kind: str) -> list[Contender]:
    """Everyone's answer to one of the rules, set up as its documentation has it; ours first."""
    return [
        Contender(OURS, _ours(parse_rule({"start": f"{START:%Y-%m-%dT%H:%M}", "zone": ZONE, **RULES[kind]}))),
        Contender("whenever", _whenever(kind)),
        Contender("APScheduler", _apscheduler(kind)),
        Contender("cronsim", _cronsim(CRON[kind])),
        Contender("croniter", _croniter(CRON[kind])),
        Contender("dateutil rrule", _rrule(kind)),
    ]


def _ours(rule: Rule) -> NextOf:
    def next_of(instant: datetime) -> datetime:
        return next_after(rule, instant).instant

    return next_of


def _apscheduler(kind: str) -> NextOf:
    when = {"daily": {}, "weekly": {"day_of_week": "mon"}, "monthly": {"day": 4}}[kind]
    trigger = CronTrigger(hour=9, minute=0, timezone=CLOCK, **when)

    def next_of(instant: datetime) -> datetime:
        return trigger.get_next_fire_time(None, instant)

    return next_of


def _croniter(expression: str) -> NextOf:
    iterator = croniter(expression, FIRST.astimezone(CLOCK), ret_type=datetime)

    def next_of(instant: datetime) -> datetime:
        return iterator.get_next(datetime, start_time=instant.astimezone(CLOCK))

    return next_of


def _cronsim(expression: str) -> NextOf:
    def next_of(instant: datetime) -> datetime:
        return next(CronSim(expression, instant.astimezone(CLOCK)))

    return next_of


def _rrule(kind: str) -> NextOf:
    repeats = {
        "daily": rrule.rrule(rrule.DAILY, dtstart=START),
        "weekly": rrule.rrule(rrule.WEEKLY, dtstart=START, byweekday=rrule.MO),
        "monthly": rrule.rrule(rrule.MONTHLY, dtstart=START),
    }[kind]

    def next_of(instant: datetime) -> datetime:
        return repeats.after(instant.astimezone(CLOCK).replace(tzinfo=None)).replace(tzinfo=CLOCK).astimezone(UTC)

    return next_of


def _whenever(kind: str) -> NextOf:
    nine = whenever.Time(9)

    def daily(instant: datetime) -> datetime:
        now = whenever.Instant(instant).to_tz(ZONE)
        found = now.replace_time(nine, disambiguation="compatible")
        if found <= now:
            found = found.add(days=1, disambiguation="compatible")
        return found.to_instant().to_stdlib()

    def weekly(instant: datetime) -> datetime:
        now = whenever.Instant(instant).to_tz(ZONE)
        days = -now.date().day_of_week().value % 7 + 1 if now.date().day_of_week().value != 1 else 0
        found = now.replace_time(nine, disambiguation="compatible").add(days=days, disambiguation="compatible")
        if found <= now:
            found = found.add(days=7, disambiguation="compatible")
        return found.to_instant().to_stdlib()

    def monthly(instant: datetime) -> datetime:
        now = whenever.Instant(instant).to_tz(ZONE)
        found = now.replace(day=4, hour=9, minute=0, second=0, nanosecond=0, disambiguation="compatible")
        if found <= now:
            found = found.add(months=1, disambiguation="compatible")
        return found.to_instant().to_stdlib()

    return {"daily": daily, "weekly": weekly, "monthly": monthly}[kind]


def measure(field_of: Sequence[Contender]) -> None:
    """Compare everyone's answers with ours, then time them in turns."""
    ours = field_of[0].next_of
    sample = INSTANTS[::5]
    wanted = [ours(instant) for instant in sample]
    turns = {}
    for contender in field_of:
        began = time.process_time()
        found = [contender.next_of(instant) for instant in sample]
        one = (time.process_time() - began) / len(sample)
        contender.differs = sum(a != b for a, b in zip(found, wanted, strict=True))
        turns[contender.name] = max(20, round(ROUND_SECONDS / max(one, 1e-7)))
    for number in range(ROUNDS):
        for contender in field_of:
            calls = turns[contender.name]
            # Short turns start elsewhere each round, so that the slow ones see the same year as the fast ones.
            first = number * len(INSTANTS) // ROUNDS
            instants = [INSTANTS[(first + index) % len(INSTANTS)] for index in range(calls)]
            next_of = contender.next_of
            began = time.process_time()
            for instant in instants:
                next_of(instant)
            contender.rates.append(calls / (time.process_time() - began))


def slow_path() -> dict[str, float]:
    """Calls per CPU second within a day of a clock change, where no shortcut holds."""
    rates = {}
    changes = [datetime(2026, 3, 8, 7, tzinfo=UTC), datetime(2026, 11, 1, 6, tzinfo=UTC)]
    instants = [change + timedelta(minutes=13 * step) for change in changes for step in range(-100, 100)]
    for name, more in {"daily 02:30": {"unit": "days"}, "hourly": {"unit": "hours"}}.items():
        rule = parse_rule({"start": "2021-01-04T02:30", "zone": ZONE, **more})
        rounds = []
        for _ in range(ROUNDS):
            began = time.process_time()
            for instant in instants:
                next_after(rule, instant)
            rounds.append(len(instants) / (time.process_time() - began))
        rates[name] = statistics.median(rounds)
    return rates


def table(results: dict[str, list[Contender]], slow: dict[str, float]) -> str:
    """The result as Markdown."""
    names = [contender.name for contender in results["daily"]]
    lines = [
        "# The next occurrence",
        "",
        "Written by `make bench`: calls per CPU second, an aware datetime in and one out, 09:00 New York from a start",
        "in 2021, asked at two years of instants in order of time. Ours also works out the local time, the offset and",
        "the reason for a move. In brackets: how many times as fast ours is.",
        "",
        "| | daily | weekly (Monday) | monthly (the 4th) |",
        "| --- | ---: | ---: | ---: |",
    ]
    for index, name in enumerate(names):
        cells = []
        for field_of in results.values():
            rate, ours = field_of[index].rate, field_of[0].rate
            differs = f", {field_of[index].differs} answers differ" if field_of[index].differs else ""
            cells.append(f"{rate:,.0f}" + ("" if index == 0 else f" ({ours / rate:.1f}×{differs})"))
        lines.append(f"| {name} | {' | '.join(cells)} |")
    packages = ("APScheduler", "croniter", "cronsim", "python-dateutil", "whenever")
    with_versions = ", ".join(f"{name} {version(name)}" for name in packages)
    lines += ["", "Within a day of a clock change, ours: " + _slow_words(slow) + f" (goal {SLOW_PATH_GOAL:,}).", ""]
    lines += [f"- {words}" for words in _goal_words(results)]
    lines += [
        "",
        f"Python {platform.python_version()} on {platform.machine()}, zone data {zone_data_version()};",
        f"{with_versions}.",
    ]
    return "\n".join(lines) + "\n"


def _slow_words(slow: dict[str, float]) -> str:
    return ", ".join(f"{name} {rate:,.0f} calls per CPU second" for name, rate in slow.items())


def _goal_words(results: dict[str, list[Contender]]) -> list[str]:
    words = []
    for (kind, name), goal in GOALS.items():
        peer = next(contender for contender in results[kind] if contender.name == name)
        ratio = results[kind][0].rate / peer.rate
        words.append(f"{kind}: {ratio:.2g}× {name}, goal {goal:.0f}×: {'met' if ratio >= goal else 'not met'}")
    return words


def picture(results: dict[str, list[Contender]]) -> str:
    """The result as an SVG of bars, one group a rule; the scale is linear."""
    most = max(contender.rate for field_of in results.values() for contender in field_of)
    parts, y = [], 56
    for kind, field_of in results.items():
        parts.append(f'<text x="16" y="{y}" font-weight="600">{kind}</text>')
        y += 12
        for contender in field_of:
            width = max(2.0, contender.rate / most * 460)
            fill = "#2457d6" if contender.name == OURS else "#9aa5b8"
            parts.append(
                f'<text x="136" y="{y + 13}" text-anchor="end">{contender.name}</text>'
                f'<rect x="144" y="{y}" width="{width:.1f}" height="17" rx="2" fill="{fill}"/>'
                f'<text x="{150 + width:.1f}" y="{y + 13}">{contender.rate:,.0f}</text>'
            )
            y += 22
        y += 26
    title = "Next occurrence: calls per CPU second, aware datetime in and out, 09:00 New York"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 700 {y - 16}" role="img" aria-label="{title}" '
        'font-family="system-ui, sans-serif" font-size="12" fill="#1c2430">'
        f'<rect width="700" height="{y - 16}" fill="#ffffff"/><text x="16" y="26" font-size="14">{title}</text>'
        f"{''.join(parts)}</svg>\n"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and write when asked; 1 when a contender's answers differ from ours."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.next_occurrence", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the table and the picture into infra/bench")
    chosen = parser.parse_args(arguments)
    results = {kind: contenders(kind) for kind in RULES}
    for field_of in results.values():
        measure(field_of)
    text = table(results, slow_path())
    print(text)
    if chosen.write:
        WRITE_TO.mkdir(parents=True, exist_ok=True)
        (WRITE_TO / "next_occurrence.md").write_text(text, "utf-8")
        (WRITE_TO / "next_occurrence.svg").write_text(picture(results), "utf-8")
    return 1 if any(contender.differs for field_of in results.values() for contender in field_of) else 0


if __name__ == "__main__":
    sys.exit(main())
