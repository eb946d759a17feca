"""The text formats: exact values, and nothing in data that a reader's program would run."""

import csv
import io

import pytest

from playbooks.adapters.documents import document_writers
from playbooks.bootstrap.formats import WRITABLE
from playbooks.ports.documents import Draft
from tests.unit.documents.drafts import one_sheet, table

ALL = [("t", "text"), ("n", "numeric"), ("i", "integer"), ("b", "boolean"), ("d", "date"), ("z", "timestamptz")]
ROW = ['a,"b"\n회의', "-10.50", 7, True, "2026-09-01", "2026-08-31T23:30:00+00:00"]


def written(kind, draft):
    return b"".join(document_writers()[kind].write(draft)).decode()


def rows_of(text):
    return list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


def test_csv_begins_with_a_byte_order_mark_and_reads_back():
    text = written("csv", Draft("Report", [table("Sales", ALL, [ROW, [None] * 6])], zone="Asia/Seoul"))
    assert text.startswith("\ufeff")
    header, row, nulls = rows_of(text)
    assert header == ["t", "n", "i", "b", "d", "z"]
    assert row == ['a,"b"\n회의', "-10.50", "7", "true", "2026-09-01", "2026-09-01 08:30:00+09:00"]
    assert nulls == [""] * 6


@pytest.mark.parametrize("start", list("=+-@\t\r\n＝＋－＠"))
def test_csv_text_that_could_be_a_formula_gets_an_apostrophe(start):
    draft = Draft("Report", [table("Sales", [(f"{start}h", "text")], [[f"{start}1+1"], [f"a{start}1"]])])
    assert rows_of(written("csv", draft)) == [[f"'{start}h"], [f"'{start}1+1"], [f"a{start}1"]]


def test_csv_numbers_are_left_alone_however_negative():
    draft = Draft("Report", [table("Sales", [("n", "numeric"), ("f", "float")], [["-1", -0.5]])])
    assert rows_of(written("csv", draft))[1] == ["-1", "-0.5"]


def test_csv_numbers_are_exact_and_without_an_exponent():
    draft = Draft("Report", [table("Sales", [("n", "numeric")], [["1E+3"], ["0.000000000000000000012"]])])
    assert [row for (row,) in rows_of(written("csv", draft))[1:]] == ["1000", "0.000000000000000000012"]


def test_csv_of_several_tables_stands_in_parts():
    draft = Draft("Report", [*one_sheet("A").tables, *one_sheet("=B").tables])
    assert rows_of(written("csv", draft)) == [["A"], ["n", "name"], ["1", "a"], [], ["'=B"], ["n", "name"], ["1", "a"]]


@pytest.mark.parametrize("kind", ["csv", "md"])
def test_a_large_table_comes_in_bounded_chunks(kind):
    draft = one_sheet(rows=[(number, "x" * 50) for number in range(5_000)])
    sizes = [len(chunk) for chunk in document_writers()[kind].write(draft)]
    assert len(sizes) > 4
    assert max(sizes) < 70_000


def test_markdown_has_title_notes_and_tables_with_numbers_to_the_right():
    draft = Draft(
        "주간 매출", [table("Sales", ALL[:2], [["영업", "1234.50"]], headers=["부서", "금액"])], "One.\n\nTwo."
    )
    assert written("md", draft) == (
        "# 주간 매출\n\nOne.\n\nTwo.\n\n## Sales\n\n| 부서 | 금액 |\n| --- | ---: |\n| 영업 | 1234.50 |\n"
    )


def test_markdown_data_cannot_leave_its_cell_or_become_a_link_or_tag():
    hostile = "a|b\n<img src=x>[c](http://evil.example)`d` ![e](f) &lt;\\"
    text = written("md", Draft("Report", [table("Report", [("t", "text")], [[hostile]])]))
    assert text.splitlines()[-1] == (r"| a\|b<br>\<img src=x\>\[c\](http://evil.example)\`d\` \!\[e\](f) \&lt;\\ |")


def test_there_is_a_writer_for_each_format_that_can_be_written():
    writers = document_writers()
    assert tuple(writers) == WRITABLE
    assert [writer.format for writer in writers.values()] == list(writers)
    assert all(writer.content_type for writer in writers.values())
