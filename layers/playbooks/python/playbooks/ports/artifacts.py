"""Files in object storage: chat records, datasets, documents."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

LINK_FOR = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class UploadForm:
    """A form by which a client sends one file: POST as `multipart/form-data` to `url`, `fields` first, `file` last."""

    url: str
    fields: Mapping[str, str]


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

    def upload(self, key: str, content_type: str, *, largest: int) -> UploadForm:
        """A form that stores one file of 1 to `largest` bytes under `key` and nowhere else, good for `LINK_FOR`."""
        ...
