"""The room is usable alone."""

import subprocess
import sys

OURS = {"playbooks.errors", "playbooks.query_spec"}
PROBE = """
import sys
before = set(sys.modules)
import {module}
print("\\n".join(sorted(set(sys.modules) - before)))
"""


def loaded_by(module: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROBE.format(module=module)], check=True, capture_output=True, text=True
    )
    return set(done.stdout.split())


def test_importing_it_loads_pydantic_and_nothing_of_aws_sql_or_the_other_rooms():
    loaded = loaded_by("playbooks.query_spec")
    tops = {name.partition(".")[0] for name in loaded}
    assert "pydantic" in tops
    assert not tops & {"sqlalchemy", "qdrant_client", "boto3", "botocore", "sqlglot", "anthropic", "pg8000"}
    rooms = {".".join(name.split(".")[:2]) for name in loaded if name.startswith("playbooks.")}
    assert rooms == OURS


def test_only_the_sql_target_loads_sqlalchemy():
    loaded = loaded_by("playbooks.query_spec.sqlalchemy_target")
    assert "sqlalchemy" in loaded
    assert "pg8000" not in loaded
    rooms = {".".join(name.split(".")[:2]) for name in loaded if name.startswith("playbooks.")}
    assert rooms == OURS
