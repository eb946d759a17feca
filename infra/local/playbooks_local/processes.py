"""Processes of the local stack: started in a group of their own, ended as a whole, recognised after a restart."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class ProcessId:
    """A process by number and start time, so that a number used again is never taken for it."""

    pid: int
    started: str


def identify(pid: int) -> ProcessId | None:
    """The process with this number as it runs now; None when there is none, or only its remains (a zombie)."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return None if fields[0] in {"Z", "X"} else ProcessId(pid, fields[19])
    except (OSError, IndexError):
        pass
    if Path("/proc/self/stat").exists():
        return None
    found = subprocess.run(
        ["ps", "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, text=True, check=False
    ).stdout.split()
    return ProcessId(pid, " ".join(found[1:])) if found and not found[0].startswith("Z") else None


def is_alive(process: ProcessId) -> bool:
    """Whether exactly this process still runs."""
    return identify(process.pid) == process


def start(
    command: Sequence[str | Path],
    *,
    environment: Mapping[str, str],
    log: Path,
    folder: Path,
) -> "subprocess.Popen[bytes]":
    """Start a program as the leader of a new session, with exactly this environment, its output in `log`."""
    with log.open("ab") as output:
        return subprocess.Popen(
            [str(part) for part in command],
            env=dict(environment),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def end_group(leader: ProcessId, *, patience: float = 5.0) -> None:
    """End a process that `start` began, and all it started: SIGTERM, then SIGKILL to what is left of the group.

    The group is ended even when its leader is gone: a busy worker outlives its parent. A group number is not
    given to another process while a member lives, and when the leader's number runs again as something else,
    nothing is touched.
    """
    current = identify(leader.pid)
    if current is not None and current != leader:
        return
    for sent, wait in ((signal.SIGTERM, patience), (signal.SIGKILL, 2.0)):
        try:
            os.killpg(leader.pid, sent)
        except (ProcessLookupError, PermissionError):
            return
        deadline = time.monotonic() + wait
        while time.monotonic() < deadline:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(leader.pid, os.WNOHANG)
            if not _group_lives(leader.pid):
                return
            time.sleep(0.02)


def _group_lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True
