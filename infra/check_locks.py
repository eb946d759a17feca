"""Say which lock does not satisfy pyproject.toml any more: each is compiled again with its own pins preferred."""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCKS = {
    "runtime": "layers/runtime/requirements.txt",
    "engine": "layers/engine/requirements.txt",
    "local": "infra/local/requirements.txt",
    "emulator": "infra/local/emulator/requirements.txt",
    "dev": "tests/requirements.txt",
    "bench": "tests/bench/requirements.txt",
}


def main() -> int:
    """0 when every lock is as `make lock` would leave it."""
    stale = [lock for group, lock in LOCKS.items() if compiled(group, ROOT / lock) != (ROOT / lock).read_text()]
    for lock in stale:
        print(f"{lock} differs from pyproject.toml: run 'make lock' and commit it.")
    return 1 if stale else 0


def compiled(group: str, lock: Path) -> str:
    """The lock anew, keeping the versions it has where they still fit."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "requirements.txt"
        output.write_text(lock.read_text())
        command = [str(Path(sys.executable).parent / "uv"), "pip", "compile", "--quiet", "--universal"]
        command += ["--generate-hashes", "--no-emit-index-url", "--no-header", "--python-version", "3.11"]
        command += ["--group", group, "--output-file", str(output), "pyproject.toml"]
        subprocess.run(command, cwd=ROOT, check=True)  # noqa: S603 - our own words
        return output.read_text()


if __name__ == "__main__":
    sys.exit(main())
