"""Every contract runs over a table in memory and over an emulated DynamoDB with the template's keys and indexes."""

import itertools
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.config import Config

from playbooks.adapters.dynamodb.operations import Table
from playbooks.adapters.dynamodb.table import DynamoTable
from playbooks.adapters.memory.table import MemoryTable
from playbooks_local.cloudformation_yaml import load_template
from playbooks_local.emulator import REGION, Emulator
from playbooks_local.paths import TEMPLATE

_numbers = itertools.count()


@pytest.fixture(scope="session")
def emulator() -> Iterator[Emulator]:
    with tempfile.TemporaryDirectory(prefix="playbooks-emulator-") as folder, Emulator(Path(folder)) as running:
        yield running


@pytest.fixture(scope="session")
def dynamodb(emulator: Emulator) -> Any:
    return boto3.client(
        "dynamodb",
        endpoint_url=emulator.url,
        region_name=REGION,
        aws_access_key_id=emulator.credentials.access_key_id,
        aws_secret_access_key=emulator.credentials.secret_access_key,
        config=Config(max_pool_connections=32, retries={"mode": "standard", "max_attempts": 4}),
    )


def create_table(client: Any) -> str:
    """A table as the template describes it; its name."""
    properties = load_template(TEMPLATE)["Resources"]["Table"]["Properties"]
    names = ("BillingMode", "AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes")
    name = f"contract-{next(_numbers)}"
    client.create_table(TableName=name, **{key: properties[key] for key in names})
    return name


@pytest.fixture(params=["memory", "dynamodb"])
def table(request: pytest.FixtureRequest) -> Table:
    """A new table of each kind."""
    if request.param == "memory":
        return MemoryTable()
    client = request.getfixturevalue("dynamodb")
    return DynamoTable(client, create_table(client), pause=lambda _attempt: None)
