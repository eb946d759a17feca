"""How the local stack ends: with its block, on an error, on a signal, after a kill; and what a second start does."""

import dataclasses
import json
import os
import signal
import socket
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from playbooks_local import processes
from playbooks_local.paths import ROOT
from playbooks_local.problems import AlreadyRunning, NoPermission, NotSetUp, PortInUse
from playbooks_local.stack import LocalStack, StackSettings, wait_until
from playbooks_local.state_folder import StateFolder, find_running

PROGRAM = textwrap.dedent(
    """
    import signal, sys
    from pathlib import Path
    from playbooks_local.stack import LocalStack, StackSettings
    # A test run in the background has Ctrl-C ignored, and its children too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    settings = StackSettings(state=Path(sys.argv[1]), root=Path(sys.argv[2]), with_postgres=False)
    try:
        with LocalStack(settings) as stack:
            print(stack.emulator.process.pid, flush=True)
            signal.pause()
    except KeyboardInterrupt:
        print("ended", flush=True)
    """
)


@pytest.fixture
def settings(tmp_path, probe_root):
    return StackSettings(state=tmp_path / "state", root=probe_root, with_postgres=False)


def start_program(settings):
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(settings.state), str(settings.root)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "infra" / "local")},
    )


def group_is_gone(pid):
    try:
        os.killpg(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_a_stack_leaves_no_process_no_port_and_no_temporary_file(settings):
    with LocalStack(settings) as stack:
        stack.invoke("SchedulerName", {"calls": []})  # a worker runs now
        pid, port = stack.emulator.process.pid, stack.emulator.port
        assert find_running(settings.state).endpoints["api"] == stack.api_url
    assert group_is_gone(pid)
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0
    assert not (settings.state / "emulator" / "tmp").exists()
    assert find_running(settings.state) is None
    with pytest.raises(RuntimeError):
        _ = stack.issuer.url


def test_the_emulator_writes_nowhere_but_below_its_folder(settings):
    with LocalStack(settings) as stack:
        environment = Path(f"/proc/{stack.emulator.process.pid}/environ")
        if not environment.exists():
            pytest.skip("this system does not show a process's environment")
        variables = dict(one.split("=", 1) for one in environment.read_text().split("\0") if one)
    own = str(settings.state.resolve() / "emulator" / "tmp")
    for name in ("HOME", "TMPDIR", "STATE_DIR", "S3_DATA_DIR"):
        assert variables[name].startswith(own)
    assert not {name for name in variables if name.startswith("AWS_")} - {
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_EC2_METADATA_DISABLED",
    }


def test_the_user_s_own_aws_set_up_and_proxy_do_not_matter(settings, monkeypatch, tmp_path):
    (tmp_path / "config").write_text("[default]\nendpoint_url = http://127.0.0.1:1\n")
    for name, value in {
        "AWS_PROFILE": "not-there",
        "AWS_CONFIG_FILE": str(tmp_path / "config"),
        "AWS_ENDPOINT_URL": "http://127.0.0.1:1",
        "AWS_REGION": "eu-north-1",
        "HTTP_PROXY": "http://127.0.0.1:1",
        "http_proxy": "http://127.0.0.1:1",
    }.items():
        monkeypatch.setenv(name, value)
    with LocalStack(settings) as stack:
        assert stack.invoke("SchedulerName", {"calls": []}) == []
        assert stack.client("sts").get_caller_identity()["Account"] == stack.account.account_id


def test_an_error_inside_ends_the_stack_and_is_not_hidden(settings):
    stack = LocalStack(settings)

    def fail_inside():
        with stack:
            pids.append(stack.emulator.process.pid)
            raise ZeroDivisionError

    pids = []
    with pytest.raises(ZeroDivisionError):
        fail_inside()
    assert group_is_gone(pids[0])


def test_a_start_that_fails_half_way_leaves_nothing(settings, tmp_path):
    """The template is the last thing to fail: by then everything else runs."""
    template = tmp_path / "template.yaml"
    template.write_text("Resources: {Bad: {Type: 'AWS::Serverless::Function', Properties: {CodeUri: nowhere}}}")
    seen = []
    stack = LocalStack(
        StackSettings(state=settings.state, template=template, with_postgres=False),
        report=lambda _line: seen.append(stack.emulator.process),
    )
    with pytest.raises(Exception, match="nowhere is missing"), stack:
        pass
    started = [one for one in seen if one is not None]
    assert started
    assert all(group_is_gone(one.pid) for one in started)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_a_signal_ends_the_stack(number, settings):
    program = start_program(settings)
    pid = int(program.stdout.readline())
    program.send_signal(number)
    assert program.stdout.readline() == "ended\n"
    assert program.wait(10) == 0
    assert group_is_gone(pid)


def test_a_second_start_is_refused_and_after_a_kill_it_ends_what_was_left(settings):
    program = start_program(settings)
    pid = int(program.stdout.readline())
    with pytest.raises(AlreadyRunning, match=str(program.pid)), LocalStack(settings):
        pass
    program.kill()
    program.wait(10)
    assert not group_is_gone(pid), "a killed stack cannot end its emulator"
    with StateFolder(settings.state):
        assert wait_until(lambda: group_is_gone(pid), timeout=5)


def test_a_process_number_that_was_given_to_another_process_is_left_alone():
    other = subprocess.Popen(["sleep", "60"], start_new_session=True)
    try:
        processes.end_group(processes.ProcessId(other.pid, "another start"))
        assert other.poll() is None
    finally:
        other.kill()
        other.wait(5)


def test_a_group_is_ended_though_a_member_ignores_the_asking(tmp_path):
    stubborn = "trap '' TERM; (trap '' TERM; sleep 60) & echo started; wait"
    log = tmp_path / "log"
    child = processes.start(["sh", "-c", stubborn], environment={"PATH": os.environ["PATH"]}, log=log, folder=tmp_path)
    leader = processes.identify(child.pid)
    assert wait_until(lambda: "started" in log.read_text(), timeout=5, every=0.02)
    processes.end_group(leader, patience=0.2)
    child.wait(5)
    assert wait_until(lambda: group_is_gone(leader.pid), timeout=5, every=0.02)


def test_a_taken_port_is_named(settings):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        wanted = StackSettings(state=settings.state, root=settings.root, emulator_port=port, with_postgres=False)
        with pytest.raises(PortInUse, match=f"port {port}, meant for the emulated AWS"), LocalStack(wanted):
            pass


def test_a_folder_that_cannot_be_made_is_named():
    folder = Path("/proc/nowhere")
    with pytest.raises(NoPermission, match="/proc/nowhere"), LocalStack(StackSettings(state=folder)):
        pass


def test_a_folder_with_other_things_in_it_is_not_taken(tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(NoPermission, match="holds other things"), LocalStack(StackSettings(state=tmp_path)):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_databases_are_new_at_each_start(settings):
    with_postgres = dataclasses.replace(settings, with_postgres=True)
    for _ in range(2):
        with LocalStack(with_postgres) as stack:
            stack.postgres.create_database("shop")
            running = processes.identify(stack.postgres.process.pid)
            listed = json.loads((settings.state / "stack.json").read_text())["processes"]
            assert dataclasses.asdict(running) in listed, "a start after a kill would not end it"
        assert not processes.is_alive(running)
    assert not (settings.state / "postgres").exists()


def test_a_missing_set_up_says_what_makes_it(settings, monkeypatch):
    monkeypatch.setenv("PLAYBOOKS_EMULATOR", "/nowhere")
    with pytest.raises(NotSetUp, match="make setup"), LocalStack(settings):
        pass
