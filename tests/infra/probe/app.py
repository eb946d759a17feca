"""Stands in for every function in tests of the stack: makes the calls it is told to, as the function's own role."""

import json

import boto3
from botocore.exceptions import ClientError


def lambda_handler(event, context):
    """`{"calls": [[service, method, arguments], …]}` → what became of each; over HTTP, the event itself."""
    if "routeKey" in event:
        return {"statusCode": 200, "body": json.dumps(event)}
    if "Records" in event:
        event = json.loads(event["Records"][0]["body"])
    return [outcome(*call) for call in event.get("calls", [])]


def outcome(service, method, arguments):
    try:
        getattr(boto3.client(service), method)(**arguments)
    except ClientError as error:
        return error.response["Error"]["Code"]
    return "ok"
