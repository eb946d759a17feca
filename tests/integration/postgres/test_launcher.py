"""The local PostgreSQL starts, keeps its data, stops, and says in one line why it cannot."""

import os
import socket
from pathlib import Path

import pytest

from playbooks_local import postgres, processes
from playbooks_local.postgres import PostgresNotStarted, PostgresServer
from playbooks_local.problems import PortInUse


def test_data_and_password_outlive_a_restart_and_nothing_is_left_running(tmp_path: Path) -> None:
    with postgres.start(tmp_path) as first:
        first.create_database("kept", "CREATE TABLE t(id int); INSERT INTO t VALUES (1)")
        pid = first.process.pid
    assert first.process.poll() is not None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    with postgres.start(tmp_path) as second:
        assert second.ask("kept", "SELECT id FROM t") == [(1,)]
        assert second.password == first.password
        assert second.ask("kept", "SELECT setting FROM pg_settings WHERE name = 'listen_addresses'") == [("127.0.0.1",)]
    second.stop()
    assert (tmp_path / "superuser.txt").stat().st_mode & 0o077 == 0
    assert first.password not in repr(first)


def test_a_server_that_was_killed_starts_again(tmp_path: Path) -> None:
    server = postgres.start(tmp_path)
    server.create_database("kept")
    server.process.kill()
    server.process.wait()
    with postgres.start(tmp_path) as again:
        assert ("kept",) in again.ask("postgres", "SELECT datname FROM pg_database")


def test_a_given_port_is_used_and_a_taken_one_is_said(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(PortInUse) as refused:
            postgres.start(tmp_path, port=port)
    assert refused.value.message == (
        f"port {port}, meant for PostgreSQL, is in use: choose another, or end what listens there."
    )
    with postgres.start(tmp_path, port=port) as server:
        assert server.port == port


def test_a_folder_in_use_is_said(postgres_server: PostgresServer) -> None:
    with pytest.raises(PostgresNotStarted) as refused:
        postgres.start(postgres_server.folder)
    assert "another server already uses this folder" in refused.value.message
    assert postgres_server.ask("postgres", "SELECT 1") == [(1,)]


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(PostgresNotStarted) as refused:
        postgres.start(tmp_path / "file" / "below")
    assert "choose another folder" in refused.value.message


def test_a_half_made_cluster_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "data.partial").mkdir()
    (tmp_path / "data.partial" / "PG_VERSION").write_text("18", encoding="utf-8")
    with postgres.start(tmp_path) as server:
        assert server.ask("postgres", "SELECT 1") == [(1,)]


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit, ZeroDivisionError])
def test_what_interrupts_the_wait_for_the_server_ends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: type[BaseException]
) -> None:
    kept: list[processes.ProcessId | None] = []

    def interrupted(*_: object, **__: object) -> None:
        raise stop

    monkeypatch.setattr(postgres, "_wait_until_ready", interrupted)
    with pytest.raises(stop):
        postgres.start(tmp_path, keep=kept.append)
    (process,) = kept
    assert process is not None
    assert not processes.is_alive(process)


def test_the_process_is_told_before_the_server_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    wait = postgres._wait_until_ready
    monkeypatch.setattr(postgres, "_wait_until_ready", lambda *told: (order.append("wait"), wait(*told))[1])
    with postgres.start(tmp_path, keep=lambda process: order.append(f"kept {process.pid if process else None}")) as one:
        assert order == [f"kept {one.process.pid}", "wait"]
