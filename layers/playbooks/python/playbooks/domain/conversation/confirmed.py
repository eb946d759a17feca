"""The SELECTs that succeeded in a conversation, verbatim, and why every other statement was not kept."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from playbooks.domain.conversation.executors import Carried, ExecutorTools, ToolKind
from playbooks.domain.conversation.fields import encodable
from playbooks.domain.conversation.model import Conversation, LeftOutReason, ResultState, ToolCall
from playbooks.domain.sql.guard import Verdict, check
from playbooks.domain.sql.literal_dates import literal_dates

MAX_KEPT = 20
_MAX_CHECKED = 500
"""Statements that are looked at, counted from the end: far more than are kept, and a bound on the time it takes."""
_MAX_LISTED = 200


@dataclass(frozen=True, slots=True)
class ConfirmedQuery:
    """A statement that ran in the conversation and came back good, exactly as it ran. `number` counts from 1.

    `inferred` says that no error field confirmed it, only rows; `literal_dates` stand in it and will grow stale.
    """

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


_Objection = tuple[str, str]
_Carried = tuple[ToolCall, str, Carried]

_LEFT: Mapping[LeftOutReason, _Objection] = {
    LeftOutReason.OTHER_BRANCH: (
        "other_branch",
        "It ran on a branch you left: the question was edited or the answer was made anew.",
    ),
    LeftOutReason.SIDECHAIN: ("sidechain", "A side task ran it; its result is not part of this conversation."),
}
_OVER_LIMIT = ("over_limit", f"The conversation holds more than {MAX_KEPT} confirmed queries: the last are kept.")


@dataclass(slots=True)
class _Collection:
    tools: ExecutorTools
    kept: dict[str, ConfirmedQuery] = field(default_factory=dict)
    dropped: dict[tuple[str, str], DroppedStatement] = field(default_factory=dict)
    verdicts: dict[str, Verdict] = field(default_factory=dict)

    def drop(self, statement: str, objection: _Objection) -> None:
        shown = encodable(statement)
        self.dropped.setdefault((shown, objection[0]), DroppedStatement(shown, *objection))

    def take(self, call: ToolCall, statement: str, carried: Carried) -> None:
        objection = self._objection(call, statement, carried)
        if objection is not None:
            self.drop(statement, objection)
            return
        inferred = call.result is not None and call.result.inferred
        known = self.kept.get(statement)
        if known is None:
            database = self.tools.database(call.arguments)
            self.kept[statement] = ConfirmedQuery(
                0, statement, encodable(call.name), database, inferred, literal_dates(statement)
            )
        elif known.inferred and not inferred:
            self.kept[statement] = replace(known, inferred=False)

    def _objection(self, call: ToolCall, statement: str, carried: Carried) -> _Objection | None:
        """The reason that helps most: what a statement is comes before whether it came to an end."""
        return (
            _objection_to_tool(call.name, self.tools.kind(call.name), carried)
            or (_objection_to_result(call) if call.state is ResultState.ERROR else None)
            or self._objection_to_statement(call, statement)
            or _objection_to_result(call)
        )

    def _objection_to_statement(self, call: ToolCall, statement: str) -> _Objection | None:
        if encodable(statement) != statement:
            return "not_text", "It holds characters that are not valid text (lone surrogates): it cannot have run."
        key = self.tools.bind_key(call.arguments)
        if key is not None:
            said = f"Its values travelled apart from its text (in {encodable(key)!r}), so the text alone never ran."
            return "bind_values", said
        verdict = self.verdicts.get(statement)
        if verdict is None:
            verdict = self.verdicts[statement] = check(statement)
        if not verdict.allowed:
            return "not_read_only_select", f"It is not one read-only SELECT: {verdict.message}"
        return None

    def result(self, *, used_tools: bool) -> Collected:
        """The last MAX_KEPT in first-seen order; what is kept is not listed as dropped because of another call."""
        kept = list(self.kept.values())
        for query in kept[:-MAX_KEPT]:
            self.drop(query.statement, _OVER_LIMIT)
        numbered = tuple(replace(query, number=number) for number, query in enumerate(kept[-MAX_KEPT:], 1))
        texts = {query.statement for query in kept}
        dropped = [
            item for item in self.dropped.values() if item.statement not in texts or item.reason_code == _OVER_LIMIT[0]
        ]
        return Collected(numbered, tuple(dropped[:_MAX_LISTED]), used_tools)


def _objection_to_tool(name: str, kind: ToolKind, carried: Carried) -> _Objection | None:
    tool = encodable(name)[:100]
    match kind:
        case ToolKind.SHELL:
            return "shell", "It ran in a shell, where its result and its rights cannot be told; use a query tool."
        case ToolKind.RUNS_NOTHING:
            return "runs_nothing", f"The tool {tool} checks or explains a statement; it does not run it."
        case ToolKind.WRITE_PATH:
            return "write_path", f"The tool {tool} is there for writing; what it ran is not taken over."
        case ToolKind.OTHER:
            said = f"The tool {tool} is not known to run SQL; an administrator can add it to the query tools."
            return "not_an_executor", said
        case ToolKind.EXECUTOR if carried is Carried.IN_A_LIST:
            return "several_statements", "Several statements were sent at once, with one result for all of them."
        case ToolKind.EXECUTOR if carried is Carried.UNREADABLE:
            return "unreadable_arguments", "The arguments of the call were cut off or are not JSON."
        case ToolKind.EXECUTOR:
            return None


def _objection_to_result(call: ToolCall) -> _Objection | None:
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
    stood in its text, and the guard finds one read-only SELECT. Every other statement comes back with a reason.
    """
    tools = tools or ExecutorTools()
    collection = _Collection(tools)
    carried: list[_Carried] = [
        (call, statement, how) for call in conversation.calls for statement, how in tools.statements(call)
    ]
    distinct = list(dict.fromkeys(statement for _, statement, _ in carried))
    early = set(distinct[:-_MAX_CHECKED])
    for call, statement, how in carried:
        if statement in early:
            collection.drop(statement, _OVER_LIMIT)
        else:
            collection.take(call, statement, how)
    for left in conversation.left_out:
        for statement, _ in tools.statements(left.call):
            collection.drop(statement, _LEFT[left.why])
    return collection.result(used_tools=bool(conversation.calls))
