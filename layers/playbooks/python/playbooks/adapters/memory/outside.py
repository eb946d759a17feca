"""What lies outside, in memory: small real classes that keep what they were given."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta

from playbooks.domain.ids import RunId, TenantId
from playbooks.domain.run import RunKind
from playbooks.errors import NotFound
from playbooks.ports.artifacts import UploadForm
from playbooks.ports.model import ModelAnswer, ModelRequest
from playbooks.ports.push import Device, EndpointDisabled, Platform, PushMessage
from playbooks.ports.telemetry import Field


class ManualClock:
    """A clock that stands until it is moved."""

    def __init__(self, now: datetime) -> None:
        self.at = now

    def now(self) -> datetime:
        return self.at

    def forward(self, **by: float) -> None:
        """Move on by `timedelta`'s arguments."""
        self.at += timedelta(**by)


class MemoryDoorbell:
    """Keeps the rings, in order."""

    def __init__(self) -> None:
        self.rings: list[tuple[TenantId, RunId, RunKind]] = []

    def ring(self, runs: Sequence[tuple[TenantId, RunId, RunKind]]) -> Sequence[tuple[TenantId, RunId]]:
        self.rings += runs
        return []


class MemoryPush:
    """Keeps what was published; endpoints in `disabled` refuse."""

    def __init__(self) -> None:
        self.published: list[tuple[Device, PushMessage]] = []
        self.disabled: set[str] = set()

    def endpoint(self, platform: Platform, token: str) -> str:
        return f"endpoint/{platform.value}/{token}"

    def publish(self, device: Device, message: PushMessage) -> None:
        if device.endpoint in self.disabled:
            raise EndpointDisabled("The push service has given the device up.")
        self.published.append((device, message))


class MemoryArtifacts:
    """Files in a dictionary."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}

    def put(self, key: str, chunks: Iterable[bytes], content_type: str) -> int:  # noqa: ARG002 - the port's form
        self.files[key] = b"".join(chunks)
        return len(self.files[key])

    def get(self, key: str) -> Iterator[bytes]:
        if key not in self.files:
            raise NotFound("The file is not there any more: its time of keeping is over.")
        return iter([self.files[key]])

    def link(self, key: str, file_name: str) -> str:
        return f"memory:{key}?{file_name}"

    def upload(self, key: str, content_type: str, *, largest: int) -> UploadForm:
        return UploadForm("memory:", {"key": key, "Content-Type": content_type, "largest": str(largest)})

    def post(self, form: UploadForm, file: bytes) -> bool:
        """Send a file by a form, as a client does; False when its size is refused."""
        is_taken = 1 <= len(file) <= int(form.fields["largest"])
        if is_taken:
            self.files[form.fields["key"]] = file
        return is_taken


class ScriptedModel:
    """Answers by a function of the request, and keeps the requests."""

    def __init__(self, script: Callable[[ModelRequest], ModelAnswer]) -> None:
        self._script = script
        self.requests: list[ModelRequest] = []

    def answer(self, request: ModelRequest, *, within: timedelta) -> ModelAnswer:  # noqa: ARG002 - the port's form
        self.requests.append(request)
        return self._script(request)


class MemorySecrets:
    """Secrets in a dictionary."""

    def __init__(self, secrets: dict[str, dict[str, str]]) -> None:
        self.secrets = secrets

    def get(self, name: str) -> dict[str, str]:
        if name not in self.secrets:
            raise NotFound(f"The secret {name!r} is not there.")
        return self.secrets[name]


class MemoryTelemetry:
    """Keeps events and counts."""

    def __init__(self) -> None:
        self.events: list[tuple[str, dict[str, Field]]] = []
        self.counts: dict[str, int] = {}

    def event(self, name: str, **fields: Field) -> None:
        self.events.append((name, fields))

    def fault(self, name: str, error: BaseException, **fields: Field) -> None:
        self.events.append((name, {**fields, "error": f"{type(error).__name__}: {error}"}))

    def count(self, metric: str, amount: int = 1) -> None:
        self.counts[metric] = self.counts.get(metric, 0) + amount
