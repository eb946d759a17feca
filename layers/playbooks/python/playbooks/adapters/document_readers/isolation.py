"""A parser in a process of its own: what goes wrong in it ends there."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

from playbooks.ports.document_readers import (
    DocumentText,
    DocumentUnreadable,
    Part,
    PartKind,
    ReadingLimits,
    ReadingProblem,
)

_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from playbooks.adapters.document_readers.parsing import main; main(sys.argv[2:])"
)


def read_isolated(kind: str, path: Path, limits: ReadingLimits) -> DocumentText:
    """Parse in a child that has neither this process's environment nor more memory and time than `limits` allow."""
    answer = path.with_name("text.jsonl")
    command = [sys.executable, "-I", "-S", "-B", "-c", _START, json.dumps([part for part in sys.path if part])]
    command += [kind, str(path), str(answer), json.dumps(asdict(limits))]
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter and our own words
            command,
            env={"PATH": os.defpath, "PYTHONTZPATH": ""},
            cwd=path.parent,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=limits.seconds * 2 + 10,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _costly("time") from None
    if done.returncode == -signal.SIGXCPU:
        raise _costly("time")
    try:
        return _text(kind, answer)
    except (OSError, ValueError, KeyError, TypeError) as error:
        if done.returncode in {-signal.SIGKILL, -signal.SIGXFSZ}:
            raise _costly("memory") from error
        raise DocumentUnreadable(
            f"The file could not be read as {kind}: open it, and save it as .{kind} again.", ReadingProblem.DAMAGED
        ) from error


def _text(kind: str, answer: Path) -> DocumentText:
    """What the child wrote: one line a part, then a line with the end or the refusal."""
    parts: list[Part] = []
    with answer.open(encoding="utf-8") as lines:
        for line in lines:
            fields = json.loads(line)
            if "problem" in fields:
                raise DocumentUnreadable(fields["message"], ReadingProblem(fields["problem"]))
            if "end" in fields:
                return DocumentText(kind, tuple(parts), fields["end"] or None)
            parts.append(Part(PartKind(fields["kind"]), fields["number"], fields["name"], fields["text"]))
    raise ValueError("the answer ends without its end")


def _costly(what: str) -> DocumentUnreadable:
    return DocumentUnreadable(
        f"Reading the file took more {what} than a document may: split it, or save the part that matters.",
        ReadingProblem.TOO_COSTLY,
    )
