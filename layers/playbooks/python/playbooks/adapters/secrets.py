"""Secrets from AWS Secrets Manager, kept for a minute."""

import json
import time
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from playbooks.errors import NotFound, Unavailable

if TYPE_CHECKING:
    from mypy_boto3_secretsmanager import SecretsManagerClient

KEPT_SECONDS = 60.0


class ManagedSecrets:
    """`Secrets` over Secrets Manager: JSON objects of texts; a rotated secret is seen within a minute."""

    def __init__(self, client: "SecretsManagerClient") -> None:
        self._client = client
        self._kept: dict[str, tuple[float, str]] = {}

    def get(self, name: str) -> dict[str, str]:
        try:
            return {str(field): str(entry) for field, entry in json.loads(self.text(name)).items()}
        except (ValueError, AttributeError) as error:
            raise NotFound(f"The secret {name!r} is not a JSON object: the operator registers it again.") from error

    def text(self, name: str) -> str:
        """The secret's text as it is (an API key); raises NotFound with what to do."""
        kept = self._kept.get(name)
        if kept is not None and time.monotonic() - kept[0] < KEPT_SECONDS:
            return kept[1]
        try:
            text: str = self._client.get_secret_value(SecretId=name)["SecretString"]
        except ClientError as error:
            code = error.response.get("Error", {}).get("Code")
            if code in {"ResourceNotFoundException", "AccessDeniedException", "ValidationException"}:
                raise NotFound(
                    f"The secret {name!r} is not there or may not be read ({code}): the operator registers it again."
                ) from error
            raise Unavailable(f"Secrets Manager did not give {name!r}: {code}.") from error
        except BotoCoreError as error:
            raise Unavailable(f"Secrets Manager did not answer: {error}.") from error
        self._kept[name] = (time.monotonic(), text)
        return text
