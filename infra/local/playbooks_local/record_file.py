"""The file of a chat record."""

from pathlib import Path

from playbooks.errors import PlaybooksError

MAX_RECORD = 50 * 1024 * 1024
"""Bytes that are read: an archive of many short chats is below it."""


class UnreadableFile(PlaybooksError):
    """Raised when the file of a record cannot be read."""

    code = "unreadable_file"


def read_record(path: Path) -> bytes:
    """What it holds; raises UnreadableFile with what to do."""
    try:
        if path.stat().st_size > MAX_RECORD:
            raise UnreadableFile(f"{path} is larger than 50 MB: export one conversation instead of all.")
        return path.read_bytes()
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {error.strerror}.") from None
