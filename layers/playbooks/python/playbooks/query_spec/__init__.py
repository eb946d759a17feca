"""The Query Spec: a model says what to find, and one spec finds equal rows in equal order in two stores.

The model never writes SQL. It fills a closed JSON shape; `interpret` reads it against a catalogue of columns, refusing
everything it does not know with every reason at once; a target compiles the typed query for one store. What confines
the caller (the tenant, deleted rows) is ANDed outside and cannot be named by a spec. Usable alone:

    catalogue = Catalogue({"id": Column(type=ColumnType.INTEGER), "title": Column(type=ColumnType.STRING), ...}, "id")
    query = interpret(spec, catalogue, zone=ZoneInfo("Asia/Seoul"))
    statement = SqlTarget(documents, catalogue).select(query, {"tenant_id": "acme"})   # .sqlalchemy_target
    points = read_page(to_qdrant(query, {"tenant_id": "acme"}), client)

`SqlTarget` is imported from `playbooks.query_spec.sqlalchemy_target`, so that nothing else here loads SQLAlchemy.
"""

from playbooks.query_spec.catalogue import Access, Catalogue, Column, ColumnType, Nulls
from playbooks.query_spec.catalogue_document import read_catalogue
from playbooks.query_spec.describe import describe
from playbooks.query_spec.errors import CatalogueError, QuerySpecError, RowError, ScopeError
from playbooks.query_spec.interpret import interpret
from playbooks.query_spec.limits import DEFAULT_LIMITS, Limits
from playbooks.query_spec.models import OrderBy, SpecInput, SpecOutput, Statement, WhereCondition, WhereGroup
from playbooks.query_spec.qdrant_paging import PagePoint, ScrollClient, plan_page, read_page
from playbooks.query_spec.qdrant_target import QdrantQuery, to_qdrant
from playbooks.query_spec.repair import ask_until_read
from playbooks.query_spec.rows import QdrantPoint, canonical_row, payload_indexes, to_point
from playbooks.query_spec.tree import Query
from playbooks.query_spec.wire import from_wire, interpret_wire, to_wire
from playbooks.query_spec.wire_schema import wire_schema

__all__ = [
    "DEFAULT_LIMITS",
    "Access",
    "Catalogue",
    "CatalogueError",
    "Column",
    "ColumnType",
    "Limits",
    "Nulls",
    "OrderBy",
    "PagePoint",
    "QdrantPoint",
    "QdrantQuery",
    "Query",
    "QuerySpecError",
    "RowError",
    "ScopeError",
    "ScrollClient",
    "SpecInput",
    "SpecOutput",
    "Statement",
    "WhereCondition",
    "WhereGroup",
    "ask_until_read",
    "canonical_row",
    "describe",
    "from_wire",
    "interpret",
    "interpret_wire",
    "payload_indexes",
    "plan_page",
    "read_catalogue",
    "read_page",
    "to_point",
    "to_qdrant",
    "to_wire",
    "wire_schema",
]
