"""The house keeps to its plan: the contracts hold, and a deliberate breach of each turns the check red."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).resolve().parents[3]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
CONTRACTS = {contract["id"]: contract["name"] for contract in PYPROJECT["tool"]["importlinter"]["contracts"]}

ROOMS = {
    "anthropic": ["playbooks.adapters.model"],
    "anyio": ["playbooks.adapters.mcp_tools"],
    "aws_lambda_powertools": ["playbooks.adapters.telemetry", "playbooks.interfaces"],
    "boto3": ["playbooks.bootstrap.stores"],
    "botocore": ["playbooks.adapters", "playbooks.bootstrap.stores"],
    "docx": ["playbooks.adapters.documents", "playbooks.adapters.document_readers"],
    "httpx2": ["playbooks.adapters.mcp_tools", "playbooks.adapters.model"],
    "lxml": ["playbooks.adapters.document_readers"],
    "mcp": ["playbooks.adapters.mcp_tools"],
    "openpyxl": ["playbooks.adapters.document_readers"],
    "pg8000": ["playbooks.adapters.postgres"],
    "phonenumbers": ["playbooks.domain.masking"],
    "pydantic": ["playbooks.interfaces", "playbooks.query_spec", "playbooks.adapters.model"],
    "pypdf": ["playbooks.adapters.document_readers"],
    "reportlab": ["playbooks.adapters.documents"],
    "sqlalchemy": ["playbooks.query_spec"],
    "sqlglot": ["playbooks.domain.sql"],
    "tzdata": [],
    "xlsxwriter": ["playbooks.adapters.documents"],
    "yaml": ["playbooks.interfaces"],
}
"""Where each vendor may be imported. tzdata is read as data, by its files."""
IMPORTED_AS = {"python_docx": "docx", "pyyaml": "yaml"}
"""Packages that are imported by another name."""

BREACHES = {
    "rooms": ("layers/playbooks/python/playbooks/domain/ids.py", "import playbooks.application.claims"),
    "house": ("layers/playbooks/python/playbooks/bootstrap/settings.py", "import playbooks_local.paths"),
    "adapters": ("layers/playbooks/python/playbooks/adapters/sqs.py", "import playbooks.application.claims"),
    "only-bootstrap": ("functions/api/app.py", "import playbooks.adapters.sqs"),
    "functions": ("functions/api/app.py", "import functions.scheduler.app"),
    "light-scheduler": ("layers/playbooks/python/playbooks/domain/ids.py", "import sqlglot"),
}


def vendors() -> set[str]:
    groups = PYPROJECT["dependency-groups"]
    named = [spec for group in ("runtime", "engine") for spec in groups[group]]
    packages = {re.split(r"[^A-Za-z0-9_.-]", spec)[0].replace("-", "_").lower() for spec in named}
    return {IMPORTED_AS.get(package, package) for package in packages}


def test_every_vendor_of_a_layer_has_its_rooms_and_is_imported_nowhere_else():
    assert vendors() <= set(ROOMS), "give each new dependency its room"
    graph = grimp.build_graph("playbooks", include_external_packages=True, exclude_type_checking_imports=True)
    strays = [
        f"{importer} imports {vendor}"
        for vendor in sorted(ROOMS)
        if vendor in graph.modules
        for importer in graph.find_modules_that_directly_import(vendor)
        if not any(importer == room or importer.startswith(f"{room}.") for room in ROOMS[vendor])
    ]
    assert strays == []


def test_every_contract_has_a_breach_that_is_tried():
    assert set(BREACHES) == set(CONTRACTS)


@pytest.mark.parametrize("contract", BREACHES)
def test_a_deliberate_breach_turns_the_check_red(contract, tmp_path):
    for folder in ("layers/playbooks", "functions", "infra/local"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    path, line = BREACHES[contract]
    file = tmp_path / path
    file.write_text(f"{file.read_text()}\n{line}\n")

    done = lint(tmp_path, contract)

    assert done.returncode == 1, done.stdout + done.stderr
    assert f"{CONTRACTS[contract]} BROKEN" in done.stdout


def lint(folder: Path, contract: str) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache", "--contract", contract]
    path = os.pathsep.join(str(folder / part) for part in ("layers/playbooks/python", "infra/local", "."))
    environment = {**os.environ, "PYTHONPATH": path, "COLUMNS": "200"}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment, check=False)
