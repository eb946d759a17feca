"""Calls that change something outside: written down before they are made and again when they have answered.

A redelivery reads the ledger first. What is done is not made again; what was started and never answered is made again
only under the same idempotency key. Without a key nobody knows whether it happened, so a person is to look.
"""

import hashlib
from collections.abc import Callable
from dataclasses import replace

from playbooks.application.lease import HeldRun
from playbooks.domain.ids import derive
from playbooks.domain.playbook import canonical
from playbooks.domain.run import progressed
from playbooks.errors import PlaybooksError
from playbooks.ports.model import ToolCall, ToolResult
from playbooks.ports.stores.runs import CallState, OutsideCall, RunCommit

MAX_KEPT = 60_000


class OutcomeUnknown(PlaybooksError):
    """Raised when a call may have been made and nobody knows: the run ends as failed and a person checks by hand."""

    code = "outcome_unknown"


def call_once(held: HeldRun, call: ToolCall, *, takes_key: bool, make: Callable[[str], ToolResult]) -> ToolResult:
    """The result of a call, made at most once as far as anybody can tell; `make` is given the idempotency key.

    `make` ends within the call budget and returns what the tool answered, errors included; it raises when there was
    no answer. Raises OutcomeUnknown, LeaseLost, HandOver, or what `make` raised for a tool that takes a key (the call
    is then made again under the same key at the next lease).
    """
    begun = held.runs.call(held.run.tenant, held.run.id, held.run.cursor, call.id)
    if begun is None:
        held.check_time()
        begun = _begin(held, call)
    elif begun.state is CallState.DONE:
        return ToolResult(call.id, begun.result, begun.is_error)
    elif begun.state is CallState.UNKNOWN or not takes_key:
        raise _unknown(held, begun)
    else:
        held.check_time()
    try:
        result = make(begun.key)
    except PlaybooksError:
        if takes_key:
            raise
        raise _unknown(held, begun) from None
    if len(result.content) > MAX_KEPT:
        result = replace(result, content=result.content[:MAX_KEPT] + " … (cut)")
    _save(
        held,
        replace(
            begun,
            state=CallState.DONE,
            ended_at=held.clock.now(),
            result=result.content,
            is_error=result.is_error,
        ),
    )
    return result


def _begin(held: HeldRun, call: ToolCall) -> OutsideCall:
    run = held.run
    begun = OutsideCall(
        step=run.cursor,
        id=call.id,
        tool=call.name,
        arguments_hash=hashlib.sha256(canonical(dict(call.arguments)).encode()).hexdigest(),
        key=derive("k", run.tenant, run.id, str(run.cursor), call.id),
        state=CallState.STARTED,
        started_at=held.clock.now(),
    )
    _save(held, begun)
    return begun


def _save(held: HeldRun, call: OutsideCall) -> None:
    """Write the ledger under the fence; that something was started or answered is progress, so the lease moves on."""
    run = progressed(held.run, held.clock.now(), held.times, usage=held.run.usage, progress="")
    held.commit(RunCommit(run, held.run.lease, call=call))


def _unknown(held: HeldRun, begun: OutsideCall) -> OutcomeUnknown:
    if begun.state is CallState.STARTED:
        _save(held, replace(begun, state=CallState.UNKNOWN, ended_at=held.clock.now()))
    return OutcomeUnknown(
        f"The call of {begun.tool!r} was begun and its answer never came: it may have been made or not. "
        "Check this by hand; the run does not repeat it."
    )
