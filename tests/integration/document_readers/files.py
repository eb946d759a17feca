"""Real files of each kind, made by libraries and by hand."""

import io
import zipfile
from datetime import date, datetime

import docx
import openpyxl
import pypdf
from pypdf.generic import NameObject, StreamObject
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from playbooks.adapters.documents.glyphs import face


def pdf(pages, password=None):
    """A page for each text, in the Korean font."""
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=A4)
    for text in pages:
        canvas.setFont(face().name, 12)
        for number, line in enumerate(text.split("\n")):
            canvas.drawString(72, 760 - 18 * number, line)
        canvas.showPage()
    canvas.save()
    if password is None:
        return file.getvalue()
    writer = pypdf.PdfWriter(clone_from=pypdf.PdfReader(file))
    writer.encrypt(password, algorithm="AES-256")
    return saved_by(writer.write)


def pdf_with_stream(packed):
    """One page whose drawing is this packed stream."""
    writer = pypdf.PdfWriter()
    page = writer.add_blank_page(100, 100)
    stream = StreamObject()
    stream._data = packed
    stream[NameObject("/Filter")] = NameObject("/FlateDecode")
    page[NameObject("/Contents")] = writer._add_object(stream)
    return saved_by(writer.write)


def word():
    """Headings, a table, a line break, a tab."""
    document = docx.Document()
    document.add_paragraph("머리글 없는 첫 문단")
    document.add_heading("1. 결과", 1)
    document.add_paragraph("첫 줄\n둘째\t칸")
    table = document.add_table(rows=2, cols=2)
    for cell, text in zip([*table.rows[0].cells, *table.rows[1].cells], ["부서", "금액", "영업", "1,000"], strict=True):
        cell.text = text
    document.add_heading("2. 다음", 1)
    document.add_paragraph("끝.")
    return saved(document)


def workbook():
    """Two sheets with values of each kind, one of them sparse."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "매출"
    sheet.append(["부서", "금액", "비율", "날짜", "시각", "확인"])
    sheet.append(["영업", 1000, 0.25, date(2026, 9, 1), datetime(2026, 9, 1, 8, 30), True])  # noqa: DTZ001 - a cell has no zone
    other = book.create_sheet("Far")
    other["C1000"] = "deep"
    return saved(book)


def saved(document):
    return saved_by(document.save)


def saved_by(save):
    file = io.BytesIO()
    save(file)
    return file.getvalue()


def repacked(content, changes=(), *, method=zipfile.ZIP_DEFLATED, without=()):
    """The same archive with members replaced or added (name, bytes)."""
    changed = dict(changes)
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(file, "w", method) as new:
        for name in old.namelist():
            if name not in changed and name not in without:
                new.writestr(name, old.read(name))
        for name, body in changed.items():
            new.writestr(name, body)
    return file.getvalue()


def one_huge_cell(size):
    """A small workbook with one cell that unpacks to `size` bytes; written piece by piece."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(workbook())) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            if name != "xl/worksheets/sheet1.xml":
                new.writestr(name, old.read(name))
        with new.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as sheet:
            sheet.write(
                b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1">'
                b'<c r="A1" t="inlineStr"><is><t>'
            )
            for _ in range(size // 1_000_000):
                sheet.write(b"A" * 1_000_000)
            sheet.write(b"</t></is></c></row></sheetData></worksheet>")
    return file.getvalue()
