"""Calls the routes in-process, with the event as API Gateway sends it."""

import copy
import json
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from playbooks.adapters.dynamodb.table_readers import DynamoTableReaders
from playbooks.application.saved_queries import SavedQueries
from playbooks.application.table_readers import TableReaders
from playbooks.application.uploads import Uploads
from playbooks.interfaces.api.routes import UseCases, build_resolver
from tests.world import World

EVENT = json.loads((Path(__file__).resolve().parents[2] / "events/http_api.json").read_text())


def use_cases(world: World) -> UseCases:
    """The use cases of a world."""
    return UseCases(
        world.use_conversations,
        world.use_conversions,
        world.use_create,
        world.use_files,
        world.use_playbooks,
        world.use_runs,
        world.use_devices,
        SavedQueries(world.playbooks, world.clock),
        TableReaders(DynamoTableReaders(world.table), world.playbooks),
        Uploads(world.artifacts, world.clock),
    )


class Client:
    """A signed-in person against a world in memory."""

    def __init__(self, world: World) -> None:
        self._app = build_resolver(use_cases(world), tenant_claim="custom:tenant", telemetry=world.telemetry)

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        key: str | None = None,
        query: dict[str, str] | None = None,
        **claims: str | None,
    ) -> tuple[int, Any]:
        """Status and parsed body. A claim given as None is taken out."""
        event = copy.deepcopy(EVENT)
        event["rawPath"] = event["requestContext"]["http"]["path"] = path
        event["requestContext"]["http"]["method"] = method
        if query:
            event["queryStringParameters"], event["rawQueryString"] = query, urlencode(query)
        if body is not None:
            event["body"] = body if isinstance(body, str) else json.dumps(body)
        if key is not None:
            event["headers"]["idempotency-key"] = key
        held = event["requestContext"]["authorizer"]["jwt"]["claims"]
        for short, value in claims.items():
            name = {"tenant": "custom:tenant"}.get(short, short)
            held.pop(name, None)
            if value is not None:
                held[name] = value
        answer = self._app.resolve(event, None)
        text = answer.get("body")
        is_json = "json" in str(answer.get("headers") or answer.get("multiValueHeaders"))
        return answer["statusCode"], (json.loads(text) if is_json else text) if text else None
