"""Numbers in a step that the user did not write: last week's figures have no place in next week's instruction."""

import re
import unicodedata

from playbooks.language.warnings import warning_text

_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")


def numbers(text: str) -> frozenset[str]:
    """The numbers of a text, compared without thousands separators and leading zeros; dates and times as a whole."""
    return frozenset(_plain(match.group()) for match in _NUMBER.finditer(unicodedata.normalize("NFKC", text)))


def point_out(instruction: str, user_text: str | None, language: str = "en") -> str:
    """What to tell a person of the numbers in an instruction, or nothing; without a record, all of them are told."""
    foreign = unwritten(instruction, user_text or "")
    if not foreign:
        return ""
    listed = ", ".join(foreign[:10])
    key = "unwritten_numbers" if user_text is not None else "numbers_without_record"
    return warning_text(key, language, numbers=listed)


def unwritten(instruction: str, user_text: str) -> tuple[str, ...]:
    """The numbers of an instruction that stand nowhere in what the user wrote, as they stand in it."""
    written = numbers(user_text)
    parts = {_plain(part) for number in written for part in re.split(r"[:/-]", number)}
    found: dict[str, None] = {}
    for match in _NUMBER.finditer(unicodedata.normalize("NFKC", instruction)):
        if _plain(match.group()) not in written | parts:
            found[match.group()] = None
    return tuple(found)


def _plain(number: str) -> str:
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", number):
        number = number.replace(",", "")
    return re.sub(r"(?<!\d)(?<!\.)0+(?=\d)", "", number)
