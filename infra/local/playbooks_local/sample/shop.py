"""The sample shop in a PostgreSQL database: tables, rows, a role that may only read, and a login for it."""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from importlib import resources

import pg8000.exceptions  # type: ignore[import-untyped]  # pg8000 ships no types
import pg8000.native  # type: ignore[import-untyped]  # pg8000 ships no types

from playbooks.errors import PlaybooksError
from playbooks_local.sample.shop_rows import Line, ShopRows, Sizes

DATABASE = "shop"
READER = "shop_reader"
"""The role that may read: what SET ROLE becomes."""
LOGIN = "shop_login"
"""The login: a member of READER that inherits nothing, so that without SET ROLE it sees nothing."""


class ShopNotMade(PlaybooksError):
    """Raised when the sample shop cannot be made in this database; the server's reason is in the message."""

    code = "shop_not_made"


@dataclass(frozen=True, slots=True)
class Sales:
    """What one department sold in a period, cancelled orders left out."""

    department: str
    orders: int
    sales: Decimal


def fill_shop(
    connection: pg8000.native.Connection,
    *,
    now: datetime,
    login_password: str,
    seed: int = 20_260,
    sizes: Sizes | None = None,
) -> dict[str, int]:
    """Make the shop in an empty database as its owner; the rows of each table.

    `now` is aware: rows end there, on its zone's calendar. All or nothing. Raises ShopNotMade.
    """
    rows = ShopRows(now, seed, sizes or Sizes())
    counts: dict[str, int] = {}
    try:
        connection.run("BEGIN")
        connection.run(_script("shop.sql"))
        for table, lines in rows.tables():
            counts[table] = _copy(connection, table, lines)
        connection.run(_script("shop_keys.sql"))
        _make_reader(connection, login_password)
        connection.run("COMMIT")
    except pg8000.exceptions.DatabaseError as error:
        connection.run("ROLLBACK")
        raise ShopNotMade(f"The sample shop could not be made: {reason_of(error)}") from error
    return counts


def sales_by_department(connection: pg8000.native.Connection, first: date, after: date, zone: str) -> list[Sales]:
    """What a report over `first` up to, not including, `after` must say, most sales first.

    Asked from the lines of the orders by the calendar of `zone`, not as the sample chat asks.
    """
    rows = connection.run(
        """
        SELECT d.name, count(DISTINCT i.order_id), sum(i.quantity * i.unit_price)
        FROM order_items i, orders o, employees e, departments d
        WHERE i.order_id = o.id AND o.employee_id = e.id AND e.department_id = d.id AND o.status <> 'cancelled'
          AND (o.ordered_at AT TIME ZONE :zone)::date BETWEEN :first AND CAST(:after AS date) - 1
        GROUP BY d.id ORDER BY 3 DESC, 1
        """,
        zone=zone,
        first=first,
        after=after,
    )
    return [Sales(name, orders, sales) for name, orders, sales in rows or ()]


def reason_of(error: pg8000.exceptions.DatabaseError) -> str:
    """The server's own words."""
    said = error.args[0] if error.args else ""
    return str(said.get("M", "")) if isinstance(said, dict) else str(said)


def _script(name: str) -> str:
    return resources.files("playbooks_local.sample").joinpath(name).read_text("utf-8")


def _copy(connection: pg8000.native.Connection, table: str, lines: Iterator[Line]) -> int:
    """COPY in its text format; none of the sample's values needs escaping."""
    buffer, count = io.BytesIO(), 0
    for line in lines:
        buffer.write("\t".join(map(str, line)).encode() + b"\n")
        count += 1
    buffer.seek(0)
    connection.run(f"COPY {table} FROM STDIN", stream=buffer)
    return count


def _make_reader(connection: pg8000.native.Connection, login_password: str) -> None:
    """Roles belong to the whole server: they are made once and kept."""
    for role, options in ((READER, "NOLOGIN"), (LOGIN, "LOGIN NOINHERIT")):
        if not connection.run("SELECT FROM pg_roles WHERE rolname = :role", role=role):
            connection.run(f"CREATE ROLE {role} {options}")
    connection.run(f"ALTER ROLE {LOGIN} PASSWORD {pg8000.native.literal(login_password)}")
    database = connection.run("SELECT current_database()")
    name = pg8000.native.identifier(str(database[0][0]))
    for statement in (
        f"GRANT {READER} TO {LOGIN}",
        f"REVOKE ALL ON DATABASE {name} FROM PUBLIC",
        f"GRANT CONNECT ON DATABASE {name} TO {LOGIN}, {READER}",
        "REVOKE ALL ON SCHEMA public FROM PUBLIC",
        f"GRANT USAGE ON SCHEMA public TO {READER}",
        f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {READER}",
    ):
        connection.run(statement)
