"""Names of worksheets as Excel accepts them."""

import re
import unicodedata

LONGEST = 31
_REFUSED = re.compile(r"[\[\]:*?/\\\x00-\x1f\x7f\ufffe\uffff]+")
_RESERVED = "history"


def units(text: str) -> int:
    """The length as Excel counts it: UTF-16 code units."""
    return len(text.encode("utf-16-le")) // 2


def cut(text: str, limit: int) -> str:
    """The longest beginning of at most `limit` UTF-16 code units."""
    return text if units(text) <= limit else text.encode("utf-16-le")[: 2 * limit].decode("utf-16-le", "ignore")


class SheetNames:
    """Hands out a name for each title: at most 31 characters, none of `[]:*?/\\`, unique whatever the case."""

    def __init__(self) -> None:
        self._taken: set[str] = {_RESERVED}

    def name(self, title: str) -> str:
        """A name that is new in this workbook, as near to the title as it can be."""
        plain = " ".join(_REFUSED.sub(" ", unicodedata.normalize("NFC", title)).split()).strip("' ") or "Sheet"
        name, number = cut(plain, LONGEST).strip("' "), 1
        while name.casefold() in self._taken:
            number += 1
            suffix = f" ({number})"
            name = cut(plain, LONGEST - len(suffix)).strip("' ") + suffix
        self._taken.add(name.casefold())
        return name
