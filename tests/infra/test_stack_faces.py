"""The local stack from outside: tokens at the gateway, doorbells to the workers, pushes at the recorder."""

import json
import time
import urllib.error
import urllib.request
import uuid

import pytest
from botocore.exceptions import ClientError
from cryptography.hazmat.primitives.asymmetric import rsa

from playbooks_local.issuer import ABSENT
from playbooks_local.stack import wait_until

FOREIGN_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
REFUSED = {
    "another audience": {"claims": {"aud": "someone-else"}},
    "another issuer": {"claims": {"iss": "http://127.0.0.1:1"}},
    "expired an hour ago": {"claims": {"exp": int(time.time()) - 3600}},
    "no audience": {"claims": {"aud": ABSENT}},
    "another key": {"key": FOREIGN_KEY},
}


def call(stack, method, path, token=None):
    request = urllib.request.Request(stack.api_url + path, method=method)
    if token is not None:
        request.add_header("Authorization", token)
    try:
        with urllib.request.urlopen(request, timeout=20) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, None


def test_a_good_token_passes_and_its_claims_reach_the_function(probe_stack):
    status, event = call(probe_stack, "GET", "/v1/playbooks", probe_stack.token("mina"))
    assert status == 200
    claims = event["requestContext"]["authorizer"]["jwt"]["claims"]
    assert claims["custom:tenant"] == "shop"
    assert claims["token_use"] == "id"


def test_a_route_passes_its_path_parameters(probe_stack):
    _, event = call(probe_stack, "GET", "/v1/runs/r1/documents/report.xlsx", probe_stack.token("mina"))
    assert event["routeKey"] == "GET /v1/runs/{id}/documents/{name}"
    assert event["pathParameters"] == {"id": "r1", "name": "report.xlsx"}


@pytest.mark.parametrize("options", REFUSED.values(), ids=REFUSED.keys())
def test_a_token_is_refused_for(options, probe_stack):
    assert call(probe_stack, "GET", "/v1/playbooks", probe_stack.issuer.token("mina", **options))[0] == 401


def test_no_token_is_refused(probe_stack):
    assert call(probe_stack, "GET", "/v1/playbooks")[0] == 401


def test_an_unknown_route_is_not_there(probe_stack):
    assert call(probe_stack, "GET", "/v1/nothing", probe_stack.token("mina"))[0] == 404


@pytest.mark.parametrize("queue", ["RunQueueUrl", "ConversionQueueUrl"])
def test_a_doorbell_wakes_its_worker(queue, probe_stack):
    mark = uuid.uuid4().hex
    table = probe_stack.outputs["TableName"]
    key = {"PK": {"S": mark}, "SK": {"S": "META"}}
    body = {"calls": [["dynamodb", "put_item", {"TableName": table, "Item": key}]]}
    probe_stack.client("sqs").send_message(QueueUrl=probe_stack.outputs[queue], MessageBody=json.dumps(body))
    dynamodb = probe_stack.client("dynamodb")
    assert wait_until(lambda: "Item" in dynamodb.get_item(TableName=table, Key=key), timeout=20)


def test_a_killed_worker_is_gone_and_the_next_call_gets_a_new_one(probe_stack):
    probe_stack.invoke("ConverterName", {"calls": []})
    assert probe_stack.kill_workers("ConverterName") >= 1
    assert probe_stack.kill_workers("ConverterName") == 0
    assert probe_stack.invoke("ConverterName", {"calls": []}) == []


def endpoint(stack, token):
    application = stack.parameters["FcmApplicationArn"]
    made = stack.client("sns").create_platform_endpoint(PlatformApplicationArn=application, Token=token)
    return made["EndpointArn"]


def test_a_push_is_kept_as_the_phone_would_get_it(probe_stack):
    probe_stack.recorder.clear()
    message = {"default": "done", "GCM": json.dumps({"fcmV1Message": {"message": {"data": {"run": "r1"}}}})}
    calls = [
        [
            "sns",
            "publish",
            {
                "TargetArn": endpoint(probe_stack, "phone-1"),
                "Message": json.dumps(message),
                "MessageStructure": "json",
                "MessageAttributes": {"AWS.SNS.MOBILE.APNS.COLLAPSE_ID": {"DataType": "String", "StringValue": "r1"}},
            },
        ]
    ]
    assert probe_stack.invoke("SchedulerName", {"calls": calls}) == ["ok"]
    (push,) = probe_stack.recorder.wait_for(1, 5)
    assert push.token == "phone-1"
    assert push.platform("GCM") == {"fcmV1Message": {"message": {"data": {"run": "r1"}}}}
    assert push.attributes == {"AWS.SNS.MOBILE.APNS.COLLAPSE_ID": "r1"}


def test_a_disabled_phone_is_refused_until_its_endpoint_is_set_enabled(probe_stack):
    sns, arn = probe_stack.client("sns"), endpoint(probe_stack, "Phone-2")
    probe_stack.recorder.clear()
    probe_stack.recorder.disable("Phone-2")
    with pytest.raises(ClientError) as refused:
        sns.publish(TargetArn=arn, Message="m")
    assert refused.value.response["Error"]["Code"] == "EndpointDisabled"
    assert probe_stack.recorder.pushes == ()
    sns.set_endpoint_attributes(EndpointArn=arn, Attributes={"Enabled": "true", "Token": "Phone-2"})
    sns.publish(TargetArn=arn, Message="m")
    assert len(probe_stack.recorder.pushes) == 1


def login(stack, *, body=b'{"person": "ada"}', **headers):
    request = urllib.request.Request(f"{stack.issuer.url}/dev/login", data=body, method="POST")
    for name, value in {"Content-Type": "application/json", **headers}.items():
        request.add_header(name, value)
    try:
        with urllib.request.urlopen(request, timeout=5) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_a_sample_person_logs_in_over_http(probe_stack):
    status, answer = login(probe_stack)
    assert status == 200
    assert call(probe_stack, "GET", "/v1/playbooks", answer["id_token"])[0] == 200


def test_an_unknown_person_is_told_the_known_ones(probe_stack):
    status, answer = login(probe_stack, body=b'{"person": "nobody"}')
    assert status == 400
    assert "mina" in answer["error"]


@pytest.mark.parametrize(
    "headers", [{"Content-Type": "text/plain"}, {"Host": "evil.example"}], ids=["a form's type", "a rebound name"]
)
def test_a_page_in_a_browser_cannot_log_in(headers, probe_stack):
    assert login(probe_stack, **headers)[0] == 400


def test_instance_metadata_gives_no_credentials(probe_stack):
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(f"{probe_stack.emulator.url}/latest/meta-data/iam/security-credentials/", timeout=5)
