"""Conditions and updates as DynamoDB's expression strings, with names and values as parameters."""

from collections.abc import Mapping

from playbooks.adapters.dynamodb.operations import (
    AllOf,
    AnyOf,
    Condition,
    Equals,
    Exists,
    Less,
    Missing,
    OneOf,
)


class Expression:
    """Collects the names and values of one request."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.values: dict[str, object] = {}

    def condition(self, condition: Condition) -> str:
        """The condition as an expression string."""
        match condition:
            case Exists(name):
                return f"attribute_exists({self._name(name)})"
            case Missing(name):
                return f"attribute_not_exists({self._name(name)})"
            case Equals(name, value):
                return f"{self._name(name)} = {self._value(value)}"
            case Less(name, value):
                return f"{self._name(name)} < {self._value(value)}"
            case OneOf(name, values):
                return f"{self._name(name)} IN ({', '.join(map(self._value, values))})"
            case AllOf(parts):
                return " AND ".join(f"({self.condition(part)})" for part in parts)
            case AnyOf(parts):
                return " OR ".join(f"({self.condition(part)})" for part in parts)

    def update(self, put: Mapping[str, object], remove: tuple[str, ...], add: Mapping[str, int]) -> str:
        """SET, REMOVE and ADD as one update expression."""
        clauses = []
        if put:
            clauses.append("SET " + ", ".join(f"{self._name(n)} = {self._value(v)}" for n, v in put.items()))
        if remove:
            clauses.append("REMOVE " + ", ".join(map(self._name, remove)))
        if add:
            clauses.append("ADD " + ", ".join(f"{self._name(n)} {self._value(v)}" for n, v in add.items()))
        return " ".join(clauses)

    def _name(self, name: str) -> str:
        for known, plain in self.names.items():
            if plain == name:
                return known
        self.names[f"#{len(self.names)}"] = name
        return f"#{len(self.names) - 1}"

    def _value(self, value: object) -> str:
        self.values[f":{len(self.values)}"] = value
        return f":{len(self.values) - 1}"
