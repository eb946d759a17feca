"""The script that makes a role which can only read: the third layer, which holds whatever text is sent.

Rights are the only layer that reaches functions behind operators, casts, domains and views. Revoking from PUBLIC
also reaches other roles, so the script says where, and each part can be left out by hand.
"""

import re
from dataclasses import dataclass

from playbooks.domain.sql.schema import quoted
from playbooks.errors import Finding, Refused

_SIZE = re.compile(r"[1-9][0-9]{0,6}(?:kB|MB|GB|TB)\Z")

SIDE_EFFECTS: tuple[str, ...] = (
    "pg_sleep", "pg_sleep_for", "pg_sleep_until", "set_config", "pg_notify", "setseed",
    "pg_advisory_lock", "pg_advisory_lock_shared", "pg_advisory_xact_lock", "pg_advisory_xact_lock_shared",
    "pg_try_advisory_lock", "pg_try_advisory_lock_shared", "pg_try_advisory_xact_lock",
    "pg_try_advisory_xact_lock_shared", "pg_cancel_backend", "pg_terminate_backend",
    "txid_current", "pg_current_xact_id", "pg_logical_emit_message", "pg_export_snapshot",
    "lo_creat", "lo_create", "lo_from_bytea", "lo_put", "lo_unlink", "lo_open", "lowrite", "lo_truncate",
    "lo_truncate64", "lo_import", "lo_export", "lo_get",
    "query_to_xml", "query_to_xml_and_xmlschema", "query_to_xmlschema", "cursor_to_xml", "cursor_to_xmlschema",
    "table_to_xml", "table_to_xml_and_xmlschema", "table_to_xmlschema", "schema_to_xml",
    "schema_to_xml_and_xmlschema", "schema_to_xmlschema", "database_to_xml", "database_to_xml_and_xmlschema",
    "database_to_xmlschema", "ts_stat", "ts_rewrite", "brin_summarize_new_values", "brin_summarize_range",
    "gin_clean_pending_list",
)  # fmt: skip
"""Functions of pg_catalog that a READ ONLY transaction does not stop, or that run SQL given as text."""

EXTENSION_SIDE_EFFECTS: tuple[str, ...] = (
    "dblink", "dblink_connect", "dblink_exec", "dblink_open", "dblink_send_query", "crosstab", "crosstab2",
    "crosstab3", "crosstab4", "crosstab_hash", "connectby", "pg_prewarm", "autoprewarm_dump_now", "get_raw_page",
    "pg_stat_statements_reset", "pg_file_write", "http", "http_get", "http_post", "lo_manage",
)  # fmt: skip
"""Functions of extensions that write, dial out, or run SQL given as text."""


@dataclass(frozen=True, slots=True)
class Hardening:
    """What the script is made for: `login` connects and becomes `role`, which reads the tables of `schemas`."""

    database: str
    role: str = "playbooks_reader"
    login: str = "playbooks_login"
    schemas: tuple[str, ...] = ("public",)
    temp_file_limit: str = "1GB"
    seconds: int = 120
    connections: int = 20


def script(plan: Hardening) -> str:
    """SQL for `psql -v ON_ERROR_STOP=1`, to be read first and run as the database's owner or a superuser.

    Raises Refused for a name PostgreSQL would cut or a comment could not hold, and for what is not a size.
    """
    _check(plan)
    role, login, database = quoted(plan.role), quoted(plan.login), quoted(plan.database)
    lines = [
        f"-- A role that can only read {database}. Read it before you run it; running it again changes nothing.",
        "",
        f"-- 1. Roles: {login} connects (give it a password with \\password), {role} is what a person's query runs as.",
        _create(plan.role),
        _create(plan.login),
        f"ALTER ROLE {role} NOLOGIN NOINHERIT NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS;",
        f"ALTER ROLE {login} LOGIN NOINHERIT NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS;",
        f"ALTER ROLE {login} CONNECTION LIMIT {plan.connections};",
        f"GRANT {role} TO {login};",
        "",
        "-- 2. The database. PUBLIC loses temporary tables: applications that make some need a GRANT of their own.",
        f"REVOKE CREATE, TEMPORARY ON DATABASE {database} FROM PUBLIC;",
        f"GRANT CONNECT ON DATABASE {database} TO {login};",
        "",
        "-- 3. Schemas: reading only, for tables that are there and for those their owner makes later.",
    ]
    for schema in map(quoted, plan.schemas):
        lines += [
            f"REVOKE CREATE ON SCHEMA {schema} FROM PUBLIC;",
            f"GRANT USAGE ON SCHEMA {schema} TO {role};",
            f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {role};",
            f"ALTER DEFAULT PRIVILEGES IN SCHEMA {schema} GRANT SELECT ON TABLES TO {role};",
        ]
    lines += [
        "",
        "-- 4. Your own functions: any may write, also behind operators, casts, domains and views. PUBLIC loses them;",
        f"--    GRANT EXECUTE ON FUNCTION … gives those that only compute back to {role}, and others to who uses them.",
        _revoke_own(plan.schemas),
        "",
        "-- 5. Functions of PostgreSQL and of extensions that act although a transaction is READ ONLY, or that run",
        "--    text as SQL. Needs a superuser. (pg_dump by another role needs one of them back: GRANT EXECUTE ON",
        "--    FUNCTION pg_catalog.set_config(text, text, boolean) TO that_role.)",
        _revoke_named(),
        "",
        "-- 6. Limits of every session of the login. temp_file_limit needs a superuser.",
        f"ALTER ROLE {login} SET default_transaction_read_only = on;",
        f"ALTER ROLE {login} SET statement_timeout = '{plan.seconds}s';",
        f"ALTER ROLE {login} SET lock_timeout = '5s';",
        f"ALTER ROLE {login} SET idle_in_transaction_session_timeout = '{plan.seconds}s';",
        f"ALTER ROLE {login} SET temp_file_limit = {_text(plan.temp_file_limit)};",
    ]
    return "\n".join(lines) + "\n"


def _check(plan: Hardening) -> None:
    findings = [
        Finding("invalid_name", f"/{field}", "A name has 1 to 63 bytes and no control characters.")
        for field, name in (
            ("database", plan.database),
            ("role", plan.role),
            ("login", plan.login),
            *(("schemas", schema) for schema in plan.schemas),
        )
        if not name or not name.isprintable() or len(name.encode()) > 63
    ]
    if not _SIZE.match(plan.temp_file_limit):
        findings.append(Finding("invalid_size", "/temp_file_limit", "A size is a number with kB, MB, GB or TB."))
    if findings:
        raise Refused("No script can be made from these names.", findings, code="invalid_hardening")


def _create(name: str) -> str:
    return (
        f"DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = {_text(name)}) "
        f"THEN CREATE ROLE {quoted(name)}; END IF; END $$;"
    )


def _revoke_own(schemas: tuple[str, ...]) -> str:
    names = ", ".join(map(_text, schemas))
    return f"""DO $$
DECLARE f regprocedure;
BEGIN
  FOR f IN SELECT p.oid FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
            WHERE n.nspname IN ({names}) AND p.prokind <> 'p'
              AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e'
                                 AND d.classid = 'pg_catalog.pg_proc'::regclass)
  LOOP EXECUTE format('REVOKE EXECUTE ON ROUTINE %s FROM PUBLIC', f); END LOOP;
END $$;"""  # noqa: S608 - names stand in it as quoted literals, and the text is printed, not run


def _revoke_named() -> str:
    ours = ", ".join(map(_text, SIDE_EFFECTS))
    theirs = ", ".join(map(_text, EXTENSION_SIDE_EFFECTS))
    return f"""DO $$
DECLARE f regprocedure;
BEGIN
  FOR f IN SELECT p.oid FROM pg_catalog.pg_proc p
            WHERE (p.pronamespace = 'pg_catalog'::regnamespace AND p.proname IN ({ours}))
               OR (p.proname IN ({theirs})
                   AND EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e'))
  LOOP EXECUTE format('REVOKE EXECUTE ON ROUTINE %s FROM PUBLIC', f); END LOOP;
END $$;"""  # noqa: S608 - names stand in it as quoted literals, and the text is printed, not run


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
