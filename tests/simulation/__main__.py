"""`python -m tests.simulation --seeds 5000 --from 1 [--without GUARD]`: prints each broken seed, and the count."""

import argparse
import sys

from tests.simulation.guards import GUARDS
from tests.simulation.telling import tell_many


def main(arguments: list[str]) -> int:
    """0 when no seed is broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--seeds", type=int, default=1000, help="how many")
    parser.add_argument("--from", type=int, default=1, dest="first", help="the first seed")
    parser.add_argument("--without", choices=sorted(GUARDS), help="take this guard away")
    parser.add_argument("--processes", type=int, default=2)
    chosen = parser.parse_args(arguments)
    broken = 0
    seeds = range(chosen.first, chosen.first + chosen.seeds)
    for seed, what in tell_many(seeds, without=chosen.without, processes=chosen.processes):
        broken += 1
        print(f"seed {seed}: {what}")
    print(f"{chosen.seeds} seeds, {broken} broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
