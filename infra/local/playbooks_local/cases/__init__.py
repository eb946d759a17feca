"""Case files: data that says what the product must answer, run by the command and by the tests alike.

A kind is a module of this package with `check(path) -> Iterator[CaseResult]`. Adding a case needs no Python.
"""

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

KINDS = ("schedule", "sql_guard", "placeholders", "query_spec", "conversations")


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case by its id; `difference` says in a sentence what differs, or is None when all is as expected.

    `known` marks a difference that is accepted and written down: it is shown and not counted as good, but fails
    nothing.
    """

    id: str
    difference: str | None = None
    known: bool = False


def checker(kind: str) -> Callable[[Path], Iterator[CaseResult]]:
    """The function that runs a file (or folder) of one kind; raises ModuleNotFoundError for an unknown kind."""
    module = importlib.import_module(f"{__name__}.{kind}")
    check: Callable[[Path], Iterator[CaseResult]] = module.check
    return check
