"""Why a run did not come to a good end, by its stable code, in the language of the person who reads it.

No particle stands after a variable in Korean, whose form would depend on the word before it. What a model or a server
said is not ours to translate: it is quoted as it came.
"""

from collections.abc import Mapping

_TEXTS: Mapping[str, Mapping[str, str]] = {
    "person_unknown": {
        "en": "The directory does not know the person this playbook runs for.",
        "ko": "디렉터리에 이 플레이북을 실행하는 사람이 없습니다.",
    },
    "person_inactive": {
        "en": "{person} is not active any more: transfer the playbook to somebody else.",
        "ko": "비활성 사용자입니다({person}): 플레이북을 다른 사람에게 이전하세요.",
    },
    "database_gone": {
        "en": "The database {database} is not registered any more: the administrator can register it again.",
        "ko": "등록이 해제된 데이터베이스입니다({database}): 관리자가 다시 등록할 수 있습니다.",
    },
    "grant_gone": {
        "en": "{person} may not read the database {database} any more: the administrator grants it to a group.",
        "ko": "데이터베이스를 읽을 권한이 없습니다({person}, {database}): 관리자가 그룹에 권한을 줄 수 있습니다.",
    },
    "playbook_deleted": {"en": "The playbook was deleted.", "ko": "플레이북이 삭제되었습니다."},
    "definition_incomplete": {
        "en": "The playbook misses something it needs (step {steps}): its page says what.",
        "ko": "플레이북에 빠진 항목이 있습니다({steps}단계): 편집 화면에서 확인하세요.",
    },
    "no_steps": {
        "en": "The playbook has no steps: it would succeed without doing anything.",
        "ko": "플레이북에 단계가 없습니다: 아무 일도 하지 않고 성공하게 됩니다.",
    },
    "no_progress": {
        "en": "The step came to no result in several tries.{said}",
        "ko": "여러 번 시도했지만 단계가 결과에 이르지 못했습니다.{said}",
    },
    "turn_limit": {
        "en": "The work did not come to an end within {turns} turns of the model.",
        "ko": "모델이 {turns}번 안에 작업을 끝내지 못했습니다.",
    },
    "model_refused": {
        "en": "The model declined to do this: {said}",
        "ko": "모델이 이 작업을 거절했습니다: {said}",
    },
    "deadline": {
        "en": "The run did not come to an end within its time.",
        "ko": "실행이 제한 시간 안에 끝나지 않았습니다.",
    },
    "queued_too_long": {
        "en": "The run waited for a worker for too long and was given up.",
        "ko": "실행이 너무 오래 대기하여 취소되었습니다.",
    },
    "approval_expired": {
        "en": "Nobody decided within the time that the approval had.",
        "ko": "승인 기한 안에 아무도 결정하지 않았습니다.",
    },
    "converted": {"en": "The playbook was made.", "ko": "플레이북을 만들었습니다."},
    "cancelled": {
        "en": "Cancelled by the person who ran it.",
        "ko": "실행한 사람이 취소했습니다.",
    },
}

CODES = frozenset(_TEXTS)
"""The codes that have a sentence here; an error of another code speaks for itself."""


def reason_text(code: str, language: str, **values: object) -> str:
    """The sentence for a code; English where a language is not ours."""
    texts = _TEXTS[code]
    return texts.get(language, texts["en"]).format(**values)
