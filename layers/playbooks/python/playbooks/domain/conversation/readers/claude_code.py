"""Claude Code JSON Lines: a tree by `parentUuid` that forks on parallel calls and holds side tasks.

What `--output-format stream-json` prints is the same lines without a tree: each follows the one before, and those of a
side task name the call that began it in `parent_tool_use_id`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from playbooks.domain.conversation.active_path import left_out, path_to
from playbooks.domain.conversation.fields import identifier, instant, joined_text, label, mapping, mappings, text
from playbooks.domain.conversation.json_record import Record
from playbooks.domain.conversation.model import Conversation, LeftOut, LeftOutReason, Role
from playbooks.domain.conversation.pairing import Message, ResultPart, assemble
from playbooks.domain.conversation.readers.anthropic_messages import blocks

NAME = "claude_code"

_SPEAKERS = frozenset({"user", "assistant"})


@dataclass(frozen=True, slots=True)
class _Line:
    """A line with a place in the tree. `group` is the id of the answer it is a part of: its parallel calls share it."""

    id: str
    parent: str | None
    order: tuple[float, int]
    is_sidechain: bool
    speaks: bool
    group: str | None
    message: Message

    @property
    def call_ids(self) -> frozenset[str]:
        return frozenset(p.id for p in self.message.parts if not isinstance(p, ResultPart) and p.id is not None)

    @property
    def result_ids(self) -> frozenset[str]:
        return frozenset(p.id for p in self.message.parts if isinstance(p, ResultPart) and p.id is not None)


def recognizes(record: Record) -> bool:
    """Lines with `parentUuid` and a type, or a stream's."""
    return _is_tree(record) or any(
        "session_id" in value and text(value.get("type")) in _SPEAKERS and isinstance(value.get("message"), dict)
        for value in record.head()
    )


def _is_tree(record: Record) -> bool:
    return any("parentUuid" in value and "type" in value and "uuid" in value for value in record.head())


def read(record: Record) -> Iterator[Conversation]:
    """The one session of the file; a file that holds nothing but a side task is read as a conversation."""
    lines: dict[str, _Line] = {}
    session = title = before = None
    is_tree = _is_tree(record)
    for position, element in enumerate(record.elements()):
        entry = mapping(element.value)
        title = label(entry.get("summary") or entry.get("customTitle") or entry.get("aiTitle")) or title
        if not is_tree:
            entry = _placed(entry, f"line-{position}", before)
        line = _line(entry, element.path, position)
        if line is not None:
            lines[line.id] = line
            before = before if line.is_sidechain else line.id
            session = identifier(entry.get("sessionId")) or session
    everything = list(lines.values())
    main = [line for line in everything if not line.is_sidechain] or everything
    path = _with_forks(_path(main), main)
    on_path = {line.id for line in path}
    problems = record.problems
    turns = assemble((line.message for line in path), problems)
    others = _calls_beside(main, on_path, LeftOutReason.OTHER_BRANCH)
    if len(main) < len(everything):
        side = {line.id for line in main}
        others = (*others, *_calls_beside(everything, side, LeftOutReason.SIDECHAIN))
    yield Conversation(NAME, session, title, turns, others, tuple(problems.found))


def _placed(entry: Mapping[str, object], key: str, before: str | None) -> Mapping[str, object]:
    """A stream's line with its place in the tree; only its order counts, for not every line has a time."""
    place = {"uuid": key, "parentUuid": before, "isSidechain": entry.get("parent_tool_use_id") is not None}
    return {**entry, **place, "sessionId": entry.get("session_id"), "timestamp": None}


def _calls_beside(lines: Iterable[_Line], kept: set[str], why: LeftOutReason) -> tuple[LeftOut, ...]:
    return left_out((line.message for line in lines if line.id not in kept), why)


def _path(lines: Sequence[_Line]) -> list[_Line]:
    """From the root to the last line that was written: the file only grows, so that is where the user ended."""
    last = max((line for line in lines if line.speaks), key=lambda line: line.order, default=None)
    if last is None:
        return []
    by_id = {line.id: line for line in lines}
    return [by_id[key] for key in path_to(last.id, {line.id: line.parent for line in lines})]


def _with_forks(path: Sequence[_Line], lines: Iterable[_Line]) -> list[_Line]:
    """The path and what forks off it without being a branch: other parts of the same answer, and their results."""
    on_path = {line.id for line in path}
    parts: dict[str, list[_Line]] = {}
    answers: dict[str, list[_Line]] = {}
    for line in lines:
        if line.id in on_path:
            continue
        if line.group is not None:
            parts.setdefault(line.group, []).append(line)
        for call in line.result_ids:
            answers.setdefault(call, []).append(line)
    complete: list[_Line] = []
    added = set(on_path)

    def add(line: _Line) -> None:
        complete.append(line)
        for call in sorted(line.call_ids):
            for answer in answers.get(call, ()):
                if answer.id not in added:
                    added.add(answer.id)
                    complete.append(answer)

    for line in path:
        add(line)
        for part in parts.pop(line.group, ()) if line.group is not None else ():
            if part.id not in added:
                added.add(part.id)
                add(part)
    return complete


def _line(entry: Mapping[str, object], path: str, position: int) -> _Line | None:
    key = identifier(entry.get("uuid"))
    if key is None:
        return None
    at = instant(entry.get("timestamp"))
    kind = text(entry.get("type"))
    message = mapping(entry.get("message"))
    content = message.get("content")
    speaks = kind in _SPEAKERS
    role = Role.USER if kind == "user" else Role.ASSISTANT
    said = "" if not speaks or _is_inserted(entry) else joined_text(content)
    parts = tuple(blocks(content, f"{path}/message")) if speaks else ()
    return _Line(
        key,
        identifier(entry.get("parentUuid")) or identifier(entry.get("logicalParentUuid")),
        (at.timestamp() if at is not None else 0.0, position),
        entry.get("isSidechain") is True,
        speaks,
        identifier(message.get("id")) if kind == "assistant" else None,
        Message(role, said, parts, at),
    )


def _is_inserted(entry: Mapping[str, object]) -> bool:
    """Text that the program wrote in the user's name, a summary after compaction, or an API error as an answer."""
    flags = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage")
    if any(entry.get(flag) is True for flag in flags):
        return True
    content = mapping(entry.get("message")).get("content")
    first = text(content) or next((text(block.get("text")) for block in mappings(content)), "")
    return first.startswith(("<local-command-", "<command-name>", "<command-message>", "[Request interrupted"))
