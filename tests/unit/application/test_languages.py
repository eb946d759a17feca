"""What a person reads about the end of a run, in both languages, and nothing of one language inside the other."""

import re
import string

import pytest

from playbooks.domain.ids import StepId
from playbooks.domain.playbook import Step, StepKind
from playbooks.language import notices, reasons, warnings
from playbooks.ports.directory import Person
from tests.world import ACME, MINA, World

QUERY = Step(StepId("s1"), StepKind.QUERY_DATABASE, "지난주 매출", {"database": "shop"})
PARTICLES = re.compile(r"\}(?:은|는|이|가|을|를|과|와|으로|로)(?=\s|$)")


@pytest.mark.parametrize("texts", [notices._TEXTS, reasons._TEXTS, warnings._TEXTS])
def test_every_sentence_is_there_in_both_languages_with_the_same_values(texts):
    for key, languages in texts.items():
        assert set(languages) == {"en", "ko"}, key
        named = [{field for _, field, _, _ in string.Formatter().parse(text) if field} for text in languages.values()]
        assert named[0] == named[1], key
        assert not PARTICLES.search(languages["ko"]), key
        assert re.search("[가-힣]", languages["ko"]), key


def korean(world, groups=frozenset({"analysts"}), *, active=True):
    world.workspace.register_person(ACME, Person(MINA, "미나", groups, active=active, language="ko"))


def pushes(world):
    return [message.body for _, message in world.push.published]


@pytest.fixture
def world():
    world = World().people()
    korean(world)
    return world


def in_korean(world, playbook):
    from playbooks.adapters.dynamodb.operations import Update

    world.table.write(Update((f"T#acme#PB#{playbook}", "META"), {"language": "ko"}))


def test_a_blocked_occurrence_says_when_and_why(world):
    playbook = world.playbook(steps=(QUERY,))
    in_korean(world, playbook)
    korean(world, frozenset())
    world.clock.forward(hours=1)
    world.tick()
    why = "데이터베이스를 읽을 권한이 없습니다(미나, shop): 관리자가 그룹에 권한을 줄 수 있습니다."
    assert pushes(world) == [f"2026-11-30 09:00 실행하지 않음: {why}"]


def test_a_run_that_was_asked_for_and_is_blocked_names_no_time(world):
    playbook = world.playbook()
    in_korean(world, playbook)
    world.use_runs.run_now(world.mina, playbook, "key")
    korean(world, active=False)
    world.deliver()
    assert pushes(world) == ["실행하지 않음: 비활성 사용자입니다(미나): 플레이북을 다른 사람에게 이전하세요."]


def test_a_run_that_is_blocked_on_its_way_says_at_which_step(world):
    playbook = world.playbook()
    in_korean(world, playbook)
    run = world.use_runs.run_now(world.mina, playbook, "key")
    tenant, id_, _ = world.doorbell.rings.pop()
    world.worker.work(tenant, id_, until=world.clock.now().replace(hour=23))
    korean(world, active=False)
    world.deliver()
    assert world.run(run.id).cursor == 1
    assert pushes(world) == [
        "2단계에서 계속할 수 없음: 비활성 사용자입니다(미나): 플레이북을 다른 사람에게 이전하세요."
    ]


def test_a_playbook_that_goes_off_says_which_step_misses_something(world):
    playbook = world.playbook(steps=(QUERY,))
    in_korean(world, playbook)
    from playbooks.adapters.dynamodb.operations import Update

    step = {"id": "s1", "kind": "query_database", "instruction": "", "inputs": {}}
    world.table.write(Update((f"T#acme#PB#{playbook}", "DEF#0001"), {"steps": [step]}))
    world.clock.forward(hours=1)
    world.tick()
    assert pushes(world) == ["실행하지 않고 꺼짐: 플레이북에 빠진 항목이 있습니다(1단계): 편집 화면에서 확인하세요."]
