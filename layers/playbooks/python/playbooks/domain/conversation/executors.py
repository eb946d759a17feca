"""Which tool calls carry SQL and whether the tool runs it, by name and argument keys."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from playbooks.domain.conversation.fields import encodable, sequence
from playbooks.domain.conversation.model import ToolCall

EXECUTORS = frozenset(
    {
        *("db_query", "execute_postgres_query", "execute_postgresql_query", "execute_query", "execute_read_query"),
        *("execute_readonly_query", "execute_read_only_query", "execute_select", "execute_select_query"),
        *("execute_sql", "execute_sql_query", "execute_sql_statement", "execute_statement", "fetch_query"),
        *("pg_execute_query", "pg_query", "pg_read_query", "postgres_execute_query", "postgres_query"),
        *("postgres_sql", "postgresql_query", "query", "query_data", "query_database", "query_db", "query_postgres"),
        *("query_postgresql", "query_sql", "read_only_query", "read_query", "readonly_query", "run_postgres_query"),
        *("run_query", "run_read_only_query", "run_readonly_query", "run_select_query", "run_sql", "run_sql_query"),
        *("run_sql_statement", "select_query", "sql", "sql_db_query", "sql_execute", "sql_query", "sql_select"),
    }
)
"""Tools that run the statement they are given, by the last part of their name in snake case."""

STATEMENT_KEYS = (
    *("sql", "query", "statement", "sql_query", "sql_text", "sql_statement", "query_text", "query_string", "stmt"),
    *("select", "command_text", "raw_sql", "__arg1", "input"),
)
BIND_KEYS = frozenset(
    {
        *("params", "parameters", "query_parameters", "query_params", "sql_parameters", "sql_params", "bind"),
        *("binds", "bindings", "bind_values", "bind_params", "bind_parameters", "bind_variables", "arguments"),
        *("args", "values", "positional_params", "named_params", "parameter_values", "variables"),
    }
)
DATABASE_KEYS = (
    *("database", "database_name", "db", "db_name", "dbname", "data_source", "datasource", "connection"),
    *("connection_name", "database_id"),
)

_RUNS_NOTHING = re.compile(
    r"(?:^|_)(?:check|checker|explain|validate|validator|lint|format|analy[sz]e|plan|cost)(?:_|$)"
)
_WRITE_PATH = re.compile(r"(?:^|_)(?:transact|transaction|write|migration|migrate|ddl|insert|update|delete)(?:_|$)")
_SHELLS = frozenset(
    {
        *("bash", "shell", "terminal", "run_command", "execute_command", "run_terminal_cmd", "local_shell", "exec"),
        *("sh", "powershell", "run_in_terminal", "container_exec", "exec_command", "run_shell_command"),
    }
)
_PSQL = re.compile(r"(?:^|[\s;&|('\"/`])(?:psql|pgcli|usql)\b")
_SQL_WORD = re.compile(
    r"\s*(?:select|with|values|table|insert|update|delete|merge|create|alter|drop|truncate|grant|revoke|copy|call|do"
    r"|explain|set|show|begin|commit|rollback|vacuum|analyze|lock|listen|notify)\b",
    re.IGNORECASE,
)
_SQL_LEAD = re.compile(r"\s*+(?:\(|--[^\n]*+(?:\n|\Z)|/\*(?:[^*]|\*(?!/))*+\*/)")
_MAX_LIST = 20
_LEAD = 4_000
"""Characters in which a statement must begin, comments before it included."""
_MAX_NAME = 300


class ToolKind(Enum):
    """What a tool does with the SQL it is given."""

    EXECUTOR = "executor"
    RUNS_NOTHING = "runs_nothing"
    WRITE_PATH = "write_path"
    SHELL = "shell"
    OTHER = "other"


class Carried(Enum):
    """How a call carries a statement: by itself, in a list of several, or in arguments that cannot be read."""

    ALONE = "alone"
    IN_A_LIST = "in_a_list"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class ExecutorTools:
    """What an administrator adds to the known tools: names, and argument keys for SQL, bind values and databases."""

    names: frozenset[str] = frozenset()
    statement_keys: tuple[str, ...] = ()
    bind_keys: frozenset[str] = frozenset()
    database_keys: tuple[str, ...] = ()

    def kind(self, tool: str) -> ToolKind:
        """What the tool of this name does."""
        key = tool_key(tool)
        if key in EXECUTORS or any(key == tool_key(name) for name in self.names):
            return ToolKind.EXECUTOR
        if key in _SHELLS:
            return ToolKind.SHELL
        if _RUNS_NOTHING.search(key):
            return ToolKind.RUNS_NOTHING
        if _WRITE_PATH.search(key):
            return ToolKind.WRITE_PATH
        return ToolKind.OTHER

    def statements(self, call: ToolCall) -> Iterator[tuple[str, Carried]]:
        """The SQL a call carries; of a shell, the command line when it starts a PostgreSQL client."""
        kind = self.kind(call.name)
        if kind is ToolKind.SHELL:
            command = _command(call)
            if _PSQL.search(command):
                yield command, Carried.ALONE
            return
        if call.unreadable:
            if kind is ToolKind.EXECUTOR:
                yield call.unreadable, Carried.UNREADABLE
            return
        by_key = _by_key(call.arguments)
        for key in (*map(tool_key, self.statement_keys), *STATEMENT_KEYS):
            value = by_key.get(key)
            if isinstance(value, str) and value.strip():
                if kind is ToolKind.EXECUTOR or reads_as_sql(value):
                    yield value, Carried.ALONE
                return
        for value in by_key.values():
            found = [item for item in sequence(value) if isinstance(item, str) and reads_as_sql(item)]
            yield from ((statement, Carried.IN_A_LIST) for statement in found[:_MAX_LIST])

    def bind_key(self, arguments: Mapping[str, object]) -> str | None:
        """The argument in which values travelled apart from the text; none when there are no values in it."""
        keys = BIND_KEYS | {tool_key(key) for key in self.bind_keys}
        for key, value in arguments.items():
            if tool_key(key) in keys and value not in (None, "", "[]", "{}", "null", [], {}):
                return key
        return None

    def database(self, arguments: Mapping[str, object]) -> str | None:
        """The database a call names."""
        by_key = _by_key(arguments)
        for key in (*map(tool_key, self.database_keys), *DATABASE_KEYS):
            value = by_key.get(key)
            if isinstance(value, str) and 0 < len(value.strip()) <= 200:
                return encodable(value.strip())
        return None


def tool_key(name: str) -> str:
    """The last part of a name in snake case: `mcp__pg__query`, `Acme:query` and `/app/query` are `query`."""
    trimmed = name[:_MAX_NAME].strip().rstrip(":./")
    if trimmed.startswith("__"):
        return trimmed.lower()
    last = re.split(r"__|[:./]", trimmed)[-1]
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", last).lower()
    return re.sub(r"[\s-]+", "_", snake)


def reads_as_sql(text: str) -> bool:
    """Whether a text begins as a statement does, after comments and parentheses."""
    text, position = text[:_LEAD], 0
    while lead := _SQL_LEAD.match(text, position):
        position = lead.end()
    return _SQL_WORD.match(text, position) is not None


def _by_key(arguments: Mapping[str, object]) -> dict[str, object]:
    return {tool_key(key): value for key, value in arguments.items()}


def _command(call: ToolCall) -> str:
    for key in ("command", "cmd", "script", "input"):
        value = call.arguments.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            return " ".join(str(item) for item in value)
    return call.unreadable
