"""Pushes over SNS: an endpoint for each token, payloads for APNs and FCM v1."""

import json
import re
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from playbooks.errors import Refused
from playbooks.ports.push import Device, EndpointDisabled, Platform, PushMessage, PushThrottled

if TYPE_CHECKING:
    from mypy_boto3_sns import SNSClient
    from mypy_boto3_sns.type_defs import MessageAttributeValueTypeDef

MAX_PAYLOAD = 4_096
TTL_SECONDS = 24 * 3600
_ARN = re.compile(r"Endpoint (arn:aws[^ ]+) already exists")
_THROTTLED = {"Throttled", "ThrottledException", "Throttling", "ThrottlingException", "InternalError", "KMSThrottling"}


class SnsPush:
    """`Push` over SNS platform endpoints. `applications` holds each platform's application ARN.

    The client is made at the first use: most ticks send nothing."""

    def __init__(self, client: "Callable[[], SNSClient]", applications: Mapping[Platform, str]) -> None:
        self._make_client = client
        self._applications = applications

    @cached_property
    def _client(self) -> "SNSClient":
        return self._make_client()

    def endpoint(self, platform: Platform, token: str) -> str:
        application = self._applications.get(platform)
        if not application:
            raise Refused(
                f"Pushes to {platform.value} are not set up here: the operator gives the platform application's ARN.",
                code="push_not_set_up",
            )
        try:
            arn = self._client.create_platform_endpoint(PlatformApplicationArn=application, Token=token)["EndpointArn"]
        except ClientError as error:
            # A known token with other attributes: the ARN stands in the message.
            known = _ARN.search(str(error))
            if known is None:
                raise PushThrottled(f"SNS did not take the device: {error}.") from error
            arn = known.group(1)
        attributes = self._client.get_endpoint_attributes(EndpointArn=arn)["Attributes"]
        if attributes.get("Enabled") != "true" or attributes.get("Token") != token:
            self._client.set_endpoint_attributes(EndpointArn=arn, Attributes={"Token": token, "Enabled": "true"})
        return arn

    def publish(self, device: Device, message: PushMessage) -> None:
        try:
            self._client.publish(
                TargetArn=device.endpoint,
                Message=payload(device.platform, message),
                MessageStructure="json",
                MessageAttributes=_attributes(message),
            )
        except ClientError as error:
            code = str(error.response.get("Error", {}).get("Code", ""))
            if code in {"EndpointDisabled", "EndpointDisabledException", "NotFound", "NotFoundException"}:
                raise EndpointDisabled("The push service has given the device up.") from error
            raise PushThrottled(f"SNS did not take the push: {code}.") from error
        except BotoCoreError as error:
            raise PushThrottled(f"SNS did not answer: {error}.") from error


def _attributes(message: PushMessage) -> "dict[str, MessageAttributeValueTypeDef]":
    return {
        "AWS.SNS.MOBILE.APNS.COLLAPSE_ID": {"DataType": "String", "StringValue": message.collapse_key},
        "AWS.SNS.MOBILE.APNS.TTL": {"DataType": "String", "StringValue": str(TTL_SECONDS)},
        "AWS.SNS.MOBILE.FCM.TTL": {"DataType": "String", "StringValue": str(TTL_SECONDS)},
    }


def payload(platform: Platform, message: PushMessage) -> str:
    """SNS' message structure for one platform; the body is cut so that the payload stays within 4,096 bytes.

    Hangul takes 3 bytes as UTF-8 and 6 as an escape, so nothing is escaped. SNS does not check the size.
    """
    body = message.body
    while True:
        inner = _vendor_payload(platform, message, body)
        text = json.dumps(inner, ensure_ascii=False)
        over = len(text.encode()) - MAX_PAYLOAD
        if over <= 0 or not body:
            break
        body = body[: max(0, len(body) - max(over // 3, 1) - 1)].rstrip() + "…" if len(body) > 1 else ""
    name = "GCM" if platform is Platform.FCM else "APNS"
    outer = {"default": f"{message.title}: {body}", name: text}
    if platform is Platform.APNS:
        outer["APNS_SANDBOX"] = text
    return json.dumps(outer, ensure_ascii=False)


def _vendor_payload(platform: Platform, message: PushMessage, body: str) -> dict[str, Any]:
    if platform is Platform.APNS:
        alert = {"title": message.title, "body": body}
        return {"aps": {"alert": alert, "sound": "default", "thread-id": message.collapse_key}, "link": message.link}
    return {
        "fcmV1Message": {
            "message": {
                "notification": {"title": message.title, "body": body},
                "data": {"link": message.link},
                "android": {
                    "collapse_key": message.collapse_key,
                    "notification": {"tag": message.collapse_key},
                },
            }
        }
    }
