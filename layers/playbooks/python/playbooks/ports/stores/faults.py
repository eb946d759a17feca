"""What any store raises when it cannot do what was asked."""

from playbooks.errors import PlaybooksError


class StoreBusy(PlaybooksError):
    """Raised when the store throttles or a transaction conflicts after all retries; the wake index comes back."""

    code = "store_busy"
    retryable = True
    loggable = True


class CorruptItem(PlaybooksError):
    """Raised when a stored item cannot be read back; it is named, and the others go on."""

    code = "corrupt_item"
    loggable = True
