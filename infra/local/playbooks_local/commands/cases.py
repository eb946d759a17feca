"""`playbooks cases KIND PATH`: run a case file and name each case that differs."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from playbooks_local import cases

if TYPE_CHECKING:
    from collections.abc import Callable


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What follows the command's name."""
    parser.add_argument("kind", choices=cases.KINDS)
    parser.add_argument("path", type=Path, help="a case file, or a folder for conversations")


def run(arguments: argparse.Namespace, write: "Callable[[str], object]" = print) -> int:
    """Print what differs and `N of M` last; 0 when nothing differs but what is known to, else 1."""
    if not arguments.path.exists():
        write(f"{arguments.path} does not exist: give the path of a case file.")
        return 2
    results = list(cases.checker(arguments.kind)(arguments.path))
    for result in results:
        if result.difference is not None:
            write(f"{'known: ' if result.known else ''}{result.id}: {result.difference}")
    good = sum(result.difference is None for result in results)
    known = sum(result.known for result in results)
    write(f"{good} of {len(results)}{f' ({known} known to differ)' if known else ''}")
    return 0 if results and good + known == len(results) else 1
