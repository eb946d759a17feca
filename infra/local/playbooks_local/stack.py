"""The local stack: emulated AWS with `template.yaml` on it, PostgreSQL, the issuer and the SNS recorder.

with LocalStack(StackSettings(state=folder)) as stack:
    stack.api_url                       # …/v1 routes answer below it
    stack.token("mina")                 # an ID token for the Authorization header
    stack.client("dynamodb")            # a boto3 client of the emulated account
    stack.outputs["TableName"]
    stack.recorder.wait_for(1, 10)      # what SNS would have pushed
"""

import contextlib
import json
import os
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from playbooks_local import interruption, postgres
from playbooks_local.aws import Account, Client
from playbooks_local.build import build_layers
from playbooks_local.cloudformation_yaml import load_template
from playbooks_local.deploy import Source, deploy
from playbooks_local.emulator import Emulator
from playbooks_local.issuer import AUDIENCE, Issuer
from playbooks_local.paths import ROOT, STATE, TEMPLATE
from playbooks_local.people import Person
from playbooks_local.sns_recorder import SnsRecorder
from playbooks_local.state_folder import Running, StateFolder

# JSON of any shape, as a function answers it.
Json = Any

STACK_NAME = "playbooks-local"
_MODEL_KEY_SECRET = f"{STACK_NAME}/model-key"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelEndpoint:
    """Which model the functions call: an empty `base_url` is the vendor's own address."""

    model_id: str = "stand-in"
    base_url: str = "http://127.0.0.1:9"
    key: str = field(default="no-model", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class StackSettings:
    """How a stack is made. Ports are free ones unless chosen.

    `parameters` replaces values of the template's parameters: the local defaults make a killed worker's message
    come back, and a dead lease end, within seconds where AWS takes an hour and minutes. `environment` is given to
    every function on top of its own. `root` is the folder that
    the template's `CodeUri` values are read below.
    """

    state: Path = STATE
    emulator_port: int | None = None
    issuer_port: int | None = None
    postgres_port: int | None = None
    with_postgres: bool = True
    model: ModelEndpoint = field(default_factory=ModelEndpoint)
    parameters: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    root: Path = ROOT
    template: Path = TEMPLATE


LOCAL_PARAMETERS: Mapping[str, str] = {
    "CallBudgetSeconds": "30",
    "LeaseMarginSeconds": "10",
    "RunnerTimeout": "120",
    "RunVisibilitySeconds": "60",
    "RunnerConcurrency": "2",
    "ConverterConcurrency": "2",
}


class LocalStack:
    """A context manager: everything runs when it is entered, and nothing is left when it is left.

    Nothing is kept from one start to the next: tables, files and databases are new each time.

    `report` is told, in one short line each, what is being done. Raises a PlaybooksError that says in one line
    what is wrong and what helps (NotSetUp, PortInUse, NoPermission, AlreadyRunning, BuildFailed,
    PostgresNotStarted, EmulatorFailed); what had been started by then is ended.
    """

    def __init__(self, settings: StackSettings | None = None, *, report: Callable[[str], object] | None = None) -> None:
        self.settings = settings or StackSettings()
        self._report = report or (lambda _line: None)
        self._started = contextlib.ExitStack()
        self._state = StateFolder(self.settings.state)
        self.emulator = Emulator(
            self.settings.state / "emulator",
            port=self.settings.emulator_port,
            keep=self._state.keep_process,
        )
        self.issuer = Issuer(port=self.settings.issuer_port)
        self.recorder: SnsRecorder
        self.postgres: postgres.PostgresServer | None = None
        self.account: Account
        self.outputs: dict[str, str] = {}
        self.parameters: dict[str, str] = {}

    def __enter__(self) -> Self:
        try:
            self._started.enter_context(interruption.as_keyboard_interrupt())
            self._start()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    @property
    def api_url(self) -> str:
        """The HTTP API's address; a route such as `/v1/playbooks` follows it."""
        return f"{self.emulator.url}/_aws/execute-api/{self.outputs['ApiId']}/$default"

    def token(self, person: Person | str) -> str:
        """An ID token of a sample person; `issuer.token` makes those that must be refused."""
        return self.issuer.token(person)

    def client(self, service: str) -> Client:
        """A boto3 client of the emulated account's root; SNS goes through the recorder."""
        return self.account.client(service, endpoint=self.recorder.url if service == "sns" else None)

    def put_secret(self, name: str, value: str) -> str:
        """Keep a secret under the prefix that the functions may read databases' secrets from; returns its ARN."""
        return self._secret(f"{self.outputs['DatabaseSecretPrefix']}{name}", value)

    def invoke(self, output: str, event: object = None) -> Json:
        """Invoke a function by the output that names it (`SchedulerName` …) and wait; see `lambda:Invoke`."""
        answer = self.client("lambda").invoke(
            FunctionName=self.outputs[output], Payload=json.dumps(event or {}).encode()
        )
        return json.loads(answer["Payload"].read() or b"null")

    def logs(self, output: str, *, since: float = 0.0) -> list[str]:
        """What a function wrote, oldest first, from `since` (seconds since 1970) on."""
        client = self.client("logs")
        group = f"/aws/lambda/{self.outputs[output]}"
        pages = client.get_paginator("filter_log_events").paginate(logGroupName=group, startTime=int(since * 1000))
        return [event["message"].rstrip("\n") for page in pages for event in page["events"]]

    def kill_workers(self, output: str) -> int:
        """Kill (SIGKILL) the processes that run a function now, as a crash would; returns how many there were.

        What a worker had taken from a queue comes back after the queue's visibility timeout.
        """
        return self.emulator.kill_workers(self.outputs[output])

    def update(self, parameters: Mapping[str, str] | None = None) -> None:
        """Deploy again: new code of the functions, or other parameters."""
        self.parameters.update(parameters or {})
        self._deploy()

    def _start(self) -> None:
        settings = self.settings
        self._started.enter_context(self._state)
        self._layers = build_layers(report=self._report)
        self._report("emulated AWS …")
        self._started.enter_context(self.emulator)
        self.account = Account(self.emulator.url, self.emulator.credentials)
        self._started.enter_context(self.issuer)
        self.recorder = self._started.enter_context(SnsRecorder(self.emulator.url))
        if settings.with_postgres:
            self._report("PostgreSQL …")
            folder = settings.state / "postgres"
            shutil.rmtree(folder, ignore_errors=True)
            self._started.callback(shutil.rmtree, folder, ignore_errors=True)
            self.postgres = self._started.enter_context(
                postgres.start(folder, port=settings.postgres_port, keep=self._state.keep_process)
            )
        self._report("template.yaml …")
        self.parameters = {**LOCAL_PARAMETERS, **self._made_parameters(), **settings.parameters}
        self._deploy()
        self._state.publish(self._running())

    def _deploy(self) -> None:
        source = Source(template=load_template(self.settings.template), root=self.settings.root, layers=self._layers)
        self.outputs = deploy(
            self.account,
            source,
            stack=STACK_NAME,
            parameters=self.parameters,
            environment={
                "AWS_ENDPOINT_URL": self.emulator.url,
                "AWS_ENDPOINT_URL_SNS": self.recorder.url,
                **self.settings.environment,
            },
        )

    def _made_parameters(self) -> dict[str, str]:
        """What CloudFormation cannot make, on AWS as here: push platforms, the model's key, the issuer."""
        sns = self.client("sns")
        platforms = {
            name: sns.create_platform_application(
                Name=STACK_NAME, Platform=name, Attributes={"PlatformCredential": "none"}
            )["PlatformApplicationArn"]
            for name in ("APNS", "GCM")
        }
        return {
            "Issuer": self.issuer.url,
            "Audience": AUDIENCE,
            "ApnsApplicationArn": platforms["APNS"],
            "FcmApplicationArn": platforms["GCM"],
            "ModelProvider": "anthropic",
            "ModelId": self.settings.model.model_id,
            "ModelBaseUrl": self.settings.model.base_url,
            "ModelKeySecret": self._secret(_MODEL_KEY_SECRET, self.settings.model.key),
        }

    def _secret(self, name: str, value: str) -> str:
        secrets = self.client("secretsmanager")
        try:
            arn: str = secrets.create_secret(Name=name, SecretString=value)["ARN"]
        except secrets.exceptions.ResourceExistsException:
            arn = secrets.put_secret_value(SecretId=name, SecretString=value)["ARN"]
        return arn

    def _running(self) -> Running:
        credentials = self.emulator.credentials
        return Running(
            pid=os.getpid(),
            endpoints={
                "aws": self.emulator.url,
                "api": self.api_url,
                "issuer": self.issuer.url,
                "sns": self.recorder.url,
                **({"postgres": f"127.0.0.1:{self.postgres.port}"} if self.postgres else {}),
            },
            outputs=self.outputs,
            credentials={
                "access_key_id": credentials.access_key_id,
                "secret_access_key": credentials.secret_access_key,
            },
        )

    def _end(self) -> None:
        with interruption.held_back():
            self._started.close()


def wait_until(condition: Callable[[], bool], *, timeout: float, every: float = 0.2) -> bool:
    """Ask until the condition holds; False when `timeout` seconds went by without it."""
    deadline = time.monotonic() + timeout
    while not condition():
        if time.monotonic() >= deadline:
            return False
        time.sleep(every)
    return True
