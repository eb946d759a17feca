"""From what a model sent to a query that a target can run: bounds, shape, meaning, in this order.

Nothing is guessed and nothing is dropped: a spec is understood whole or refused with every reason at once.
"""

from collections.abc import Collection, Mapping
from datetime import tzinfo

from playbooks.errors import Finding
from playbooks.query_spec.bounds import check_bounds
from playbooks.query_spec.catalogue import Catalogue
from playbooks.query_spec.conditions import ConditionProblem, Reader, unknown_column
from playbooks.query_spec.display import kind_of
from playbooks.query_spec.document import read_json
from playbooks.query_spec.errors import QuerySpecError
from playbooks.query_spec.limits import DEFAULT_LIMITS, Limits
from playbooks.query_spec.models import OrderBy, SpecOutput, Statement, WhereCondition, WhereGroup
from playbooks.query_spec.shape import read_shape, readable_parts
from playbooks.query_spec.tree import AllOf, AnyOf, Node, Query, Sort

Document = str | bytes | Mapping[str, object] | SpecOutput
"""A spec as JSON text, as parsed JSON, or built by the caller."""


def interpret(
    document: Document,
    catalogue: Catalogue,
    *,
    zone: tzinfo,
    allowed_columns: Collection[str] | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Query:
    """Read a spec against a catalogue; days and wall-clock times are those of `zone`.

    `allowed_columns` narrows the open columns (an empty one means none); a Statement's own list narrows them further.
    Raises QuerySpecError with every reason found.
    """
    if isinstance(document, Statement) and document.allowed_columns is not None:
        allowed = document.allowed_columns
        allowed_columns = allowed if allowed_columns is None else allowed & frozenset(allowed_columns)
    raw = _parsed(document, limits)
    if not isinstance(raw, Mapping):
        raise QuerySpecError([Finding("not_object", "", f"the spec must be a JSON object, got {kind_of(raw)}")])
    bounds = check_bounds(raw, limits)
    findings = bounds.findings
    if bounds.fatal:
        raise QuerySpecError(findings)
    spec, misshapen = read_shape(raw)
    findings.extend(misshapen)
    reader = Reader(catalogue, catalogue.visible(allowed_columns), zone, limits)
    meaning = _Meaning(reader, findings)
    if spec is None:
        _read_parts(raw, meaning)
        raise QuerySpecError(_once(findings))
    where = meaning.group(spec.where, "/where") if spec.where is not None else None
    order = meaning.order([(item, f"/order_by/{index}") for index, item in enumerate(spec.order_by)])
    limit = spec.limit if "limit" in spec.model_fields_set else min(spec.limit, limits.max_limit)
    if limit > limits.max_limit:
        findings.append(Finding("limit_out_of_range", "/limit", f"limit is from 1 to {limits.max_limit}"))
    if spec.offset > limits.max_offset:
        findings.append(Finding("offset_out_of_range", "/offset", f"at most {limits.max_offset}"))
    if findings:
        raise QuerySpecError(_once(findings))
    return Query(catalogue, where, _effective(order, catalogue.key), limit, spec.offset)


def _parsed(document: Document, limits: Limits) -> object:
    if isinstance(document, str | bytes):
        return read_json(document, limits)
    if isinstance(document, SpecOutput):
        return document.model_dump(exclude={"allowed_columns"}, exclude_unset=True)
    # pydantic's strict mode takes a dict only; whatever else was passed in spite of the types is refused by its kind.
    raw: object = document
    return dict(raw) if isinstance(raw, Mapping) and not isinstance(raw, dict) else raw


def _read_parts(raw: Mapping[object, object], meaning: "_Meaning") -> None:
    sorts = []
    for part, path in readable_parts(raw):
        if isinstance(part, WhereCondition):
            meaning.condition(part, path)
        else:
            sorts.append((part, path))
    meaning.order(sorts)


def _once(findings: list[Finding]) -> list[Finding]:
    """One finding a place: the first stage that refused it said it best."""
    found: dict[str, Finding] = {}
    for item in findings:
        found.setdefault(item.path, item)
    return list(found.values())


def _effective(order: tuple[Sort, ...], key: str) -> tuple[Sort, ...]:
    """The sort keys that can still change something: the primary key leaves no ties behind it, and ascending it is
    where every order ends anyway."""
    kept: list[Sort] = []
    for item in order:
        if item.field == key and item.direction == "asc":
            break
        kept.append(item)
        if item.field == key:
            break
    return tuple(kept)


class _Meaning:
    """Reads nodes and keeps the findings; a node that was refused is left out of its group."""

    def __init__(self, reader: Reader, findings: list[Finding]) -> None:
        self._reader = reader
        self._findings = findings

    def group(self, group: WhereGroup, path: str) -> Node | None:
        # The depth was bounded, so the recursion is too.
        if not group.conditions:
            self._note(ConditionProblem("empty_group", "/conditions", "a group needs at least one condition"), path)
            return None
        nodes = []
        for index, child in enumerate(group.conditions):
            below = f"{path}/conditions/{index}"
            # Asking a model class with isinstance is slow, and both classes are final.
            node = self.condition(child, below) if type(child) is WhereCondition else self.group(child, below)
            if node is not None:
                nodes.append(node)
        if not nodes:
            return None
        if len(nodes) == 1:
            return nodes[0]
        return AllOf(tuple(nodes)) if group.op == "and" else AnyOf(tuple(nodes))

    def condition(self, condition: WhereCondition, path: str) -> Node | None:
        try:
            return self._reader.read(condition, path)
        except ConditionProblem as problem:
            self._note(problem, path)
            return None

    def order(self, items: list[tuple[OrderBy, str]]) -> tuple[Sort, ...]:
        sorts: dict[str, Sort] = {}
        for item, path in items:
            if item.column in sorts:
                self._note(ConditionProblem("duplicate_order_by", "/column", "each column once"), path)
                continue
            try:
                sorts[item.column] = self._sort(item, path)
            except ConditionProblem as problem:
                self._note(problem, path)
        return tuple(sorts.values())

    def _sort(self, item: OrderBy, path: str) -> Sort:
        columns = self._reader.columns
        sortable = {name: column for name, column in columns.items() if column.is_sortable()}
        column = columns.get(item.column)
        if column is None:
            raise unknown_column(item.column, sortable, "sort")
        if item.column not in sortable:
            message = f"{item.column} ({column.type}) cannot be sorted by"
            raise ConditionProblem("not_sortable", "/column", message, tuple(sortable))
        return Sort(item.column, column.type, item.direction, path)

    def _note(self, problem: ConditionProblem, path: str) -> None:
        self._findings.append(Finding(problem.code, path + problem.place, problem.message, problem.allowed))
