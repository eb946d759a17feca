"""Titles and instructions in English and Korean, in terms of the final requirement and without a day's figures."""

import re

from playbooks_local.standin_model.periods import Unit, name_of_before, period_name
from playbooks_local.standin_model.requirement import Requirement
from playbooks_local.standin_model.schedule_words import SpokenSchedule

_ADJECTIVES = {
    "hours": ("Hourly", "시간별"), "days": ("Daily", "일일"), "weeks": ("Weekly", "주간"),
    "months": ("Monthly", "월간"), "years": ("Yearly", "연간"),
}  # fmt: skip
_OF_PERIOD = {Unit.DAY: "days", Unit.WEEK: "weeks", Unit.MONTH: "months", Unit.YEAR: "years"}
FORMAT_NAMES = {
    "xlsx": ("an Excel file", "엑셀 파일"), "csv": ("a CSV file", "CSV 파일"), "docx": ("a Word document", "워드 문서"),
    "pdf": ("a PDF", "PDF"), "md": ("a Markdown file", "마크다운 파일"),
}  # fmt: skip
_DATED = re.compile(r"\d{4}-\d{2}-\d{2}")


def title_of(wish: Requirement, schedule: SpokenSchedule | None, language: str) -> str:
    """Such as "Weekly sales by department" or "주간 부서별 매출"."""
    unit = schedule.unit if schedule is not None and schedule.unit in _ADJECTIVES else None
    if unit is None and wish.period is not None:
        unit = _OF_PERIOD.get(wish.period[0].unit)
    adjective = _ADJECTIVES[unit][language == "ko"] if unit is not None else ""
    if not wish.measures:
        return (_DATED.sub("", wish.words).strip()[:60] or ("Report" if language != "ko" else "보고서")).rstrip(" .")
    measure = wish.measures[0].name(language)
    if language == "ko":
        groups = "·".join(f"{term.name(language)}별" for term in wish.groups)
        return " ".join(part for part in (adjective, groups, measure) if part)
    groups = f" by {_and([term.name(language) for term in wish.groups])}" if wish.groups else ""
    text = f"{adjective} {measure}{groups}".strip()
    return text[:1].upper() + text[1:]


def question(wish: Requirement, table: str, language: str) -> str:
    """The question of a query step, in words."""
    if not wish.measures and not wish.groups:
        return _DATED.sub("", wish.words).strip() or _unsaid(table, language)
    period = period_name(*wish.period, language) if wish.period is not None else ""
    before = name_of_before(wish.period[0].unit, language) if wish.period is not None and wish.compared else ""
    measures = [term.name(language) for term in wish.measures]
    groups = [term.name(language) for term in wish.groups]
    if language == "ko":
        return _korean_question(measures, groups, period, before, wish.conditions, table)
    text = f"Find {_and(measures) or 'the rows'}"
    text += f" by {_and(groups)}" if groups else ""
    text += f" for {period}" if period else ""
    text += f", {', '.join(wish.conditions)}" if wish.conditions else ""
    text += f". Go by the table {table}" if table else ""
    text += f". Also find the figures of {before}, for comparison" if before else ""
    return f"{text}."


def _korean_question(
    measures: list[str], groups: list[str], period: str, before: str, conditions: list[str], table: str
) -> str:
    what = ", ".join(measures) or "내역"
    parts = [period, "·".join(f"{group}별" for group in groups), what]
    text = f"{' '.join(part for part in parts if part)} 조회."
    text += f" 조건: {', '.join(conditions)}." if conditions else ""
    text += f" {table} 테이블 기준." if table else ""
    text += f" 비교를 위해 {before} 값도 함께 조회." if before else ""
    return text


def organize_words(wish: Requirement, language: str) -> str:
    """What an organize step makes of the rows."""
    before = name_of_before(wish.period[0].unit, language) if wish.period is not None else ""
    group = wish.groups[0].name(language) if wish.groups else ""
    if language == "ko":
        if wish.compared:
            return f"{f'{group}별로 ' if group else ''}{before or '그 전 기간'}와 비교해 짧게 정리."
        return "결과를 짧게 요약."
    if wish.compared:
        return f"Say in short how {f'each {group}' if group else 'it'} compares with {before or 'the period before'}."
    return "Summarize the results in a few sentences."


def document_words(wish: Requirement, kind: str, language: str) -> str:
    """What a document step writes."""
    name = FORMAT_NAMES[kind][language == "ko"]
    group = wish.groups[0].name(language) if wish.groups else ""
    text = wish.compared or wish.organized
    if language == "ko":
        return f"조회한 행{'과 정리한 글' if text else ''}을 {name}로 작성{f' ({group}마다 한 줄)' if group else ''}."
    rows = f"one row per {group}" if group else "all rows"
    return f"Write {name} with {rows}{' and the text' if text else ''}."


def _and(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)


def _unsaid(table: str, language: str) -> str:
    """The question of a record without the user's words."""
    if language == "ko":
        return f"대화에서 마지막으로 조회한 내용을 다시 조회.{f' {table} 테이블 기준.' if table else ''}"
    return f"Find again what the conversation found last{f' in the table {table}' if table else ''}."
