"""The folder that one running stack owns: its lock, the processes it started, and where others find it.

The lock is the operating system's (`flock`): it falls with the process that holds it, however that ends, so a
second start knows whether an older stack lives. What a killed one left running is listed in `stack.json`.
"""

import contextlib
import fcntl
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from playbooks_local import processes
from playbooks_local.problems import AlreadyRunning, NoPermission


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A stack as another process of this machine finds it; holds the emulated account's keys."""

    pid: int
    endpoints: Mapping[str, str]
    outputs: Mapping[str, str]
    credentials: Mapping[str, str]


class StateFolder:
    """A context manager: owns `folder` from entry to exit.

    On entry it ends what an older, killed stack left running. What is below it belongs to the stack and may be
    removed, so a folder with other things in it is refused. Raises AlreadyRunning while an older stack lives,
    NoPermission when the folder cannot be written or is not one of ours.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock: IO[str] | None = None
        self._processes: list[processes.ProcessId] = []
        self._public: dict[str, Any] = {}

    def __enter__(self) -> Self:
        try:
            # Passable for others: as root, PostgreSQL may run as another user below it. What is secret is mode 600.
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o711)
            if not (self.folder / "lock").exists() and any(self.folder.iterdir()):
                raise NoPermission(self.folder, "it holds other things, and a state folder is emptied")
            lock = (self.folder / "lock").open("a+", encoding="utf-8")
        except OSError as error:
            raise NoPermission(self.folder, error.strerror or str(error)) from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            lock.seek(0)
            owner = lock.read().strip() or "unknown"
            lock.close()
            raise AlreadyRunning(
                f"a local stack runs already (process {owner}): end it there with Ctrl-C, or use another folder "
                "with --state."
            ) from error
        self._lock = lock
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        self._end_leftovers()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(OSError):
            self._file.unlink()
        if self._lock is not None:
            self._lock.truncate(0)
            self._lock.close()
            self._lock = None

    def keep_process(self, process: processes.ProcessId | None) -> None:
        """Remember a process group, so that a start after a kill can end it."""
        if process is not None:
            self._processes.append(process)
            self._write()

    def publish(self, running: Running) -> None:
        """Let other processes of this user find the stack."""
        self._public = asdict(running)
        self._write()

    @property
    def _file(self) -> Path:
        return self.folder / "stack.json"

    def _write(self) -> None:
        content = {"processes": [asdict(process) for process in self._processes], "running": self._public}
        beside = self._file.with_suffix(".new")
        beside.touch(mode=0o600)
        beside.write_text(json.dumps(content, indent=1), encoding="utf-8")
        beside.replace(self._file)

    def _end_leftovers(self) -> None:
        try:
            left = json.loads(self._file.read_text(encoding="utf-8"))["processes"]
        except (OSError, ValueError, KeyError):
            return
        for process in left:
            processes.end_group(processes.ProcessId(process["pid"], process["started"]))
        self._file.unlink(missing_ok=True)


def find_running(folder: Path) -> Running | None:
    """The stack that owns `folder` now, for commands in another process; None when there is none."""
    try:
        running = json.loads((folder / "stack.json").read_text(encoding="utf-8"))["running"]
        with (folder / "lock").open(encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return Running(**running) if running else None
    except (OSError, ValueError, KeyError):
        return None
    return None
