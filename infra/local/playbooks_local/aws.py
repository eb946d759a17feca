"""boto3 clients for the emulated account: one place that knows endpoint, keys and region."""

from dataclasses import dataclass
from typing import Any

import boto3
from botocore.config import Config

from playbooks_local.emulator import ACCOUNT, REGION, Credentials

# boto3 makes each service's client at run time: there is no one type for what this module returns.
Client = Any


@dataclass(frozen=True, slots=True)
class Account:
    """The emulated account's root: for setting up and for looking, never for what a function does."""

    url: str
    credentials: Credentials
    region: str = REGION
    account_id: str = ACCOUNT

    def client(self, service: str, *, endpoint: str | None = None) -> Client:
        """A client of one service (`dynamodb`, `sqs`, …), at the emulator unless an endpoint is named.

        Each call makes a session of its own, so clients may be made in any thread.
        """
        session = boto3.session.Session(
            aws_access_key_id=self.credentials.access_key_id,
            aws_secret_access_key=self.credentials.secret_access_key,
            region_name=self.region,
        )
        create: Client = session.client
        return create(
            service,
            endpoint_url=endpoint or self.url,
            config=Config(
                signature_version="s3v4" if service == "s3" else None,
                s3={"addressing_style": "path"},
                retries={"mode": "standard", "max_attempts": 3},
                connect_timeout=5,
                read_timeout=60,
            ),
        )
