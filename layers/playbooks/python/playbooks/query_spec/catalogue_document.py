"""Read a catalogue that an administrator registered as JSON."""

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from playbooks.query_spec.catalogue import Access, Catalogue, Column, ColumnType, Nulls
from playbooks.query_spec.display import pointer
from playbooks.query_spec.errors import CatalogueError
from playbooks.query_spec.models import Operator

_CLOSED = ConfigDict(extra="forbid", frozen=True)


class ColumnDocument(BaseModel):
    """One column; what is left out defaults to all its type can."""

    model_config = _CLOSED

    type: ColumnType
    operators: tuple[Operator, ...] | None = None
    choices: tuple[str, ...] | None = None
    sortable: bool | None = None
    fold: str | None = None
    access: Access = Access.OPEN
    description: str = ""


class CatalogueDocument(BaseModel):
    """The columns by name, the name of the key, and what `neq` does with nulls."""

    model_config = _CLOSED

    columns: dict[str, ColumnDocument] = Field(max_length=200)
    key: str
    nulls: Nulls = Nulls.SQL


def read_catalogue(document: Mapping[str, object]) -> Catalogue:
    """The catalogue of a parsed JSON document; raises CatalogueError with everything that is wrong."""
    try:
        read = CatalogueDocument.model_validate(document)
    except ValidationError as error:
        problems = [f"{pointer(*item['loc'])}: {item['msg']}" for item in error.errors(include_input=False)]
        raise CatalogueError("The catalogue cannot be read: " + "; ".join(problems) + ".") from None
    columns = {name: Column(**dict(column)) for name, column in read.columns.items()}
    return Catalogue(columns, read.key, read.nulls)
