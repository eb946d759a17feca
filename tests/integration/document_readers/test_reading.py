"""The text of real files, with the page or sheet it stands on."""

import subprocess
import sys

import pytest

from playbooks.adapters.document_readers import IsolatedReaders
from playbooks.ports.document_readers import DocumentUnreadable, ReadingLimits
from tests.integration.document_readers import files


def read(name, content, **limits):
    return IsolatedReaders(ReadingLimits(**limits)).read(name, [content[:1000], content[1000:]])


def shown(document):
    return [(part.reference, part.text) for part in document.parts]


def test_pdf_page_by_page_in_korean():
    document = read("보고서.pdf", files.pdf(["첫 쪽입니다\n둘째 줄", "", "셋째 쪽"]))
    assert document.format == "pdf"
    assert shown(document) == [("page 1", "첫 쪽입니다\n둘째 줄"), ("page 3", "셋째 쪽")]


def test_docx_section_by_section_with_its_tables():
    assert shown(read("보고서.docx", files.word())) == [
        ("section 1", "머리글 없는 첫 문단"),
        ("section 1. 결과", "1. 결과\n첫 줄\n둘째\t칸\n부서 | 금액\n영업 | 1,000"),
        ("section 2. 다음", "2. 다음\n끝."),
    ]


def test_xlsx_sheet_by_sheet_with_the_values_as_text():
    assert shown(read("매출.xlsx", files.workbook())) == [
        (
            "sheet 매출",
            "부서 | 금액 | 비율 | 날짜 | 시각 | 확인\n영업 | 1000 | 0.25 | 2026-09-01 | 2026-09-01 08:30:00 | true",
        ),
        ("sheet Far", "|  | deep"),
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp949"])
@pytest.mark.parametrize("name", ["표.csv", "글.txt"])
def test_text_in_the_encodings_that_korean_files_have(name, encoding):
    document = read(name, "부서,금액\r\n영업,1000\r\n".encode(encoding))
    assert shown(document) == [("", "부서,금액\n영업,1000")]


def test_markdown_by_its_headings():
    text = "서문\n\n# 결과\n\n좋음\n\n## 다음 ##\n\n끝\n"
    assert shown(read("글.md", text.encode())) == [
        ("section 1", "서문"),
        ("section 결과", "# 결과\n\n좋음"),
        ("section 다음", "## 다음 ##\n\n끝"),
    ]


HTML = """<!DOCTYPE html><html><head><meta charset="{0}"><title>t</title><style>p{{}}</style></head>
<body><p>안녕 &amp; <b>반가</b>워요</p><script>alert("no")</script><noscript>no</noscript>
<h2>표 <i>하나</i></h2><table><tr><th>부서<th>금액<tr><td>영업<td>1,000</table><ul><li>하나<li>둘</ul></body></html>"""


@pytest.mark.parametrize("encoding", ["utf-8", "euc-kr", "cp949"])
def test_html_as_a_person_sees_it(encoding):
    assert shown(read("page.html", HTML.format(encoding).encode(encoding))) == [
        ("section 1", "안녕 & 반가워요"),
        ("section 표 하나", "표 하나\n부서 | 금액\n영업 | 1,000\n하나\n둘"),
    ]


def test_a_pdf_is_known_by_its_content_whatever_it_is_called():
    assert read("scan.txt", files.pdf(["inside"])).format == "pdf"


def test_a_pdf_with_an_empty_password_is_read():
    assert shown(read("a.pdf", files.pdf(["open"], password=""))) == [("page 1", "open")]


def test_what_is_over_the_characters_is_cut_and_that_is_said():
    document = read("a.txt", b"x" * 100, characters=10)
    assert [part.text for part in document.parts] == ["x" * 10]
    assert "first 10 characters" in document.cut


def test_what_is_over_the_parts_is_cut_and_that_is_said():
    document = read("a.pdf", files.pdf(["a", "b", "c"]), parts=2)
    assert len(document.parts) == 2
    assert "first 2 parts" in document.cut


def test_what_fits_is_not_said_to_be_cut():
    assert read("a.pdf", files.pdf(["a", "b"]), parts=2).cut is None
    assert read("a.txt", b"x" * 10, characters=10).cut is None


REFUSED = {
    "picture": ("a.png", b"\x89PNG\r\n", "document_format_unknown", "pdf, docx, xlsx"),
    "no ending": ("README", b"text", "document_format_unknown", "without an ending"),
    "archive": ("a.zip", files.workbook(), "document_format_unknown", "zip"),
    "old office": ("a.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "document_encrypted", "password"),
    "no pdf inside": ("a.pdf", b"hello", "document_damaged", "save it as .pdf"),
    "no archive inside": ("a.docx", b"hello", "document_damaged", "save it as .docx"),
    "word called excel": ("a.xlsx", files.word(), "document_damaged", "none inside"),
    "excel called word": ("a.docx", files.workbook(), "document_damaged", "none inside"),
    "half a pdf": ("a.pdf", files.pdf(["x"])[:300], "document_damaged", "as PDF again"),
    "half a workbook": ("a.xlsx", files.workbook()[:2_000], "document_damaged", "send it again"),
    "locked pdf": ("a.pdf", files.pdf(["x"], password="secret"), "document_encrypted", "password"),
    "scan": ("a.pdf", files.pdf(["", ""]), "document_without_text", "OCR"),
    "empty": ("a.txt", b" \n ", "document_without_text", "no text"),
    "empty html": ("a.html", b"", "document_without_text", "no text"),
    "binary text": ("a.txt", bytes(range(256)), "document_damaged", "UTF-8"),
}


@pytest.mark.parametrize(("name", "content", "code", "helps"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_read_says_why_and_what_helps(name, content, code, helps):
    with pytest.raises(DocumentUnreadable, match=helps) as refused:
        read(name, content)
    assert refused.value.code == code


def test_a_page_number_is_that_of_the_page_and_not_of_the_part():
    assert [part.number for part in read("a.pdf", files.pdf(["", "two"])).parts] == [2]


def test_the_process_that_reads_loads_no_parser():
    code = (
        "import sys; from playbooks.adapters.document_readers import IsolatedReaders; "
        "IsolatedReaders().read('a.html', [b'<p>x']); "
        "assert not {'pypdf', 'docx', 'openpyxl', 'lxml'} & set(sys.modules), 'loaded'"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_parser_does_not_see_this_process_s_environment(monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "canary")
    seen = {}
    real = subprocess.run
    monkeypatch.setattr(subprocess, "run", lambda command, **options: seen.update(options) or real(command, **options))
    read("a.txt", b"x")
    assert "canary" not in str(seen["env"])
    assert set(seen["env"]) == {"PATH", "PYTHONTZPATH"}
