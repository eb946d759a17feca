"""Word documents, reopened."""

import io
import subprocess
import sys
import tempfile
import zipfile

import docx
import pytest
from docx.oxml.ns import qn

from playbooks.adapters.documents.docx import DocxWriter
from playbooks.errors import Refused
from playbooks.ports.documents import Chart, ChartKind, Draft, Table
from tests.unit.documents.drafts import one_sheet, table

ALL = [
    *(("t", "text"), ("n", "numeric"), ("i", "integer"), ("b", "boolean"), ("d", "date"), ("z", "timestamptz")),
    ("year", "integer"),
]
ROW = ["회의\n둘째\t줄 & <b>", "-1234.50", 1234567, True, "2026-09-01", "2026-08-31T23:30:00+00:00", 2026]


def written(draft, **options):
    return b"".join(DocxWriter(**options).write(draft))


def reopened(draft, **options):
    return docx.Document(io.BytesIO(written(draft, **options)))


def cells(document, number=0):
    return [[cell.text for cell in row.cells] for row in document.tables[number].rows]


def texts(document):
    return [paragraph.text for paragraph in document.paragraphs if paragraph.text]


def test_values_are_shown_as_a_person_reads_them():
    document = reopened(Draft("Report", [table("Sales", ALL, [ROW, [None] * 7])], zone="Asia/Seoul"))
    header, row, nulls = cells(document)
    assert header == ["t", "n", "i", "b", "d", "z", "year"]
    assert row == [
        *("회의\n둘째\t줄 & <b>", "-1,234.50", "1,234,567", "true", "2026-09-01", "2026-09-01 08:30:00", "2026"),
    ]
    assert nulls == [""] * 7
    assert "Times in z are shown in Asia/Seoul." in texts(document)


def test_title_notes_and_tables_stand_in_order_with_their_styles():
    draft = Draft("주간 매출", [table("부서별", [("n", "integer")], [[1]])], "# 요약\n**늘었습니다**.\n- 하나\n1. 둘")
    styled = [(p.style.name, p.text) for p in reopened(draft).paragraphs if p.text]
    assert styled == [
        ("Title", "주간 매출"),
        ("Heading 2", "요약"),
        ("Normal", "늘었습니다."),
        ("List Bullet", "하나"),
        ("List Bullet", "둘"),
        ("Heading 1", "부서별"),
    ]


def test_the_header_row_repeats_on_each_page_and_numbers_stand_to_the_right():
    document = reopened(one_sheet())
    first, second = document.tables[0].rows
    assert first._tr.trPr.find(qn("w:tblHeader")) is not None
    assert second._tr.trPr.find(qn("w:tblHeader")) is None
    assert [cell.paragraphs[0].alignment for cell in second.cells] == [2, None]


def test_korean_has_its_own_font_in_every_style():
    document = reopened(one_sheet())
    styles = ("Normal", "Title", "Heading 1", "Heading 2", "List Bullet")
    for name in styles[:4]:
        fonts = document.styles[name].element.rPr.rFonts
        assert fonts.get(qn("w:eastAsia")) == "맑은 고딕", name
        assert fonts.get(qn("w:ascii")) == "Calibri", name
        assert fonts.get(qn("w:eastAsiaTheme")) is None, name


def test_a_wide_table_turns_the_page():
    wide = table("Sales", [(f"c{number}", "integer") for number in range(8)], [[1] * 8])
    section = reopened(Draft("Report", [wide])).sections[0]
    assert section.page_width > section.page_height
    section = reopened(one_sheet()).sections[0]
    assert section.page_width < section.page_height


def test_rows_that_do_not_fit_are_counted_and_said():
    document = reopened(one_sheet(rows=[(number, "x") for number in range(10)]), max_cells=8)
    assert len(document.tables[0].rows) == 5
    assert any("Sales: 6 more rows" in text for text in texts(document))


def test_control_characters_and_a_lone_surrogate_do_not_break_the_file():
    text = "a\x00\x01b\x0b\ufffe\ud800c"
    source = one_sheet(title=text)
    draft = Draft(text, [Table(text, source.tables[0].columns, [text, text], lambda: iter([(1, text)]))], text)
    assert cells(reopened(draft)) == [["abc", "abc"], ["1", "abc"]]


def test_no_field_or_link_comes_of_data():
    draft = one_sheet(rows=[(1, '=HYPERLINK("http://x.example")'), (2, "{ INCLUDETEXT c:/x }")])
    with zipfile.ZipFile(io.BytesIO(written(draft))) as archive:
        body = archive.read("word/document.xml").decode()
        assert "fldSimple" not in body
        assert "instrText" not in body
        assert "hyperlink" not in body.lower().replace("=hyperlink(", "")
        assert b'TargetMode="External"' not in archive.read("word/_rels/document.xml.rels")


def test_a_chart_is_not_drawn_and_that_is_said():
    source = one_sheet().tables[0]
    draft = Draft("R", [Table("S", source.columns, source.headers, source.rows, Chart(ChartKind.BAR, 1, (0,)))])
    assert any("xlsx" in text for text in texts(reopened(draft)))


def test_too_many_columns_are_refused_with_what_helps():
    wide = table("Sales", [(f"c{number}", "integer") for number in range(64)], [[1] * 64])
    with pytest.raises(Refused, match="63: choose fewer, or write xlsx"):
        written(Draft("Report", [wide]))


def test_a_failure_while_rows_are_read_is_passed_on_and_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    source = one_sheet().tables[0]

    def rows():
        yield (1, "a")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        written(Draft("Report", [Table("Sales", source.columns, source.headers, rows)]))
    assert list(tmp_path.iterdir()) == []


def test_who_writes_no_docx_and_no_pdf_loads_neither_library():
    code = (
        "import sys; from playbooks.adapters.documents import document_writers; document_writers(); "
        "assert not {'docx', 'lxml', 'reportlab', 'PIL'} & set(sys.modules), 'loaded'"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
