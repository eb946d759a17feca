"""Reads a CloudFormation template: YAML whose short tags (`!Ref`, `!GetAtt` …) become their long JSON form."""

from pathlib import Path
from typing import Any

import yaml

# A template is JSON of any depth; its shape is CloudFormation's, not ours.
Template = dict[str, Any]


class _Loader(yaml.SafeLoader):
    """A safe loader with CloudFormation's tags."""


def load_template(path: Path) -> Template:
    """Parse a template file. Raises yaml.YAMLError, OSError."""
    loaded = yaml.load(path.read_text(encoding="utf-8"), _Loader)  # noqa: S506 - a SafeLoader with tags
    if not isinstance(loaded, dict):
        raise TypeError(f"{path} is not a template: its top level is not a mapping")
    return loaded


def _construct(loader: _Loader, tag: str, node: yaml.Node) -> dict[str, Any]:
    value: Any
    match node:
        case yaml.ScalarNode():
            value = loader.construct_scalar(node)
        case yaml.SequenceNode():
            value = loader.construct_sequence(node, deep=True)
        case yaml.MappingNode():
            value = loader.construct_mapping(node, deep=True)
        case _:
            raise yaml.constructor.ConstructorError(None, None, f"unknown node under !{tag}", node.start_mark)
    if tag == "GetAtt" and isinstance(value, str):
        resource, _, attribute = value.partition(".")
        value = [resource, attribute]
    return {tag if tag in {"Ref", "Condition"} else f"Fn::{tag}": value}


_Loader.add_multi_constructor("!", _construct)
