"""Make `.venv`, the emulator's own environment `.emu` and the functions' layers, with what every machine has.

`--bench` makes `.bench` instead, where the benchmarks' peers are.

Run by any Python from 3.11 on, standard library only. uv is used where it is there; plain pip suffices. An environment
counts as ready by a stamp that is written last, so an interrupted set-up begins again the next time.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV, EMU, BENCH = ROOT / ".venv", ROOT / ".emu", ROOT / ".bench"
LOCK, EMU_LOCK = ROOT / "tests/requirements.txt", ROOT / "infra/local/emulator/requirements.txt"
BENCH_LOCK = ROOT / "tests/bench/requirements.txt"
STAMP = "playbooks-lock"


class SetupError(Exception):
    """Something a person can mend; the message says what."""


def main() -> int:
    """Set up what is missing or out of date; 0 when environments and layers are ready."""
    if sys.version_info < (3, 11):  # noqa: UP036 - this file may be run by the Python that is too old
        version = ".".join(map(str, sys.version_info[:2]))
        print(
            f"setup: this is Python {version}; 3.11 or newer is needed: make PYTHON=python3.12 setup", file=sys.stderr
        )
        return 1
    try:
        if sys.argv[1:] == ["--bench"]:
            if not ready(BENCH, BENCH_LOCK):
                make_project_environment(BENCH, BENCH_LOCK)
            return 0
        if not ready(VENV, LOCK):
            make_project_environment(VENV, LOCK)
        if not ready(EMU, EMU_LOCK):
            make_emulator_environment()
        build_layers()
    except SetupError as error:
        print(f"setup: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("setup: interrupted; run it again, it begins where it is safe to.", file=sys.stderr)
        return 130
    return 0


def fingerprint(lock: Path) -> str:
    """What an environment was made from: its lock, the interpreter, and how the project is installed into it."""
    installed = b"" if lock == EMU_LOCK else editable_install((ROOT / "pyproject.toml").read_text())
    return hashlib.sha256(lock.read_bytes() + installed + sys.version.encode()).hexdigest()


def editable_install(pyproject: str) -> bytes:
    """The part of pyproject.toml that decides the editable install; the rest, such as a linter's setting, does not."""
    read = tomllib.loads(pyproject)
    project = {key: read["project"].get(key) for key in ("name", "version", "scripts", "entry-points", "dependencies")}
    deciding = {"build": read["build-system"], "project": project, "hatch": read.get("tool", {}).get("hatch")}
    return json.dumps(deciding, sort_keys=True).encode()


def ready(environment: Path, lock: Path) -> bool:
    """Whether the environment is complete and of this lock."""
    stamp = environment / STAMP
    return stamp.is_file() and stamp.read_text() == fingerprint(lock) and (environment / "bin/python").exists()


def make_project_environment(environment: Path, lock: Path) -> None:
    """The locked packages and this project, editable."""
    say(f"making {environment.name} from {lock.relative_to(ROOT)} (about half a minute)")
    fresh(environment, with_pip=True)
    install(environment, lock)
    python = str(environment / "bin/python")
    words = ["install", "--quiet", "--no-deps", "--no-build-isolation", "--disable-pip-version-check"]
    run([python, "-m", "pip", *words, "--editable", str(ROOT)], "pip")
    (environment / STAMP).write_text(fingerprint(lock))


def make_emulator_environment() -> None:
    """`.emu`: the emulator, which pins an older botocore than ours."""
    say("making .emu from infra/local/emulator/requirements.txt")
    fresh(EMU, with_pip=False)
    install(EMU, EMU_LOCK)
    (EMU / STAMP).write_text(fingerprint(EMU_LOCK))


def fresh(environment: Path, *, with_pip: bool) -> None:
    """An empty environment in place of whatever an interrupted set-up left there."""
    if not os.access(environment.parent, os.W_OK):
        raise SetupError(f"{environment.parent} cannot be written: use a checkout in a folder of your own.")
    shutil.rmtree(environment, ignore_errors=True)
    run([sys.executable, "-m", "venv", *([] if with_pip else ["--without-pip"]), str(environment)], "venv")


def build_layers() -> None:
    """What the functions import, by the project's own build; it tells of each layer that is not there yet."""
    command = [str(VENV / "bin/python"), "-m", "playbooks_local.build"]
    if subprocess.run(command, env=variables(), check=False).returncode != 0:  # noqa: S603 - our own words
        raise SetupError("the functions' layers are not built (see above).")


def install(environment: Path, lock: Path) -> None:
    """The lock's packages, by uv where it is there, else by pip, never one without its hash."""
    if uv := shutil.which("uv"):
        python = str(environment / "bin/python")
        run(
            [uv, "pip", "install", "--quiet", "--python", python, "--no-deps", "--require-hashes", "-r", str(lock)],
            "uv",
        )
    else:
        pip(environment, "install", "--quiet", "--no-compile", "--no-deps", "--require-hashes", "-r", str(lock))


def pip(environment: Path, *arguments: str) -> None:
    """The environment's own pip; the emulator's has none, so the project's works on it."""
    command = [str(environment / "bin/python"), "-m", "pip"]
    if environment == EMU:
        command = [str(VENV / "bin/python"), "-m", "pip", "--python", str(environment / "bin/python")]
    run([*command, "--disable-pip-version-check", *arguments], "pip")


def run(command: list[str], name: str) -> None:
    """A command whose words are shown only when it fails."""
    done = subprocess.run(command, capture_output=True, text=True, env=variables(), check=False)  # noqa: S603 - our own words
    if done.returncode == 0:
        return
    words = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    hint = {
        "venv": "Is the venv module there (Debian: apt-get install python3-venv), and may this folder be written?",
        "pip": "Can the package index be reached from here?",
        "uv": "Can the package index be reached from here?",
    }[name]
    last = "\n  ".join(words[-6:])
    raise SetupError(f"{name} failed. {hint}\n  {last}")


def variables() -> dict[str, str]:
    """The environment of what is called: a virtual environment of the caller's must not become ours."""
    kept = {key: value for key, value in os.environ.items() if key not in {"VIRTUAL_ENV", "PYTHONHOME"}}
    # A cache folder that pip does not own makes it warn at every call.
    return {**kept, "PIP_ROOT_USER_ACTION": "ignore"}


def say(text: str) -> None:
    """A line of progress."""
    print(f"setup: {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
