"""The routes: parse, one call, map."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Any, Literal

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError
from aws_lambda_powertools.event_handler.openapi.params import Body, Query

from playbooks.application.conversations import Archive, Conversations
from playbooks.application.conversions import Conversions
from playbooks.application.create_playbook import CreatePlaybook, chat_tool
from playbooks.application.devices import Devices
from playbooks.application.identity import Caller
from playbooks.application.playbook_files import PlaybookFiles
from playbooks.application.playbooks import Playbooks
from playbooks.application.runs import Runs
from playbooks.application.saved_queries import SavedQueries
from playbooks.application.table_readers import TableReaders
from playbooks.application.uploads import Uploads
from playbooks.domain.ids import ConversationId, PlaybookId, RunId, StepId, UploadId, parse_id
from playbooks.domain.playbook import parse_steps
from playbooks.domain.recurrence import parse_rule
from playbooks.errors import Finding, PlaybooksError, Refused
from playbooks.interfaces.api.bodies import (
    ConvertBody,
    DeviceBody,
    PlaybookBody,
    RestoreBody,
    RuleBody,
    ScheduleBody,
)
from playbooks.interfaces.api.identity import caller_of
from playbooks.interfaces.api.problems import invalid_request, known_problem
from playbooks.interfaces.api.sent import sent_bytes, sent_object
from playbooks.interfaces.api.views import (
    archive_view,
    checks_view,
    conversation_view,
    conversion_view,
    enabled_view,
    made_view,
    occurrence_view,
    playbook_row,
    playbook_view,
    run_row,
    run_view,
    saved_query_view,
    saved_versions_view,
    schedule_view,
    table_reader_view,
    tool_view,
    upload_view,
)
from playbooks.interfaces.playbook_yaml import CONTENT_TYPE as YAML
from playbooks.interfaces.playbook_yaml import read_yaml, write_yaml
from playbooks.ports.push import Platform
from playbooks.ports.telemetry import Telemetry

Json = dict[str, Any]


@dataclass(frozen=True)
class UseCases:
    """What the routes call."""

    conversations: Conversations
    conversions: Conversions
    create_playbook: CreatePlaybook
    files: PlaybookFiles
    playbooks: Playbooks
    runs: Runs
    devices: Devices
    saved_queries: SavedQueries
    table_readers: TableReaders
    uploads: Uploads


def read_json(text: str) -> Any:  # noqa: ANN401 - JSON of any shape; the bodies' models say which is right
    """A body's JSON; nesting beyond the interpreter's depth is invalid JSON like any other."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise json.JSONDecodeError("nested too deeply", text[:20], 0) from error


def build_resolver(use: UseCases, *, tenant_claim: str, telemetry: Telemetry) -> APIGatewayHttpResolver:
    """The resolver with every route."""
    app = APIGatewayHttpResolver(enable_validation=True, json_body_deserializer=read_json)

    def caller() -> Caller:
        return caller_of(app.current_event.raw_event, tenant_claim)

    def idempotency_key() -> str:
        key = app.current_event.headers.get("idempotency-key", "")
        if not 1 <= len(key) <= 128 or not key.isprintable():
            message = "The header Idempotency-Key is needed, 1 to 128 characters: the same key starts one only."
            raise Refused(
                message, [Finding("missing_key", "/headers/Idempotency-Key", message)], code="missing_idempotency_key"
            )
        return key

    def known(error: PlaybooksError) -> Response[str]:
        response = known_problem(error)
        if response.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
            telemetry.fault("request_failed", error, method=app.current_event.http_method)
        return response

    app.exception_handler(PlaybooksError)(known)
    app.exception_handler(RequestValidationError)(invalid_request)

    _conversation_routes(app, use, caller, idempotency_key)
    _birth_routes(app, use, caller, idempotency_key)
    _playbook_routes(app, use, caller)
    _saved_query_routes(app, use, caller)
    _run_routes(app, use, caller, idempotency_key)
    return app


def _conversation_routes(
    app: APIGatewayHttpResolver, use: UseCases, caller: Callable[[], Caller], key: Callable[[], str]
) -> None:
    @app.post("/v1/uploads", status_code=201, summary="A form for a file of up to 50 MB, good for five minutes")
    def begin_upload() -> tuple[Json, int]:
        return upload_view(use.uploads.begin(caller())), 201

    @app.post("/v1/conversations", status_code=201, summary="Import a chat record", enable_validation=False)
    def import_conversation() -> tuple[Json, int]:
        who, query = caller(), app.current_event.query_string_parameters or {}
        upload, pick = query.get("upload"), query.get("pick") or None
        data = use.uploads.bytes_of(who, UploadId(parse_id(upload))) if upload else sent_bytes(app.current_event)
        match use.conversations.receive(who, data, pick=pick):
            case Archive() as archive:
                return archive_view(archive), 200
            case shown:
                return conversation_view(shown), 201

    @app.get("/v1/conversations/<id>", summary="A record with what would be kept and dropped")
    def show_conversation(id: str) -> Json:
        return conversation_view(use.conversations.show(caller(), ConversationId(parse_id(id))))

    @app.post("/v1/conversations/<id>/playbook", status_code=202, summary="Convert it into a playbook")
    def convert(id: str, body: Annotated[ConvertBody | None, Body()] = None) -> tuple[Json, int]:
        wish = body or ConvertBody()
        run = use.conversions.request(
            caller(), ConversationId(parse_id(id)), key(), zone=wish.zone, language=wish.language
        )
        return conversion_view(run), 202

    @app.get("/v1/conversions/<id>", summary="Where a conversion stands")
    def show_conversion(id: str) -> Json:
        return conversion_view(use.conversions.show(caller(), RunId(parse_id(id))))


def _birth_routes(
    app: APIGatewayHttpResolver, use: UseCases, caller: Callable[[], Caller], key: Callable[[], str]
) -> None:
    @app.get("/v1/chat-tools", summary="The tool that a chat backend offers its model")
    def chat_tools() -> Json:
        caller()
        return {"tools": [tool_view(chat_tool())]}

    @app.post("/v1/playbooks", status_code=201, summary="Handle the chat's call of create_playbook")
    def create_playbook(
        zone: Annotated[str | None, Query()] = None, language: Annotated[Literal["en", "ko"] | None, Query()] = None
    ) -> tuple[Json, int]:
        who, arguments = caller(), sent_object(app.current_event)
        return made_view(use.create_playbook(who, arguments, key(), zone=zone, language=language)), 201

    @app.post("/v1/playbooks/import", status_code=201, summary="Make a playbook from a YAML file; it starts off")
    def import_playbook() -> tuple[Json, int]:
        who = caller()
        return made_view(use.files.import_(who, read_yaml(sent_bytes(app.current_event)), key())), 201

    @app.get("/v1/playbooks/<id>/export", summary="A playbook as YAML, to read, compare and keep")
    def export_playbook(id: str) -> Response[str]:
        playbook = PlaybookId(parse_id(id))
        exported = use.files.export(caller(), playbook)
        text = write_yaml(exported.data, exported.refused)
        headers: dict[str, str | list[str]] = {
            "Content-Disposition": f'attachment; filename="playbook-{playbook}.yaml"'
        }
        return Response(status_code=200, content_type=YAML, body=text, headers=headers)


def _playbook_routes(app: APIGatewayHttpResolver, use: UseCases, caller: Callable[[], Caller]) -> None:
    @app.get("/v1/playbooks", summary="Your playbooks")
    def list_playbooks() -> Json:
        return {"playbooks": [playbook_row(playbook) for playbook in use.playbooks.list(caller())]}

    @app.get("/v1/playbooks/<id>", summary="One playbook with steps, saved SQL, schedule and findings")
    def show_playbook(id: str) -> Json:
        return playbook_view(use.playbooks.show(caller(), PlaybookId(parse_id(id))))

    @app.put("/v1/playbooks/<id>", summary="Replace title and steps while it is off")
    def edit_playbook(id: str, body: Annotated[PlaybookBody, Body()]) -> Json:
        steps = parse_steps([step.model_dump() for step in body.steps])
        playbook = use.playbooks.edit(caller(), PlaybookId(parse_id(id)), rev=body.rev, title=body.title, steps=steps)
        return playbook_row(playbook)

    @app.delete("/v1/playbooks/<id>", status_code=204, summary="Delete it")
    def delete_playbook(id: str) -> Response[None]:
        use.playbooks.delete(caller(), PlaybookId(parse_id(id)))
        return Response(status_code=204, body=None)

    @app.get("/v1/playbooks/<id>/checks", summary="What keeps it from being switched on")
    def check_playbook(id: str) -> Json:
        shown = use.playbooks.show(caller(), PlaybookId(parse_id(id)))
        return checks_view(shown)

    @app.put("/v1/playbooks/<id>/schedule", summary="Give it a schedule while it is off")
    def set_schedule(id: str, body: Annotated[ScheduleBody, Body()]) -> Json:
        rule = parse_rule(body.rule.mapping())
        schedule = use.playbooks.set_schedule(caller(), PlaybookId(parse_id(id)), rev=body.rev, rule=rule)
        return schedule_view(schedule, use.playbooks.preview(rule))

    @app.post("/v1/playbooks/<id>/enable", summary="Switch it on")
    def enable(id: str) -> Json:
        who, playbook = caller(), PlaybookId(parse_id(id))
        return enabled_view(use.playbooks.enable(who, playbook), use.playbooks.cautions(who, playbook))

    @app.post("/v1/playbooks/<id>/disable", summary="Switch it off; a run under way finishes")
    def disable(id: str) -> Json:
        return playbook_row(use.playbooks.disable(caller(), PlaybookId(parse_id(id))))

    @app.post("/v1/schedules/preview", summary="The next five occurrences of a rule")
    def preview(body: Annotated[RuleBody, Body()]) -> Json:
        caller()
        found = use.playbooks.preview(parse_rule(body.mapping()))
        return {"upcoming": [occurrence_view(occurrence) for occurrence in found]}


def _saved_query_routes(app: APIGatewayHttpResolver, use: UseCases, caller: Callable[[], Caller]) -> None:
    @app.get("/v1/playbooks/<id>/steps/<step>/saved-queries", summary="A step's saved SQL through its versions")
    def list_saved_queries(id: str, step: str) -> Json:
        found = use.saved_queries.history(caller(), PlaybookId(parse_id(id)), StepId(parse_id(step)))
        return saved_versions_view(found)

    @app.post("/v1/playbooks/<id>/steps/<step>/saved-queries/restore", summary="Go back to a former version while off")
    def restore_saved_query(id: str, step: str, body: Annotated[RestoreBody, Body()]) -> Json:
        where = PlaybookId(parse_id(id)), StepId(parse_id(step))
        return saved_query_view(use.saved_queries.restore(caller(), *where, rev=body.rev, version=body.version))

    @app.get("/v1/tables/<database>/<table>/playbooks", summary="Which of your playbooks read a table")
    def list_table_readers(database: str, table: str) -> Json:
        found = use.table_readers.of_caller(caller(), database, table)
        return {"playbooks": [table_reader_view(playbook, reader) for playbook, reader in found]}


def _run_routes(
    app: APIGatewayHttpResolver, use: UseCases, caller: Callable[[], Caller], key: Callable[[], str]
) -> None:
    @app.post("/v1/playbooks/<id>/runs", status_code=202, summary="Run it now; the schedule stays as it is")
    def run_now(id: str) -> tuple[Json, int]:
        return run_row(use.runs.run_now(caller(), PlaybookId(parse_id(id)), key())), 202

    @app.get("/v1/playbooks/<id>/runs", summary="Its runs, newest first")
    def list_runs(id: str, after: Annotated[str | None, Query()] = None) -> Json:
        runs, more = use.runs.list(caller(), PlaybookId(parse_id(id)), after)
        return {"runs": [run_row(run) for run in runs], "after": more}

    @app.get("/v1/runs/<id>", summary="One run with its steps and every statement that ran")
    def show_run(id: str) -> Json:
        return run_view(use.runs.show(caller(), RunId(parse_id(id))))

    @app.post("/v1/runs/<id>/cancel", summary="End a run that is not over")
    def cancel(id: str) -> Json:
        return run_row(use.runs.cancel(caller(), RunId(parse_id(id))))

    @app.get("/v1/runs/<id>/documents/<name>", summary="A link to a document, good for five minutes")
    def document(id: str, name: str) -> Json:
        return {"link": use.runs.document_link(caller(), RunId(parse_id(id)), name)}

    @app.post("/v1/devices", status_code=201, summary="Register a phone for pushes")
    def register_device(body: Annotated[DeviceBody, Body()]) -> tuple[Json, int]:
        device = use.devices.register(caller(), Platform(body.platform), body.token)
        return {"id": device.id, "platform": device.platform.value}, 201
