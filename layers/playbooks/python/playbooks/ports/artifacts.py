"""Files in object storage: chat records, datasets, documents."""

from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Protocol

LINK_FOR = timedelta(minutes=5)


class Artifacts(Protocol):
    """Objects by key. Keys are built by the application from tenant, run and name."""

    def put(self, key: str, chunks: Iterable[bytes], content_type: str) -> int:
        """Store the chunks as one object in bounded memory; returns its size in bytes."""
        ...

    def get(self, key: str) -> Iterator[bytes]:
        """The object's bytes in chunks; raises NotFound."""
        ...

    def link(self, key: str, file_name: str) -> str:
        """A link for GET that saves the object under `file_name`, good for `LINK_FOR`."""
        ...
