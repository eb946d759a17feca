"""The emulated AWS: one ministack process on a loopback port, in its own environment, session and folder."""

import contextlib
import os
import re
import secrets
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from playbooks_local import processes
from playbooks_local.loopback_ports import HOST, free_port, require_free
from playbooks_local.paths import emulator_python
from playbooks_local.problems import EmulatorFailed, NotSetUp

REGION = "us-east-1"
ACCOUNT = "000000000000"
# Only what the template and its operation use. What is not listed is not served, above all the instance metadata
# service, which would hand credentials to whoever asks.
_SERVICES = (
    "apigateway", "cloudformation", "cognito-idp", "dynamodb", "events", "iam", "kms", "lambda", "logs",
    "monitoring", "s3", "secretsmanager", "sns", "sqs", "sts", "tagging",
)  # fmt: skip
_START_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Credentials:
    """Keys of the emulated account's root; made for one start, worth nothing elsewhere."""

    access_key_id: str
    secret_access_key: str = field(repr=False)

    @classmethod
    def new(cls) -> "Credentials":
        """Random keys, so that no other program's default keys are root here."""
        return cls("AKIA" + secrets.token_hex(8).upper(), secrets.token_urlsafe(30))


class Emulator:
    """A context manager around one ministack process.

    `folder` is the process's own: its temporary files, its log (`emulator.log`) and nothing else; what stands in
    it under `tmp` is removed at the end. `keep` is told of the process as soon as it runs, so that it can be ended
    after a crash. Raises NotSetUp, PortInUse or EmulatorFailed.
    """

    def __init__(
        self,
        folder: Path,
        *,
        port: int | None = None,
        keep: Callable[[processes.ProcessId | None], object] = lambda _process: None,
    ) -> None:
        self.folder = folder
        self._keep = keep
        self.credentials = Credentials.new()
        self.port = 0
        self.process: processes.ProcessId | None = None
        self._wanted_port = port
        self._child: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The one endpoint of all emulated services."""
        return f"http://{HOST}:{self.port}"

    @property
    def log(self) -> Path:
        """What the emulator wrote."""
        return self.folder / "emulator.log"

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Start and wait until the services answer; a free port that was taken meanwhile is tried again."""
        python = emulator_python()
        if not (python.exists() and any(python.parents[1].glob("lib/python3*/site-packages/ministack"))):
            raise NotSetUp("the emulator's environment is missing or incomplete: run `make setup`.")
        for attempt in range(3):
            self.port = (
                free_port() if self._wanted_port is None else require_free(self._wanted_port, "the emulated AWS")
            )
            self._launch(python)
            problem = self._wait_until_ready()
            if problem is None:
                return
            self.stop()
            if self._wanted_port is not None or "in use" not in problem or attempt == 2:
                raise EmulatorFailed(f"the emulated AWS did not start: {problem} (see {self.log}).")

    def stop(self) -> None:
        """End the process and every worker it started, then remove their files; harmless when it has ended."""
        if self.process is not None:
            processes.end_group(self.process)
            self.process = None
        if self._child is not None:
            self._child.wait(5)
            self._child = None
        shutil.rmtree(self._temporary, ignore_errors=True)

    def kill_workers(self, function: str) -> int:
        """Kill the processes that run a function now and wait until they are gone; returns how many there were."""
        worker = re.compile(
            rf"^ *(\d+) .*{re.escape(str(self._temporary))}\S*-lambda-{re.escape(function)}-\w+/_worker"
        )
        listed = subprocess.run(["ps", "-eww", "-o", "pid=,args="], capture_output=True, text=True, check=True).stdout
        pids = [int(found[1]) for line in listed.splitlines() if (found := worker.match(line))]
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        deadline = time.monotonic() + 5
        while any(processes.identify(pid) for pid in pids) and time.monotonic() < deadline:
            time.sleep(0.01)
        return len(pids)

    @property
    def _temporary(self) -> Path:
        return self.folder.resolve() / "tmp"

    def _launch(self, python: Path) -> None:
        temporary = self._temporary
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir(parents=True, mode=0o700)
        self.log.write_bytes(b"")
        self._child = processes.start(
            [python, "-m", "ministack"], environment=self._environment(temporary), log=self.log, folder=temporary
        )
        self.process = processes.identify(self._child.pid)
        self._keep(self.process)

    def _environment(self, temporary: Path) -> dict[str, str]:
        """Nothing of the caller's environment but PATH: a stray AWS variable would reach every function."""
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(temporary),
            "TMPDIR": str(temporary),
            "STATE_DIR": str(temporary / "state"),
            "S3_DATA_DIR": str(temporary / "s3"),
            "LANG": "C.UTF-8",
            "BIND_HOST": HOST,
            "GATEWAY_PORT": str(self.port),
            "MINISTACK_HOST": HOST,
            "MINISTACK_REGION": REGION,
            "MINISTACK_ACCOUNT_ID": ACCOUNT,
            "SERVICES": ",".join(_SERVICES),
            "AUTH": "true",
            "LAMBDA_EXECUTOR": "local",
            "IOT_MTLS_ENABLED": "0",
            "SFTP_ENABLED": "0",
            "LOG_LEVEL": "INFO",
            "AWS_ACCESS_KEY_ID": self.credentials.access_key_id,
            "AWS_SECRET_ACCESS_KEY": self.credentials.secret_access_key,
            "AWS_EC2_METADATA_DISABLED": "true",
            "DOCKER_HOST": f"unix://{temporary}/no-docker.sock",
        }

    def _wait_until_ready(self) -> str | None:
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline:
            if self._child is None or self._child.poll() is not None:
                lines = self.log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
                return lines[-1] if lines else "it ended without a word"
            try:
                with direct.open(f"{self.url}/_ministack/health", timeout=2):
                    return None
            except (urllib.error.URLError, OSError):
                time.sleep(0.05)
        return f"no answer within {_START_SECONDS:.0f} seconds"
