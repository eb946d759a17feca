"""What goes into a dataset's file comes out as it was, and a damaged file is noticed."""

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playbooks.domain.dataset import Column, ColumnType, DatasetDamaged, Row, decode, encode
from playbooks.domain.dataset_summary import DatasetSummarizer
from playbooks.domain.sql.schema import DescribedColumn, DescribedTable, SchemaDescription

TEXT = st.text(alphabet=st.characters(exclude_categories=("Cs",)))
OFFSETS = st.integers(-15 * 3600 + 1, 15 * 3600 - 1).map(lambda seconds: timezone(timedelta(seconds=seconds)))
VALUES: dict[ColumnType, st.SearchStrategy[object]] = {
    ColumnType.BOOLEAN: st.booleans(),
    ColumnType.INTEGER: st.integers(-(2**63), 2**63 - 1),
    ColumnType.NUMERIC: st.decimals(),
    ColumnType.FLOAT: st.floats(),
    ColumnType.TEXT: TEXT,
    ColumnType.DATE: st.one_of(st.dates(), st.sampled_from(("infinity", "0044-03-15 BC", "10000-01-01"))),
    ColumnType.TIMESTAMP: st.datetimes().map(lambda moment: moment.replace(fold=0)),
    ColumnType.TIMESTAMPTZ: st.datetimes(timezones=OFFSETS).map(lambda moment: moment.replace(fold=0)),
    ColumnType.JSON: TEXT,
    ColumnType.OTHER: TEXT,
}
COLUMNS = tuple(Column("same", kind, f"source of {kind}") for kind in ColumnType)
ROWS = st.lists(st.tuples(*(st.one_of(st.none(), VALUES[column.type]) for column in COLUMNS)), max_size=5)


@given(ROWS, st.integers(1, 200))
def test_every_value_comes_back_as_it_was_from_chunks_of_any_size(rows: list[Row], size: int) -> None:
    file = b"".join(encode(COLUMNS, rows))
    columns, read = decode(file[start : start + size] for start in range(0, len(file), size))
    assert columns == COLUMNS
    assert [_exact(row) for row in read] == [_exact(row) for row in rows]


def _read(file: bytes) -> list[Row]:
    _, rows = decode([file])
    return list(rows)


def _exact(row: Row) -> list[tuple[type, str]]:
    """Text tells 1.0 from 1, 1.50 from 1.5, offsets from each other, and NaN from nothing."""
    return [(type(value), str(value)) for value in row]


@given(ROWS.filter(bool), st.data())
def test_a_file_that_ends_early_is_never_taken_for_whole(rows: list[Row], data: st.DataObject) -> None:
    file = b"".join(encode(COLUMNS, rows))
    cut = data.draw(st.integers(0, len(file) - 2))
    with pytest.raises(DatasetDamaged):
        _read(file[:cut])


@pytest.mark.parametrize(
    "file",
    [
        b"",
        b"x\n",
        b'{"dataset":2,"columns":[]}\n{"rows":0}\n',
        b'{"dataset":1,"columns":[]}\n{"rows":1}\n',
        b'{"dataset":1,"columns":[]}\n{"rows":0}\n[]\n',
        b'{"dataset":1,"columns":[{"name":"a","type":"integer","source_type":"x"}]}\n["1"]\n{"rows":1}\n',
        b'{"dataset":1,"columns":[{"name":"a","type":"integer","source_type":"x"}]}\n[1,2]\n{"rows":1}\n',
    ],
)
def test_a_file_that_is_not_as_it_was_written_is_refused(file: bytes) -> None:
    with pytest.raises(DatasetDamaged):
        _read(file)


def test_the_file_is_written_while_rows_come_not_after() -> None:
    taken = 0

    def endless() -> object:
        nonlocal taken
        while True:
            taken += 1
            yield ("x" * 1000,)

    next(encode((Column("a", ColumnType.TEXT, "text"),), endless()))  # type: ignore[arg-type]  # a generator of rows
    assert taken < 100


def test_a_summary_counts_nulls_and_values_and_sums_exactly() -> None:
    columns = (
        Column("n", ColumnType.NUMERIC, "numeric"),
        Column("s", ColumnType.TEXT, "text"),
        Column("at", ColumnType.TIMESTAMPTZ, "timestamptz"),
        Column("f", ColumnType.FLOAT, "float8"),
    )
    first, last = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 2, 1, tzinfo=UTC)
    rows: list[Row] = [
        (Decimal("1e30"), "paid", last, float("nan")),
        (Decimal("0.01"), "paid", first, 2.5),
        (None, "open", "infinity", None),
        (Decimal("NaN"), None, None, 1.5),
    ]
    summarizer = DatasetSummarizer(columns)
    assert list(summarizer.watch(rows)) == rows
    summary = summarizer.summary("orders", 123, None)
    assert (summary.row_count, summary.byte_count, summary.preview) == (4, 123, tuple(rows))
    number, text, at, real = summary.summaries
    assert number.total == Decimal("1000000000000000000000000000000.01")
    assert (number.nulls, number.distinct, number.least, number.greatest) == (1, 3, Decimal("0.01"), Decimal("1e30"))
    assert (text.distinct, text.frequent, text.least) == (2, (("paid", 2), ("open", 1)), None)
    assert (at.least, at.greatest, at.total) == (first, last, None)
    assert (real.least, real.greatest, real.total) == (1.5, 2.5, None)


def test_a_column_of_many_values_is_not_counted_without_bound() -> None:
    summarizer = DatasetSummarizer((Column("n", ColumnType.INTEGER, "bigint"),))
    for _ in summarizer.watch((number,) for number in range(5_000)):
        pass
    (column,) = summarizer.summary("n", 0, "cut").summaries
    assert (column.distinct, column.frequent, column.total) == (None, (), sum(range(5_000)))
    assert len(summarizer.summary("n", 0, None).preview) == 20


def test_dates_are_ordered_and_true_is_not_one() -> None:
    columns = (Column("d", ColumnType.DATE, "date"), Column("b", ColumnType.BOOLEAN, "boolean"))
    summarizer = DatasetSummarizer(columns)
    list(summarizer.watch([(date(2026, 1, 2), True), (date(2026, 1, 1), True), ("infinity", False)]))
    day, flag = summarizer.summary("x", 0, None).summaries
    assert (day.least, day.greatest) == (date(2026, 1, 1), date(2026, 1, 2))
    assert (flag.frequent, flag.total) == (((True, 2), (False, 1)), None)


def test_a_schema_is_told_in_sql_names_and_says_what_was_left_off() -> None:
    column = DescribedColumn("order", "integer", nullable=False, comment="rank\nof it", references="public.t(id)")
    table = DescribedTable("public", "고객", "table", "who buys", (column,), columns_left_off=2, rows=1234)
    text = SchemaDescription((table, table), left_off=3).text(max_characters=150)
    assert 'table public."고객", about 1,234 rows  -- who buys' in text
    assert '"order" integer not null references public.t(id)  -- rank of it' in text
    assert "… and 2 more columns" in text
    assert "4 more tables match" in text
    assert "No table" in SchemaDescription(()).text()
