"""YAML text of a playbook file: written to be read and compared by people, read without trusting it.

A document from outside is walked as events before anything is built from it: its size, depth and number of values are
bounded, and anchors, aliases and tags are refused, so that a small text cannot become a large one or another type.
"""

import re
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import yaml

from playbooks.domain.conversation.fields import encodable
from playbooks.errors import Finding, Refused

MAX_BYTES = 1024 * 1024
MAX_DEPTH = 20
MAX_EVENTS = 20_000
CONTENT_TYPE = "application/yaml"
_MAX_DIGITS = 400
_WIDTH = 100
_BREAKS = re.compile("[\r\x85\u2028\u2029]")
"""Line ends in YAML 1.1 beside the plain one: only between double quotes, escaped, do they stay what they are."""


class _Writer(yaml.SafeDumper):
    """Texts of several lines (SQL above all) as blocks, so that a change of a line is a change of a line."""


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    style = "|" if "\n" in value else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style='"' if _BREAKS.search(value) else style)


_Writer.add_representer(str, _text)


class _Reader(yaml.SafeLoader):
    """Refuses a field that is given twice: the first one would be lost without a word."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:  # noqa: FBT001, FBT002 - PyYAML's form
        seen: set[str] = set()
        for key, _ in node.value:
            name = str(key.value)
            if name in seen:
                said = f"the field {name[:40]!r} is given twice"
                raise yaml.constructor.ConstructorError(None, None, said, key.start_mark)
            seen.add(name)
        return super().construct_mapping(node, deep=deep)

    def number(self, node: yaml.ScalarNode) -> int | float | str:
        """A number; `9:30`, which YAML 1.1 reads in base 60 (and in quadratic time), stays the text that it is."""
        text = str(node.value)
        if ":" in text or len(text) > _MAX_DIGITS:
            return text
        return self.construct_yaml_int(node) if node.tag == _INT else self.construct_yaml_float(node)


_INT, _FLOAT = "tag:yaml.org,2002:int", "tag:yaml.org,2002:float"
_Reader.add_constructor(_INT, _Reader.number)
_Reader.add_constructor(_FLOAT, _Reader.number)


def write_yaml(data: Mapping[str, object], refused: Sequence[Finding] = ()) -> str:
    """Plain data as YAML text, fields in the order given; above it, as comments, what import would refuse of it."""
    said = [f"# {_one_line(finding)}\n" for finding in refused]
    head = "".join(["# A draft: import takes it when this is mended.\n", *said]) if said else ""
    return head + yaml.dump(data, Dumper=_Writer, sort_keys=False, allow_unicode=True, width=_WIDTH)


def _one_line(finding: Finding) -> str:
    text = f"{finding.path or '/'}: {finding.message}"
    return " ".join("".join(mark if mark.isprintable() else " " for mark in text).split())


def read_yaml(text: bytes) -> object:
    """The one document of a text as plain data; raises Refused (`invalid_yaml`) with the line and what helps."""
    if len(text) > MAX_BYTES:
        raise _refused(f"The file has {len(text) // 1024} KB; a playbook has at most {MAX_BYTES // 1024} KB.")
    try:
        decoded = text.decode("utf-8-sig")
        _walk(decoded)
        return yaml.load(decoded, Loader=_Reader)  # noqa: S506 - a safe loader, and stricter
    except UnicodeDecodeError as error:
        raise _refused(f"The file is not UTF-8 text (byte {error.start}).") from error
    except yaml.MarkedYAMLError as error:
        raise _refused(f"This is not YAML: {error.problem or error.context}.", error.problem_mark) from error
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        # A reader's error (a control character, say), or a scalar that looks like a date and is none.
        first = str(error).splitlines()[0][:200]
        raise _refused(f"The file cannot be read: {first}.") from error


def _walk(text: str) -> None:
    depth = 0
    for count, event in enumerate(yaml.parse(text, Loader=yaml.SafeLoader)):
        if count > MAX_EVENTS:
            raise _refused(f"The file holds more than {MAX_EVENTS:,} values.", event.start_mark)
        if isinstance(event, yaml.ScalarEvent) and encodable(event.value) != event.value:
            raise _refused("A text holds half a character (a lone surrogate).", event.start_mark)
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise _refused("Anchors and aliases (& and *) are not taken: write the value out.", event.start_mark)
        if getattr(event, "tag", None) is not None:
            raise _refused("Tags (!) are not taken: write plain values.", event.start_mark)
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                raise _refused(f"The file is nested deeper than {MAX_DEPTH} levels.", event.start_mark)
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _refused(message: str, mark: Any = None) -> Refused:  # noqa: ANN401 - PyYAML has two kinds of mark
    place = f"line {mark.line + 1}, column {mark.column + 1}" if mark is not None else ""
    said = f"{message} ({place})" if place else message
    return Refused(said, [Finding("invalid_yaml", "", said)], code="invalid_yaml")
