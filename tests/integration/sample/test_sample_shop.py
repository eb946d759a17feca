"""The sample shop and chat on a real server."""

import json
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pg8000.native
import pytest

from playbooks.domain.conversation.confirmed import collect
from playbooks.domain.conversation.reading import read_conversation
from playbooks_local import postgres
from playbooks_local.sample.chat import sample_chat
from playbooks_local.sample.shop import LOGIN, READER, ShopNotMade, fill_shop, reason_of, sales_by_department
from playbooks_local.sample.shop_rows import DEPARTMENTS, ShopRows, Sizes

ZONE = "Asia/Seoul"
NOW = datetime(2026, 11, 30, 10, 0, tzinfo=ZoneInfo(ZONE))
MONDAY = date(2026, 11, 30)
SMALL = Sizes(employees=20, customers=200, products=50, orders=3_000, quotes=500)
PASSWORD = "a'b"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with postgres.start(tmp_path_factory.mktemp("postgres")) as running:
        running.create_database("shop")
        yield running


@pytest.fixture(scope="module")
def owner(server):
    with pg8000.native.Connection(
        "postgres", host="127.0.0.1", port=server.port, database="shop", password=server.password
    ) as connection:
        fill_shop(connection, now=NOW, login_password=PASSWORD, sizes=SMALL)
        yield connection


@pytest.fixture
def login(server, owner):
    with pg8000.native.Connection(
        LOGIN, host="127.0.0.1", port=server.port, database="shop", password=PASSWORD
    ) as connection:
        yield connection


def test_the_same_seed_and_moment_give_the_same_rows():
    def made(**options):
        return [(table, list(rows)) for table, rows in ShopRows(NOW, sizes=SMALL, **options).tables()]

    assert made() == made()
    assert made() != made(seed=1)


def test_no_row_lies_in_the_future_and_every_week_of_the_last_sixteen_has_orders(owner):
    ((first, last),) = owner.run("SELECT min(ordered_at), max(ordered_at) FROM orders")
    assert last <= NOW
    assert first >= NOW - timedelta(days=128)
    for back in range(1, 17):
        start = MONDAY - timedelta(weeks=back)
        sold = sales_by_department(owner, start, start + timedelta(days=7), ZONE)
        assert {line.department for line in sold} == set(DEPARTMENTS)


def test_amounts_are_the_sums_of_their_lines(owner):
    assert owner.run(
        "SELECT count(*) FROM orders o WHERE amount <> "
        "(SELECT sum(quantity * unit_price) FROM order_items i WHERE i.order_id = o.id)"
    ) == [[0]]


def test_every_table_says_what_it_holds(owner):
    assert (
        owner.run(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace "
            "AND obj_description(oid) IS NULL"
        )
        == []
    )


def test_the_login_sees_nothing_until_it_takes_the_reader_s_role(login):
    with pytest.raises(pg8000.exceptions.DatabaseError):
        login.run("SELECT 1 FROM public.orders")
    login.run(f"SET ROLE {READER}")
    assert login.run("SELECT count(*) FROM orders") == [[SMALL.orders]]


@pytest.mark.parametrize(
    "statement",
    ["DELETE FROM orders", "CREATE TABLE mine ()", "CREATE TEMPORARY TABLE mine ()", "TRUNCATE orders"],
)
def test_the_reader_may_only_read(login, statement):
    login.run(f"SET ROLE {READER}")
    with pytest.raises(pg8000.exceptions.DatabaseError) as caught:
        login.run(statement)
    assert "permission denied" in reason_of(caught.value)


def test_a_shop_is_not_made_twice_and_the_first_stays_whole(owner):
    with pytest.raises(ShopNotMade, match="already exists"):
        fill_shop(owner, now=NOW, login_password=PASSWORD, sizes=SMALL)
    assert owner.run("SELECT count(*) FROM orders") == [[SMALL.orders]]


@pytest.mark.parametrize("language", ["en", "ko"])
def test_the_chat_is_messy_and_its_last_query_is_right(owner, login, language):
    record = sample_chat(login, today=NOW.date(), zone=ZONE, language=language)
    collected = collect(read_conversation(json.dumps(record).encode()))
    wrong, columns, right = collected.kept
    assert "FROM quotes" in wrong.statement
    assert "information_schema" in columns.statement
    assert set(right.literal_dates) == {"2026-11-16", "2026-11-23", "2026-11-30"}
    assert [(item.reason_code, item.statement.split()[0]) for item in collected.dropped] == [
        ("result_error", "SELECT"),
        ("runs_nothing", "SELECT"),
        ("result_error", "UPDATE"),
    ]
    owner.run("SELECT set_config('TimeZone', :zone, false)", zone=ZONE)
    asked = [(name, orders, sales) for name, orders, sales, _ in owner.run(right.statement)]
    expected = sales_by_department(owner, MONDAY - timedelta(days=7), MONDAY, ZONE)
    assert asked == [(line.department, line.orders, line.sales) for line in expected]


def test_the_chat_says_what_the_database_answered(login):
    record = sample_chat(login, today=NOW.date(), zone=ZONE)
    results = [
        block
        for message in record["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "tool_result"
    ]
    assert "{{" not in json.dumps(record)
    refused = [block["content"] for block in results if block.get("is_error")]
    assert refused == [
        'ERROR: column "department" does not exist',
        "ERROR: cannot execute UPDATE in a read-only transaction",
    ]
