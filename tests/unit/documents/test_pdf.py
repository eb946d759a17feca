"""PDF documents, as an independent library reads them."""

import io
import re
import tempfile

import pypdf
import pytest

from playbooks.adapters.documents.glyphs import face
from playbooks.adapters.documents.pdf import PdfWriter
from playbooks.errors import Refused
from playbooks.ports.documents import Chart, ChartKind, Draft, Table
from tests.unit.documents.drafts import one_sheet, table


def reopened(draft, **options):
    return pypdf.PdfReader(io.BytesIO(b"".join(PdfWriter(**options).write(draft))))


def text_of(draft, **options):
    return "\n".join(page.extract_text() for page in reopened(draft, **options).pages)


def test_korean_is_in_the_text_and_its_font_is_in_the_file():
    draft = Draft(
        "주간 매출", [table("부서별", [("dept", "text")], [["영업"], ["똠방각하"]], headers=["부서"])], "# 요약"
    )
    reader = reopened(draft)
    text = reader.pages[0].extract_text()
    for word in ("주간 매출", "요약", "부서별", "부서", "영업", "똠방각하"):
        assert word in text
    fonts = [font.get_object() for font in reader.pages[0]["/Resources"]["/Font"].values()]
    embedded = [font for font in fonts if "/FontFile2" in font.get("/FontDescriptor", {})]
    assert any("NanumGothic" in font["/BaseFont"] for font in embedded)
    assert reader.metadata.title == "주간 매출"


def test_the_font_draws_every_syllable_of_hangul():
    """A font may name a syllable and have no outline for it: one did."""
    missing = [chr(code) for code in range(0xAC00, 0xD7A4) if not face().has(chr(code))]
    assert missing == []
    assert all(face().has(sign) for sign in "…₩€·—“”’①→°℃㎡ㄱ•漢字éあж" + "".join(map(chr, range(0x20, 0x7F))))


def test_the_font_has_its_licence_beside_it():
    from playbooks.adapters.documents import glyphs

    licence = (glyphs._FILE.parent / "OFL.txt").read_text()
    assert licence.startswith(glyphs._FILE.name)
    assert "SIL OPEN FONT LICENSE" in licence
    assert "Reserved Font Name" in licence


def test_values_are_shown_as_a_person_reads_them():
    columns = [("n", "numeric"), ("i", "integer"), ("z", "timestamptz"), ("year", "integer")]
    draft = Draft("R", [table("R", columns, [["-1234.50", 1234567, "2026-08-31T23:30:00+00:00", 2026]])])
    text = text_of(Draft(draft.title, draft.tables, zone="Asia/Seoul"))
    for shown in ("-1,234.50", "1,234,567", "2026-09-01 08:30:00", "2026", "Times in z are shown in Asia/Seoul."):
        assert shown in text


def test_the_header_stands_on_each_page_and_no_row_is_lost():
    draft = one_sheet(rows=[(number, f"row-{number}-") for number in range(200)])
    pages = [page.extract_text() for page in reopened(draft).pages]
    assert len(pages) > 2
    assert all("name" in page for page in pages)
    assert [int(found) for found in re.findall(r"row-(\d+)-", "\n".join(pages))] == list(range(200))
    assert all(str(number) in page for number, page in enumerate(pages, 1))


def test_a_long_text_is_wrapped_within_its_cell():
    draft = Draft("R", [table("R", [("t", "text"), ("u", "text")], [["가나다 " * 60, "end"]])])
    assert "".join(text_of(draft).split()).count("가나다") == 60


def test_a_text_longer_than_a_page_is_cut_and_that_is_said():
    text = text_of(one_sheet(rows=[(1, "word " * 2_000)]))
    assert "…" in text
    assert "1 cells" in text


def test_rows_that_do_not_fit_are_counted_and_said():
    text = text_of(one_sheet(rows=[(number, "x") for number in range(10)]), max_rows=4)
    assert "Sales: 6 more rows" in text


def test_signs_without_a_glyph_become_a_box_and_are_counted():
    text = text_of(one_sheet(rows=[(1, "a😀b")]))
    assert "a□b" in text
    assert "Signs that the font does not have are shown as □: 1." in text


def test_accented_letters_come_from_the_fallback():
    lacking = next(sign for sign in map(chr, range(0xC0, 0x100)) if face().falls_back(sign))
    assert f"x{lacking}y" in text_of(one_sheet(rows=[(1, f"x{lacking}y")]))


def test_a_wide_table_turns_the_page():
    wide = table("Sales", [(f"column {number}", "text") for number in range(9)], [["x" * 15] * 9])
    assert reopened(Draft("R", [wide])).pages[0].mediabox.width > 800
    assert reopened(one_sheet()).pages[0].mediabox.width < 600


def test_too_many_columns_are_refused_with_what_helps():
    wide = table("Sales", [(f"c{number}", "integer") for number in range(21)], [[1] * 21])
    with pytest.raises(Refused, match="20: choose fewer, or write xlsx"):
        reopened(Draft("Report", [wide]))


def test_nothing_in_a_file_acts():
    draft = one_sheet(rows=[(1, "http://x.example"), (2, "javascript:alert(1)")])
    for page in reopened(draft).pages:
        assert "/Annots" not in page
        assert "/AA" not in page
    assert "/OpenAction" not in reopened(draft).trailer["/Root"]


def test_control_characters_and_a_lone_surrogate_do_not_break_the_file():
    text = "a\x00\x01\x0b\ufffe\ud800b"
    source = one_sheet().tables[0]
    draft = Draft(text, [Table(text, source.columns, [text, "h"], lambda: iter([(1, text)]))], text)
    assert text_of(draft).count("ab") >= 3


def test_a_chart_is_not_drawn_and_that_is_said():
    source = one_sheet().tables[0]
    draft = Draft("R", [Table("S", source.columns, source.headers, source.rows, Chart(ChartKind.BAR, 1, (0,)))])
    assert "xlsx" in text_of(draft)


def test_a_reader_that_stops_early_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    chunks = PdfWriter().write(one_sheet())
    next(chunks)
    assert list(tmp_path.iterdir()) != []
    chunks.close()
    assert list(tmp_path.iterdir()) == []
