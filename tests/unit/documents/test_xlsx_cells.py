"""What an independent reader finds in a cell, by cases."""

import json
from pathlib import Path

import pytest

from playbooks.ports.documents import Draft
from tests.unit.documents.drafts import reopened, table

CASES = json.loads(Path(__file__).with_name("xlsx_cells.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_value_becomes_a_cell(case):
    column = (case.get("column", "total"), case["type"])
    draft = Draft("Report", [table("Sales", [column], [[case["value"]]])], zone="Asia/Seoul")
    workbook = reopened(draft)
    cell = workbook["Sales"]["A2"]
    kind, value, number_format = case["cell"]
    shown = cell.value.isoformat() if kind == "d" else cell.value
    assert [cell.data_type, shown, cell.number_format] == [kind, value, number_format]
    assert [sheet.title for sheet in workbook] == (["Sales", "Notes"] if "note" in case else ["Sales"])
    if "note" in case:
        assert case["note"] in " ".join(str(row[0]) for row in workbook["Notes"].values)


def test_a_formula_is_nowhere_in_the_file():
    cells = [[case["value"]] for case in CASES if case["type"] == "text"]
    draft = Draft("=1+1", [table("=1+1", [("=1+1", "text")], cells)], notes="=1+1\n{=1+1}")
    for sheet in reopened(draft):
        assert [cell for row in sheet.iter_rows() for cell in row if cell.data_type == "f"] == []
