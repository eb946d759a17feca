"""A loopback server that answers as a script says, and keeps what it was asked."""

import json
import threading
from dataclasses import dataclass, field
from typing import Any

from playbooks_local.loopback_server import Handler, LoopbackServer


@dataclass
class Scripted:
    """Answers in order; the last one is repeated. An answer: status, headers, body (JSON value or text), cut, wait."""

    answers: list[dict[str, Any]]
    requests: list[dict[str, Any]] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)

    def server(self) -> LoopbackServer:
        return LoopbackServer("scripted model", self._handler)

    def _handler(self) -> type[Handler]:
        script = self

        class Answering(Handler):
            def do_POST(self) -> None:  # noqa: N802 - the base class names it so
                body = json.loads(self.body())
                script.requests.append({"path": self.path, "headers": dict(self.headers), "body": body})
                answer = script.answers[min(len(script.requests), len(script.answers)) - 1]
                if answer.get("wait") == "before":
                    script.released.wait(30)
                raw = answer.get("body", {})
                data = (raw if isinstance(raw, str) else json.dumps(raw)).encode()
                self.send_response(answer.get("status", 200))
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                for name, value in answer.get("headers", {}).items():
                    self.send_header(name, value)
                self.end_headers()
                if answer.get("wait") == "within":
                    self.wfile.write(data[:5])
                    self.wfile.flush()
                    script.released.wait(30)
                if answer.get("cut"):
                    self.wfile.write(data[:5])
                    self.wfile.flush()
                    self.connection.close()
                    self.close_connection = True
                    return
                self.wfile.write(data)

        return Answering


def message(*content: dict[str, Any], stop: str = "end_turn", **usage: int) -> dict[str, Any]:
    """A message of the API."""
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-test-1",
        "content": list(content),
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 5, **usage},
    }
