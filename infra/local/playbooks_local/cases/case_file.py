"""Reading a case file: what is no JSON, or not of the kind, is Refused in one line that says what is expected."""

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from playbooks.errors import Refused

CODE = "not_a_case_file"


def read_json(path: Path) -> Any:  # noqa: ANN401 - JSON of any shape
    """The file's JSON; Refused when it cannot be read as such."""
    try:
        return json.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}.", code=CODE) from error
    except (ValueError, RecursionError) as error:
        raise Refused(f"{path} cannot be read as JSON: {error}.", code=CODE) from error


def read_list(path: Path, shape: str) -> list[Any]:
    """A file that holds a list of cases; `shape` says in words what each is."""
    found = read_json(path)
    if not isinstance(found, list):
        raise Refused(f"{path} is not a case file: write a list of cases, each {shape}.", code=CODE)
    return found


def read_cases(path: Path, fields: Collection[str]) -> list[Mapping[str, Any]]:
    """The cases of a list, each an object with these fields at least."""
    shape = f"{{{', '.join(fields)}}}"
    cases = read_list(path, shape)
    for number, case in enumerate(cases, 1):
        if not isinstance(case, dict) or not case.keys() >= set(fields):
            raise Refused(f"Case {number} of {path} is not one: write {shape}.", code=CODE)
    return cases


def read_object(path: Path, fields: Collection[str] = ()) -> Mapping[str, Any]:
    """A file that holds one object with these fields at least."""
    found = read_json(path)
    if not isinstance(found, dict):
        raise Refused(f"{path} is not a case file: write an object.", code=CODE)
    if missing := [name for name in fields if name not in found]:
        raise Refused(f"{path} is not a case file: it has no {' and no '.join(missing)}.", code=CODE)
    return found
