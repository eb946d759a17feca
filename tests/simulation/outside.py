"""What lies outside as a process sees it: queue, pushes, model, tools; each effect may go wrong."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from playbooks.application.agent_loop import Finished
from playbooks.application.lease import HeldRun
from playbooks.application.outside_calls import call_once
from playbooks.domain.ids import RunId, TenantId
from playbooks.domain.run import RunKind
from playbooks.domain.usage import Usage
from playbooks.errors import Unavailable
from playbooks.ports.model import (
    AssistantTurn,
    ModelAnswer,
    ModelBusy,
    ModelRequest,
    StopReason,
    Text,
    ToolCall,
    ToolResult,
    ToolSpec,
)
from playbooks.ports.push import Device, PushMessage, PushThrottled
from tests.simulation.engine import Actor, Engine
from tests.simulation.faults import Fates, Fault

EFFECT = frozenset(
    {
        *(Fault.CRASH_BEFORE, Fault.CRASH_AFTER, Fault.STALL_BEFORE, Fault.STALL_AFTER),
        *(Fault.ANSWER_LOST, Fault.NOT_DONE, Fault.THROTTLED, Fault.DOUBLED),
    }
)
PURE = EFFECT - {Fault.DOUBLED}


@dataclass
class Outside:
    """What the world outside has seen. `writes` are by run, step and what the write was for."""

    writes: dict[tuple[str, int, str], list[str]] = field(default_factory=lambda: defaultdict(list))
    pushed: list[tuple[str, str]] = field(default_factory=list)
    deliver: Callable[[TenantId, RunId, RunKind, float], None] = lambda *_: None
    ring_seen: Callable[[TenantId, RunId], None] = lambda *_: None
    push_seen: Callable[[PushMessage], None] = lambda _message: None
    queue_away_until: float = 0.0
    model_overloaded: bool = False
    """The model answers nobody in this seed, and always says how long to wait."""


@dataclass
class Effects:
    """One process's way to do something outside."""

    engine: Engine
    fates: Fates
    actor: Actor

    def do(
        self,
        happen: Callable[[], Any],
        *,
        allowed: frozenset[Fault],
        took: tuple[float, float],
        no_answer: Callable[[], Exception],
    ) -> Any:
        fault = self.fates.draw(allowed)
        self.fates.latency(self.actor, *took)
        match fault:
            case Fault.CRASH_BEFORE:
                self.engine.crash(self.actor)
            case Fault.STALL_BEFORE:
                self.fates.stall(self.actor)
            case Fault.NOT_DONE | Fault.THROTTLED:
                raise no_answer()
            case Fault.DOUBLED:
                happen()
        answer = happen()
        match fault:
            case Fault.CRASH_AFTER:
                self.engine.crash(self.actor)
            case Fault.STALL_AFTER:
                self.fates.stall(self.actor)
            case Fault.ANSWER_LOST:
                raise no_answer()
        return answer


class Doorbell:
    """SQS: messages come late, twice, or never, and some entries of a batch fail."""

    def __init__(self, effects: Effects, outside: Outside) -> None:
        self._effects, self._outside = effects, outside

    def ring(self, runs: Sequence[tuple[TenantId, RunId, RunKind]]) -> Sequence[tuple[TenantId, RunId]]:
        return self._effects.do(
            lambda: self._send(runs),
            allowed=EFFECT,
            took=(0.005, 0.05),
            no_answer=lambda: Unavailable("SQS did not take the doorbells"),
        )

    def _send(self, runs: Sequence[tuple[TenantId, RunId, RunKind]]) -> list[tuple[TenantId, RunId]]:
        engine, calm = self._effects.engine, self._effects.fates.calm
        unsent = []
        for tenant, run, kind in runs:
            self._outside.ring_seen(tenant, run)
            fate = 1.0 if calm else engine.random.random()
            if fate < 0.02:
                unsent.append((tenant, run))
            if fate < 0.06:
                continue
            delay = engine.random.uniform(0.05, 1.0)
            if fate < 0.12:
                delay += engine.random.choice((30, 400, 800)) * engine.random.random()
            at = max(engine.t, 0.0 if calm else self._outside.queue_away_until) + delay
            self._outside.deliver(tenant, run, kind, at)
            if fate > 0.95 and not calm:
                again = at + engine.random.choice((0.0, 0.05, 5, 300)) * engine.random.random()
                self._outside.deliver(tenant, run, kind, again)
        return unsent


class Push:
    """SNS: takes a push or not, and says so or not."""

    def __init__(self, effects: Effects, outside: Outside) -> None:
        self._effects, self._outside = effects, outside

    def endpoint(self, _platform: object, token: str) -> str:
        return f"endpoint/{token}"

    def publish(self, _device: Device, message: PushMessage) -> None:
        self._effects.do(
            lambda: self._send(message),
            allowed=EFFECT,
            took=(0.01, 0.1),
            no_answer=lambda: PushThrottled("SNS did not take the push"),
        )

    def _send(self, message: PushMessage) -> None:
        self._outside.push_seen(message)
        owner, _, note = message.collapse_key.partition(":")
        self._outside.pushed.append((owner, note))


class Model:
    """Never says the same twice: each answer names its calls anew. Looks something up, writes where asked, finishes."""

    def __init__(self, effects: Effects, outside: Outside, *, writes: str) -> None:
        self._effects, self._outside, self._writes = effects, outside, writes

    def answer(self, request: ModelRequest, *, within: timedelta) -> ModelAnswer:
        if self._outside.model_overloaded:
            self._effects.fates.latency(self._effects.actor, 0.1, 2)
            raise self._busy(asks=True)
        return self._effects.do(
            lambda: self._answer(request),
            allowed=PURE,
            took=(1, 0.9 * within.total_seconds() if self._effects.engine.random.random() < 0.1 else 20),
            no_answer=lambda: self._busy(asks=self._effects.engine.random.random() < 0.5),
        )

    def _busy(self, *, asks: bool) -> ModelBusy:
        """Half of the time the server says how long to wait: for a moment, or for longer than a run may take."""
        seconds = self._effects.engine.random.choice((1, 20, 90, 900, 40_000)) if asks else None
        return ModelBusy("the model is busy", retry_after=timedelta(seconds=seconds) if seconds else None)

    def _answer(self, request: ModelRequest) -> ModelAnswer:
        random = self._effects.engine.random
        made = {call.name for turn in request.turns if isinstance(turn, AssistantTurn) for call in turn.calls}
        wanted = []
        if "look_up" not in made:
            wanted.append("look_up")
        if self._writes and self._writes not in made and (made or random.random() < 0.5):
            wanted.append(self._writes)
        calls = [ToolCall(f"call{random.getrandbits(40):x}", name, {"for": "report"}) for name in wanted or ["finish"]]
        parts = (Text("going on"), *calls)
        return ModelAnswer(AssistantTurn(parts), StopReason.TOOL_USE, Usage(10, 5, 1))


class Tools:
    """A look-up, an outside write with or without an idempotency key, and the end. A poisoned look-up kills."""

    def __init__(self, effects: Effects, outside: Outside, held: HeldRun, *, poisoned: bool) -> None:
        self._effects, self._outside, self._held, self._poisoned = effects, outside, held, poisoned
        self._looked_up = 0

    def specs(self) -> Sequence[ToolSpec]:
        return ()

    def call(self, call: ToolCall) -> ToolResult | Finished[str]:
        match call.name:
            case "look_up":
                if self._poisoned:
                    self._effects.engine.crash(self._effects.actor)
                took = (100, 230) if self._effects.engine.random.random() < 0.1 else (0.5, 5)
                self._effects.do(lambda: None, allowed=PURE, took=took, no_answer=lambda: Unavailable("away"))
                self._looked_up += 1
                return ToolResult(call.id, "found")
            case "write_with_key":
                return call_once(self._held, call, takes_key=True, make=lambda key: self._write(call, key))
            case "write_plain":
                return call_once(self._held, call, takes_key=False, make=lambda _key: self._write(call, ""))
        return Finished(f"looked up {self._looked_up}")

    def state(self) -> Mapping[str, Any]:
        return {"looked_up": self._looked_up}

    def restore(self, state: Mapping[str, Any]) -> None:
        self._looked_up = state["looked_up"]

    def _write(self, call: ToolCall, key: str) -> ToolResult:
        run = self._held.run

        def happen() -> None:
            made = self._outside.writes[run.id, run.cursor, str(call.arguments["for"])]
            if not key or key not in made:  # the tool knows a key again
                made.append(key)

        # A tool without a key is not called twice by any client either.
        allowed = EFFECT if key else PURE
        self._effects.do(happen, allowed=allowed, took=(0.5, 5), no_answer=lambda: Unavailable("no answer"))
        return ToolResult(call.id, "written")
