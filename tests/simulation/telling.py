"""Tell many seeds, in several processes; only the broken ones come back."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from multiprocessing import get_context

from tests.simulation.guards import GUARDS
from tests.simulation.story import Story

CHUNK = 25


def tell(seed: int, *, without: str | None = None) -> str | None:
    """What a seed breaks, or None."""
    with GUARDS[without]() if without else nullcontext():
        return Story(seed).tell()


def tell_many(seeds: Sequence[int], *, without: str | None = None, processes: int = 1) -> Iterator[tuple[int, str]]:
    """The broken seeds with what they break, in order."""
    chunks = [seeds[start : start + CHUNK] for start in range(0, len(seeds), CHUNK)]
    if processes == 1:
        for chunk in chunks:
            yield from _tell_chunk(chunk, without)
        return
    with ProcessPoolExecutor(processes, mp_context=get_context("fork")) as pool:
        for found in pool.map(_tell_chunk, chunks, [without] * len(chunks)):
            yield from found


def _tell_chunk(seeds: Sequence[int], without: str | None) -> list[tuple[int, str]]:
    told = ((seed, tell(seed, without=without)) for seed in seeds)
    return [(seed, what) for seed, what in told if what is not None]
