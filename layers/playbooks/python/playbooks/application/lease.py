"""The lease in hand: every save carries its fence and moves it on."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from playbooks.application.artifact_keys import checkpoint_key
from playbooks.domain.run import LeaseTimes, Run, handed_over, progressed, renewed
from playbooks.domain.usage import Usage
from playbooks.errors import PlaybooksError
from playbooks.ports.artifacts import Artifacts
from playbooks.ports.clock import Clock
from playbooks.ports.stores.runs import Checkpoint, RunCommit, RunStore, StepResult

MAX_INLINE = 350 * 1024
UNFINISHED = "unfinished"
"""Outcome of a step's result while it is worked on, and for good when the run is ended from outside meanwhile."""


class HandOver(PlaybooksError):
    """Raised when the worker's time is nearly over: the run was saved and freed, and is to be rung again."""

    code = "hand_over"
    retryable = True


@dataclass
class HeldRun:
    """A run under a lease. `until` is when the worker's own time ends.

    `so_far` gives what the step has done until now, for the run's log: with `UNFINISHED` at each save, and as failed
    when the run ends in the middle of the step. None when the step leaves nothing worth telling before it is over.
    """

    run: Run
    runs: RunStore
    artifacts: Artifacts
    clock: Clock
    times: LeaseTimes
    until: datetime
    so_far: Callable[[str, str, datetime], StepResult] | None = None
    """Called with outcome, summary and now."""

    def check_time(self) -> None:
        """Call it before each effect: one that begins now ends under this lease and within the worker's time.

        Hands over when it might not (raises HandOver), and moves the lease when only that is too short: effects that
        follow each other without a save would outlive it.
        """
        now = self.clock.now()
        if now + self.times.call_budget + self.times.margin > self.until:
            self.commit(RunCommit(handed_over(self.run, now), self.run.lease))
            raise HandOver("The worker's time is nearly over; the run goes on in another.")
        if self.run.lease.until is None or now + self.times.call_budget > self.run.lease.until:
            self.commit(RunCommit(renewed(self.run, now, self.times), self.run.lease))

    def checkpoints(self) -> Sequence[Mapping[str, Any]]:
        """What was saved of the current step, in order."""
        saved = self.runs.checkpoints(self.run.tenant, self.run.id, self.run.cursor)
        return [self._body(checkpoint) for checkpoint in saved]

    def save(self, number: int, body: Mapping[str, Any], *, usage: Usage, progress: str = "") -> None:
        """Save a checkpoint and move the lease; raises LeaseLost when another worker owns the run."""
        text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
        stored: dict[str, Any] = {"json": text}
        if len(text.encode(errors="surrogatepass")) > MAX_INLINE:
            key = checkpoint_key(self.run.tenant, self.run.id, self.run.cursor, number)
            self.artifacts.put(key, [json.dumps(body).encode()], "application/json")
            stored = {"artifact": key}
        now = self.clock.now()
        run = progressed(self.run, now, self.times, usage=usage, progress=progress)
        step = self.so_far(UNFINISHED, "", now) if self.so_far is not None else None
        self.commit(RunCommit(run, self.run.lease, Checkpoint(self.run.cursor, number, stored), step=step))

    def commit(self, commit: RunCommit) -> None:
        """Write, and take the run as written for the truth."""
        self.runs.commit(commit)
        self.run = commit.run

    def _body(self, checkpoint: Checkpoint) -> Mapping[str, Any]:
        key = checkpoint.body.get("artifact")
        if key is not None:
            text: Any = b"".join(self.artifacts.get(str(key)))
        else:
            text = checkpoint.body["json"]
        body: Mapping[str, Any] = json.loads(text)
        return body
