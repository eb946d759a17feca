"""Claude on Amazon Bedrock, by the same client."""

from datetime import timedelta

import anthropic
from botocore.exceptions import BotoCoreError, NoCredentialsError

from playbooks.adapters.model.attempts import MAX_RETRIES
from playbooks.adapters.model.calling import MessagesModel
from playbooks.adapters.model.failures import Hints
from playbooks.ports.model import ModelAnswer, ModelBusy, ModelRejected, ModelRequest

_NO_CREDENTIALS = "There are no AWS credentials to ask Amazon Bedrock with: run in AWS, or set AWS_PROFILE."


def bedrock_model(
    model: str, *, region: str | None = None, base_url: str | None = None, strict: bool = True
) -> MessagesModel:
    """The model of this id or inference profile, signed for with the AWS credentials of the process.

    `region` None is the process's own (`AWS_REGION`). Raises ModelRejected when there is none.
    """
    try:
        client = anthropic.AnthropicBedrock(aws_region=region, base_url=base_url, max_retries=MAX_RETRIES)
    except ValueError:
        raise ModelRejected("Amazon Bedrock needs an AWS region: set AWS_REGION.") from None
    hints = Hints(
        service="Amazon Bedrock",
        key="check the AWS credentials",
        permission=f"allow bedrock:InvokeModel on {model!r} in {client.aws_region} and request access to the model",
        model=f"check the model id {model!r} and that it is offered in {client.aws_region}",
    )
    return _BedrockModel(client, model=model, hints=hints, redact=lambda text: text, strict=strict)


class _BedrockModel(MessagesModel):
    """Tells credentials that are missing from such as cannot be fetched just now."""

    def answer(self, request: ModelRequest, *, within: timedelta) -> ModelAnswer:
        """As `MessagesModel.answer`."""
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
