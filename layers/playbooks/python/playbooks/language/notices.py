"""What a push says, in the owner's language. Title of the playbook first, so that a glance is enough.

No particle stands after a variable in Korean, whose form would depend on the word before it.
"""

from collections.abc import Mapping

LANGUAGES = ("en", "ko")

_TEXTS: Mapping[str, Mapping[str, str]] = {
    "completed": {"en": "Completed: {detail}", "ko": "완료: {detail}"},
    "stopped": {"en": "Stopped, nothing more to do: {detail}", "ko": "할 일이 없어 중단됨: {detail}"},
    "failed": {"en": "Failed at step {step}: {detail}", "ko": "{step}단계에서 실패: {detail}"},
    "failed_early": {"en": "Failed: {detail}", "ko": "실패: {detail}"},
    "skipped_late": {
        "en": "Did not run at {when}: it was {minutes} minutes late.",
        "ko": "{when} 실행하지 않음: {minutes}분 늦었습니다.",
    },
    "skipped_late_many": {
        "en": "Did not run {count} times from {when} on: the schedule was held up.",
        "ko": "{when}부터 {count}회 실행하지 않음: 일정이 밀렸습니다.",
    },
    "skipped_overlap": {
        "en": "Did not run at {when}: the run before was not over.",
        "ko": "{when} 실행하지 않음: 이전 실행이 끝나지 않았습니다.",
    },
    "skipped_off": {
        "en": "Did not run at {when}: the playbook was switched off before it was begun.",
        "ko": "{when} 실행하지 않음: 시작 전에 플레이북이 꺼졌습니다.",
    },
    "skipped_off_many": {
        "en": "Did not run {count} times from {when} on: the playbook was switched off before they were begun.",
        "ko": "{when}부터 {count}회 실행하지 않음: 시작 전에 플레이북이 꺼졌습니다.",
    },
    "blocked": {"en": "Did not run at {when}: {detail}", "ko": "{when} 실행하지 않음: {detail}"},
    "blocked_now": {"en": "Did not run: {detail}", "ko": "실행하지 않음: {detail}"},
    "blocked_midway": {
        "en": "Could not go on at step {step}: {detail}",
        "ko": "{step}단계에서 계속할 수 없음: {detail}",
    },
    "turned_off": {"en": "Did not run and was turned off: {detail}", "ko": "실행하지 않고 꺼짐: {detail}"},
}


def notice_text(key: str, language: str, **values: object) -> str:
    """The sentence for a key; English where a language is not ours."""
    texts = _TEXTS[key]
    return texts.get(language, texts["en"]).format(**values)
