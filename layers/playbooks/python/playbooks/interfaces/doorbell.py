"""Doorbells as SQS delivers them."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from playbooks.domain.ids import RunId, TenantId, parse_id
from playbooks.errors import Refused


def read_doorbells(event: Mapping[str, Any]) -> Iterator[tuple[TenantId, RunId] | Refused]:
    """The runs that an SQS event names; a body of another shape as the refusal that says so."""
    for record in event.get("Records", []):
        try:
            wake = json.loads(record["body"])["wake"]
            yield TenantId(parse_id(wake["tenant"])), RunId(parse_id(wake["run"]))
        except Refused as refused:
            yield refused
        except (KeyError, TypeError, ValueError) as error:
            yield Refused(f"A message of another shape was dropped: {type(error).__name__}.", code="unknown_message")
