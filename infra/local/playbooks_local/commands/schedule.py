"""`playbooks schedule PHRASE`: what a schedule means and when it runs next."""

import argparse
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from playbooks.domain.recurrence import PREVIEWED, Occurrence, occurrences
from playbooks.domain.recurrence.phrase import parse_phrase
from playbooks.language.schedule_sentences import moved_sentence, rule_sentence, short_weekday

if TYPE_CHECKING:
    from collections.abc import Callable


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What follows the command's name."""
    parser.add_argument("phrase", help='such as "every 2 weeks on Mon, Wed 09:00 Europe/Berlin from 2026-03-02"')
    parser.add_argument(
        "--after", type=_instant, metavar="INSTANT", help="look from here, 2026-03-01T00:00Z; now if left out"
    )
    parser.add_argument("--language", choices=("en", "ko"), default="en")


def run(arguments: argparse.Namespace, write: "Callable[[str], object]" = print) -> int:
    """Print the sentence and the next occurrences; a phrase that is not understood is Refused."""
    rule = parse_phrase(arguments.phrase)
    write(rule_sentence(rule, arguments.language))
    found = occurrences(rule, arguments.after or datetime.now(UTC), PREVIEWED)
    for occurrence in found:
        write(_line(occurrence, arguments.language))
    if not found:
        write("더 이상 실행되지 않습니다." if arguments.language == "ko" else "It is over: it never runs again.")
    return 0


def _line(occurrence: Occurrence, language: str) -> str:
    sign = "-" if occurrence.offset.days < 0 else "+"
    minutes = abs(occurrence.offset).total_seconds() // 60
    offset = f"{sign}{minutes // 60:02.0f}:{minutes % 60:02.0f}"
    shown = f"{occurrence.local:%Y-%m-%d} {short_weekday(occurrence.local, language)} {occurrence.local:%H:%M} {offset}"
    reason = f"  ({moved_sentence(occurrence.moved, language)})" if occurrence.moved else ""
    return f"  {shown}  {occurrence.instant:%Y-%m-%dT%H:%MZ}{reason}"


def _instant(text: str) -> datetime:
    try:
        instant = datetime.fromisoformat(text)
        if instant.tzinfo is not None:
            return instant.astimezone(UTC)
    except (ValueError, OverflowError):  # not a time, or one that is beyond the calendar in UTC
        pass
    raise argparse.ArgumentTypeError(f"{text[:40]!r} is not an instant: write 2026-03-01T00:00Z")
