"""The template as the emulator gets it: the same routes and settings, and nothing more left out than is named."""

import copy
import json

import pytest

from playbooks_local import rewrite
from playbooks_local.cloudformation_yaml import load_template
from playbooks_local.paths import TEMPLATE, emulator_python

pytestmark = pytest.mark.skipif(
    not emulator_python().exists(), reason="the emulator's environment is missing: run `make setup`"
)

T = load_template(TEMPLATE)
CODE = {
    name: {"Bucket": "b", "Key": name}
    for name, one in T["Resources"].items()
    if one["Type"].startswith("AWS::Serverless::") and one["Type"] != "AWS::Serverless::HttpApi"
}


@pytest.fixture(scope="module")
def local():
    before = copy.deepcopy(T)
    made = rewrite.for_emulator(
        T,
        code=CODE,
        parameters={"RunVisibilitySeconds": "7"},
        environment={"AWS_ENDPOINT_URL_SNS": "http://127.0.0.1:1"},
        region="us-east-1",
    )
    assert before == T
    return made


def of_type(template, kind):
    return {name: one["Properties"] for name, one in template["Resources"].items() if one["Type"] == kind}


def test_every_route_of_the_template_is_a_route_with_the_authorizer(local):
    expected = {
        f"{event['Properties']['Method']} {event['Properties']['Path']}"
        for function in of_type(T, "AWS::Serverless::Function").values()
        for event in function["Events"].values()
        if event["Type"] == "HttpApi"
    }
    routes = of_type(local, "AWS::ApiGatewayV2::Route").values()
    assert {route["RouteKey"] for route in routes} == expected
    (authorizer,) = of_type(local, "AWS::ApiGatewayV2::Authorizer")
    for route in routes:
        assert route["AuthorizationType"] == "JWT"
        assert route["AuthorizerId"] == {"Ref": authorizer}


def test_authorizer_keeps_issuer_and_audience(local):
    (authorizer,) = of_type(local, "AWS::ApiGatewayV2::Authorizer").values()
    assert authorizer["JwtConfiguration"] == {"Issuer": {"Ref": "Issuer"}, "Audience": [{"Ref": "Audience"}]}


def test_a_route_without_authorizer_stays_open():
    operation = {
        "x-amazon-apigateway-integration": {"uri": "arn", "payloadFormatVersion": "2.0"},
        "security": [{"NONE": []}],
    }
    body = {"info": {"title": "t"}, "paths": {"/open": {"get": operation}}}
    resources = {"Api": {"Type": "AWS::ApiGatewayV2::Api", "Properties": {"Body": body}}}
    rewrite.spell_out_routes(resources)
    (route,) = [one for one in resources.values() if one["Type"] == "AWS::ApiGatewayV2::Route"]
    assert route["Properties"]["RouteKey"] == "GET /open"
    assert route["Properties"]["AuthorizationType"] == "NONE"


def test_nothing_is_left_out_but_the_policies_that_refuse_plain_http(local):
    gone = set(T["Resources"]) - set(local["Resources"])
    layers = set(of_type(T, "AWS::Serverless::LayerVersion"))  # SAM names them anew at each change
    assert gone == {"BucketTlsOnly", "QueuesTlsOnly"} | layers
    assert len(of_type(local, "AWS::Lambda::LayerVersion")) == len(layers)


def test_a_policy_that_does_more_than_refuse_plain_http_is_kept():
    resources = {"Policy": {"Type": "AWS::SQS::QueuePolicy", "Properties": {"PolicyDocument": {"Statement": []}}}}
    rewrite.drop_what_is_not_carried(resources)
    assert "Policy" in resources


def test_local_data_goes_with_its_stack(local):
    assert all("DeletionPolicy" not in one for one in local["Resources"].values())


def test_a_number_parameter_is_a_number_and_in_the_environment_it_stays_a_reference(local):
    assert local["Resources"]["RunQueue"]["Properties"]["VisibilityTimeout"] == 7
    assert local["Resources"]["StepRunner"]["Properties"]["Timeout"] == 900
    variables = local["Resources"]["StepRunner"]["Properties"]["Environment"]["Variables"]
    assert variables["PLAYBOOKS_CALL_BUDGET_SECONDS"] == {"Ref": "CallBudgetSeconds"}


def test_every_function_gets_the_local_environment_and_keeps_its_own(local):
    functions = of_type(local, "AWS::Lambda::Function")
    assert len(functions) == len(of_type(T, "AWS::Serverless::Function"))
    for function in functions.values():
        variables = function["Environment"]["Variables"]
        assert variables["AWS_ENDPOINT_URL_SNS"] == "http://127.0.0.1:1"
        assert variables["PLAYBOOKS_TABLE"] == {"Ref": "Table"}


def test_roles_are_as_in_the_template_but_for_phones_and_batches(local):
    def comparable(roles):
        return [
            {**one, "Action": [action for action in one["Action"] if action != "sqs:SendMessageBatch"]}
            for one in statements(roles)
            if not one["Action"][0].startswith("sns:")
        ]

    assert comparable(of_type(local, "AWS::IAM::Role")) == comparable(of_type(T, "AWS::IAM::Role"))


def test_a_batch_may_be_sent_where_a_message_may(local):
    for statement in statements(of_type(local, "AWS::IAM::Role")):
        assert ("sqs:SendMessage" in statement["Action"]) == ("sqs:SendMessageBatch" in statement["Action"])


def test_publish_keeps_its_resource(local):
    published = [one for one in statements(of_type(local, "AWS::IAM::Role")) if one["Action"] == ["sns:Publish"]]
    assert published
    assert all(one["Resource"] != "*" and ":app/" in json.dumps(one["Resource"]) for one in published)


def statements(value):
    match value:
        case {"Effect": _, "Action": list()}:
            return [value]
        case dict():
            return [found for one in value.values() for found in statements(one)]
        case list():
            return [found for one in value for found in statements(one)]
        case _:
            return []
