"""Documents written from datasets: one module a format."""

from collections.abc import Mapping

from playbooks.adapters.documents.csv import CsvWriter
from playbooks.adapters.documents.docx import DocxWriter
from playbooks.adapters.documents.markdown import MarkdownWriter
from playbooks.adapters.documents.pdf import PdfWriter
from playbooks.adapters.documents.xlsx import XlsxWriter
from playbooks.ports.documents import DocumentWriter


def document_writers() -> Mapping[str, DocumentWriter]:
    """Every writer there is, by format. The libraries of docx and pdf are loaded by the first document they write."""
    writers: tuple[DocumentWriter, ...] = (XlsxWriter(), CsvWriter(), DocxWriter(), PdfWriter(), MarkdownWriter())
    return {writer.format: writer for writer in writers}
