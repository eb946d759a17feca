"""Native charts of a workbook."""

import dataclasses
import io
import zipfile

import pytest

from playbooks.adapters.documents import charts
from playbooks.adapters.documents.xlsx import XlsxWriter
from playbooks.errors import Refused
from playbooks.ports.documents import Chart, ChartKind, Draft
from tests.unit.documents.drafts import reopened, table

COLUMNS = [("dept", "text"), ("amount", "integer"), ("rate", "numeric")]
ROWS = [["영업", 10, "1.5"], ["개발", 20, None]]


def with_chart(chart, rows=ROWS):
    return Draft("R", [dataclasses.replace(table("부서별 매출", COLUMNS, rows), chart=chart)])


def chart_xml(draft, number=1):
    with zipfile.ZipFile(io.BytesIO(b"".join(XlsxWriter().write(draft)))) as archive:
        return archive.read(f"xl/charts/chart{number}.xml").decode()


@pytest.mark.parametrize(
    ("kind", "element"), [("column", "barChart"), ("bar", "barChart"), ("line", "lineChart"), ("pie", "pieChart")]
)
def test_a_chart_refers_to_the_cells_and_carries_their_values(kind, element):
    xml = chart_xml(with_chart(Chart(ChartKind(kind), 0, (1,), "매출")))
    assert f"<c:{element}>" in xml
    for part in (
        "'부서별 매출'!$A$2:$A$3",
        "'부서별 매출'!$B$2:$B$3",
        "<c:v>영업</c:v>",
        "<c:v>20</c:v>",
        "매출</a:t>",
    ):
        assert part in xml


def test_each_value_column_is_a_series_under_its_header():
    workbook = reopened(with_chart(Chart(ChartKind.LINE, 0, (1, 2))))
    (chart,) = workbook.worksheets[0]._charts
    assert [series.val.numRef.f for series in chart.series] == ["'부서별 매출'!$B$2:$B$3", "'부서별 매출'!$C$2:$C$3"]
    assert [series.tx.strRef.f for series in chart.series] == ["'부서별 매출'!$B$1", "'부서별 매출'!$C$1"]


def test_a_chart_stands_beside_its_table_and_not_on_it():
    workbook = reopened(with_chart(Chart(ChartKind.COLUMN, 0, (1,))))
    (chart,) = workbook.worksheets[0]._charts
    assert chart.anchor._from.col > len(COLUMNS)


def test_a_table_without_rows_has_no_chart():
    assert reopened(with_chart(Chart(ChartKind.COLUMN, 0, (1,)), rows=[])).worksheets[0]._charts == []


@pytest.mark.parametrize(
    ("chart", "why"),
    [
        (Chart(ChartKind.COLUMN, 3, (1,)), "columns that are not there"),
        (Chart(ChartKind.COLUMN, -1, (1,)), "columns that are not there"),
        (Chart(ChartKind.COLUMN, 0, ()), "at least one"),
        (Chart(ChartKind.COLUMN, 0, (1, 7)), "columns that are not there"),
        (Chart(ChartKind.PIE, 0, (1, 2)), "at most 1 columns"),
    ],
)
def test_a_chart_that_cannot_be_is_refused_with_what_helps(chart, why):
    with pytest.raises(Refused, match=why) as refused:
        list(XlsxWriter().write(with_chart(chart)))
    assert refused.value.code == "chart_refused"


def test_a_long_table_is_charted_in_part_and_that_is_said(monkeypatch):
    monkeypatch.setattr(charts, "CHARTED_ROWS", 2)
    monkeypatch.setattr("playbooks.adapters.documents.xlsx.CHARTED_ROWS", 2)
    draft = with_chart(Chart(ChartKind.COLUMN, 0, (1,)), rows=ROWS * 2)
    assert "$B$2:$B$3" in chart_xml(draft)
    assert "first 2 rows" in reopened(draft)["Notes"]["A3"].value
