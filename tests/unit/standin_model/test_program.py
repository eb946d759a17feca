"""`python -m playbooks_local.standin_model` as a program."""

import signal
import subprocess
import sys
import urllib.error
import urllib.request

import pytest

from playbooks_local.standin_model import STAND_IN, StandInModel

COMMAND = [sys.executable, "-m", "playbooks_local.standin_model"]


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_it_says_what_it_is_and_where_and_ends_cleanly(ending):
    with subprocess.Popen(COMMAND, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        try:
            line = program.stdout.readline()
            assert line.startswith(STAND_IN)
            url = line.strip().rpartition("=")[2]
            assert url.startswith("http://127.0.0.1:")
            with pytest.raises(urllib.error.HTTPError) as caught:
                urllib.request.urlopen(f"{url}/v1/messages", b"{}", timeout=10)
            assert caught.value.code == 401
            program.send_signal(ending)
            _, complaint = program.communicate(timeout=20)
        finally:
            program.kill()
    assert program.returncode == 0
    assert complaint == ""


def test_a_taken_port_is_one_line_and_a_failure():
    with StandInModel() as model:
        port = model.url.rpartition(":")[2]
        done = subprocess.run([*COMMAND, "--port", port], capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert port in done.stderr
