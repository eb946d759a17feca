"""The HTTP API as a person's program calls it: JSON in, JSON out, problems as one sentence."""

import json
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

from playbooks.errors import Finding, PlaybooksError, Refused

TIMEOUT_SECONDS = 30


class ApiProblem(PlaybooksError):
    """Raised for an answer that is no success and no list of findings; the message is the problem's own."""

    code = "api_problem"


class ApiClient:
    """Calls routes below one address with one person's ID token."""

    def __init__(self, url: str, token: str) -> None:
        self._url = url
        self._token = token

    def get(self, path: str) -> Any:
        """GET."""
        return self.call("GET", path)

    def post(self, path: str, body: object = None, *, key: str | None = None) -> Any:
        """POST, with an idempotency key where the route makes something."""
        return self.call("POST", path, body, key=key)

    def put(self, path: str, body: object) -> Any:
        """PUT."""
        return self.call("PUT", path, body)

    def call(self, method: str, path: str, body: object = None, *, key: str | None = None) -> Any:
        """One call; raises Refused with the findings, or ApiProblem."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode() if body is not None else None
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        if key is not None:
            headers["Idempotency-Key"] = key
        request = urllib.request.Request(self._url + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            raise _problem(error.code, error.read()) from None
        except OSError as error:
            raise ApiProblem(f"The API does not answer: {error}.") from error
        return json.loads(text) if text else None


def _problem(status: int, text: bytes) -> PlaybooksError:
    try:
        problem = json.loads(text)
        code, detail = str(problem["code"]), str(problem["detail"])
    except (ValueError, KeyError, TypeError):
        return ApiProblem(f"The API answered {status}: {text[:300].decode(errors='replace')}")
    findings = [
        Finding(item["code"], item["path"], item["message"], tuple(item["allowed"]))
        for item in problem.get("findings", [])
    ]
    return Refused(detail, findings, code=code) if findings else ApiProblem(detail, code=code)


def download(link: str) -> bytes:
    """What a presigned link gives."""
    with urllib.request.urlopen(link, timeout=TIMEOUT_SECONDS) as answer:
        data: bytes = answer.read()
    return data
