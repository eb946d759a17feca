"""Whatever stands around it, personal data is found; whatever has none is left alone."""

import string

import phonenumbers
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from playbooks.domain.masking import Kind, MaskingRules, mask_arguments, mask_text
from playbooks.domain.masking.numbers import has_resident_checksum, passes_luhn

RULES = MaskingRules(names=("김민아", "Mina Kim"))
FRAMES = ["{}", "값은 {} 입니다", "연락:{}에게", "({})", "a, {}; b", '{{"x":"{}"}}', "2026-09-01: {}\n1,234원"]
REGIONS = ["KR", "US", "JP", "DE", "GB", "FR", "IN", "BR", "VN", "CN"]
TOKENS = [kind.token for kind in Kind]


def with_luhn(digits):
    return next(digits + last for last in "0123456789" if passes_luhn(digits + last))


def with_checksum(digits):
    return next(digits + last for last in "0123456789" if has_resident_checksum(digits + last))


def iban(country, body):
    number = int("".join(str(int(sign, 36)) for sign in f"{body}{country}00"))
    return f"{country}{98 - number % 97:02}{body}"


def digits(count):
    return st.text(string.digits, min_size=count, max_size=count)


EMAILS = st.builds(
    lambda local, domain, end: f"{local}@{domain}.{end}",
    st.from_regex(r"[a-z][a-z0-9._+-]{0,20}[a-z0-9]", fullmatch=True),
    st.from_regex(r"[a-z][a-z0-9-]{0,20}[a-z0-9]", fullmatch=True),
    st.sampled_from(["com", "co.kr", "org", "io", "museum"]),
)
CARDS = st.builds(
    lambda first, rest, gap: gap.join([(n := with_luhn(first + rest))[:4], n[4:8], n[8:12], n[12:]]),
    st.sampled_from("24569"),
    digits(14),
    st.sampled_from(["", " ", "-"]),
)
RESIDENTS = st.builds(
    lambda day, sex, rest, gap: (n := with_checksum(f"{day:%y%m%d}{sex}{rest}"))[:6] + gap + n[6:],
    st.dates(),
    st.sampled_from("12345678"),
    digits(5),
    st.sampled_from(["", "-", " - "]),
)
IBANS = st.builds(iban, st.sampled_from(["DE"]), digits(18)) | st.builds(
    lambda bank, rest: iban("GB", bank + rest), st.text(string.ascii_uppercase, min_size=4, max_size=4), digits(14)
)
PHONES = st.builds(
    lambda region, form: phonenumbers.format_number(
        phonenumbers.example_number_for_type(region, phonenumbers.PhoneNumberType.MOBILE), form
    ),
    st.sampled_from(REGIONS),
    st.sampled_from([phonenumbers.PhoneNumberFormat.E164, phonenumbers.PhoneNumberFormat.INTERNATIONAL]),
)
VALUES = [
    (EMAILS, Kind.EMAIL),
    (CARDS, Kind.CARD),
    (RESIDENTS, Kind.RESIDENT_NUMBER),
    (IBANS, Kind.IBAN),
    (PHONES, Kind.PHONE),
]
ANY = st.one_of(*(strategy for strategy, _ in VALUES))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | ANY,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(("values", "kind"), VALUES, ids=[kind.name.lower() for _, kind in VALUES])
def test_a_value_is_found_in_any_frame(values, kind):
    @given(values, st.sampled_from(FRAMES))
    def found(value, frame):
        done = mask_text(frame.format(value), RULES)
        assert done.text == frame.format(kind.token)
        assert [(one.kind, one.count) for one in done.found] == [(kind, 1)]

    found()


@given(st.text() | st.lists(ANY | st.text(max_size=5) | st.sampled_from(TOKENS), max_size=6).map(" ".join))
def test_masking_what_is_masked_changes_nothing(text):
    once = mask_text(text, RULES).text
    again = mask_text(once, RULES)
    assert again.text == once
    assert again.found == ()


@given(st.text(st.characters(exclude_characters="@%＠", exclude_categories=["Nd", "Cs"])))
def test_a_text_without_digits_and_addresses_is_left_as_it_is(text):
    assume("passport" not in text.lower())
    assert mask_text(text, MaskingRules()).text == text


@given(st.dictionaries(st.text(max_size=8), JSON, max_size=4))
def test_arguments_keep_their_structure_and_what_is_said_has_no_value(arguments):
    done = mask_arguments(arguments, RULES)
    assert shape(done.arguments) == shape(arguments)
    assert mask_arguments(done.arguments, RULES).found == ()
    for one in done.found:
        assert mask_text(one.pointer, RULES).found == ()
        assert one.count >= 1


@given(st.dictionaries(st.text(string.ascii_lowercase, max_size=8), JSON, min_size=1, max_size=4), st.data())
def test_a_clear_field_passes_as_it_is_and_nothing_else_does(arguments, data):
    clear = data.draw(st.sampled_from(sorted(arguments)))
    done = mask_arguments(arguments, MaskingRules(clear_fields=(f"/{clear}",)))
    assert done.arguments[clear] == arguments[clear]
    rest = {name: value for name, value in arguments.items() if name != clear}
    assert {name: value for name, value in done.arguments.items() if name != clear} == mask_arguments(
        rest, MaskingRules()
    ).arguments


def shape(value):
    match value:
        case dict():
            return [shape(one) for one in value.values()]
        case list():
            return [shape(one) for one in value]
    return None
