"""Placeholders: the parts of a saved statement that a run fills in, and the checks a submitted statement must pass."""

from collections.abc import Iterator, Mapping

from playbooks.domain.sql import guard, placement
from playbooks.domain.sql.lexer import Kind, lex
from playbooks.domain.sql.placeholder import Placeholder, parse_placeholders, placeholder_mapping
from playbooks.domain.sql.values import InvalidValue, PlaceholderType, literal
from playbooks.errors import Finding, Refused

__all__ = ["Placeholder", "PlaceholderType", "check_submission", "parse_placeholders", "placeholder_mapping", "render"]


def render(statement: str, placeholders: tuple[Placeholder, ...], values: Mapping[str, object]) -> str:
    """The statement with each placeholder replaced by its value's literal, in one pass; raises Refused.

    Values are never read again for placeholders. The result still has to pass the guard.
    """
    findings = [*_statement_findings(statement, placeholders)]
    known = {placeholder.name: placeholder for placeholder in placeholders}
    findings += [
        Finding("unknown_value", f"/values/{name}", f"{name} is not a placeholder of this statement.", tuple(known))
        for name in values
        if name not in known
    ]
    literals: dict[str, str] = {}
    for placeholder in placeholders:
        path = f"/values/{placeholder.name}"
        if placeholder.name not in values:
            findings.append(
                Finding("missing_value", path, f"{placeholder.name} needs a value: {placeholder.description}")
            )
            continue
        try:
            literals[placeholder.name] = literal(placeholder.type, values[placeholder.name])
        except InvalidValue as error:
            findings.append(Finding("invalid_value", path, f"{placeholder.name} ({placeholder.type}): {error}."))
    if findings:
        raise Refused("The statement cannot be filled with these values.", findings, code="invalid_values")
    parts: list[str] = []
    position = 0
    for token in lex(statement):
        if token.kind is Kind.PLACEHOLDER:
            parts += [statement[position : token.start], literals[placement.name(token)]]
            position = token.end
    return "".join((*parts, statement[position:]))


def check_submission(
    statement: str, placeholders: tuple[Placeholder, ...], *, extra_functions: frozenset[str] = frozenset()
) -> tuple[Finding, ...]:
    """What keeps a statement from being saved for the next run; empty when it is accepted.

    No placeholder in quotes or glued to its neighbours; every placeholder described and used; and the statement
    filled with the examples is one read-only SELECT. Nothing is executed.
    """
    found = tuple(_statement_findings(statement, placeholders))
    if found:
        return found
    try:
        filled = render(statement, placeholders, {item.name: item.example for item in placeholders})
    except Refused as refused:
        return refused.findings
    verdict = guard.check(filled, extra_functions=extra_functions)
    if verdict.allowed:
        return ()
    return (Finding(verdict.code, placement.PATH, f"Filled with the examples: {verdict.message}"),)


def _statement_findings(statement: str, placeholders: tuple[Placeholder, ...]) -> Iterator[Finding]:
    if len(statement) > guard.MAX_CHARACTERS:
        yield Finding("too_long", placement.PATH, f"At most {guard.MAX_CHARACTERS:,} characters are allowed.")
        return
    used, found = placement.findings(statement)
    yield from found
    described = {placeholder.name for placeholder in placeholders}
    for name in dict.fromkeys(used):
        if name not in described:
            yield Finding(
                "undescribed",
                "/placeholders",
                f"{{{{{name}}}}} is not described: give name, type, description, example.",
            )
    if not found:
        for name in sorted(described - set(used)):
            yield Finding("unused", "/placeholders", f"{name} is described but does not stand in the statement.")
