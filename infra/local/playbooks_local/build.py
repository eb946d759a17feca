"""The layers, built from their lock for the Python of this machine: the functions run there as they do on Lambda.

Each build stands in a folder named by the hash of what decides it, so it is made once; it is made beside and
renamed, so an interrupted build leaves nothing that looks whole.
"""

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from playbooks.errors import PlaybooksError
from playbooks_local.paths import BUILD, LAYERS, emulator_python
from playbooks_local.problems import BuildFailed, NotSetUp

PACKAGE_LAYER = "playbooks"
LOCKED_LAYERS = ("runtime", "engine")


def build_layers(folder: Path = BUILD, *, report: Callable[[str], object] = lambda _line: None) -> Mapping[str, Path]:
    """Build what is not built yet; returns each layer's folder, which holds `python/`.

    The layer of our own package is the folder in the checkout: a change of code needs no build. `report` is told of
    each layer that is built, and of none that stands already. Raises NotSetUp, BuildFailed.
    """
    return {
        PACKAGE_LAYER: LAYERS / PACKAGE_LAYER,
        **{name: _build_locked(name, folder / "layers", report) for name in LOCKED_LAYERS},
    }


def copy_package_layer(target: Path) -> Path:
    """Copy our own package as `sam build` ships it (no bytecode) into `target/python`; returns `target`."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(LAYERS / PACKAGE_LAYER / "python", target / "python", ignore=shutil.ignore_patterns("__pycache__"))
    return target


def _build_locked(name: str, folder: Path, report: Callable[[str], object]) -> Path:
    lock = LAYERS / name / "requirements.txt"
    python = emulator_python()
    target = folder / f"{name}-{_fingerprint(lock, python)}"
    if target.exists():
        return target
    report(f"building the functions' layer {name} for this machine's Python (once; seconds with uv, a minute with pip)")
    folder.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=folder))
    try:
        _install(lock, python, beside / "python")
        shutil.rmtree(beside / "python" / "bin", ignore_errors=True)
        # When another build was faster its folder stands, and this one is dropped: they are the same.
        with contextlib.suppress(OSError):
            beside.rename(target)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    if not target.exists():
        raise BuildFailed(f"layer {name} could not be put in place: is {folder} writable?")
    return target


def _fingerprint(lock: Path, python: Path) -> str:
    if not python.exists():
        raise NotSetUp("the emulator's environment is missing: run `make setup`.")
    version = subprocess.run(
        [python, "-I", "-c", "import sys, sysconfig; print(sys.version, sysconfig.get_platform())"],
        capture_output=True,
        check=True,
    ).stdout
    return hashlib.sha256(version + lock.read_bytes()).hexdigest()[:16]


def _install(lock: Path, python: Path, target: Path) -> None:
    options = ["--quiet", "--no-deps", "--require-hashes", "--target", str(target), "-r", str(lock)]
    attempts: list[list[str | Path]] = []
    if uv := shutil.which("uv"):
        attempts.append([uv, "pip", "install", "--python", python, "--compile-bytecode", *options])
    attempts.append([sys.executable, "-m", "pip", "--python", python, "install", *options])
    environment = {**os.environ, "UV_PYTHON_DOWNLOADS": "never", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    for command in attempts:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return
        # uv does not read pip's configuration: where only pip knows the package index, pip does it.
        shutil.rmtree(target, ignore_errors=True)
    reason = next((line for line in reversed(done.stderr.splitlines()) if line.strip()), "no reason given")
    raise BuildFailed(f"layer {lock.parent.name} could not be built: {reason.strip()}")


def main() -> int:
    """Build what is missing, so that the first start need not; 1 with a line on stderr when it cannot be built."""
    try:
        build_layers(report=lambda line: print(f"setup: {line}", flush=True))
    except PlaybooksError as error:
        print(f"setup: {error.message}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
