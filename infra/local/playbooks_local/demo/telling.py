"""How the demo tells what happens: short lines with the time, so that waiting is seen to be waiting."""

import textwrap
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

WIDTH = 100


@dataclass
class Teller:
    """Writes headings, facts and statements."""

    write: Callable[[str], object] = print
    started: float = field(default_factory=time.monotonic)
    _number: int = 0

    def heading(self, text: str) -> None:
        """A numbered part of the story."""
        self._number += 1
        self.write(f"\n{self._number}. {text}  ({time.monotonic() - self.started:.0f} s)")

    def line(self, text: str) -> None:
        """A fact, wrapped."""
        for part in textwrap.wrap(text, WIDTH, initial_indent="   ", subsequent_indent="     ") or [""]:
            self.write(part)

    def detail(self, text: str) -> None:
        """What belongs to the line before it, wrapped further in."""
        for part in textwrap.wrap(text, WIDTH, initial_indent="      ", subsequent_indent="        ") or [""]:
            self.write(part)

    def lines(self, texts: Iterable[str]) -> None:
        """Several facts."""
        for text in texts:
            self.line(text)

    def path(self, path: Path) -> None:
        """A file, whole, so that it can be copied."""
        self.write(f"   {path}")

    def sql(self, statement: str) -> None:
        """A statement as it is, set off."""
        for part in statement.strip().splitlines():
            self.write(f"      | {part}")
