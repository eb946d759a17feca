"""boto3 clients for the emulated account: one place that knows endpoint, keys and region."""

import os
import threading
from typing import Any

import boto3
import botocore.session
from botocore.config import Config

from playbooks_local.emulator import ACCOUNT, REGION, Credentials

# boto3 makes each service's client at run time: there is no one type for what this module returns.
Client = Any


class Account:
    """The emulated account's root: for setting up and for looking, never for what a function does."""

    def __init__(self, url: str, credentials: Credentials) -> None:
        self.url = url
        self.region = REGION
        self.account_id = ACCOUNT
        self._session = boto3.session.Session(
            botocore_session=_bare_session(),
            aws_access_key_id=credentials.access_key_id,
            aws_secret_access_key=credentials.secret_access_key,
            region_name=REGION,
        )
        self._clients: dict[tuple[str, str], Client] = {}
        # Clients may be used by any thread; a session that makes them may not.
        self._lock = threading.Lock()

    def client(self, service: str, *, endpoint: str | None = None) -> Client:
        """The client of one service (`dynamodb`, `sqs`, …), at the emulator unless an endpoint is named."""
        where = endpoint or self.url
        with self._lock:
            if (service, where) not in self._clients:
                create: Client = self._session.client
                self._clients[service, where] = create(service, endpoint_url=where, config=_config(service))
            return self._clients[service, where]


def _bare_session() -> botocore.session.Session:
    """A session that reads no profile and no file of the user's own AWS set-up."""
    nothing = (None, None, None, None)
    no_file = (None, None, os.devnull, None)
    return botocore.session.Session(
        session_vars={"profile": nothing, "config_file": no_file, "credentials_file": no_file}
    )


def _config(service: str) -> Config:
    return Config(
        signature_version="s3v4" if service == "s3" else None,
        s3={"addressing_style": "path"},
        retries={"mode": "standard", "max_attempts": 3},
        connect_timeout=5,
        read_timeout=60,
        # Loopback is never behind a proxy, whatever the environment says.
        proxies={},
    )
