"""An organize step by rule: totals, the largest, and how columns compare with those of the period before."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from playbooks_local.standin_model.answers import Answer, finish
from playbooks_local.standin_model.headers import header
from playbooks_local.standin_model.speech import as_number, number_text
from playbooks_local.standin_model.step_prompt import StepPrompt, column_names, preview_of

_BEFORE = ("_week_before", "_month_before", "_previous_week", "_previous", "_before", "_last_year")
_NUMBER_TYPES = frozenset({"integer", "numeric", "float"})
_KEYS = ("id", "_id", "year", "month", "week", "day")


def organize_step(step: StepPrompt) -> Answer:
    """The one call of an organize step."""
    parts = [_about(step, dataset) for dataset in step.datasets]
    text = "\n".join(part for part in parts if part)
    if not text:
        text = step.say("The earlier steps found no rows.", "앞 단계에서 찾은 행이 없습니다.")
    said = step.say("I put the results into words.", "결과를 글로 정리합니다.")
    summary = step.say("The results were put into words.", "결과를 글로 정리했습니다.")
    return finish(said, "done", summary, text=text)


def _about(step: StepPrompt, dataset: Mapping[str, Any]) -> str:
    rows, names = preview_of(dataset), column_names(dataset)
    if not rows:
        return ""
    measures = [place for place, column in enumerate(dataset["columns"]) if _measures(column)]
    if not measures:
        return step.say(f"{dataset.get('rows')} rows.", f"{dataset.get('rows')}행입니다.")
    label = next((place for place in range(len(names)) if place not in measures), None)
    pairs = [(place, before) for place in measures if (before := _partner(names, place)) is not None]
    main = pairs[0][0] if pairs else measures[-1]
    sentences = [_of_the_first(step, dataset, rows), _total(step, names, rows, main, pairs[0][1] if pairs else None)]
    if label is not None:
        sentences.append(_largest(step, rows, label, main))
        if pairs:
            sentences.append(_changes(step, rows, label, *pairs[0]))
    return " ".join(sentence for sentence in sentences if sentence)


def _measures(column: Mapping[str, Any]) -> bool:
    name = str(column["name"]).lower()
    return column.get("type") in _NUMBER_TYPES and not name.endswith(_KEYS)


def _partner(names: Sequence[str], place: int) -> int | None:
    return next((names.index(names[place] + ending) for ending in _BEFORE if names[place] + ending in names), None)


def _of_the_first(step: StepPrompt, dataset: Mapping[str, Any], rows: Sequence[Sequence[Any]]) -> str:
    count = dataset.get("rows", len(rows))
    if count == len(rows):
        return ""
    return step.say(f"Of the first {len(rows)} of {count} rows:", f"전체 {count}행 가운데 처음 {len(rows)}행 기준:")


def _sum(rows: Sequence[Sequence[Any]], place: int) -> Decimal:
    return sum((number for row in rows if (number := as_number(row[place])) is not None), Decimal(0))


def _total(step: StepPrompt, names: Sequence[str], rows: Sequence[Sequence[Any]], main: int, before: int | None) -> str:
    total, what = _sum(rows, main), header(names[main], step.language)
    if before is None:
        return step.say(f"{what} in total: {number_text(total)}.", f"{what} 합계는 {number_text(total)}입니다.")
    earlier = _sum(rows, before)
    change = _change(total, earlier)
    return step.say(
        f"{what} in total: {number_text(total)}, {change} against {number_text(earlier)} in the period before.",
        f"{what} 합계는 {number_text(total)}로, 그 전 기간 {number_text(earlier)} 대비 {change}입니다.",
    )


def _largest(step: StepPrompt, rows: Sequence[Sequence[Any]], label: int, main: int) -> str:
    known = [(number, row[label]) for row in rows if (number := as_number(row[main])) is not None]
    if len(known) < 2:
        return ""
    number, name = max(known, key=lambda item: item[0])
    return step.say(
        f"Largest: {name} with {number_text(number)}.", f"가장 큰 항목은 {name}({number_text(number)})입니다."
    )


def _changes(step: StepPrompt, rows: Sequence[Sequence[Any]], label: int, main: int, before: int) -> str:
    changes = [
        f"{row[label]} {_change(now, then)}"
        for row in rows
        if (now := as_number(row[main])) is not None and (then := as_number(row[before])) is not None
    ]
    return step.say("Each: ", "항목별: ") + ", ".join(changes) + "." if changes else ""


def _change(now: Decimal, before: Decimal) -> str:
    return f"{(now - before) / before:+.1%}" if before else f"{now - before:+,.0f}"
