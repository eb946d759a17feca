"""Rows a CPU second and peak memory from a real server's cursor into a dataset's file.

    python -m tests.bench.sql_dataset [--rows 1000000]

Starts a PostgreSQL of its own in a temporary folder. Fails when the process ever used more than 200 MB.
"""

import argparse
import resource
import sys
import tempfile
import time
from pathlib import Path

from playbooks.adapters.postgres import PostgresDatabases
from playbooks.domain.dataset import decode, encode
from playbooks.domain.dataset_summary import DatasetSummarizer
from playbooks.ports.databases import Caps
from playbooks_local import postgres

CEILING_MB = 200
SQL = """
SELECT g AS id, 'customer ' || g AS name, (g % 1000) * 1.25 AS amount, (g % 3 = 0) AS open,
       TIMESTAMPTZ '2026-01-01' + g * INTERVAL '1 s' AS at, CASE WHEN g % 7 = 0 THEN NULL ELSE g % 50 END AS score
  FROM generate_series(1, {rows}) g
"""


def peak_mb() -> float:
    """The most memory this process has held, in MB (ru_maxrss is in KiB on Linux)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def main() -> int:
    """Write one dataset and read it back."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    rows = parser.parse_args().rows
    with tempfile.TemporaryDirectory() as folder, postgres.start(Path(folder) / "server") as server:
        file = Path(folder) / "dataset.jsonl"
        idle = peak_mb()
        started = time.process_time()
        caps = Caps(rows=rows, bytes=10**10, seconds=300)
        with PostgresDatabases().session(server.target("postgres"), caps) as session, file.open("wb") as out:
            result = session.query(SQL.format(rows=rows))
            summarizer = DatasetSummarizer(result.columns)
            for chunk in encode(result.columns, summarizer.watch(result.rows)):
                out.write(chunk)
        written = time.process_time() - started
        started = time.process_time()
        with file.open("rb") as source:
            _, back = decode(iter(lambda: source.read(1 << 16), b""))
            count = sum(1 for _ in back)
        read = time.process_time() - started
        size = file.stat().st_size
    peak = peak_mb()
    print(
        f"{count:,} rows, {size / 1e6:,.1f} MB: written in {written:.1f} CPU s ({count / written:,.0f} rows/s), ",
        end="",
    )
    print(f"read in {read:.1f} CPU s ({count / read:,.0f} rows/s), peak {peak:.0f} MB (idle {idle:.0f} MB)")
    return 0 if count == rows and peak < CEILING_MB else 1


if __name__ == "__main__":
    sys.exit(main())
