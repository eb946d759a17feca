"""What a function loads at its start, held to a list: a stray import costs every cold start.

The list is `tests/cases/function_modules.json`: for each function the packages that are loaded beside the standard
library when its `app` is imported in a fresh process.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXPECTED = json.loads((ROOT / "tests/cases/function_modules.json").read_text())
LIST = """
import sys, json, pathlib
sys.path[:0] = json.loads(sys.argv[1])
before = set(sys.modules)
import app
new = {name: str(getattr(module, "__file__", "")) for name, module in sys.modules.items() if name not in before}
print(json.dumps(sorted({name.partition(".")[0] for name, file in new.items() if "site-packages" in file})))
print(json.dumps(sorted(name for name in sys.modules if name.startswith("playbooks."))))
"""
SETTINGS = {
    "AWS_DEFAULT_REGION": "us-east-1",
    "PLAYBOOKS_TABLE": "table",
    "PLAYBOOKS_BUCKET": "bucket",
    "PLAYBOOKS_RUN_QUEUE_URL": "https://queue.example/runs",
    "PLAYBOOKS_CONVERSION_QUEUE_URL": "https://queue.example/conversions",
    "PLAYBOOKS_TENANT_CLAIM": "custom:tenant",
    "PLAYBOOKS_MODEL_PROVIDER": "anthropic",
    "PLAYBOOKS_MODEL_ID": "model",
    "POWERTOOLS_SERVICE_NAME": "test",
}


@pytest.fixture(scope="module", params=sorted(EXPECTED))
def loaded(request):
    """A function's name, the packages and our own modules it loads."""
    folder = ROOT / "functions" / request.param
    paths = [str(folder), str(ROOT / "layers/playbooks/python")]
    environment = {**SETTINGS, "PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")}
    done = subprocess.run(
        [sys.executable, "-c", LIST, json.dumps(paths)], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    packages, ours = done.stdout.splitlines()
    return request.param, json.loads(packages), json.loads(ours)


def test_a_function_loads_these_packages_and_no_other(loaded):
    name, packages, _ = loaded
    assert packages == EXPECTED[name]


def test_every_function_of_the_house_is_on_the_list():
    assert sorted(EXPECTED) == sorted(folder.parent.name for folder in (ROOT / "functions").glob("*/app.py"))


def test_the_scheduler_knows_no_rooms_it_does_not_need(loaded):
    name, _, ours = loaded
    if name == "scheduler":
        strangers = (
            "playbooks.domain.sql",
            "playbooks.query_spec",
            "playbooks.prompts",
            "playbooks.domain.conversation",
        )
        assert [module for module in ours if module.startswith(strangers)] == []
