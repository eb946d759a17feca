"""What a function reads from its environment, checked once before the first event."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from playbooks.domain.run import LeaseTimes
from playbooks.errors import PlaybooksError


class WrongSettings(PlaybooksError):
    """Raised at start when the environment misses a setting or holds a wrong one; the template sets all of them."""

    code = "wrong_settings"


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a function. What a function does not use may be empty."""

    table: str
    bucket: str
    run_queue: str
    conversion_queue: str
    apns_application: str
    fcm_application: str
    model_provider: str
    model_id: str
    model_base_url: str
    model_key_secret: str
    tenant_claim: str
    issuer: str
    audience: str
    metrics_namespace: str
    directory: str
    user_pool: str
    times: LeaseTimes

    def require(self, *names: str) -> "Settings":
        """Itself, or WrongSettings naming what is empty."""
        empty = [name for name in names if not getattr(self, name)]
        if empty:
            variables = ", ".join(_VARIABLES[name] for name in empty)
            raise WrongSettings(f"These environment variables must be set: {variables}.")
        return self


DIRECTORIES = ("workspace", "cognito")
"""Where people and groups are read: what the administrator registered here, or a Cognito user pool."""

_VARIABLES: Mapping[str, str] = {
    "table": "PLAYBOOKS_TABLE",
    "bucket": "PLAYBOOKS_BUCKET",
    "run_queue": "PLAYBOOKS_RUN_QUEUE_URL",
    "conversion_queue": "PLAYBOOKS_CONVERSION_QUEUE_URL",
    "apns_application": "PLAYBOOKS_APNS_APPLICATION_ARN",
    "fcm_application": "PLAYBOOKS_FCM_APPLICATION_ARN",
    "model_provider": "PLAYBOOKS_MODEL_PROVIDER",
    "model_id": "PLAYBOOKS_MODEL_ID",
    "model_base_url": "PLAYBOOKS_MODEL_BASE_URL",
    "model_key_secret": "PLAYBOOKS_MODEL_KEY_SECRET",
    "tenant_claim": "PLAYBOOKS_TENANT_CLAIM",
    "issuer": "PLAYBOOKS_ISSUER",
    "audience": "PLAYBOOKS_AUDIENCE",
    "metrics_namespace": "PLAYBOOKS_METRICS_NAMESPACE",
    "directory": "PLAYBOOKS_DIRECTORY",
    "user_pool": "PLAYBOOKS_USER_POOL_ID",
}


def read_settings(environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings; raises WrongSettings when a number is none or a word is not one of its choices."""
    texts = {name: environment.get(variable, "").strip() for name, variable in _VARIABLES.items()}
    texts["directory"] = texts["directory"] or DIRECTORIES[0]
    if texts["directory"] not in DIRECTORIES:
        raise WrongSettings(f"PLAYBOOKS_DIRECTORY must be one of {', '.join(DIRECTORIES)}, not {texts['directory']!r}.")
    times = LeaseTimes(
        call_budget=_seconds(environment, "PLAYBOOKS_CALL_BUDGET_SECONDS", 240),
        margin=_seconds(environment, "PLAYBOOKS_LEASE_MARGIN_SECONDS", 60),
    )
    return Settings(**texts, times=times)


def _seconds(environment: Mapping[str, str], name: str, default: int) -> timedelta:
    text = environment.get(name, "").strip() or str(default)
    if not text.isdigit() or not 1 <= int(text) <= 900:
        raise WrongSettings(f"{name} must be a whole number of seconds from 1 to 900, not {text!r}.")
    return timedelta(seconds=int(text))
