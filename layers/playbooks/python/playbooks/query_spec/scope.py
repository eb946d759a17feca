"""What every query is confined to: values from the caller's identity, never from the spec."""

from collections.abc import Mapping, Sequence

from playbooks.query_spec.catalogue import Catalogue, Column
from playbooks.query_spec.errors import ScopeError
from playbooks.query_spec.tree import Equal, Exact
from playbooks.query_spec.values import ValueProblem, exact_value

ScopeValue = Exact | Sequence[Exact]
"""One value, or several of which a row must have one."""


def confine(catalogue: Catalogue, scope: Mapping[str, ScopeValue]) -> tuple[Equal, ...]:
    """The conditions a target ANDs outside of the spec, in the catalogue's order.

    Raises ScopeError unless every scope column, and nothing else, is given a value of its type.
    """
    columns = catalogue.scope_columns
    if scope.keys() != columns.keys():
        missing, foreign = sorted(columns.keys() - scope.keys()), sorted(scope.keys() - columns.keys())
        raise ScopeError(f"The scope must give exactly {sorted(columns)}: missing {missing}, unknown {foreign}.")
    return tuple(Equal(name, column.type, _values(name, column, scope[name])) for name, column in columns.items())


def _values(name: str, column: Column, given: ScopeValue) -> tuple[Exact, ...]:
    try:
        if isinstance(given, str) or not isinstance(given, Sequence):
            return (exact_value(name, column, given),)
        several = tuple(dict.fromkeys(exact_value(name, column, value) for value in given))
    except ValueProblem as problem:
        raise ScopeError(f"The scope of '{name}' is no value of its type: {problem.message}.") from None
    if not several:
        raise ScopeError(f"The scope of '{name}' is empty: nobody may search there.")
    return several
