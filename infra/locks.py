"""The locks: hashed requirements files without any address, compiled from pyproject.toml's groups by uv.

`python infra/locks.py` writes them, `--check` says which no longer fit. The development lock is compiled first and
constrains the others, so that what a function runs with is what the tests ran with. Versions stay as they are where
they still fit; `--upgrade` takes the newest.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CONSTRAINT = "tests/requirements.txt"
LOCKS = {
    "dev": CONSTRAINT,
    "runtime": "layers/runtime/requirements.txt",
    "engine": "layers/engine/requirements.txt",
    "local": "infra/local/requirements.txt",
    "bench": "tests/bench/requirements.txt",
    "emulator": "infra/local/emulator/requirements.txt",
}
"""The lock of each group; the emulator's own environment goes unconstrained, since it pins an older botocore."""


def main() -> int:
    """0 when every lock is as it should be, or was written."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only say which locks differ")
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        shutil.copy(ROOT / "pyproject.toml", work)
        for group, lock in LOCKS.items():
            compile_lock(work, group, lock, upgrade=arguments.upgrade)
        stale = [lock for lock in LOCKS.values() if (work / lock).read_text() != read(ROOT / lock)]
        if not arguments.check:
            for lock in stale:
                shutil.copy(work / lock, ROOT / lock)
                print(f"{lock} written")
            return 0
    for lock in stale:
        print(f"{lock} differs from pyproject.toml: run 'make lock' and commit it.")
    return 1 if stale else 0


def compile_lock(work: Path, group: str, lock: str, *, upgrade: bool) -> None:
    """One lock in the work folder, beginning with the versions it has."""
    output = work / lock
    output.parent.mkdir(parents=True, exist_ok=True)
    if not upgrade and (text := read(ROOT / lock)):
        output.write_text(text)
    command = [uv(), "pip", "compile", "--quiet", "--universal", "--generate-hashes", "--no-emit-index-url"]
    command += ["--no-header", "--python-version", "3.11", "--group", group, "--output-file", lock, "pyproject.toml"]
    if group not in {"dev", "emulator"}:
        command += ["--constraint", CONSTRAINT]
    subprocess.run(command, cwd=work, check=True)  # noqa: S603 - our own words


def uv() -> str:
    """uv beside this Python, or on the path."""
    beside = Path(sys.executable).parent / "uv"
    return str(beside) if beside.exists() else "uv"


def read(path: Path) -> str:
    """The file's text; empty when it is not there."""
    return path.read_text() if path.exists() else ""


if __name__ == "__main__":
    sys.exit(main())
