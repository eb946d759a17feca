"""The words the guard knows: PostgreSQL's keywords and operators, and the functions a statement may call.

Data files beside this module hold them, each family of functions with the reason it is allowed.
"""

import json
from importlib.resources import files
from typing import Any


def _load(name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(files(__package__).joinpath(name).read_text(encoding="utf-8"))
    return data


_functions = _load("functions.json")
_words = _load("vocabulary.json")

ALLOWED_FUNCTIONS: frozenset[str] = frozenset(name for family in _functions["allowed"] for name in family["functions"])
"""Functions of pg_catalog and of common extensions that only compute from their arguments."""

REFUSED_ATTRIBUTES: frozenset[str] = frozenset(_functions["refused_as_attribute"]["functions"])
"""Functions of one argument that `value.name` would call."""

RESERVED: frozenset[str] = frozenset(_words["reserved"])
TYPE_FUNCTION_NAMES: frozenset[str] = frozenset(_words["type_function_names"])
COLUMN_NAMES: frozenset[str] = frozenset(_words["column_names"])
UNRESERVED: frozenset[str] = frozenset(_words["unreserved"])
KEYWORDS: frozenset[str] = RESERVED | TYPE_FUNCTION_NAMES | COLUMN_NAMES | UNRESERVED

OPERATORS: frozenset[str] = frozenset(_words["operators"]) | frozenset(_words["extension_operators"]) | {"=>", "!="}
"""Operators of pg_catalog and of common extensions, `=>` of named arguments, and `!=` for `<>`."""

SYNTAX_CALLS: frozenset[str] = frozenset(_words["syntax_calls"])
"""Keywords that no function can bear and that take parentheses as syntax: special forms and types with a length."""

ALLOWED_RELATIONS: frozenset[str] = frozenset(_words["allowed_relations"])
"""System relations about tables and types. All others (roles, files, settings, activity, statistics …) are refused."""

REFUSED_RELATIONS: frozenset[str] = frozenset(
    {
        "user_mapping_options",
        "user_mappings",
        "foreign_data_wrapper_options",
        "foreign_server_options",
        "foreign_table_options",
    }
)
"""Views of information_schema that show how to log in elsewhere; so do those whose names begin with `_pg_`."""

ROW_COLUMNS: frozenset[str] = frozenset({"key", "value", "ordinality", "lexeme", "positions", "weights"})
"""What the columns of allowed functions that give rows are called when the statement does not name them."""

VALUE_WORDS: frozenset[str] = frozenset(_words["value_words"])
"""Reserved words with which an expression can end."""
