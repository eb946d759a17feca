"""Dates that stand in a statement as literals."""


def literal_dates(statement: str) -> tuple[str, ...]:
    raise NotImplementedError
