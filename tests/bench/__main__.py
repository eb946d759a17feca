"""All benchmarks, one after the other, against peers in the same run; figures go to `infra/bench/`.

Speed is reported, never asserted: what differs between machines is the figure, what must hold is the ratio.
"""

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
ARGUMENTS = {"next_occurrence": ["--write"], "prompt_size": ["--write"]}


def main() -> int:
    """1 when a benchmark failed or a peer's answers differ from ours."""
    failed = []
    for file in sorted(FOLDER.glob("*.py")):
        if file.stem.startswith("_") or '__name__ == "__main__"' not in file.read_text(encoding="utf-8"):
            continue
        print(f"\n== {file.stem}", flush=True)
        command = [sys.executable, "-m", f"tests.bench.{file.stem}", *ARGUMENTS.get(file.stem, [])]
        if subprocess.run(command, check=False).returncode != 0:
            failed.append(file.stem)
    if failed:
        print(f"\nfailed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
