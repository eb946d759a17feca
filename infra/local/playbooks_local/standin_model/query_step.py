"""A query step by rule: fill the placeholders, or move the dates, run, and leave the SQL for next time."""

import re
from collections.abc import Mapping
from datetime import date
from difflib import get_close_matches
from typing import Any

from playbooks_local.standin_model.answers import Answer, finish
from playbooks_local.standin_model.moving_dates import DatedStatement, dated, is_last_day, shifted
from playbooks_local.standin_model.periods import Period, find_period
from playbooks_local.standin_model.prompt import Exchange
from playbooks_local.standin_model.speech import day_text
from playbooks_local.standin_model.step_prompt import StepPrompt

_RUNS = ("run_saved_query", "run_query")
_UNKNOWN = re.compile(r'(?:column|relation) "?(?P<name>[\w.]+)"? does not exist')
_WORD = re.compile(r"[a-z_][a-z0-9_]*")
_DESCRIPTIONS: Mapping[str, str] = {
    "period_start": "First day of the period the step asks about",
    "period_end": "The day after the last day of the period the step asks about",
    "period_last_day": "Last day of the period the step asks about",
    "previous_start": "First day of the period before, for comparison",
    "day": "The day the step asks about",
}


def query_step(step: StepPrompt) -> Answer:
    """The next call of a query step."""
    exchanges = step.prompt.exchanges
    runs = [exchange for exchange in exchanges if exchange.tool in _RUNS]
    good = [run for run in runs if not run.is_error]
    if good:
        return _finished(step, good[-1])
    if any(exchange.tool == "finish_step" for exchange in exchanges) or not runs:
        return _first(step)
    failures = len(runs)
    if failures == 1 and exchanges[-1].tool in _RUNS:
        said = step.say("That failed; I look at the tables.", "실패했습니다. 테이블을 살펴봅니다.")
        return Answer(said, "describe_tables", {"search": ""})
    mended = _mended(runs[-1], exchanges[-1].result) if failures == 1 and runs[-1].tool == "run_query" else None
    if mended is not None:
        said = step.say("I try it with a name that exists.", "있는 이름으로 다시 시도합니다.")
        return Answer(said, "run_query", {"sql": mended})
    return _failed(step, runs[-1].result)


def _saved(step: StepPrompt) -> Mapping[str, Any] | None:
    saved = step.prompt.blocks.get("saved_query")
    return saved if isinstance(saved, dict) and "run_saved_query" in step.prompt.tools else None


def _period(step: StepPrompt) -> Period | None:
    return find_period(step.instruction) or find_period(step.title)


def _first(step: StepPrompt) -> Answer:
    saved = _saved(step)
    if saved is None:
        reason = step.say(
            "there is no saved query, and the stand-in model writes no SQL of its own. With a language model "
            "(ANTHROPIC_API_KEY) this step can be answered.",
            "저장된 쿼리가 없고, 대역 모델은 SQL을 새로 쓰지 못합니다. 언어 모델(ANTHROPIC_API_KEY)을 쓰면 됩니다.",
        )
        return _failed(step, reason)
    if saved.get("placeholders"):
        values = _values(step, saved)
        said = step.say("I run the saved query for the current period.", "저장된 쿼리를 이번 기간으로 실행합니다.")
        return Answer(said, "run_saved_query", values)
    places = dated(str(saved["statement"]))
    moved = _moved(step, places) if places is not None else None
    if places is None or moved is None:
        said = step.say("I run the saved query as it is.", "저장된 쿼리를 그대로 실행합니다.")
        return Answer(said, "run_saved_query", {})
    days = list(moved.values())
    said = step.say(
        f"The saved dates are over; I ask for {_span(days)}.",
        f"저장된 날짜는 지났으니 {_span(days)} 기준으로 조회합니다.",
    )
    return Answer(said, "run_query", {"sql": places.filled(moved)})


def _moved(step: StepPrompt, places: DatedStatement) -> dict[str, date] | None:
    days = list(places.days.values())
    new = shifted(days, _period(step), step.prompt.today, inclusive=places.inclusive)
    period_known = _period(step) is not None or new != days
    return dict(zip(places.days, new, strict=True)) if period_known else None


def _values(step: StepPrompt, saved: Mapping[str, Any]) -> dict[str, Any]:
    """A value for each placeholder: dates move as their examples do, everything else is the example."""
    described = {item["name"]: item for item in saved["placeholders"]}
    examples = {
        name: date.fromisoformat(str(item["example"])[:10])
        for name, item in described.items()
        if item["type"] == "date"
    }
    ordered = sorted(examples, key=lambda name: examples[name])
    values: dict[str, Any] = {name: item["example"] for name, item in described.items()}
    if ordered:
        latest = ordered[-1]
        inclusive = is_last_day(str(saved["statement"]), latest) or "last_day" in latest
        different = sorted(set(examples.values()))
        new = shifted(different, _period(step), step.prompt.today, inclusive=inclusive)
        days = dict(zip(different, new, strict=True))
        values.update({name: day_text(days[examples[name]]) for name in ordered})
    return {name: values.get(name) for name in step.prompt.properties("run_saved_query")}


def _span(days: list[date]) -> str:
    return f"{day_text(days[0])} … {day_text(days[-1])}" if len(days) > 1 else day_text(days[0])


def _mended(run: Exchange, tables: str) -> str | None:
    """The statement with the name that does not exist replaced by the nearest one that does."""
    unknown = _UNKNOWN.search(run.result)
    if unknown is None:
        return None
    name = unknown["name"].split(".")[-1]
    near = get_close_matches(name.lower(), sorted(set(_WORD.findall(tables.lower()))), n=1, cutoff=0.7)
    if not near or near[0] == name:
        return None
    return re.sub(rf"\b{re.escape(name)}\b", near[0], str(run.arguments["sql"]))


def _finished(step: StepPrompt, run: Exchange) -> Answer:
    data = run.data
    rows = data.get("rows", 0)
    summary = step.say(f"The query found {rows} rows.", f"쿼리로 {rows}행을 찾았습니다.")
    if cut := data.get("cut"):
        summary += f" {cut}"
    said = step.say("The rows are there; I finish the step.", "행을 얻었으니 단계를 마칩니다.")
    if "next_sql" not in step.prompt.properties("finish_step"):
        return finish(said, "done", summary)
    if run.tool == "run_saved_query":
        return finish(said, "done", summary, next_sql="unchanged", statement="", placeholders=[])
    statement = str(run.arguments["sql"])
    refused = any(exchange.tool == "finish_step" for exchange in step.prompt.exchanges)
    places = dated(statement)
    if places is None or refused:
        return finish(said, "done", summary, next_sql="new", statement=statement, placeholders=[])
    return finish(said, "done", summary, next_sql="new", statement=places.text, placeholders=_described(places))


def _described(places: DatedStatement) -> list[dict[str, str]]:
    return [
        {
            "name": name,
            "type": "date",
            "description": _DESCRIPTIONS.get(name, "First day of an earlier period, for comparison"),
            "example": day_text(day),
        }
        for name, day in places.days.items()
    ]


def _failed(step: StepPrompt, reason: str) -> Answer:
    said = step.say("I cannot answer this step.", "이 단계를 수행할 수 없습니다.")
    start = step.say("The query could not be run: ", "쿼리를 실행하지 못했습니다: ")
    more = {}
    if "next_sql" in step.prompt.properties("finish_step"):
        more = {"next_sql": "none", "statement": "", "placeholders": []}
    return finish(said, "failed", start + reason[:400], **more)
