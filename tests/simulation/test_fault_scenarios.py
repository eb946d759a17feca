"""Faults that public schedulers really had: each is covered by tests or by a guard of the simulation."""

import ast
import json
from pathlib import Path

import pytest

from tests.simulation.guards import GUARDS

ROOT = Path(__file__).resolve().parents[2]
SCENARIOS = json.loads((ROOT / "tests/cases/fault_scenarios.json").read_text("utf-8"))


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: f"{scenario['id']} {scenario['title']}")
def test_scenario_is_covered(scenario):
    assert scenario["covered_by"]
    for covering in scenario["covered_by"]:
        file, name = covering.split("::")
        if file.endswith("guards.py"):
            assert name in GUARDS
            continue
        tree = ast.parse((ROOT / file).read_text("utf-8"))
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, covering
