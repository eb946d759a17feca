"""The API's parts: the use cases behind the routes. No model, no database driver."""

from collections.abc import Callable
from typing import Any

from playbooks.adapters.dynamodb.table_readers import DynamoTableReaders
from playbooks.adapters.telemetry import PowertoolsTelemetry
from playbooks.application.conversations import Conversations
from playbooks.application.conversions import Conversions
from playbooks.application.create_playbook import CreatePlaybook
from playbooks.application.devices import Devices
from playbooks.application.playbook_files import PlaybookFiles
from playbooks.application.playbooks import Playbooks
from playbooks.application.runs import Runs
from playbooks.application.saved_queries import SavedQueries
from playbooks.application.table_readers import TableReaders
from playbooks.application.uploads import Uploads
from playbooks.bootstrap.formats import WRITABLE
from playbooks.bootstrap.settings import read_settings
from playbooks.bootstrap.working import WorkingParts
from playbooks.interfaces.api.routes import UseCases, build_resolver


def build() -> tuple[Callable[[dict[str, Any], Any], dict[str, Any]], PowertoolsTelemetry]:
    """The resolver's entry, and the telemetry to flush after each request."""
    settings = read_settings().require("table", "bucket", "run_queue", "conversion_queue", "tenant_claim")
    parts = WorkingParts(settings)
    conversations = Conversations(parts.conversations, parts.artifacts, parts.clock, parts.workspace)
    making = (parts.playbooks, parts.statements, parts.directory, parts.workspace, parts.clock, WRITABLE)
    use = UseCases(
        conversations=conversations,
        conversions=Conversions(conversations, parts.runs, parts.directory, parts.doorbell, parts.clock),
        create_playbook=CreatePlaybook(*making),
        files=PlaybookFiles(*making),
        playbooks=Playbooks(parts.playbooks, parts.directory, parts.workspace, parts.clock, WRITABLE),
        runs=Runs(
            parts.runs,
            parts.playbooks,
            parts.directory,
            parts.workspace,
            parts.artifacts,
            parts.doorbell,
            parts.clock,
            WRITABLE,
        ),
        devices=Devices(parts.devices, parts.push, parts.clock),
        saved_queries=SavedQueries(parts.playbooks, parts.clock),
        table_readers=TableReaders(DynamoTableReaders(parts.table), parts.playbooks),
        uploads=Uploads(parts.artifacts, parts.clock),
    )
    app = build_resolver(use, tenant_claim=settings.tenant_claim, telemetry=parts.telemetry)
    return app.resolve, parts.telemetry
