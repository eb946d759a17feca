"""Drafts for tests, with rows as a dataset's file would give them."""

import io
import json

import openpyxl

from playbooks.adapters.documents.xlsx import XlsxWriter
from playbooks.domain.dataset import Column, ColumnType, decode
from playbooks.ports.documents import Draft, Table


def table(title, columns, rows, headers=None):
    """A table of `columns` (name, type) whose rows come through the dataset's own format."""
    described = [{"name": name, "type": kind, "source_type": kind} for name, kind in columns]
    lines = [{"dataset": 1, "columns": described}, *rows, {"rows": len(rows)}]
    file = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    typed = [Column(name, ColumnType(kind), kind) for name, kind in columns]
    return Table(title, typed, headers or [name for name, _ in columns], lambda: decode([file])[1])


def reopened(draft, **options):
    """The workbook as an independent library reads it."""
    return openpyxl.load_workbook(io.BytesIO(b"".join(XlsxWriter(**options).write(draft))))


def one_sheet(title="Sales", rows=((1, "a"),), **more):
    """A draft of one small table."""
    return Draft("Report", [table(title, [("n", "integer"), ("name", "text")], [list(row) for row in rows])], **more)
