"""Which tables a statement reads, from its syntax tree: names of WITH lists are no tables where they are visible."""

from collections.abc import Iterator

from sqlglot import exp

from playbooks.domain.sql.lexer import fold
from playbooks.domain.sql.schema import quoted


def tables(tree: exp.Expr) -> tuple[str, ...]:
    """Every relation the statement names, each once in order of appearance, qualified where it was."""
    found: dict[str, None] = {}
    for table in tree.find_all(exp.Table, bfs=False):
        parts = [part for part in (table.args.get(key) for key in ("catalog", "db", "this")) if part is not None]
        if not all(isinstance(part, exp.Identifier) for part in parts):
            continue
        names = [_name(part) for part in parts]
        if len(names) == 1 and names[0] in _visible(table):
            continue
        found[".".join(name if "." not in name else quoted(name) for name in names)] = None
    return tuple(found)


def _name(identifier: exp.Identifier) -> str:
    text: str = identifier.this
    return text if identifier.args.get("quoted") else fold(text)


def _visible(node: exp.Expr) -> Iterator[str]:
    """Names that WITH lists around a node make visible to it (PostgreSQL manual, 7.8)."""
    child: exp.Expr = node
    parent = node.parent
    while parent is not None:
        if isinstance(parent, exp.With):
            recursive = bool(parent.args.get("recursive"))
            for entry in parent.expressions:
                if entry is child and not recursive:
                    break
                yield from _defined(entry)
        else:
            clause = parent.args.get("with_")
            if isinstance(clause, exp.With) and clause is not child:
                for entry in clause.expressions:
                    yield from _defined(entry)
        child, parent = parent, parent.parent


def _defined(entry: exp.Expr) -> Iterator[str]:
    alias = entry.args.get("alias")
    if isinstance(alias, exp.TableAlias) and isinstance(alias.this, exp.Identifier):
        yield _name(alias.this)
