"""Nothing of a person, a row or a model reaches the log: canaries in every input, then what was written is searched."""

import io
import json
from dataclasses import fields

import pytest
from aws_lambda_powertools.logging import Logger
from aws_lambda_powertools.metrics.provider.cloudwatch_emf.cloudwatch import AmazonCloudWatchEMFProvider

from playbooks.adapters.memory.outside import ScriptedModel
from playbooks.adapters.telemetry import ALLOWED, PowertoolsTelemetry
from playbooks.application.dispatch_due import TickReport
from playbooks.application.steps.organize import organize
from playbooks.domain.ids import StepId
from playbooks.domain.playbook import Step, StepKind
from playbooks.domain.usage import Usage
from playbooks.errors import PlaybooksError
from playbooks.ports.directory import Person
from playbooks.ports.model import AssistantTurn, ModelAnswer, ModelRejected, StopReason, Text, ToolCall
from playbooks.ports.push import EndpointDisabled, PushThrottled
from tests.world import ACME, MINA, World

CANARY = "Kim Minsu 010-1234-5678"


class Failing:
    """A push service whose errors quote what they were given."""

    def __init__(self, error):
        self.error = error

    def endpoint(self, platform, token):
        return f"endpoint/{token}"

    def publish(self, device, message):
        raise self.error


def say(words, stop=StopReason.END, **arguments):
    parts = (Text(words),) if not arguments else (Text(words), ToolCall("c1", "finish_step", arguments))
    return ModelAnswer(AssistantTurn(parts), stop, Usage(1, 1, 1))


def rejected(_request):
    raise ModelRejected(f"400: the prompt holds {CANARY}")


ANSWERS = {
    "done": lambda _request: say(CANARY, StopReason.TOOL_USE, outcome="done", summary=CANARY, text=CANARY),
    "failed": lambda _request: say(CANARY, StopReason.TOOL_USE, outcome="failed", summary=CANARY, text=CANARY),
    "refused by the model": lambda _request: say(CANARY, StopReason.REFUSAL),
    "words without a call": lambda _request: say(CANARY),
    "rejected by the service": rejected,
}


def test_every_figure_of_a_tick_may_stand_in_the_log():
    assert {figure.name for figure in fields(TickReport)} <= ALLOWED


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("push", [EndpointDisabled(CANARY), PushThrottled("later"), PlaybooksError(CANARY)])
def test_no_canary_is_written(answer, push, capsys):
    written = io.StringIO()
    telemetry = PowertoolsTelemetry(
        Logger(service=f"canary-{answer}-{type(push).__name__}", stream=written),
        AmazonCloudWatchEMFProvider(namespace="Canary"),
    )
    step = Step(StepId("s1"), StepKind.ORGANIZE, CANARY)
    world = World(telemetry=telemetry).people()
    world.workspace.register_person(ACME, Person(MINA, CANARY, frozenset({"analysts"})))
    world.execute = lambda held, context: organize(held, ScriptedModel(ANSWERS[answer]), context)
    world.push.publish = Failing(push).publish
    world.use_playbooks.edit(world.mina, world.playbook(on=False), rev=1, title=CANARY, steps=(step,))
    run = world.use_runs.run_now(world.mina, "p1", "key")

    world.deliver()
    telemetry.flush()

    log = written.getvalue() + capsys.readouterr().out
    assert world.run(run.id).status.over
    assert '"run_ended"' in log
    for word in (CANARY, "Minsu", "1234-5678", json.dumps(CANARY)[1:-1]):
        assert word not in log
