"""What needs no mending but a person's eye, told in their language."""

from playbooks.errors import Finding
from playbooks.language.warnings import warning_text


def note(
    code: str, path: str, language: str, *, text: str = "", allowed: tuple[str, ...] = (), **values: object
) -> Finding:
    """A finding for a person; `text` is the sentence's key where a code has several."""
    return Finding(code, path, warning_text(text or code, language, **values), allowed)
