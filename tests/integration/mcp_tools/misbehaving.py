"""A tool server on a plain socket that greets properly and then does what a test wants."""

import json
import time

from playbooks_local.loopback_server import Handler, LoopbackServer

GREETING = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "misbehaving", "version": "1"},
}


class Misbehaving(Handler):
    """One exchange; `server` is whose orders it follows."""

    server_of_orders: "MisbehavingServer"

    def do_POST(self):  # noqa: N802 - the base class looks for this name
        orders = self.server_of_orders
        message = json.loads(self.body() or b"null")
        orders.seen.append(message)
        orders.headers.append(dict(self.headers))
        match message:
            case {"method": "tools/call"}:
                orders.on_call(self, message)
            case {"method": "initialize"}:
                orders.on_greeting(self, message)
            case {"id": _}:
                self.error(message, -32_601)
            case _:
                self.answer(202, b"")

    def do_GET(self):  # noqa: N802 - the base class looks for this name
        self.server_of_orders.seen.append({"method": f"GET {self.path}"})
        self.answer(405, b"")

    def result(self, message, result):
        self.send_json({"jsonrpc": "2.0", "id": message["id"], "result": result})

    def error(self, message, code):
        self.send_json({"jsonrpc": "2.0", "id": message["id"], "error": {"code": code, "message": "told so"}})

    def send_json(self, body):
        self.answer(200, json.dumps(body).encode())

    def status(self, code, **headers):
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def hang_up(self):
        self.close_connection = True
        self.connection.shutdown(2)

    def wait(self, seconds):
        time.sleep(seconds)
        self.hang_up()

    def flood(self, size):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(size))
        self.end_headers()
        try:
            for _ in range(size // 65_536):
                self.wfile.write(b" " * 65_536)
        except OSError:
            self.close_connection = True


class MisbehavingServer(LoopbackServer):
    """`on_call(handler, message)` answers tools/call, `on_greeting` the initialize; `seen` has every request."""

    def __init__(self, *, tls=None):
        super().__init__("a misbehaving server", lambda: type("Told", (Misbehaving,), {"server_of_orders": self}))
        self.seen = []
        self.headers = []
        self.on_call = lambda handler, message: handler.result(message, {"content": [{"type": "text", "text": "ok"}]})
        self.on_greeting = lambda handler, message: handler.result(message, GREETING)
        self._tls = tls

    def __enter__(self):
        super().__enter__()
        if self._tls is not None:
            self._server.socket = self._tls.wrap_socket(self._server.socket, server_side=True)
        return self

    @property
    def mcp(self):
        return f"{self.url}/mcp"

    @property
    def methods(self):
        return [message.get("method") for message in self.seen if isinstance(message, dict)]
