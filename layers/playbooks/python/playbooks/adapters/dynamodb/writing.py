"""How a transaction is carried through: what is tried again, and what is an answer."""

from collections.abc import Callable, Sequence

from playbooks.adapters.dynamodb.operations import (
    ConditionFailed,
    Delete,
    Put,
    Table,
    Throttled,
    TransactionRefused,
    Update,
    Write,
)
from playbooks.ports.stores.faults import StoreBusy

MAX_TRIES = 8
TRANSIENT = frozenset(
    {
        *("TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded", "RequestLimitExceeded"),
        *("ThrottlingException", "TransactionInProgress"),
    }
)
CONDITION = "ConditionalCheckFailed"
SCHEMA_VERSION = 1

Pause = Callable[[int], None]
"""Waits before the n-th further try, with jitter; in a simulation it does nothing."""


def transact(table: Table, writes: Sequence[Write], pause: Pause) -> tuple[str | None, ...] | None:
    """Write all; None when it is done, else the reasons by position, at least one of them a failed condition.

    Conflicts and throttling are tried again here, for botocore does not. Raises StoreBusy when that did not help.
    """
    for attempt in range(MAX_TRIES):
        try:
            table.transact(writes)
        except TransactionRefused as refused:
            if CONDITION in refused.reasons:
                return refused.reasons
            if not refused.reasons or not TRANSIENT.intersection(filter(None, refused.reasons)):
                raise
        except Throttled:
            pass
        else:
            return None
        pause(attempt)
    raise StoreBusy("The table did not take the write after several tries; it is tried again within a minute.")


def write_one(table: Table, write: Put | Update | Delete, pause: Pause) -> ConditionFailed | None:
    """One write; None when it is done, else the refusal with what is stored instead. Raises StoreBusy."""
    for attempt in range(MAX_TRIES):
        try:
            table.write(write)
        except ConditionFailed as failed:
            return failed
        except Throttled:
            pause(attempt)
        else:
            return None
    raise StoreBusy("The table did not take the write after several tries; it is tried again within a minute.")
