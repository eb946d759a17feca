"""Claude at Anthropic."""

import anthropic

from playbooks.adapters.model.attempts import MAX_RETRIES
from playbooks.adapters.model.calling import MessagesModel
from playbooks.adapters.model.failures import Hints
from playbooks.ports.model import ModelRejected


def anthropic_model(model: str, *, key: str, base_url: str | None = None, strict: bool = True) -> MessagesModel:
    """The model of this id. `base_url` None is the client's default: `ANTHROPIC_BASE_URL`, or Anthropic's address.

    Raises ModelRejected at once for a key that cannot be one.
    """
    key = key.strip()
    if not key:
        raise ModelRejected("There is no API key for the model: set ANTHROPIC_API_KEY.")
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise ModelRejected("The API key for the model holds characters no key has: copy it again.")
    return MessagesModel(
        anthropic.Anthropic(api_key=key, base_url=base_url, max_retries=MAX_RETRIES),
        model=model,
        hints=Hints(
            service="Anthropic",
            key="check ANTHROPIC_API_KEY",
            permission=f"check that the key's workspace may use the model {model!r}",
            model=f"check the model id {model!r} and the base URL",
        ),
        redact=lambda text: text.replace(key, "…"),
        strict=strict,
    )
