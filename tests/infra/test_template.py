"""The template: settings that the protocol needs, and roles that allow no more than is named."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from playbooks_local.cloudformation_yaml import load_template
from playbooks_local.paths import FUNCTIONS, ROOT, TEMPLATE

CASES = Path(__file__).parents[1] / "cases" / "template"
SETTINGS = json.loads((CASES / "settings.json").read_text(encoding="utf-8"))
OPEN_RESOURCES = json.loads((CASES / "open_resources.json").read_text(encoding="utf-8"))

T = load_template(TEMPLATE)
RESOURCES: dict[str, Any] = T["Resources"]


def of_type(kind: str) -> dict[str, Any]:
    return {name: one["Properties"] for name, one in RESOURCES.items() if one["Type"] == kind}


FUNCTION_RESOURCES = of_type("AWS::Serverless::Function")
ROLES = of_type("AWS::IAM::Role")


def every(value: Any) -> Iterator[Any]:
    yield value
    if isinstance(value, dict):
        for one in value.values():
            yield from every(one)
    elif isinstance(value, list):
        for one in value:
            yield from every(one)


def statements(role: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for one in every(role["Policies"]) if isinstance(one, dict) and "Effect" in one]


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


@pytest.mark.parametrize("case", SETTINGS, ids=lambda case: case["id"])
def test_setting_is_as_the_protocol_needs_it(case):
    value = T["Parameters"][case["parameter"]] if "parameter" in case else RESOURCES[case["resource"]]["Properties"]
    for key in case["path"]:
        value = value[key]
    assert value == case["is"]


@pytest.mark.parametrize("name", FUNCTION_RESOURCES)
def test_function_has_timeout_memory_its_own_role_and_its_own_log(name):
    properties = FUNCTION_RESOURCES[name]
    assert properties["Timeout"]
    assert properties["MemorySize"] >= 512
    assert properties["Role"] == {"Fn::GetAtt": [f"{name}Role", "Arn"]}
    assert properties["LoggingConfig"] == {"LogGroup": {"Ref": f"{name}Log"}}
    log = RESOURCES[f"{name}Log"]["Properties"]
    assert log["RetentionInDays"] == {"Ref": "LogRetentionDays"}
    assert log["LogGroupName"]["Fn::Sub"] == f"/aws/lambda/{properties['FunctionName']['Fn::Sub']}"


@pytest.mark.parametrize("name", FUNCTION_RESOURCES)
def test_function_loses_no_event_in_silence(name):
    """A queue's messages end as dead letters, a failed tick goes to its queue, the API's caller hears of an error."""
    properties = FUNCTION_RESOURCES[name]
    for event in properties["Events"].values():
        match event["Type"]:
            case "SQS":
                queue = event["Properties"]["Queue"]["Fn::GetAtt"][0]
                assert "RedrivePolicy" in RESOURCES[queue]["Properties"]
            case "Schedule":
                assert properties["EventInvokeConfig"]["DestinationConfig"]["OnFailure"]["Type"] == "SQS"
            case kind:
                assert kind == "HttpApi"


def test_every_dead_letter_queue_has_an_alarm():
    queues = {name for name in of_type("AWS::SQS::Queue") if name.endswith("DeadLetters")}
    watched = {
        one["Value"]["Fn::GetAtt"][0]
        for alarm in of_type("AWS::CloudWatch::Alarm").values()
        for one in alarm["Dimensions"]
        if one["Name"] == "QueueName"
    }
    assert queues
    assert watched == queues


def test_alarms_reach_the_alarm_topic():
    for alarm in of_type("AWS::CloudWatch::Alarm").values():
        assert alarm["AlarmActions"] == [{"Ref": "AlarmTopic"}]


def test_every_queue_is_encrypted_and_refuses_plain_http():
    queues = of_type("AWS::SQS::Queue")
    assert all(queue["SqsManagedSseEnabled"] is True for queue in queues.values())
    policy = RESOURCES["QueuesTlsOnly"]["Properties"]
    assert {one["Ref"] for one in policy["Queues"]} == set(queues)
    assert {one["Fn::GetAtt"][0] for one in policy["PolicyDocument"]["Statement"][0]["Resource"]} == set(queues)


@pytest.mark.parametrize("name", ["BucketTlsOnly", "QueuesTlsOnly"])
def test_policy_denies_everyone_without_tls(name):
    (statement,) = RESOURCES[name]["Properties"]["PolicyDocument"]["Statement"]
    assert statement["Effect"] == "Deny"
    assert statement["Principal"] == "*"
    assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


@pytest.mark.parametrize("name", ["Table", "Bucket"])
def test_data_outlives_its_stack(name):
    assert RESOURCES[name]["DeletionPolicy"] == "RetainExceptOnCreate"
    assert RESOURCES[name]["UpdateReplacePolicy"] == "Retain"


@pytest.mark.parametrize("name", ROLES)
def test_role_lists_single_actions(name):
    for statement in statements(ROLES[name]):
        for action in as_list(statement["Action"]):
            assert "*" not in action, action


@pytest.mark.parametrize("name", ROLES)
def test_role_names_single_resources(name):
    for statement in statements(ROLES[name]):
        for text in resource_texts(statement["Resource"]):
            known = any(text.endswith(one["ends_with"]) for one in OPEN_RESOURCES)
            assert "*" not in text or known, text


def resource_texts(resource: Any) -> list[str]:
    """The resource as text; intrinsic functions as far as they can hide a star."""
    match resource:
        case str():
            return [resource]
        case list():
            return [text for one in resource for text in resource_texts(one)]
        case {"Fn::Sub": str(text)}:
            return [text]
        case {"Fn::If": [_, yes, no]}:
            return [*resource_texts(yes), *resource_texts(no)]
        case {"Fn::Join": ["", [_, ":endpoint/", {"Fn::Select": [1, {"Fn::Split": _}]}, "/*"]]}:
            return [":endpoint/<application>/*"]
        case {"Ref": _} | {"Fn::GetAtt": _}:
            return [json.dumps(resource)]
        case _:
            raise AssertionError(f"a form of resource this test does not know: {resource}")


@pytest.mark.parametrize("name", ROLES)
def test_role_is_for_lambda_and_for_one_function_only(name):
    trust = ROLES[name]["AssumeRolePolicyDocument"]["Statement"]
    assert [one["Principal"] for one in trust] == [{"Service": "lambda.amazonaws.com"}]
    assert "ManagedPolicyArns" not in ROLES[name]
    users = [f for f, one in FUNCTION_RESOURCES.items() if one["Role"]["Fn::GetAtt"][0] == name]
    assert users == [name.removesuffix("Role")]


def test_only_the_api_may_register_devices_and_only_workers_may_read_secrets():
    holders: dict[str, set[str]] = {}
    for name, role in ROLES.items():
        for statement in statements(role):
            for action in as_list(statement["Action"]):
                holders.setdefault(action, set()).add(name)
    for action in ("cognito-idp:AdminGetUser", "cognito-idp:AdminListGroupsForUser"):
        assert holders[action] == set(ROLES)
    assert holders["sns:CreatePlatformEndpoint"] == {"ApiRole"}
    assert holders["secretsmanager:GetSecretValue"] == {"StepRunnerRole", "ConverterRole"}
    assert holders["bedrock:InvokeModel"] == {"StepRunnerRole", "ConverterRole"}
    assert holders["sqs:ReceiveMessage"] == {"StepRunnerRole", "ConverterRole"}


def test_scheduler_does_without_the_engine():
    layers = {name: [one["Ref"] for one in f["Layers"]] for name, f in FUNCTION_RESOURCES.items()}
    assert layers.pop("Scheduler") == ["PlaybooksLayer", "RuntimeLayer"]
    assert layers
    assert all(one == ["PlaybooksLayer", "RuntimeLayer", "EngineLayer"] for one in layers.values())


def test_no_route_does_without_a_token():
    routes = [
        event for f in FUNCTION_RESOURCES.values() for event in f["Events"].values() if event["Type"] == "HttpApi"
    ]
    assert routes
    for route in routes:
        assert "Auth" not in route["Properties"]
        assert route["Properties"]["ApiId"] == {"Ref": "HttpApi"}


def test_routes_are_named_one_by_one_and_once():
    routes = [
        (event["Properties"]["Method"], event["Properties"]["Path"])
        for f in FUNCTION_RESOURCES.values()
        for event in f["Events"].values()
        if event["Type"] == "HttpApi"
    ]
    assert [route for route, count in Counter(routes).items() if count > 1] == []
    for method, path in routes:
        assert method in {"GET", "POST", "PUT", "DELETE"}
        assert path.startswith("/v1/")
        assert "+}" not in path, "a greedy path would take what no one meant"


def test_zone_data_comes_from_the_package():
    assert T["Globals"]["Function"]["Environment"]["Variables"]["PYTHONTZPATH"] == ""


def test_functions_run_the_same_python_on_the_same_processor_as_their_layers():
    everywhere = T["Globals"]["Function"]
    for layer in RESOURCES.values():
        if layer["Type"] == "AWS::Serverless::LayerVersion":
            assert layer["Properties"]["CompatibleRuntimes"] == [everywhere["Runtime"]]
            assert layer["Properties"]["CompatibleArchitectures"] == everywhere["Architectures"]
            assert layer["Metadata"]["BuildArchitecture"] == everywhere["Architectures"][0]


def test_every_layer_builds_from_a_makefile_in_its_folder():
    for name, layer in RESOURCES.items():
        if layer["Type"] == "AWS::Serverless::LayerVersion":
            makefile = ROOT / layer["Properties"]["ContentUri"] / "Makefile"
            assert f"\nbuild-{name}:" in makefile.read_text(encoding="utf-8")


def test_every_function_folder_is_deployed_and_every_deployed_folder_is_there():
    there = {path.parent.name for path in FUNCTIONS.glob("*/app.py")}
    deployed = {Path(one["CodeUri"]).name for one in FUNCTION_RESOURCES.values()}
    assert deployed == there


def test_no_name_is_fixed_so_two_stacks_live_in_one_account():
    for kind, attribute in [
        ("AWS::Serverless::Function", "FunctionName"),
        ("AWS::Logs::LogGroup", "LogGroupName"),
        ("AWS::Serverless::LayerVersion", "LayerName"),
    ]:
        for properties in of_type(kind).values():
            assert "${AWS::StackName}" in properties[attribute]["Fn::Sub"]
    for kind, attribute in [
        ("AWS::DynamoDB::Table", "TableName"),
        ("AWS::S3::Bucket", "BucketName"),
        ("AWS::SQS::Queue", "QueueName"),
        ("AWS::IAM::Role", "RoleName"),
    ]:
        for properties in of_type(kind).values():
            assert attribute not in properties


@pytest.mark.parametrize("section", ["Parameters", "Conditions"])
def test_nothing_is_declared_that_nothing_uses(section):
    rest = json.dumps({**T, "Parameters": {}, "Metadata": {}})
    for name in T[section]:
        used = (f'"{name}"' if section == "Conditions" else f'{{"Ref": "{name}"}}', f"${{{name}}}")
        # A condition's own definition is one use of its name.
        assert sum(rest.count(one) for one in used) > (1 if section == "Conditions" else 0), name
