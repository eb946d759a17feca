"""Telephone numbers, by the numbering plans of libphonenumber."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from playbooks.domain.masking.model import Kind, Span

_RUN = re.compile(r"(?<![0-9])[+(]{0,2}[0-9](?:[ ().\-/]{0,3}[0-9])+")
_GROUP = re.compile(r"[0-9]+")
_PARTED = re.compile(r"[0-9][ ().\-/]+[0-9]")
_FEWEST, _MOST, _GROUPS = 7, 15, 7
"""Digits of a number (ITU-T E.164 has at most 15), and how many groups they may stand in."""
MAX_ASKED = 20_000


@dataclass(slots=True)
class PhoneBook:
    """Recognises numbers; the library is asked at most `MAX_ASKED` times, after which the look of a number is enough.

    A text made to be slow is so masked too much rather than too late.
    """

    regions: tuple[str, ...]
    asked: int = 0
    _country_codes: tuple[str, ...] | None = None

    def phones(self, text: str, *, expected: bool = False) -> Iterator[Span]:
        """Numbers from left to right; `expected` where the field's name says it holds one, however it is written."""
        for run in _RUN.finditer(text):
            if run.end() < len(text) and text[run.end()].isascii() and text[run.end()].isalpha():
                before = text[run.start() - 1 : run.start()]
                if before.isascii() and before.isalnum():
                    continue  # the middle of a hash or an identifier
            yield from self._in_run(text, run.start(), run.end(), expected=expected)

    def _in_run(self, text: str, start: int, end: int, *, expected: bool) -> Iterator[Span]:
        groups = [group.span() for group in _GROUP.finditer(text, start, end)]
        if len(groups) == 2 and text[slice(*groups[0])] == "0" and text[groups[0][1] : groups[1][0]] == ".":
            return  # a decimal fraction
        first = 0
        while first < len(groups):
            for last in range(min(len(groups), first + _GROUPS) - 1, first - 1, -1):
                digits = sum(stop - at for at, stop in groups[first : last + 1])
                if not _FEWEST <= digits <= _MOST:
                    continue
                begin = _begin(text, start, groups[first][0], groups[last][1])
                if self._is_phone(text[begin : groups[last][1]], expected=expected):
                    yield Span(begin, groups[last][1], Kind.PHONE)
                    first = last
                    break
            first += 1

    def _is_phone(self, written: str, *, expected: bool) -> bool:
        international = written.lstrip("(").startswith(("+", "00"))
        parted = _PARTED.search(written) is not None
        if not (international or expected or parted or written.startswith(("0", "(", *self._codes()))):
            return False
        if self.asked >= MAX_ASKED:
            return True
        self.asked += 1
        if international:
            plus = "+" + re.sub("[^0-9]", "", written).removeprefix("00")
            if self._is_personal(plus, None):
                return True
        return any(self._fits(written, region, expected=expected, parted=parted) for region in self.regions)

    def _fits(self, written: str, region: str, *, expected: bool, parted: bool) -> bool:
        """Whether it is dialled so in a region: with its trunk prefix 0 where it has one, else in groups."""
        from phonenumbers import PhoneMetadata, country_code_for_region

        metadata = PhoneMetadata.metadata_for_region(region, None)
        if metadata is None:
            return False
        digits = re.sub("[^0-9]", "", written)
        if metadata.national_prefix == "0":
            dialled = digits.startswith(("0", str(country_code_for_region(region))))
        else:
            dialled = parted
        return (dialled or expected) and self._is_personal(written, region)

    def _codes(self) -> tuple[str, ...]:
        if self._country_codes is None:
            from phonenumbers import country_code_for_region

            self._country_codes = tuple(str(country_code_for_region(region)) for region in self.regions)
        return self._country_codes

    def _is_personal(self, written: str, region: str | None) -> bool:
        # The library costs 60 ms to import: who masks a text without digits does not pay for it.
        import phonenumbers

        try:
            number = phonenumbers.parse(written, region)
        except phonenumbers.NumberParseException:
            return False
        return phonenumbers.is_valid_number(number) and phonenumbers.number_type(number) in _personal_types()


def _begin(text: str, start: int, first: int, end: int) -> int:
    """Where a number begins that has its first digit at `first`: a parenthesis that closes in it belongs to it."""
    begin = first
    while begin > start and (text[begin - 1] == "+" or (text[begin - 1] == "(" and ")" in text[begin:end])):
        begin -= 1
    return begin


def _personal_types() -> "frozenset[int]":
    from phonenumbers import PhoneNumberType as Type

    return frozenset(
        {Type.MOBILE, Type.FIXED_LINE, Type.FIXED_LINE_OR_MOBILE, Type.VOIP, Type.PERSONAL_NUMBER, Type.PAGER}
    )
