"""Files built to exhaust or to trick their reader: refused before they are unpacked, with the memory measured."""

import io
import json
import subprocess
import sys
import zipfile
import zlib

import pytest

from playbooks.adapters.document_readers import IsolatedReaders
from playbooks.ports.document_readers import DocumentUnreadable, ReadingLimits
from tests.integration.document_readers import files

ROOT = b"<worksheet xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main'/>"
LAUGHS = (
    b'<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "aaaaaaaaaa">'
    + b"".join(b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(8))
    + b"]><l>&i;</l>"
)
OUTSIDE = b'<?xml version="1.0"?><!DOCTYPE l [<!ENTITY x SYSTEM "file:///etc/passwd">]><l>&x;</l>'


def refused(name, content, **limits):
    with pytest.raises(DocumentUnreadable) as error:
        IsolatedReaders(ReadingLimits(**limits)).read(name, [content])
    return error.value


def end_of(readers, name, content):
    try:
        readers.read(name, [content])
    except DocumentUnreadable as error:
        return error.code
    return "read"


MEASURED = """
import json, resource, sys
from playbooks.adapters.document_readers import IsolatedReaders
from playbooks.ports.document_readers import DocumentUnreadable, ReadingLimits
path, limits = sys.argv[1:]
try:
    IsolatedReaders(ReadingLimits(**json.loads(limits))).read(path, [open(path, "rb").read()])
except DocumentUnreadable as error:
    print(error.code)
own = int(open("/proc/self/status").read().partition("VmHWM:")[2].split()[0])
child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(max(own, child) // 1024)
"""
"""In a process of its own: the greatest memory of children is the greatest of all a process ever had."""


def measured(path, content, **limits):
    """The refusal's code, and the megabytes that reading took at most, in the reader and around it."""
    path.write_bytes(content)
    command = [sys.executable, "-c", MEASURED, path, json.dumps(limits)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    code, megabytes = done.stdout.split()
    return code, int(megabytes)


def test_a_cell_of_400_megabytes_in_400_kilobytes_is_refused_before_it_is_unpacked(tmp_path):
    bomb = files.one_huge_cell(400_000_000)
    assert len(bomb) < 500_000
    problem, megabytes = measured(tmp_path / "bomb.xlsx", bomb)
    assert problem == "document_too_large"
    assert megabytes < 60


ENTITIES = {
    "laughs": LAUGHS,
    "outside": OUTSIDE,
    "after a long comment": b"<?xml version='1.0'?><!--" + b"x" * 200_000 + b"-->" + LAUGHS[21:],
    "utf-16": LAUGHS.decode().encode("utf-16"),
    "utf-16 without a mark": LAUGHS.decode().replace("?>", " encoding='utf-16-le'?>", 1).encode("utf-16-le"),
    "harmless": b"<!DOCTYPE worksheet>" + ROOT,
}


@pytest.mark.parametrize("body", ENTITIES.values(), ids=ENTITIES)
@pytest.mark.parametrize("member", ["xl/worksheets/sheet1.xml", "xl/extra.bin", "[Content_Types].xml"])
def test_a_document_type_is_refused_wherever_it_stands(body, member):
    error = refused("a.xlsx", files.repacked(files.workbook(), {member: body}))
    assert error.code == "document_suspicious"


def test_a_document_type_in_a_word_document_is_refused():
    error = refused("a.docx", files.repacked(files.word(), {"word/document.xml": LAUGHS}))
    assert error.code == "document_suspicious"
    assert "document type" in error.message


def test_a_part_that_is_no_xml_where_xml_must_be_is_refused():
    error = refused("a.xlsx", files.repacked(files.workbook(), {"xl/workbook.xml": b"<<<"}))
    assert error.code == "document_suspicious"


def test_a_member_that_grows_beyond_reason_is_refused():
    error = refused("a.xlsx", files.repacked(files.workbook(), {"xl/media/a.xml": b"A" * 3_000_000}))
    assert error.code == "document_suspicious"
    assert "200-fold" in error.message


def test_members_that_are_large_together_are_refused():
    parts = {f"xl/media/{number}.bin": zlib.compress(b"%d" % number, 0) * 100_000 for number in range(3)}
    error = refused("a.xlsx", files.repacked(files.workbook(), parts), expanded_bytes=3_000_000, ratio=2_000)
    assert error.code == "document_too_large"


def test_too_many_members_are_refused():
    error = refused("a.xlsx", files.repacked(files.workbook(), {f"x/{n}": b"" for n in range(5_001)}))
    assert error.code == "document_suspicious"


def test_a_list_of_contents_that_is_a_bomb_itself_is_refused_before_it_is_read():
    names = {f"x/{n}-{'y' * 2_000}": b"" for n in range(2_300)}
    error = refused("a.xlsx", files.repacked(files.workbook(), names), members=10**9)
    assert error.code == "document_suspicious"
    assert "list of contents" in error.message


def test_a_member_that_lies_about_its_size_is_read_only_as_far_as_it_says():
    honest = files.repacked(files.workbook(), {"xl/worksheets/sheet1.xml": b"<a>" + b"A" * 3_000_000 + b"</a>"})
    sizes = (3_000_007).to_bytes(4, "little")
    assert honest.count(sizes) == 2
    error = refused("a.xlsx", honest.replace(sizes, (500_000).to_bytes(4, "little")))
    assert error.code in {"document_damaged", "document_suspicious"}


def test_an_unusual_packing_is_refused():
    error = refused("a.xlsx", files.repacked(files.workbook(), method=zipfile.ZIP_LZMA))
    assert error.code == "document_suspicious"


def test_a_member_with_a_password_is_refused():
    content = bytearray(files.workbook())
    at = content.rfind(b"PK\x01\x02")
    content[at + 8] |= 1
    assert refused("a.xlsx", bytes(content)).code == "document_encrypted"


def test_a_file_over_the_limit_is_not_taken_to_its_end():
    taken = 0

    def chunks():
        nonlocal taken
        for _ in range(1_000):
            taken += 1
            yield b"x" * 1024

    with pytest.raises(DocumentUnreadable) as error:
        IsolatedReaders(ReadingLimits(file_bytes=10_240)).read("a.txt", chunks())
    assert error.value.code == "document_too_large"
    assert taken == 11


def test_a_parser_that_wants_too_much_memory_is_ended(tmp_path):
    wide = b"<r>" + b"<c/>" * 3_000_000 + b"</r>"
    document = files.repacked(files.word(), {"word/document.xml": wide})
    problem, megabytes = measured(tmp_path / "a.docx", document, memory_bytes=250 * 1024 * 1024, ratio=10**6)
    assert problem in {"document_too_costly", "document_damaged"}
    assert megabytes < 300


def test_a_parser_that_wants_too_much_time_is_ended():
    book = files.openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    for number in range(30_000):
        sheet.append([number] * 20)
    error = refused("a.xlsx", files.saved(book), seconds=1)
    assert error.code == "document_too_costly"
    assert "time" in error.message


HTML = {
    "deep": b"<div>" * 200_000 + b"mark",
    "entities": b"&amp;" * 300_000 + b" mark",
    "open tags": b"<a href='" * 100_000 + b"mark",
    "attributes": b"<p " + b"a=b " * 200_000 + b">mark",
    "comments": b"<!--" * 100_000 + b"-->mark",
}


@pytest.mark.parametrize("content", HTML.values(), ids=HTML)
def test_a_page_made_to_be_slow_ends_within_its_limits(content):
    readers = IsolatedReaders(ReadingLimits(seconds=10, memory_bytes=400 * 1024 * 1024))
    assert end_of(readers, "a.html", content) in {"read", "document_without_text", "document_too_costly"}


def test_entities_of_its_own_are_refused_in_a_page():
    assert refused("a.html", LAUGHS.replace(b"<l>", b"<p>")).code == "document_suspicious"


def test_a_stream_of_a_pdf_that_unpacks_to_hundreds_of_megabytes_is_bounded():
    content = files.pdf_with_stream(zlib.compress(b"BT /F1 12 Tf (x) Tj ET\n" * 12_000_000, 9))
    assert len(content) < 1_500_000
    readers = IsolatedReaders(ReadingLimits(seconds=10, memory_bytes=400 * 1024 * 1024))
    assert end_of(readers, "a.pdf", content) == "document_without_text"


def test_an_archive_in_an_archive_is_not_opened():
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", b"A" * 50_000_000)
    document = IsolatedReaders().read(
        "a.xlsx", [files.repacked(files.workbook(), {"xl/media/a.zip": inner.getvalue()})]
    )
    assert document.parts
