"""Doorbells over SQS: one queue for runs of playbooks, one for conversions."""

import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from playbooks.domain.ids import RunId, TenantId
from playbooks.domain.run import RunKind
from playbooks.errors import Unavailable

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import SendMessageBatchRequestEntryTypeDef

BATCH = 10


class SqsDoorbell:
    """`Doorbell` over `SendMessageBatch`, which answers 200 with entries that failed.

    A queue that does not take the messages is reported and nothing is raised: what was committed before stands, and
    the wake index rings again.
    """

    def __init__(
        self, client: "SQSClient", *, run_queue: str, conversion_queue: str, report: Callable[[Unavailable], None]
    ) -> None:
        self._client = client
        self._report = report
        self._run_queue = run_queue
        self._conversion_queue = conversion_queue

    def ring(self, runs: Sequence[tuple[TenantId, RunId, RunKind]]) -> Sequence[tuple[TenantId, RunId]]:
        queues: dict[str, list[tuple[TenantId, RunId]]] = defaultdict(list)
        for tenant, run, kind in runs:
            queues[self._conversion_queue if kind is RunKind.CONVERSION else self._run_queue].append((tenant, run))
        unsent: list[tuple[TenantId, RunId]] = []
        for queue, named in queues.items():
            for start in range(0, len(named), BATCH):
                unsent += self._send(queue, named[start : start + BATCH])
        return unsent

    def _send(self, queue: str, named: Sequence[tuple[TenantId, RunId]]) -> list[tuple[TenantId, RunId]]:
        entries: list[SendMessageBatchRequestEntryTypeDef] = [
            {"Id": str(number), "MessageBody": message(tenant, run)} for number, (tenant, run) in enumerate(named)
        ]
        try:
            answer = self._client.send_message_batch(QueueUrl=queue, Entries=entries)
        except (ClientError, BotoCoreError) as error:
            self._report(Unavailable(f"SQS did not take the doorbells: {error}."))
            return list(named)
        return [named[int(entry["Id"])] for entry in answer.get("Failed", [])]


def message(tenant: TenantId, run: RunId) -> str:
    """The body of a doorbell."""
    return json.dumps({"wake": {"tenant": tenant, "run": run}}, separators=(",", ":"))
