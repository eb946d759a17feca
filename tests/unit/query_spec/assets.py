"""A small catalogue most of these tests share."""

from collections.abc import Mapping
from zoneinfo import ZoneInfo

from playbooks.errors import Finding
from playbooks.query_spec import Access, Catalogue, Column, ColumnType, Query, QuerySpecError, interpret

SEOUL = ZoneInfo("Asia/Seoul")
SCOPE = {"tenant_id": "acme"}
ASSETS = Catalogue(
    {
        "tenant_id": Column(type=ColumnType.STRING, access=Access.SCOPE),
        "internal_score": Column(type=ColumnType.NUMBER, access=Access.HIDDEN),
        "id": Column(type=ColumnType.INTEGER),
        "file_name": Column(type=ColumnType.STRING, fold="file_name_fold", description="the name it was uploaded as"),
        "asset_type": Column(type=ColumnType.ENUM, choices=("pdf", "docx", "png")),
        "size_bytes": Column(type=ColumnType.INTEGER),
        "score": Column(type=ColumnType.NUMBER),
        "created_at": Column(type=ColumnType.DATETIME),
        "due": Column(type=ColumnType.DATE),
        "owner_id": Column(type=ColumnType.UUID),
        "is_public": Column(type=ColumnType.BOOLEAN),
        "tags": Column(type=ColumnType.STRINGS),
    },
    key="id",
)


def read(document: object, **options: object) -> Query:
    return interpret(document, ASSETS, zone=SEOUL, **options)  # type: ignore[arg-type] # hostile documents are the point


def where(*conditions: Mapping[str, object], op: str = "and") -> dict[str, object]:
    return {"where": {"op": op, "conditions": list(conditions)}}


def condition(column: str, operator: str, value: object = None, **more: object) -> dict[str, object]:
    return {"column": column, "operator": operator, "value": value, **more}


def refusals(document: object, **options: object) -> list[tuple[str, str]]:
    """Code and path of every finding; empty when it is accepted."""
    return [(item.code, item.path) for item in findings(document, **options)]


def findings(document: object, **options: object) -> tuple[Finding, ...]:
    try:
        read(document, **options)
    except QuerySpecError as error:
        return error.findings
    return ()
