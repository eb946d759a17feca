"""One call of the Messages API through the vendor's client, whichever service it speaks to."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import anthropic
import httpx2

from playbooks.adapters.model.attempts import Attempts, Deadline
from playbooks.adapters.model.failures import Hints, explain
from playbooks.adapters.model.messages import MAX_ANSWER_BYTES, AnswerUnusable, read_answer, request_body
from playbooks.ports.model import ModelAnswer, ModelBusy, ModelRequest


class MessagesModel:
    """Implements `ports.model.Model`; the services' own modules build it.

    A model that takes no strict tools (`strict` off sends none from the start) or no forced tool choice is asked again
    without: schemas and `must_call` are then wishes, and who asked sees whether they were met.
    """

    def __init__(
        self,
        client: anthropic.Anthropic | anthropic.AnthropicBedrock,
        *,
        model: str,
        hints: Hints,
        redact: Callable[[str], str],
        strict: bool = True,
    ) -> None:
        self._client = client
        self._model = model
        self._hints = hints
        self._redact = redact
        self._strict = strict
        self._force = True

    def answer(self, request: ModelRequest, *, within: timedelta) -> ModelAnswer:
        """Ask once, a few short retries included; ends within the time given. Raises ModelBusy or ModelRejected."""
        deadline = Deadline(within)
        while True:
            try:
                return read_answer(self._send(request, deadline))
            except anthropic.BadRequestError as error:
                if not self._asks_for_less(request, error.api_message or ""):
                    raise self._explained(error, within) from None
            except anthropic.AnthropicError as error:
                raise self._explained(error, within) from None

    def _asks_for_less(self, request: ModelRequest, said: str) -> bool:
        """Leave out, from now on, what this model says it does not take; False when it says something else."""
        if self._strict and request.tools and "strict" in said:
            self._strict = False
        elif self._force and request.must_call is not None and "tool_choice" in said:
            self._force = False
        else:
            return False
        return True

    def _explained(self, error: anthropic.AnthropicError, within: timedelta) -> Exception:
        return explain(error, self._hints, self._redact, within.total_seconds())

    def _send(self, request: ModelRequest, deadline: Deadline) -> bytes:
        body: dict[str, Any] = request_body(request, self._model, strict=self._strict, force=self._force)
        client = self._client.with_middleware(Attempts(deadline, self._hints))
        with client.messages.with_streaming_response.create(**body) as response:
            # The timeout of a read that begins now is what is left now (the transport's `timeout` extension).
            response.http_request.extensions["timeout"]["read"] = deadline.left.total_seconds()
            try:
                return self._received(response.iter_bytes(), deadline)
            except httpx2.HTTPError:
                raise ModelBusy(f"{self._hints.service} broke off in the middle of its answer.") from None

    def _received(self, chunks: Iterator[bytes], deadline: Deadline) -> bytes:
        received = bytearray()
        for chunk in chunks:
            received += chunk
            if len(received) > MAX_ANSWER_BYTES:
                raise AnswerUnusable(f"The model's answer is larger than {MAX_ANSWER_BYTES // 2**20} MiB.")
            if not deadline.left:
                raise ModelBusy(f"{self._hints.service} did not finish its answer within the time there was.")
        return bytes(received)
