"""A local stack whose functions are the probe: for tests of the stack, not of the functions."""

import shutil
from pathlib import Path

import pytest

from playbooks_local.cloudformation_yaml import load_template
from playbooks_local.paths import TEMPLATE, emulator_python
from playbooks_local.stack import LocalStack, StackSettings

PROBE = Path(__file__).parent / "probe" / "app.py"


@pytest.fixture(scope="session")
def probe_root(tmp_path_factory):
    """A folder in which every function of the template is the probe."""
    if not emulator_python().exists():
        pytest.skip("the emulator's environment is missing: run `make setup`")
    root = tmp_path_factory.mktemp("probes")
    for resource in load_template(TEMPLATE)["Resources"].values():
        if resource["Type"] == "AWS::Serverless::Function":
            folder = root / resource["Properties"]["CodeUri"]
            folder.mkdir(parents=True)
            shutil.copy(PROBE, folder)
    return root


@pytest.fixture(scope="session")
def probe_stack(probe_root, tmp_path_factory):
    """The stack, without PostgreSQL."""
    settings = StackSettings(state=tmp_path_factory.mktemp("state"), root=probe_root, with_postgres=False)
    with LocalStack(settings) as stack:
        yield stack
