"""What a person may read, and what their role may do beyond reading, from the system catalogue."""

from collections.abc import Callable

from playbooks.domain.sql.hardening import SIDE_EFFECTS
from playbooks.domain.sql.schema import DescribedColumn, DescribedTable, SchemaDescription
from playbooks.errors import Finding

MAX_COLUMNS = 100

Ask = Callable[..., list[list[str | None]]]
"""Runs one statement of ours with text values; all columns come as text."""

_KINDS = {"r": "table", "p": "table", "v": "view", "m": "materialized view", "f": "foreign table"}

_TABLES = """
WITH readable AS (
    SELECT c.oid, n.nspname, c.relname, c.relkind, c.reltuples,
           coalesce(pg_catalog.obj_description(c.oid, 'pg_class'), '') AS comment,
           (SELECT pg_catalog.string_agg(a.attname || ' ' ||
                       coalesce(pg_catalog.col_description(c.oid, a.attnum), ''), ' ')
              FROM pg_catalog.pg_attribute a
             WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns
      FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
       AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_%'
       AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
       AND pg_catalog.has_any_column_privilege(c.oid, 'SELECT')
), words AS (
    SELECT pg_catalog.lower(w) AS word FROM pg_catalog.unnest($1::text[]) AS w
), found AS (
    SELECT r.*, (SELECT pg_catalog.count(*) FROM words
                  WHERE pg_catalog.strpos(pg_catalog.lower(r.relname), word) > 0) AS by_name
      FROM readable r
     WHERE NOT EXISTS (
         SELECT FROM words
          WHERE pg_catalog.strpos(
                    pg_catalog.lower(r.nspname || '.' || r.relname || ' ' || r.comment || ' ' || r.columns), word) = 0)
)
SELECT oid, nspname, relname, relkind, reltuples::bigint, comment, pg_catalog.count(*) OVER ()
  FROM found ORDER BY by_name DESC, nspname, relname LIMIT $2::int
"""

_COLUMNS = """
SELECT a.attrelid, a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), a.attnotnull,
       coalesce(pg_catalog.col_description(a.attrelid, a.attnum), ''),
       (SELECT pg_catalog.quote_ident(fn.nspname) || '.' || pg_catalog.quote_ident(fc.relname)
               || '(' || pg_catalog.quote_ident(fa.attname) || ')'
          FROM pg_catalog.pg_constraint k
          JOIN pg_catalog.pg_class fc ON fc.oid = k.confrelid
          JOIN pg_catalog.pg_namespace fn ON fn.oid = fc.relnamespace
          JOIN pg_catalog.pg_attribute fa ON fa.attrelid = k.confrelid AND fa.attnum = k.confkey[1]
         WHERE k.contype = 'f' AND k.conrelid = a.attrelid AND k.conkey = ARRAY[a.attnum]
         ORDER BY k.conname LIMIT 1)
  FROM pg_catalog.pg_attribute a
 WHERE a.attrelid = ANY ($1::oid[]) AND a.attnum > 0 AND NOT a.attisdropped
   AND pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'SELECT')
 ORDER BY a.attrelid, a.attnum
"""

_TYPE_NAMES = "SELECT o, pg_catalog.format_type(o, NULL) FROM pg_catalog.unnest($1::oid[]) AS o"

_RISKS = """
SELECT risk FROM (
    SELECT 1 AS rank, 'role_superuser' AS risk FROM pg_catalog.pg_roles WHERE rolname = current_user AND rolsuper
    UNION ALL SELECT 2, 'role_bypasses_row_security'
      FROM pg_catalog.pg_roles WHERE rolname = current_user AND rolbypassrls
    UNION ALL SELECT 3, 'role_may_create'
      FROM pg_catalog.pg_roles WHERE rolname = current_user AND (rolcreaterole OR rolcreatedb OR rolreplication)
    UNION ALL SELECT 4, 'role_may_create_in_database'
     WHERE pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE')
    UNION ALL SELECT 5, 'role_may_create_in_schema' WHERE EXISTS (
        SELECT FROM pg_catalog.pg_namespace n
         WHERE n.nspname NOT LIKE 'pg\\_%' AND pg_catalog.has_schema_privilege(n.oid, 'CREATE'))
    UNION ALL SELECT 6, 'role_owns_tables' WHERE EXISTS (
        SELECT FROM pg_catalog.pg_class c
         WHERE c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f') AND pg_catalog.pg_get_userbyid(c.relowner) = current_user)
    UNION ALL SELECT 7, 'role_may_write' WHERE EXISTS (
        SELECT FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
         WHERE c.relkind IN ('r', 'p', 'v', 'f') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
           AND pg_catalog.has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE'))
    UNION ALL SELECT 8, 'role_reaches_the_server' WHERE EXISTS (
        SELECT FROM pg_catalog.pg_roles r
         WHERE r.rolname IN ('pg_execute_server_program', 'pg_read_server_files', 'pg_write_server_files',
                             'pg_signal_backend', 'pg_write_all_data')
           AND pg_catalog.pg_has_role(r.oid, 'USAGE'))
    UNION ALL SELECT 9, 'role_without_temporary_limit'
     WHERE pg_catalog.current_setting('temp_file_limit') = '-1'
    UNION ALL SELECT 10, 'role_may_run_functions_with_side_effects' WHERE EXISTS (
        SELECT FROM pg_catalog.pg_proc p
         WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.proname = ANY ($1::text[])
           AND pg_catalog.has_function_privilege(p.oid, 'EXECUTE'))
    UNION ALL SELECT 11, 'role_may_run_your_functions' WHERE EXISTS (
        SELECT FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
         WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND p.prokind <> 'p'
           AND (p.prosecdef OR p.provolatile = 'v')
           AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
           AND pg_catalog.has_function_privilege(p.oid, 'EXECUTE')
           AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e'
                              AND d.classid = 'pg_catalog.pg_proc'::regclass))
) AS found ORDER BY rank
"""

_RISK_MESSAGES = {
    "role_superuser": "The role is a superuser: nothing a statement does is stopped by rights. Use a role of its own.",
    "role_bypasses_row_security": "The role sees rows that row security hides from others: ALTER ROLE … NOBYPASSRLS.",
    "role_may_create": "The role may create roles or databases, or replicate: take those attributes away.",
    "role_may_create_in_database": "The role may create schemas in this database: REVOKE CREATE ON DATABASE.",
    "role_may_create_in_schema": "The role may create objects in a schema: REVOKE CREATE ON SCHEMA.",
    "role_owns_tables": "The role owns tables and may do anything with them: let another role own them.",
    "role_may_write": "The role may write to tables: grant it SELECT only.",
    "role_reaches_the_server": "The role may touch the server's files, programs, data or other sessions: revoke that.",
    "role_without_temporary_limit": (
        "The role may fill the disk with temporary files: set temp_file_limit for the role that logs in."
    ),
    "role_may_run_functions_with_side_effects": (
        "The role may run functions of PostgreSQL that wait, lock, signal or run text as SQL: revoke them from PUBLIC."
    ),
    "role_may_run_your_functions": (
        "The role may run functions of yours that may write, also behind operators and views: revoke them from PUBLIC."
    ),
}


def describe(ask: Ask, search: str, limit: int) -> SchemaDescription:
    """Tables whose name, comment or columns contain every word of the search, by name matches, then by name."""
    words = [word for word in search.replace("\0", " ").encode("utf-8", "ignore").decode().split() if word][:10]
    found = ask(_TABLES, _array(words), str(max(limit, 1)))
    if not found:
        return SchemaDescription(())
    columns: dict[str | None, list[DescribedColumn]] = {}
    for oid, name, kind, required, comment, references in ask(_COLUMNS, _array([str(row[0]) for row in found])):
        columns.setdefault(oid, []).append(
            DescribedColumn(str(name), str(kind), required != "t", comment or "", references or "")
        )
    tables = tuple(
        DescribedTable(
            schema=str(schema),
            name=str(name),
            kind=_KINDS[str(kind)],
            comment=comment or "",
            columns=tuple(columns.get(oid, [])[:MAX_COLUMNS]),
            columns_left_off=max(len(columns.get(oid, [])) - MAX_COLUMNS, 0),
            rows=int(rows) if rows is not None and int(rows) >= 0 and kind in ("r", "m", "p") else None,
        )
        for oid, schema, name, kind, rows, comment, _ in found
    )
    return SchemaDescription(tables, int(found[0][6] or 0) - len(tables))


def type_names(ask: Ask, oids: list[int]) -> dict[int, str]:
    """The server's names of types by their ids."""
    return {int(oid or 0): name or "" for oid, name in ask(_TYPE_NAMES, _array([str(oid) for oid in oids]))}


def risks(ask: Ask) -> tuple[Finding, ...]:
    """What the current role may do beyond reading."""
    return tuple(
        Finding(str(row[0]), "/role", _RISK_MESSAGES[str(row[0])]) for row in ask(_RISKS, _array(list(SIDE_EFFECTS)))
    )


def _array(items: list[str]) -> str:
    """A one-dimensional array in PostgreSQL's text form (manual, 8.15.2)."""
    escaped = (item.replace("\\", "\\\\").replace('"', '\\"') for item in items)
    return "{" + ",".join(f'"{item}"' for item in escaped) + "}"
