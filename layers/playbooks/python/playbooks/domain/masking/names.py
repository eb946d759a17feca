"""Names that an administrator listed, found wherever they stand."""

import unicodedata
from collections.abc import Iterable, Iterator

from playbooks.domain.masking.model import Kind, Span

SHORTEST, LONGEST = 2, 100


class NameList:
    """Names by their first two characters and length, so that a long list costs no more than a short one.

    Upper and lower case are the same. A name in Hangul is found before any particle (김민아님께); one in an alphabet
    needs to stand as a word (Mina, not Minami). Names of one character, or of more than 100, are left out.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = {_lower(unicodedata.normalize("NFC", " ".join(name.split()))) for name in names}
        lengths: dict[str, set[int]] = {}
        for name in self._names:
            if SHORTEST <= len(name) <= LONGEST:
                lengths.setdefault(name[:SHORTEST], set()).add(len(name))
        self._lengths = {start: sorted(found, reverse=True) for start, found in lengths.items()}

    def names(self, text: str) -> Iterator[Span]:
        """The longest name at each place, from left to right."""
        if not self._lengths:
            return
        lowered = _lower(text)
        at = 0
        while at < len(lowered) - 1:
            length = next(
                (
                    length
                    for length in self._lengths.get(lowered[at : at + SHORTEST], ())
                    if lowered[at : at + length] in self._names and _stands_alone(lowered, at, at + length)
                ),
                0,
            )
            if length:
                yield Span(at, at + length, Kind.NAME)
            at += length or 1


def _lower(text: str) -> str:
    """Lower case, character for character."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(small if len(small := sign.lower()) == 1 else sign for sign in text)


def _stands_alone(text: str, start: int, end: int) -> bool:
    return not (
        (_joins(text[start]) and start > 0 and _joins(text[start - 1]))
        or (_joins(text[end - 1]) and end < len(text) and _joins(text[end]))
    )


def _joins(sign: str) -> bool:
    """Whether words of this character's script are written with spaces around them and nothing attached."""
    return sign.isalpha() and unicodedata.category(sign) != "Lo"
