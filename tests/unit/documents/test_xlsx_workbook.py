"""Sheets, headers, widths and notes of a workbook."""

import tempfile
from pathlib import Path

import pytest

from playbooks.adapters.documents.xlsx import XlsxWriter
from playbooks.errors import Refused
from playbooks.ports.documents import Draft, Table
from tests.unit.documents.drafts import one_sheet, reopened, table


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_the_header_is_bold_frozen_and_filtered():
    sheet = reopened(one_sheet(rows=[(1, "a"), (2, "b")]))["Sales"]
    assert [cell.value for cell in sheet[1]] == ["n", "name"]
    assert all(cell.font.bold for cell in sheet[1])
    assert not sheet["A2"].font.bold
    assert sheet.freeze_panes == "A2"
    assert sheet.auto_filter.ref == "A1:B3"


def test_headers_are_the_reader_s_and_not_the_column_s():
    draft = Draft("Report", [table("Sales", [("dept", "text")], [["영업"]], headers=["부서"])])
    assert reopened(draft)["Sales"]["A1"].value == "부서"


def test_columns_are_as_wide_as_what_they_hold_and_korean_counts_double():
    columns = [("short", "text"), ("latin", "text"), ("korean", "text"), ("long", "text")]
    draft = Draft("Report", [table("Sales", columns, [["a", "x" * 20, "가" * 20, "y" * 500]])])
    sheet = reopened(draft)["Sales"]
    short, latin, korean, long = (round(sheet.column_dimensions[letter].width) for letter in "ABCD")
    assert short < latin < korean < long
    assert 20 <= latin <= 24
    assert 40 <= korean <= 44
    assert long <= 61


def test_titles_become_names_that_excel_accepts():
    titles = ["Sales", "sales", "a/b[c]:d*e?f\\g", "", "History", "'quoted'", "가" * 40, "가" * 40, "x" * 31, "x" * 32]
    draft = Draft("Report", [table(title, [("n", "integer")], [[1]]) for title in titles])
    names = [sheet.title for sheet in reopened(draft)]
    assert names == [
        *("Sales", "sales (2)", "a b c d e f g", "Sheet", "History (2)", "quoted"),
        *("가" * 31, "가" * 27 + " (2)", "x" * 31, "x" * 27 + " (2)"),
    ]


def test_a_title_beyond_the_basic_plane_is_cut_by_utf_16_units():
    names = [sheet.title for sheet in reopened(Draft("Report", [table("😀" * 20, [("n", "integer")], [[1]])]))]
    assert names == ["😀" * 15]


def test_rows_beyond_a_sheet_go_on_in_the_next_one_and_that_is_said():
    draft = one_sheet(rows=[(number, "x") for number in range(7)])
    workbook = reopened(draft, rows_of_a_sheet=4)
    assert [sheet.title for sheet in workbook] == ["Sales", "Sales (2)", "Sales (3)", "Notes"]
    read = [row[0] for sheet in workbook.worksheets[:3] for row in sheet.iter_rows(min_row=2, values_only=True)]
    assert read == list(range(7))
    assert [sheet["A1"].value for sheet in workbook.worksheets[:3]] == ["n", "n", "n"]
    assert "further sheets" in workbook["Notes"]["A3"].value


def test_a_sheet_that_is_exactly_full_is_one_sheet():
    workbook = reopened(one_sheet(rows=[(1, "x"), (2, "x"), (3, "x")]), rows_of_a_sheet=4)
    assert [sheet.title for sheet in workbook] == ["Sales"]


def test_a_table_without_rows_has_its_header():
    sheet = reopened(one_sheet(rows=[]))["Sales"]
    assert list(sheet.values) == [("n", "name")]


def test_a_document_of_notes_alone_is_a_workbook():
    workbook = reopened(Draft("Report", [], "First.\n\nSecond."))
    assert [row[0] for row in workbook["Notes"].values] == ["Report", None, "First.", "Second."]


def test_notes_speak_the_reader_s_language():
    workbook = reopened(one_sheet(rows=[(9007199254740993, "x")], language="ko"))
    assert [sheet.title for sheet in workbook] == ["Sales", "참고"]
    assert "15자리" in workbook["참고"]["A3"].value


def test_a_text_longer_than_a_cell_is_cut_and_that_is_said():
    workbook = reopened(one_sheet(rows=[(1, "😀" * 20_000)]))
    text = workbook["Sales"]["B2"].value
    assert text.endswith("…")
    assert 32_760 <= len(text.encode("utf-16-le")) // 2 <= 32_767
    assert "cut" in workbook["Notes"]["A3"].value


def test_control_characters_do_not_break_the_file():
    text = "a\x01b\x0b\x1f\ufffe\uffff\tc\r\nd "
    sheet = reopened(one_sheet(rows=[(1, text), (2, f"<r>{text}</r>")]))["Sales"]
    assert "b" in sheet["B2"].value
    assert "b" in sheet["B3"].value


def test_an_unknown_zone_is_refused_with_its_name():
    with pytest.raises(Refused, match="Mars/Olympus"):
        list(XlsxWriter().write(one_sheet(zone="Mars/Olympus")))


def test_a_failure_while_rows_are_read_is_passed_on_and_leaves_nothing(temporary):
    class Broken(Exception):
        pass

    def rows():
        yield (1, "a")
        raise Broken

    source = one_sheet().tables[0]
    draft = Draft("Report", [Table("Sales", source.columns, source.headers, rows)])
    with pytest.raises(Broken):
        list(XlsxWriter().write(draft))
    assert list(temporary.iterdir()) == []


def test_a_reader_that_stops_early_leaves_nothing(temporary):
    chunks = XlsxWriter().write(one_sheet())
    next(chunks)
    assert [path for path in temporary.iterdir() if Path(path).is_dir()] != []
    chunks.close()
    assert list(temporary.iterdir()) == []
