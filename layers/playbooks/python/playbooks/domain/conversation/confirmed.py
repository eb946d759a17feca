"""The SELECTs that succeeded in a conversation, verbatim, and why every other statement was not kept."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto

from playbooks.domain.conversation.fields import encodable, sequence
from playbooks.domain.conversation.model import Conversation, LeftOutReason, ResultState, ToolCall
from playbooks.domain.sql.guard import check
from playbooks.domain.sql.literal_dates import literal_dates

MAX_KEPT = 20
_MAX_LISTED = 200

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
        *("run_saved_query",),
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
_LOOKS_LIKE_SQL = re.compile(
    r"(?:\s|\(|--[^\n]*\n|/\*.*?\*/)*(?:select|with|values|table|insert|update|delete|merge|create|alter|drop|truncate"
    r"|grant|revoke|copy|call|do|explain|set|show|begin|commit|rollback|vacuum|analyze|lock|listen|notify)\b",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class ConfirmedQuery:
    """A statement that ran in the conversation and came back good, exactly as it ran. `number` counts from 1."""

    number: int
    statement: str
    tool: str
    database: str | None = None
    inferred: bool = False
    literal_dates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DroppedStatement:
    """A statement that was not kept: a stable code and a sentence for a person."""

    statement: str
    reason_code: str
    reason: str


@dataclass(frozen=True, slots=True)
class Collected:
    """What the conversation confirmed. `used_tools` is false when nothing in it can be converted."""

    kept: tuple[ConfirmedQuery, ...] = ()
    dropped: tuple[DroppedStatement, ...] = ()
    used_tools: bool = False


@dataclass(frozen=True, slots=True)
class ExecutorTools:
    """What an administrator adds to the known tools: names, argument keys that hold SQL, and bind value keys."""

    names: frozenset[str] = frozenset()
    statement_keys: tuple[str, ...] = ()
    bind_keys: frozenset[str] = frozenset()
    database_keys: tuple[str, ...] = ()


class _Kind(Enum):
    EXECUTOR = auto()
    RUNS_NOTHING = auto()
    WRITE_PATH = auto()
    SHELL = auto()
    OTHER = auto()


def tool_key(name: str) -> str:
    """The last part of a tool's name in snake case: `mcp__pg__query`, `Acme:query` and `/app/query` are `query`."""
    last = re.split(r"__|[:./]", name.strip().rstrip(":./"))[-1]
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", last).lower()
    return re.sub(r"[\s-]+", "_", snake)


@dataclass(slots=True)
class _Collection:
    tools: ExecutorTools
    kept: dict[str, ConfirmedQuery] = field(default_factory=dict)
    dropped: dict[tuple[str, str], DroppedStatement] = field(default_factory=dict)

    def drop(self, statement: str, code: str, reason: str) -> None:
        shown = encodable(statement)
        self.dropped.setdefault((shown, code), DroppedStatement(shown, code, reason))

    def take(self, call: ToolCall) -> None:
        """A call of the active path."""
        kind = self._kind(call.name)
        for statement, key in self._statements(call, kind):
            reason = self._objection(call, kind, statement, key)
            if reason is not None:
                self.drop(statement, *reason)
            elif statement not in self.kept:
                self.kept[statement] = ConfirmedQuery(
                    0,
                    statement,
                    call.name,
                    self._database(call.arguments),
                    call.result is not None and call.result.inferred,
                    literal_dates(statement),
                )
            elif call.result is not None and not call.result.inferred:
                self.kept[statement] = replace(self.kept[statement], inferred=False)

    def leave(self, call: ToolCall, why: LeftOutReason) -> None:
        """A call the active path does not hold."""
        kind = self._kind(call.name)
        for statement, _ in self._statements(call, kind):
            match why:
                case LeftOutReason.OTHER_BRANCH:
                    self.drop(
                        statement,
                        "other_branch",
                        "It ran on a branch you left: the question was edited or the answer was made anew.",
                    )
                case LeftOutReason.SIDECHAIN:
                    self.drop(
                        statement, "sidechain", "A side task ran it; its result is not part of this conversation."
                    )

    def _kind(self, name: str) -> _Kind:
        key = tool_key(name)
        if key in self._added_names or key in EXECUTORS:
            return _Kind.EXECUTOR
        if key in _SHELLS:
            return _Kind.SHELL
        if _RUNS_NOTHING.search(key):
            return _Kind.RUNS_NOTHING
        if _WRITE_PATH.search(key):
            return _Kind.WRITE_PATH
        return _Kind.OTHER

    @property
    def _added_names(self) -> frozenset[str]:
        return frozenset(tool_key(name) for name in self.tools.names)

    def _statements(self, call: ToolCall, kind: _Kind) -> Iterator[tuple[str, str]]:
        """The SQL a call carries, and the key it stands under ("" when the arguments could not be read)."""
        if kind is _Kind.SHELL:
            command = _joined_command(call)
            if _PSQL.search(command):
                yield command, "command"
            return
        if call.unreadable:
            if kind is _Kind.EXECUTOR:
                yield call.unreadable, ""
            return
        by_key = {tool_key(str(key)): value for key, value in call.arguments.items()}
        for key in (*map(tool_key, self.tools.statement_keys), *STATEMENT_KEYS):
            value = by_key.get(key)
            if isinstance(value, str) and value.strip():
                if kind is _Kind.EXECUTOR or _LOOKS_LIKE_SQL.match(value):
                    yield value, key
                return
        for value in by_key.values():
            statements = [item for item in sequence(value) if isinstance(item, str) and _LOOKS_LIKE_SQL.match(item)]
            yield from ((statement, "list") for statement in statements[:MAX_KEPT])

    def _objection(self, call: ToolCall, kind: _Kind, statement: str, key: str) -> tuple[str, str] | None:
        """The reason that helps most: what it is comes before whether it came to an end."""
        return (
            _objection_to_tool(call, kind, key)
            or (_objection_to_result(call) if call.state is ResultState.ERROR else None)
            or self._objection_to_statement(call, statement)
            or _objection_to_result(call)
        )

    def _objection_to_statement(self, call: ToolCall, statement: str) -> tuple[str, str] | None:
        if encodable(statement) != statement:
            return "not_text", "It holds characters that are not valid text (lone surrogates), so it cannot have run."
        bind_keys = BIND_KEYS | {tool_key(key) for key in self.tools.bind_keys}
        for key, value in call.arguments.items():
            if tool_key(str(key)) in bind_keys and value not in (None, "", "[]", "{}", [], {}):
                return (
                    "bind_values",
                    f"Its values travelled apart from its text (in {key!r}), so the text alone never ran.",
                )
        verdict = check(statement)
        if not verdict.allowed:
            return "not_read_only_select", f"It is not one read-only SELECT: {verdict.message}"
        return None

    def _database(self, arguments: Mapping[str, object]) -> str | None:
        by_key = {tool_key(str(key)): value for key, value in arguments.items()}
        for key in (*map(tool_key, self.tools.database_keys), *DATABASE_KEYS):
            value = by_key.get(key)
            if isinstance(value, str) and 0 < len(value.strip()) <= 200:
                return encodable(value.strip())
        return None

    def result(self, *, used_tools: bool) -> Collected:
        over, kept = list(self.kept.values())[:-MAX_KEPT], list(self.kept.values())[-MAX_KEPT:]
        for query in over:
            self.drop(
                query.statement, "over_limit", f"The conversation confirmed more than {MAX_KEPT}: the last are kept."
            )
        dropped = tuple(
            item
            for item in self.dropped.values()
            if item.statement not in self.kept or item.reason_code == "over_limit"
        )
        numbered = tuple(replace(query, number=number) for number, query in enumerate(kept, 1))
        return Collected(numbered, dropped[:_MAX_LISTED], used_tools)


def _joined_command(call: ToolCall) -> str:
    for key in ("command", "cmd", "script", "input"):
        value = call.arguments.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            return " ".join(str(item) for item in value)
    return call.unreadable


def _objection_to_tool(call: ToolCall, kind: _Kind, key: str) -> tuple[str, str] | None:
    match kind:
        case _Kind.SHELL:
            return (
                "shell",
                "It ran in a shell, where its result and its rights cannot be told: ask through a query tool.",
            )
        case _Kind.RUNS_NOTHING:
            return "runs_nothing", f"The tool {call.name} checks or explains a statement; it does not run it."
        case _Kind.WRITE_PATH:
            return "write_path", f"The tool {call.name} is there for writing: what it ran is not taken over."
        case _Kind.OTHER:
            return (
                "not_an_executor",
                f"The tool {call.name} is not known to run SQL; an administrator can add it to the query tools.",
            )
        case _Kind.EXECUTOR if key == "list":
            return "several_statements", "Several statements were sent at once, with one result for all of them."
        case _Kind.EXECUTOR if not key:
            return "unreadable_arguments", "The arguments of the call were cut off or are not JSON."
        case _Kind.EXECUTOR:
            return None


def _objection_to_result(call: ToolCall) -> tuple[str, str] | None:
    match call.state:
        case ResultState.OK:
            return None
        case ResultState.ERROR:
            said = " ".join(call.result.text.split())[:200] if call.result is not None else ""
            return "result_error", f"Its result was an error: {said}" if said else "Its result was an error."
        case ResultState.NONE:
            return "no_result", "It has no result: the call did not come to an end, or was refused."
        case ResultState.UNKNOWN:
            return "result_unknown", "Its result does not read as rows, so nobody can tell whether it succeeded."


def collect(conversation: Conversation, tools: ExecutorTools | None = None) -> Collected:
    """The confirmed queries of a conversation: first-seen order, exact duplicates once, the last 20.

    A statement is kept when a tool that runs SQL ran it on the active path, its result came back good, its values
    stood in its text, and the guard finds one read-only SELECT. All others come back with a reason.
    """
    collection = _Collection(tools or ExecutorTools())
    for call in conversation.calls:
        collection.take(call)
    for left in conversation.left_out:
        collection.leave(left.call, left.why)
    return collection.result(used_tools=bool(conversation.calls))
