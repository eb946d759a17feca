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
    "pydantic_core": ["playbooks.query_spec"],
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


def outside(packages: tuple[str, ...]) -> list[tuple[str, str]]:
    """Every import of something that is neither the standard library nor ours, as importer and vendor."""
    graph = grimp.build_graph(*packages, include_external_packages=True, exclude_type_checking_imports=True)
    ours = {"playbooks", "functions", "playbooks_local"}
    vendors = {module for module in graph.modules if module.partition(".")[0] not in ours | sys.stdlib_module_names}
    return [(importer, vendor) for vendor in vendors for importer in graph.find_modules_that_directly_import(vendor)]


def strays(imports: list[tuple[str, str]]) -> list[str]:
    """Imports of a vendor outside its rooms, or of one that has none."""
    return sorted(
        f"{importer} imports {vendor}"
        for importer, vendor in imports
        if not any(importer == room or importer.startswith(f"{room}.") for room in ROOMS.get(vendor, []))
    )


def test_every_vendor_of_a_layer_has_its_rooms_and_is_imported_nowhere_else():
    assert vendors() <= set(ROOMS), "give each new dependency its room"
    assert strays(outside(("playbooks",))) == []


def test_a_function_imports_our_package_and_the_standard_library_only():
    assert [importer for importer, _ in outside(("functions",)) if importer.startswith("functions")] == []


@pytest.mark.parametrize("vendor", ["dateutil", "httpx2", "boto3"])
def test_an_import_in_the_wrong_room_is_seen(vendor):
    assert strays([("playbooks.domain.ids", vendor)]) == [f"playbooks.domain.ids imports {vendor}"]


IMPURE = {"os", "time", "logging", "socket", "subprocess", "random", "secrets", "tempfile", "threading", "shutil"}
"""What reads a clock, an environment or a disk, or speaks to somebody."""
PURE = ("playbooks.domain", "playbooks.ports", "playbooks.prompts", "playbooks.language", "playbooks.query_spec")
ALLOWED_IMPURITIES: dict[str, str] = {}
"""Importer and what it imports, with the reason; nothing needs one today."""


def test_the_core_reads_no_clock_no_environment_and_no_disk():
    graph = grimp.build_graph("playbooks", include_external_packages=True, exclude_type_checking_imports=True)
    found = {
        f"{importer} imports {impure}"
        for impure in IMPURE & graph.modules
        for importer in graph.find_modules_that_directly_import(impure)
        if importer.startswith(PURE)
    }
    assert found == set(ALLOWED_IMPURITIES)


def test_one_adapter_does_not_know_another():
    """But memory speaks DynamoDB's operations, being a table of the same semantics, and DynamoDB waits by the clock."""
    graph = grimp.build_graph("playbooks", exclude_type_checking_imports=True)
    rooms = sorted(graph.find_children("playbooks.adapters"))
    known = set()
    for room in rooms:
        members = {room} | graph.find_descendants(room)
        imported = {target for member in members for target in graph.find_modules_directly_imported_by(member)}
        known |= {
            (room.rpartition(".")[2], other.rpartition(".")[2])
            for other in rooms
            if other != room and any(target == other or target.startswith(f"{other}.") for target in imported)
        }
    assert known <= {("memory", "dynamodb"), ("dynamodb", "system_clock")}


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
