"""What a document says by itself, in the reader's language."""

from collections.abc import Mapping
from dataclasses import dataclass

from playbooks.adapters.documents.cells import Loss


@dataclass(frozen=True, slots=True)
class Words:
    """Sentences with `{count}`, `{sheet}`, `{columns}` or `{zone}` to be filled."""

    notes: str
    losses: Mapping[Loss, str]
    zone: str
    continued: str
    charted: str
    no_chart: str
    not_shown: str
    cut: str
    no_glyph: str


_EN = Words(
    notes="Notes",
    losses={
        Loss.LONG_NUMBER: "Numbers with more than 15 digits are kept as text, exactly: {count} cells.",
        Loss.ROUNDED: "Decimals beyond 15 significant digits are rounded: {count} cells.",
        Loss.EARLY_DATE: "Dates before March 1900 are kept as text: {count} cells.",
        Loss.LONG_TEXT: "Texts over 32,767 characters are cut (they end in …): {count} cells.",
    },
    zone="Times in {columns} are shown in {zone}.",
    continued="{sheet} goes on in further sheets: a sheet holds {count} rows.",
    charted="The chart of {sheet} shows the first {count} rows.",
    no_chart="This format holds no chart: ask for an Excel file (xlsx) to get one.",
    not_shown="{sheet}: {count} more rows are not shown here. An Excel or CSV file holds them all.",
    cut="Long texts are cut to fit the page (they end in …): {count} cells.",
    no_glyph="Signs that the font does not have are shown as □: {count}.",
)
_KO = Words(
    notes="참고",
    losses={
        Loss.LONG_NUMBER: "15자리를 넘는 숫자는 정확히 남기려고 텍스트로 넣었습니다: 셀 {count}개.",
        Loss.ROUNDED: "유효 숫자 15자리를 넘는 소수는 반올림했습니다: 셀 {count}개.",
        Loss.EARLY_DATE: "1900년 3월 이전 날짜는 텍스트로 넣었습니다: 셀 {count}개.",
        Loss.LONG_TEXT: "32,767자를 넘는 글은 잘랐습니다(…로 끝납니다): 셀 {count}개.",
    },
    zone="{columns} 열의 시각은 {zone} 기준입니다.",
    continued="{sheet} 시트는 다음 시트로 이어집니다: 한 시트에는 {count}행까지 들어갑니다.",
    charted="{sheet} 차트는 처음 {count}행까지 보여 줍니다.",
    no_chart="이 형식에는 차트를 넣지 못합니다. 차트가 필요하면 엑셀 파일(xlsx)을 요청하세요.",
    not_shown="{sheet}: {count}행은 여기에 싣지 않았습니다. 엑셀이나 CSV 파일에는 모두 들어갑니다.",
    cut="긴 글은 지면에 맞게 잘랐습니다(…로 끝납니다): 셀 {count}개.",
    no_glyph="글꼴에 없는 글자는 □로 표시했습니다: {count}개.",
)


def words(language: str) -> Words:
    """The words of a language; English for one that is not spoken here."""
    return _KO if language.lower().startswith("ko") else _EN
