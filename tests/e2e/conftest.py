"""The real functions with their own roles on the emulated AWS, a real PostgreSQL, a stand-in for the model."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from playbooks_local.api_client import ApiClient
from playbooks_local.demo.sample_workspace import fill_and_register
from playbooks_local.demo.story import Story
from playbooks_local.demo.telling import Teller
from playbooks_local.demo.workspace import register_people
from playbooks_local.people import MINA
from playbooks_local.sample.shop_rows import Sizes
from playbooks_local.stack import LocalStack, ModelEndpoint, StackSettings
from playbooks_local.standin_model import StandInModel
from tests.e2e.held_bell import HeldBell

ZONE = "Asia/Seoul"
# Short, so that a dead worker's lease is over within the test: lease 8 s and 31 s for clocks that differ.
SHORT = {"CallBudgetSeconds": "5", "LeaseMarginSeconds": "3", "RunnerTimeout": "60"}


@dataclass
class Installation:
    """A running installation with the sample shop and its chat."""

    stack: LocalStack
    model: StandInModel
    bell: HeldBell
    api: ApiClient
    record: bytes
    lines: list[str]
    out: Path

    @property
    def story(self) -> Story:
        """The demo's story, told into `lines`."""
        return Story(self.stack, self.api, Teller(self.lines.append), ZONE, self.out)


@pytest.fixture(scope="session")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    with StandInModel() as model, HeldBell() as bell:
        settings = StackSettings(
            state=tmp_path_factory.mktemp("stack") / "state",
            model=ModelEndpoint(base_url=model.url),
            parameters=SHORT,
            environment={"AWS_ENDPOINT_URL_SQS": bell.url},
        )
        with LocalStack(settings) as stack:
            bell.upstream = stack.emulator.url
            register_people(stack, zone=ZONE, language="en")
            record, _ = fill_and_register(stack, zone=ZONE, language="en", sizes=Sizes(orders=4_000, quotes=1_000))
            api = ApiClient(stack.api_url, stack.token(MINA))
            api.post("/v1/devices", {"platform": "fcm", "token": "phone-of-mina-0001"})
            yield Installation(stack, model, bell, api, record, [], tmp_path_factory.mktemp("files"))


@pytest.fixture(scope="session")
def playbook(installation: Installation) -> str:
    """The playbook that the chat became."""
    story = installation.story
    return story.convert(story.bring_chat(installation.record))
