"""`playbooks demo`: the main job end to end on this machine, with the sample shop or one's own chat and database."""

import argparse
import contextlib
import os
import secrets
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from playbooks.application.conversations import NOTHING
from playbooks.application.executors import check_executors
from playbooks.domain.conversation import collect, read_conversation
from playbooks.domain.recurrence import probe_zone_data
from playbooks.domain.recurrence.zone_names import zone_finding
from playbooks.errors import PlaybooksError, Refused
from playbooks.ports.directory import RegisteredExecutors
from playbooks_local.api_client import ApiClient
from playbooks_local.cloudformation_yaml import load_template
from playbooks_local.demo.database_url import DatabaseUrl
from playbooks_local.demo.own_database import PASSWORD_VARIABLE, read_own_database, risks_of
from playbooks_local.demo.sample_workspace import fill_and_register
from playbooks_local.demo.story import Story
from playbooks_local.demo.telling import Teller
from playbooks_local.demo.workspace import register_database, register_executors, register_people
from playbooks_local.paths import ROOT, STATE, TEMPLATE
from playbooks_local.people import MINA
from playbooks_local.problems import NoPermission
from playbooks_local.record_file import read_record
from playbooks_local.stack import LocalStack, ModelEndpoint, StackSettings
from playbooks_local.standin_model import STAND_IN, StandInModel

if TYPE_CHECKING:
    from collections.abc import Callable


class NoRecord(PlaybooksError):
    """Raised when a database is given without the chat in which it was asked."""

    code = "no_record"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What follows the command's name."""
    parser.add_argument("--chat", type=Path, help="a chat record of your own (default: the messy sample chat)")
    parser.add_argument(
        "--database",
        help="your own PostgreSQL, postgresql://USER:PASSWORD@HOST:PORT/DATABASE; the password may stand in "
        f"{PASSWORD_VARIABLE} instead (default: a sample shop)",
    )
    parser.add_argument(
        "--tool", action="append", default=[], metavar="NAME", help="a tool that runs SQL, beside the known; may repeat"
    )
    parser.add_argument("--zone", default="Asia/Seoul", help="time zone of the schedule")
    parser.add_argument("--language", choices=("en", "ko"), default="en", help="language of the sample chat and pushes")
    parser.add_argument(
        "--model", default=os.environ.get("PLAYBOOKS_MODEL_ID"), help="Claude model id (default: the template's)"
    )
    parser.add_argument("--state", type=Path, default=STATE, help="folder the stack owns while it runs")
    parser.add_argument("--out", type=Path, default=ROOT / "demo-files", help="where the files go")


def run(arguments: argparse.Namespace, write: "Callable[[str], object]" = print) -> int:
    """Tell the story; 0 when it went as it must. What was started is ended whatever happens."""
    probe_zone_data()
    if (finding := zone_finding(arguments.zone)) is not None:
        raise Refused(finding.message, [finding], code=finding.code)
    if arguments.database is not None and arguments.chat is None:
        raise NoRecord("--database needs --chat: a chat record in which that database was asked.")
    executors = RegisteredExecutors(tuple(arguments.tool))
    check_executors(executors)
    record = read_record(arguments.chat) if arguments.chat is not None else None
    if record is not None:
        _try_record(record)
    _try_folder(arguments.out)
    own = read_own_database(arguments.database) if arguments.database is not None else None
    risks = risks_of(own) if own is not None else ()
    tell = Teller(write)
    tell.lines(f"Warning: {risk.message}" for risk in risks)
    if own is not None and risks:
        tell.line(
            f"Only SELECTs are sent to it; .venv/bin/playbooks harden {own.database} prints a role that may no more."
        )
    with contextlib.ExitStack() as started:
        model = _model(arguments.model, started, tell)
        settings = StackSettings(model=model, state=arguments.state)
        stack = started.enter_context(LocalStack(settings, report=lambda line: tell.line(f"starting: {line}")))
        sample = _set_up(stack, own, arguments, tell)
        if arguments.tool:
            register_executors(stack, MINA.tenant, executors)
        api = ApiClient(stack.api_url, stack.token(MINA))
        api.post("/v1/devices", {"platform": "fcm", "token": f"phone-of-mina-{secrets.token_hex(8)}"})
        story = Story(stack, api, tell, arguments.zone, arguments.out)
        _tell(story, record or sample)
    return 0


def _tell(story: Story, record: bytes) -> None:
    conversation = story.bring_chat(record)
    playbook = story.convert(conversation)
    runs = [story.run_on_schedule(playbook), story.run_again(playbook)]
    story.pushes(len(runs))
    files = [file for run in runs for file in story.fetch_documents(run)]
    story.tell.heading("Done")
    story.tell.line("The files:")
    for file in files:
        story.tell.path(file)
    story.tell.line("Try next, with your own: .venv/bin/playbooks demo --chat RECORD --database postgresql://…")
    story.tell.line("Or the stack until Ctrl-C: .venv/bin/playbooks up")


def _try_record(record: bytes) -> None:
    """Read the chat once before anything is started; Refused when it is none, or when nothing in it can be kept."""
    if not collect(read_conversation(record)).used_tools:
        raise Refused(NOTHING, code="nothing_to_convert")


def _try_folder(folder: Path) -> None:
    """Make it and write into it once before anything is started; NoPermission when the files could not be put there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise NoPermission(folder, error.strerror or str(error)) from None


def _model(chosen: str | None, started: contextlib.ExitStack, tell: Teller) -> ModelEndpoint:
    key = os.environ.get("ANTHROPIC_API_KEY", "").strip()
    if key:
        model_id = chosen or str(load_template(TEMPLATE)["Parameters"]["ModelId"]["Default"])
        tell.line(f"The model is {model_id} (ANTHROPIC_API_KEY is set).")
        return ModelEndpoint(model_id=model_id, base_url=os.environ.get("ANTHROPIC_BASE_URL", ""), key=key)
    server = started.enter_context(StandInModel())
    tell.line(f"The model is a {STAND_IN}. Set ANTHROPIC_API_KEY to let Claude do it.")
    return ModelEndpoint(model_id="stand-in", base_url=server.url, key="no-key-is-needed")


def _set_up(stack: LocalStack, own: DatabaseUrl | None, arguments: argparse.Namespace, tell: Teller) -> bytes:
    """Register people and database; the sample chat about the shop, empty when the database is the person's own."""
    register_people(stack, zone=arguments.zone, language=arguments.language)
    if own is not None:
        register_database(stack, MINA.tenant, own.database, own, role="", description="your own database")
        return b""
    tell.line("starting: the sample shop …")
    record, counts = fill_and_register(stack, zone=arguments.zone, language=arguments.language)
    tell.line(f"The sample shop has {sum(counts.values()):,} rows in {len(counts)} tables.")
    return record
