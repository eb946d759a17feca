"""A text as it may leave the house."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from playbooks.domain.masking.codes import LONE_NUMBER, ibans, passports
from playbooks.domain.masking.emails import emails
from playbooks.domain.masking.model import (
    MAX_CHARACTERS,
    Kind,
    Masked,
    MaskedText,
    MaskingRules,
    Span,
    Unmaskable,
)
from playbooks.domain.masking.names import NameList
from playbooks.domain.masking.numbers import cards, resident_numbers
from playbooks.domain.masking.phones import PhoneBook
from playbooks.domain.masking.shadow import shadow_of

_GONE = "\x00"


def mask_text(text: str, rules: MaskingRules) -> MaskedText:
    """The text with a token in place of each value; raises Unmaskable over a million characters.

    What is written to be read by no program (spelled out, encoded, in a picture) is not recognised: masking keeps
    honest text clean, it is no wall against somebody who hides data on purpose.
    """
    return TextMasker(rules).mask(text)


class TextMasker:
    """Masks the texts of one call; a budget of characters and of questions to the phone library is shared by them."""

    def __init__(self, rules: MaskingRules) -> None:
        self._names = NameList(rules.names)
        self._phones = PhoneBook(rules.regions)
        self._characters = 0

    def mask(self, text: str, pointer: str = "", *, expected: Kind | None = None) -> MaskedText:
        """One text; `expected` is what its field's name says it holds."""
        self._characters += len(text)
        if self._characters > MAX_CHARACTERS:
            raise Unmaskable(
                f"More than {MAX_CHARACTERS:,} characters cannot be checked for personal data: send less, "
                "or put it into a document."
            )
        if not text:
            return MaskedText(text)
        plain = text if text.isascii() else unicodedata.normalize("NFC", text)
        shadow = shadow_of(plain)
        spans = list(self._spans(shadow.text, expected))
        if not spans:
            return MaskedText(text)
        pieces: list[str] = []
        at = 0
        for span in sorted(spans, key=lambda span: span.start):
            start, end = shadow.original(span.start, span.end)
            pieces += (plain[at:start], span.kind.token)
            at = end
        pieces.append(plain[at:])
        counts = Counter(span.kind for span in spans)
        return MaskedText("".join(pieces), tuple(Masked(pointer, kind, counts[kind]) for kind in Kind if counts[kind]))

    def number(self, value: int, pointer: str, *, expected: Kind | None = None) -> MaskedText | None:
        """A whole number that is a resident number, a card, or what its field's name says; None for all others."""
        digits = str(abs(value)) if abs(value) < 10**19 else ""
        if len(digits) < 7:
            return None
        if expected is not None:
            masked = self.mask(digits if expected is not Kind.PHONE else _dialled(digits), pointer, expected=expected)
        elif len(digits) >= 11 and next(resident_numbers(digits.zfill(13)), None) is not None:
            return MaskedText(Kind.RESIDENT_NUMBER.token, (Masked(pointer, Kind.RESIDENT_NUMBER, 1),))
        else:
            masked = MaskedText(*_whole(digits, pointer, cards))
        return masked if masked.found else None

    def _spans(self, text: str, expected: Kind | None) -> Iterator[Span]:
        """No two overlap: what one detector took, the next ones do not see."""
        left = text
        for token in {kind.token for kind in Kind}:
            left = left.replace(token, _GONE * len(token))
        if expected is Kind.PASSPORT and LONE_NUMBER.fullmatch(left):
            yield Span(0, len(text), Kind.PASSPORT)
            return
        detectors: tuple[Callable[[str], Iterable[Span]], ...] = (
            emails,
            ibans,
            resident_numbers,
            cards,
            lambda rest: self._phones.phones(rest, expected=expected is Kind.PHONE),
            passports,
            self._names.names,
        )
        for detect in detectors:
            found = _apart(detect(left))
            if found:
                yield from found
                left = _without(left, found)


def _apart(spans: Iterable[Span]) -> list[Span]:
    """In order, without those that begin inside another."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return kept


def _without(text: str, spans: Iterable[Span]) -> str:
    pieces: list[str] = []
    at = 0
    for span in spans:
        pieces += (text[at : span.start], _GONE * (span.end - span.start))
        at = span.end
    return "".join((*pieces, text[at:]))


def _whole(digits: str, pointer: str, detect: Callable[[str], Iterator[Span]]) -> tuple[str, tuple[Masked, ...]]:
    span = next(detect(digits), None)
    return (digits, ()) if span is None else (span.kind.token, (Masked(pointer, span.kind, 1),))


def _dialled(digits: str) -> str:
    """A number that lost its leading 0 on the way through a numeric type."""
    return digits if len(digits) > 10 else f"0{digits}"
