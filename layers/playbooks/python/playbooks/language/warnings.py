"""What a person is to look at in a playbook that has just been made, by its stable key, in their language.

No particle stands after a variable in Korean, whose form would depend on the word before it. What the SQL guard or the
schedule's rules said (`said`) is quoted as it came.
"""

from collections.abc import Mapping

_TEXTS: Mapping[str, Mapping[str, str]] = {
    "nothing_confirmed": {
        "en": "No query of this conversation could be confirmed, so its query steps write their SQL on the first run.",
        "ko": "이 대화에서 확인된 쿼리가 없습니다. 조회 단계는 첫 실행 때 SQL을 작성합니다.",
    },
    "statement_not_confirmed": {
        "en": "The SQL was left out: it equals no statement that ran in one of your conversations or that a run here "
        "submitted. The step writes its SQL on its first run.",
        "ko": "SQL을 제외했습니다: 가져온 대화나 이곳의 실행에서 성공한 구문과 일치하지 않습니다. "
        "이 단계는 첫 실행 때 SQL을 작성합니다.",
    },
    "statement_refused": {
        "en": "The SQL was left out: {said}",
        "ko": "SQL을 제외했습니다: {said}",
    },
    "statement_misfit": {
        "en": "The SQL was left out: it does not fit its placeholders.",
        "ko": "SQL을 제외했습니다: 자리표시자와 맞지 않습니다.",
    },
    "picked_statement_refused": {
        "en": "The query of step {step} was left out: {said}",
        "ko": "{step}단계의 쿼리를 제외했습니다: {said}",
    },
    "statement_not_on_list": {
        "en": "Step {step} picked a query that is not on the list of confirmed queries ({count} stand on it): it "
        "starts without saved SQL.",
        "ko": "{step}단계에서 고른 쿼리가 확인된 쿼리 목록({count}개)에 없어 저장된 SQL 없이 시작합니다.",
    },
    "statement_without_query": {
        "en": "Step {step} asks no database: the query picked for it was left out.",
        "ko": "{step}단계는 데이터베이스를 조회하지 않으므로 선택된 쿼리를 제외했습니다.",
    },
    "sql_out_of_place": {
        "en": "The SQL was left out: only a query step with pin_sql on keeps SQL.",
        "ko": "SQL을 제외했습니다: pin_sql을 켠 조회 단계만 SQL을 보관합니다.",
    },
    "invalid_sql": {
        "en": "The SQL of step {step} was left out: it is not text.",
        "ko": "{step}단계의 SQL을 제외했습니다: 텍스트가 아닙니다.",
    },
    "literal_dates": {
        "en": "The saved SQL of step {step} holds the dates {dates}; the first run will replace them.",
        "ko": "{step}단계의 저장된 SQL에 날짜가 들어 있습니다({dates}). 첫 실행 때 바뀝니다.",
    },
    "unwritten_numbers": {
        "en": "The instruction holds numbers that you did not write: {numbers}. Check that they are meant.",
        "ko": "지시문에 직접 쓰지 않은 숫자가 있습니다: {numbers}. 의도한 값인지 확인하세요.",
    },
    "numbers_without_record": {
        "en": "The instruction holds numbers: {numbers}. There is no record of the chat: check that you meant them.",
        "ko": "지시문에 숫자가 있습니다: {numbers}. 대화 기록이 없으니 의도한 값인지 확인하세요.",
    },
    "missing_source": {
        "en": "Step {step} does not say yet which document source to search: fill it in before switching it on.",
        "ko": "{step}단계에 검색할 문서 소스가 아직 없습니다: 켜기 전에 입력하세요.",
    },
    "missing_database": {
        "en": "Step {step} does not say yet which database to ask: fill it in before switching it on.",
        "ko": "{step}단계에 조회할 데이터베이스가 아직 없습니다: 켜기 전에 입력하세요.",
    },
    "missing_format": {
        "en": "Step {step} does not say yet which file format to write: fill it in before switching it on.",
        "ko": "{step}단계에 문서 형식이 아직 없습니다: 켜기 전에 입력하세요.",
    },
    "missing_tool": {
        "en": "Step {step} does not say yet which tool to call: fill it in before switching it on.",
        "ko": "{step}단계에 호출할 도구가 아직 없습니다: 켜기 전에 입력하세요.",
    },
    "missing_approver": {
        "en": "Step {step} does not say yet who decides: fill it in before switching it on.",
        "ko": "{step}단계에 승인자가 아직 없습니다: 켜기 전에 입력하세요.",
    },
    "left_open": {
        "en": "{name} is left open: fill it in before switching it on.",
        "ko": "비어 있는 항목이 있습니다({name}): 켜기 전에 입력하세요.",
    },
    "not_registered": {
        "en": "The {name} {value} is not registered here: it must be before switching it on.",
        "ko": "이곳에 등록되지 않은 항목입니다({name}: {value}): 켜기 전에 등록해야 합니다.",
    },
    "schedule_not_expressible": {
        "en": "No schedule is proposed: {said}",
        "ko": "일정을 제안하지 않습니다: {said}",
    },
    "schedule_is_over": {
        "en": "No schedule is proposed: {start} in {zone} is over.",
        "ko": "일정을 제안하지 않습니다: 이미 지난 시각입니다({start}, {zone}).",
    },
    "unknown_zone": {
        "en": "The chat names the zone {zone}, which is not known.",
        "ko": "대화에서 말한 시간대를 알 수 없습니다: {zone}.",
    },
    "zone_to_confirm": {
        "en": "The chat names the zone {named}; the schedule follows yours, {zone}: confirm or change it.",
        "ko": "대화에서 말한 시간대: {named}. 일정은 사용자의 시간대({zone})를 따릅니다: 확인하거나 바꾸세요.",
    },
    "time_proposed": {
        "en": "The chat names no time: {time} is proposed.",
        "ko": "대화에 시각이 없어 {time} 실행을 제안합니다.",
    },
}


def warning_text(key: str, language: str, **values: object) -> str:
    """The sentence for a key; English where a language is not ours."""
    texts = _TEXTS[key]
    return texts.get(language, texts["en"]).format(**values)
