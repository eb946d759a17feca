"""What the two workers share: the model, files, playbooks, and the worker around them."""

from functools import cached_property

from playbooks.adapters.dynamodb.people import DynamoConversations
from playbooks.adapters.dynamodb.playbooks import DynamoPlaybooks
from playbooks.adapters.dynamodb.statements import DynamoStatements
from playbooks.adapters.s3 import S3Artifacts
from playbooks.adapters.secrets import ManagedSecrets
from playbooks.adapters.system_clock import pause
from playbooks.application.work_on_run import ConversionExecutor, StepExecutor, Worker
from playbooks.bootstrap.stores import Parts
from playbooks.ports.model import Model


class WorkingParts(Parts):
    """Adapters of the step runner, the converter and the API."""

    @cached_property
    def playbooks(self) -> DynamoPlaybooks:
        """Playbooks."""
        return DynamoPlaybooks(self.table, pause)

    @cached_property
    def conversations(self) -> DynamoConversations:
        """Imported conversations."""
        return DynamoConversations(self.table, pause)

    @cached_property
    def statements(self) -> DynamoStatements:
        """Statements known here."""
        return DynamoStatements(self.table)

    @cached_property
    def artifacts(self) -> S3Artifacts:
        """Files."""
        # Virtual: links and forms name the bucket's region. The global name redirects a new bucket's elsewhere, and
        # a redirected link has lost its signature.
        client = self.client("s3", signature_version="s3v4", s3={"addressing_style": "virtual"})
        return S3Artifacts(client, self.settings.bucket)

    @cached_property
    def secrets(self) -> ManagedSecrets:
        """Secrets."""
        return ManagedSecrets(self.client("secretsmanager"))

    @cached_property
    def model(self) -> Model:
        """The model of the chosen provider."""
        settings = self.settings.require("model_provider", "model_id")
        if settings.model_provider == "bedrock":
            from playbooks.adapters.model.bedrock import bedrock_model

            return bedrock_model(settings.model_id)
        from playbooks.adapters.model.anthropic import anthropic_model

        key = self.secrets.text(settings.require("model_key_secret").model_key_secret)
        return anthropic_model(settings.model_id, key=key, base_url=settings.model_base_url or None)

    def worker(self, *, execute: StepExecutor | None = None, convert: ConversionExecutor | None = None) -> Worker:
        """A worker for steps or for conversions."""
        return Worker(
            runs=self.runs,
            playbooks=self.playbooks,
            directory=self.directory,
            artifacts=self.artifacts,
            doorbell=self.doorbell,
            notifier=self.notifier,
            clock=self.clock,
            telemetry=self.telemetry,
            execute=execute,
            convert=convert,
            times=self.settings.times,
        )
