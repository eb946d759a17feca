"""A recorder in front of the emulator's SNS: it keeps every `Publish` and forwards the rest.

The emulator accepts a push to a phone and forgets it, and its disabled endpoints do not fail. Here each
published message is kept for whoever asks what a phone would have shown, and an endpoint whose token was
named in `disable` is refused as AWS refuses it: with EndpointDisabled, at the next publish.
"""

import http.client
import json
import threading
import time
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

from playbooks_local.loopback_server import Handler, LoopbackServer

_HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length", "date", "server"}
_DISABLED = (
    '<ErrorResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><Error><Type>Sender</Type>'
    "<Code>EndpointDisabled</Code><Message>Endpoint is disabled</Message></Error>"
    "<RequestId>00000000-0000-0000-0000-000000000000</RequestId></ErrorResponse>"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Push:
    """One message that SNS accepted for a phone or a topic."""

    target: str
    token: str | None
    message: str
    structured: bool
    attributes: Mapping[str, str]
    at: float

    def platform(self, name: str) -> dict[str, Any]:
        """What a platform gets (`APNS`, `GCM`), decoded; a message for all platforms is under `default`.

        Raises KeyError when the message holds nothing for it.
        """
        if not self.structured:
            return {"default": self.message}
        inner = json.loads(self.message)[name]
        return json.loads(inner) if name != "default" else {"default": inner}


class SnsRecorder(LoopbackServer):
    """A context manager; functions reach it as their SNS endpoint."""

    def __init__(self, emulator_url: str, *, port: int | None = None) -> None:
        super().__init__("the SNS recorder", self._handler_class, port=port)
        self._upstream = urlsplit(emulator_url).netloc
        self._changed = threading.Condition()
        self._pushes: list[Push] = []
        self._tokens: dict[str, str] = {}
        self._disabled: set[str] = set()

    @property
    def pushes(self) -> tuple[Push, ...]:
        """What was published and accepted, in order."""
        with self._changed:
            return tuple(self._pushes)

    def wait_for(self, count: int, timeout: float) -> tuple[Push, ...]:
        """Wait until at least `count` messages were accepted; returns what there is after `timeout` seconds."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._pushes) >= count, timeout)
            return tuple(self._pushes)

    def clear(self) -> None:
        """Forget the messages; the disabled tokens stay."""
        with self._changed:
            self._pushes.clear()

    def disable(self, token: str) -> None:
        """From now on a publish to this device token's endpoint answers EndpointDisabled."""
        with self._changed:
            self._disabled.add(token.lower())

    def enable(self, token: str) -> None:
        """Undo `disable`, as setting the endpoint's `Enabled` attribute does."""
        with self._changed:
            self._disabled.discard(token.lower())

    def _is_disabled(self, target: str) -> bool:
        with self._changed:
            return self._tokens.get(target, "").lower() in self._disabled

    def _learn(self, form: Mapping[str, str], answer: bytes) -> None:
        """Keep what an accepted request tells: a message, an endpoint's token, an endpoint set enabled."""
        with self._changed:
            match form.get("Action"):
                case "CreatePlatformEndpoint":
                    arn = ET.fromstring(answer).findtext(".//{*}EndpointArn")  # noqa: S314 - the emulator's own
                    if arn:
                        self._tokens[arn] = form.get("Token", "")
                case "SetEndpointAttributes":
                    attributes = _entries(form, "Attributes.entry", "key", "value")
                    arn = form.get("EndpointArn", "")
                    self._tokens[arn] = attributes.get("Token", self._tokens.get(arn, ""))
                    if attributes.get("Enabled") == "true":
                        self._disabled.discard(self._tokens[arn].lower())
                case "Publish":
                    self._pushes.append(self._push(form))
                    self._changed.notify_all()

    def _push(self, form: Mapping[str, str]) -> Push:
        target = form.get("TargetArn") or form.get("TopicArn") or form.get("PhoneNumber", "")
        return Push(
            target=target,
            token=self._tokens.get(target),
            message=form.get("Message", ""),
            structured=form.get("MessageStructure") == "json",
            attributes=_entries(form, "MessageAttributes.entry", "Name", "Value.StringValue"),
            at=time.time(),
        )

    def _handler_class(self) -> type[Handler]:
        recorder = self

        class RecorderHandler(Handler):
            def do_POST(self) -> None:  # noqa: N802 - the base class looks for this name
                """Refuse what goes to a disabled endpoint, forward everything else with its signature."""
                body = self.body()
                form = {name: values[0] for name, values in parse_qs(body.decode()).items()}
                if form.get("Action") == "Publish" and recorder._is_disabled(form.get("TargetArn", "")):
                    self.answer(400, _DISABLED.encode(), "text/xml")
                    return
                status, headers, answer = recorder._forward(self.path, dict(self.headers), body)
                if status == 200:
                    recorder._learn(form, answer)
                self.answer(status, answer, headers.get("Content-Type", "text/xml"))

        return RecorderHandler

    def _forward(self, path: str, headers: Mapping[str, str], body: bytes) -> tuple[int, Mapping[str, str], bytes]:
        """Send the request on as it came: the `Host` that was signed stays, so the signature stays good."""
        connection = http.client.HTTPConnection(self._upstream, timeout=30)
        try:
            kept = {name: value for name, value in headers.items() if name.lower() not in _HOP_BY_HOP}
            connection.request("POST", path, body, kept)
            response = connection.getresponse()
            return response.status, dict(response.headers), response.read()
        finally:
            connection.close()


def _entries(form: Mapping[str, str], prefix: str, key: str, value: str) -> dict[str, str]:
    """A map as the query protocol writes it: `prefix.1.key`, `prefix.1.value`, …"""
    found: dict[str, str] = {}
    number = 1
    while (name := form.get(f"{prefix}.{number}.{key}")) is not None:
        found[name] = form.get(f"{prefix}.{number}.{value}", "")
        number += 1
    return found
