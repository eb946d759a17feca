"""What the user finally wants, from all that the user said: what was changed on the way is changed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from playbooks_local.standin_model.periods import Period, named_period
from playbooks_local.standin_model.schedule_words import find_schedule
from playbooks_local.standin_model.vocabulary import Term, grouped_by, measured

_COMPARED = re.compile(r"\bcompar|\bversus\b|\bvs\b|\bagainst the\b|비교|대비|증감", re.IGNORECASE)
_ORGANIZED = re.compile(r"\bsummar|\bin a sentence|\bconclusion|요약|정리", re.IGNORECASE)
_OF_COMPARISON = re.compile(
    r"(?:compared? (?:with|to)|versus|vs\.?|against|than)\s+(?:the\s+)?[\w ]{0,20}"
    r"|\S*\s?\S+(?:와|과)\s?비교|\S+\s?대비",
    re.IGNORECASE,
)
_CONDITIONS = re.compile(
    r"\b(?:without|excluding|except(?: for)?)\s+(?:the\s+)?[a-z][a-z ]{2,40}?(?=[.,;:!?]|\s(?:and|but|which)\b|$)"
    r"|[가-힣]+(?:\s[가-힣]+)?\s?(?:빼고|제외(?:하고)?)",
    re.IGNORECASE,
)
_FORMATS = (
    ("xlsx", r"\bexcel\b|\bxlsx\b|spreadsheet|workbook|엑셀|스프레드시트"),
    ("csv", r"\bcsv\b"),
    ("docx", r"\bword (?:file|document)|\bdocx\b|워드"),
    ("pdf", r"\bpdf\b"),
    ("md", r"\bmarkdown\b|마크다운"),
)
_SENTENCE = re.compile(r"(?<=[.!?。])\s+|\n+")


@dataclass(slots=True)
class Requirement:
    """The final wish. `last_change` is the index of the user's text that changed it last."""

    groups: Sequence[Term] = ()
    measures: list[Term] = field(default_factory=list)
    period: tuple[Period, str] | None = None
    conditions: list[str] = field(default_factory=list)
    compared: bool = False
    organized: bool = False
    format: str = ""
    words: str = ""
    last_change: int = 0


def read_requirement(texts: Sequence[str]) -> Requirement:
    """The wish after the user's last word; `texts` are what the user wrote, in order."""
    wish = Requirement()
    for index, text in enumerate(texts):
        groups, measures = grouped_by(text), measured(text)
        named = named_period(_OF_COMPARISON.sub(" ", text))
        if groups:
            wish.groups = groups
        wish.measures += [term for term in measures if term not in wish.measures]
        wish.period = named or wish.period
        wish.conditions += [found for found in _conditions(text) if found not in wish.conditions]
        wish.compared = wish.compared or bool(_COMPARED.search(text))
        wish.organized = wish.organized or bool(_ORGANIZED.search(text))
        wish.format = next((name for name, words in _FORMATS if re.search(words, text, re.IGNORECASE)), wish.format)
        asked = _asked(text)
        if asked:
            wish.words = asked
        if groups or measures or named or asked:
            wish.last_change = index
    return wish


def _conditions(text: str) -> list[str]:
    return [" ".join(match[0].split()) for match in _CONDITIONS.finditer(text)]


def _asked(text: str) -> str:
    """The sentences that ask for something, without those that set a time; empty when there is none."""
    sentences = [sentence.strip() for sentence in _SENTENCE.split(text) if sentence.strip()]
    kept = [sentence for sentence in sentences if find_schedule(sentence) is None and len(sentence.split()) > 2]
    return " ".join(kept)
