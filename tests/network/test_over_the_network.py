"""Schedulers and runners as processes of their own, over an emulated DynamoDB, SQS and SNS that lose answers."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from playbooks.adapters.dynamodb import keys
from playbooks.adapters.dynamodb.codec import instant
from playbooks.adapters.dynamodb.items import read_run
from playbooks.adapters.dynamodb.playbook_writes import creation_writes
from playbooks.adapters.dynamodb.table import DynamoTable, decode_item
from playbooks.domain.ids import PlaybookId
from playbooks.domain.playbook import Definition, Playbook, PlaybookState
from playbooks.domain.recurrence import occurrence_of, parse_rule
from playbooks.domain.run import RunStatus
from playbooks.domain.schedule import change_rule
from playbooks.ports.directory import Person
from playbooks.ports.push import Device, Platform
from playbooks.ports.stores.playbooks import NewPlaybook
from playbooks.ports.stores.wake_index import SHARDS
from playbooks_local.aws import Account
from playbooks_local.cloudformation_yaml import load_template
from playbooks_local.emulator import REGION, Emulator
from playbooks_local.paths import ROOT, TEMPLATE
from playbooks_local.sns_recorder import SnsRecorder
from tests.network.faulty_proxy import Faults, FaultyProxy
from tests.world import ACME, MINA, World, steps

OCCURRENCES = 500
SCHEDULERS = RUNNERS = 8
KILLS = 12
PATIENCE = 300.0


@dataclass
class Site:
    """An emulated account behind a faulty proxy."""

    account: Account
    proxy: FaultyProxy
    recorder: SnsRecorder
    world: World
    environment: dict[str, str]
    stop: Path


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with (
        Emulator(tmp_path / "emulator") as emulator,
        FaultyProxy(emulator.url, Faults(), seed=2026) as proxy,
        SnsRecorder(emulator.url) as recorder,
    ):
        account = Account(emulator.url, emulator.credentials)
        dynamodb, sqs, sns = (account.client(name) for name in ("dynamodb", "sqs", "sns"))
        properties = load_template(TEMPLATE)["Resources"]["Table"]["Properties"]
        names = ("BillingMode", "AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes")
        dynamodb.create_table(TableName="network", **{name: properties[name] for name in names})
        queue = sqs.create_queue(QueueName="runs")["QueueUrl"]
        queue = queue.replace(queue.partition("/000")[0], proxy.url)
        application = sns.create_platform_application(
            Name="network", Platform="GCM", Attributes={"PlatformCredential": "none"}
        )["PlatformApplicationArn"]
        endpoint = sns.create_platform_endpoint(PlatformApplicationArn=application, Token="token-of-mina")
        world = World(table=DynamoTable(dynamodb, "network"), now=datetime.now(UTC))
        world.workspace.register_person(ACME, Person(MINA, "Mina", frozenset()))
        arn = endpoint["EndpointArn"]
        world.devices.register(Device(ACME, MINA, "phone", Platform.FCM, "token-of-mina", arn, world.now))
        stop = tmp_path / "stop"
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join(
                [str(ROOT), str(ROOT / "layers/playbooks/python"), str(ROOT / "infra/local")]
            ),
            "AWS_ACCESS_KEY_ID": emulator.credentials.access_key_id,
            "AWS_SECRET_ACCESS_KEY": emulator.credentials.secret_access_key,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_ENDPOINT_URL": proxy.url,
            "AWS_ENDPOINT_URL_SNS": recorder.url,
            "AWS_EC2_METADATA_DISABLED": "true",
            "PLAYBOOKS_TABLE": "network",
            "PLAYBOOKS_BUCKET": "none",
            "PLAYBOOKS_RUN_QUEUE_URL": queue,
            "PLAYBOOKS_CONVERSION_QUEUE_URL": queue,
            "PLAYBOOKS_FCM_APPLICATION_ARN": application,
            "PLAYBOOKS_CALL_BUDGET_SECONDS": "12",
            "PLAYBOOKS_LEASE_MARGIN_SECONDS": "3",
            "POWERTOOLS_SERVICE_NAME": "network",
            "NETWORK_STOP_FILE": str(stop),
        }
        yield Site(account, proxy, recorder, world, environment, stop)


class Processes:
    """Starts processes, kills some of them, and ends all that are left."""

    def __init__(self, site: Site, log: Path) -> None:
        self._site = site
        self._log = log
        self._running: list[tuple[str, subprocess.Popen[bytes]]] = []

    def start(self, role: str) -> None:
        with self._log.open("ab") as log:
            command = [sys.executable, "-m", "tests.network.processes", role]
            process = subprocess.Popen(command, env=self._site.environment, cwd=ROOT, stdout=log, stderr=log)
        self._running.append((role, process))

    def kill_one(self, chance: random.Random) -> None:
        """`kill -9` at whatever moment this is, and another one in its place."""
        role, process = self._running.pop(chance.randrange(len(self._running)))
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.start(role)

    def end(self) -> None:
        self._site.stop.touch()
        deadline = time.monotonic() + 8
        for _, process in self._running:
            try:
                process.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def due_at_once(world: World, count: int) -> list[PlaybookId]:
    """Playbooks whose occurrence of this minute is due; every fifth has two steps."""
    minute = world.now.replace(second=0, microsecond=0, tzinfo=None)
    rule = parse_rule({"start": minute.isoformat(timespec="minutes"), "zone": "UTC", "unit": "hours", "interval": 24})
    schedule = replace(change_rule(None, rule, world.now), next=occurrence_of(rule, minute, 0))
    names = [PlaybookId(f"p{number}") for number in range(count)]
    writes = []
    for number, name in enumerate(names):
        definition = Definition(1, steps(2 if number % 5 == 0 else 1))
        playbook = Playbook(ACME, name, MINA, f"Report {name}", PlaybookState.ON, 1, 1, definition.hash, world.now)
        writes += creation_writes(NewPlaybook(playbook, definition, {}, schedule))
    for start in range(0, len(writes), 100):
        world.table.transact(writes[start : start + 100])
    return names


def everything(site: Site) -> list[dict[str, Any]]:
    pages = site.account.client("dynamodb").get_paginator("scan").paginate(TableName="network", ConsistentRead=True)
    return [decode_item(item) for page in pages for item in page["Items"]]


def at_rest(site: Site) -> bool:
    """No occurrence of this minute is due any more, and no run or notice is waited for."""
    table, now = site.world.table, instant(datetime.now(UTC))
    for shard in range(SHARDS):
        if table.query(keys.due_shard(shard), index="wake", up_to=now, limit=1)[0]:
            return False
        if table.query(keys.work_shard(shard), index="wake", limit=1)[0]:
            return False
    return True


def test_eight_schedulers_and_eight_runners_lose_nothing_and_do_nothing_twice(site: Site, tmp_path: Path):
    """F03, F12: lost answers, throttling, conflicts, and processes killed at random moments."""
    names = due_at_once(site.world, OCCURRENCES)
    site.environment["NETWORK_BEGIN"] = str(time.time() + 6)
    processes = Processes(site, tmp_path / "processes.log")
    chance = random.Random(7)
    try:
        for _ in range(SCHEDULERS):
            processes.start("scheduler")
        for _ in range(RUNNERS):
            processes.start("runner")
        time.sleep(7)
        deadline = time.monotonic() + PATIENCE
        kills = 0
        while time.monotonic() < deadline:
            if kills < KILLS:
                processes.kill_one(chance)
                kills += 1
                time.sleep(0.8)
                continue
            if at_rest(site):
                break
            time.sleep(1)
    finally:
        processes.end()

    items = everything(site)
    runs = [read_run(item) for item in items if "#RUN#" in item["PK"] and item["SK"] == keys.META]
    log = (tmp_path / "processes.log").read_text(errors="replace")[-2_000:]
    assert Counter(run.playbook for run in runs) == Counter(names), log
    assert Counter(run.status for run in runs) == {RunStatus.COMPLETED: OCCURRENCES}, log
    assert all(run.cursor == run.step_count for run in runs)
    pushed = {push.attributes["AWS.SNS.MOBILE.APNS.COLLAPSE_ID"].partition(":")[0] for push in site.recorder.pushes}
    assert pushed == {run.id for run in runs}
    assert all("sent_at" in item for item in items if item["SK"].startswith("NOTE#"))
    (month,) = [item for item in items if item["SK"].startswith("USE#")]
    assert month["runs"] == OCCURRENCES
    assert site.proxy.happened["TransactWriteItems lost"] > 10
