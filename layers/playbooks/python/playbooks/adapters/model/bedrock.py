"""Claude on Amazon Bedrock, by the same client."""

from datetime import timedelta

import anthropic
from botocore.exceptions import BotoCoreError, NoCredentialsError

from playbooks.adapters.model.attempts import MAX_RETRIES
from playbooks.adapters.model.calling import MessagesModel
from playbooks.adapters.model.failures import Hints
from playbooks.ports.model import ModelAnswer, ModelBusy, ModelRejected, ModelRequest

_NO_CREDENTIALS = "There are no AWS credentials to ask Amazon Bedrock with: run in AWS, or set AWS_PROFILE."


class BedrockModel(MessagesModel):
    """Signs with the AWS credentials of the process. `model` is a Bedrock model id or inference profile."""

    def __init__(self, *, region: str, model: str, base_url: str | None = None, strict: bool = True) -> None:
        super().__init__(
            anthropic.AnthropicBedrock(aws_region=region, base_url=base_url, max_retries=MAX_RETRIES),
            model=model,
            hints=Hints(
                service="Amazon Bedrock",
                key="check the AWS credentials",
                permission=f"allow bedrock:InvokeModel on {model!r} in {region} and request access to the model",
                model=f"check the model id {model!r} and that it is offered in {region}",
            ),
            redact=lambda text: text,
            strict=strict,
        )

    def answer(self, request: ModelRequest, *, within: timedelta) -> ModelAnswer:
        """As `MessagesModel.answer`; credentials that are missing or cannot be fetched are told apart."""
        try:
            return super().answer(request, within=within)
        except NoCredentialsError:
            raise ModelRejected(_NO_CREDENTIALS) from None
        except BotoCoreError as error:
            raise ModelBusy(f"The AWS credentials cannot be fetched just now ({type(error).__name__}).") from None
        except RuntimeError as error:
            if "credentials" not in str(error):
                raise
            raise ModelRejected(_NO_CREDENTIALS) from None
