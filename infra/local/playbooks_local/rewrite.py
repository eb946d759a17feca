"""`template.yaml` as the emulator can carry it: the same functions, roles, queues, rule and routes.

What is changed, and why, is one function each; everything else reaches the emulator as it stands in the template.
`infra/decisions/0001-emulator.md` has the measured facts.
"""

import copy
import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from typing import Any

from playbooks_local.cloudformation_yaml import Template
from playbooks_local.paths import emulator_python
from playbooks_local.problems import EmulatorFailed

# JSON of any depth.
Json = Any

_FUNCTION = "AWS::Lambda::Function"
_SERVERLESS_CODE = {"AWS::Serverless::Function": "CodeUri", "AWS::Serverless::LayerVersion": "ContentUri"}
# One of these fails the creation of the whole stack.
_NOT_CARRIED = {"AWS::CloudWatch::CompositeAlarm", "AWS::Logs::QueryDefinition"}
_SNS_WITHOUT_RESOURCE = {"sns:CreatePlatformEndpoint", "sns:GetEndpointAttributes", "sns:SetEndpointAttributes"}
_POLICIES = {"AWS::S3::BucketPolicy", "AWS::SQS::QueuePolicy"}

# Runs in the emulator's environment, where the SAM translator is; template in, template out.
_TRANSLATE = """
import json, sys
from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator
json.dump(Translator({}, Parser()).translate(json.load(sys.stdin), {}), sys.stdout)
"""


def for_emulator(
    template: Template,
    *,
    code: Mapping[str, Mapping[str, str]],
    parameters: Mapping[str, str],
    environment: Mapping[str, str],
    region: str,
) -> Template:
    """Return the plain CloudFormation template to create.

    `code` maps the logical id of each function and layer to its `{"Bucket": …, "Key": …}`; `parameters` are the
    values the stack is made with; `environment` is given to every function on top of its own. Raises
    EmulatorFailed when SAM refuses the template.
    """
    local = translate(with_code(template, code), region)
    resources: dict[str, Any] = local["Resources"]
    drop_what_is_not_carried(resources)
    delete_with_the_stack(resources)
    spell_out_routes(resources)
    accept_push_resources(resources)
    accept_batches(resources)
    fill_in_numbers(local, parameters)
    for resource in resources.values():
        if resource["Type"] == _FUNCTION:
            resource["Properties"].setdefault("Environment", {}).setdefault("Variables", {}).update(environment)
    return local


def to_json(template: Template) -> bytes:
    """The template as CloudFormation reads it."""
    return json.dumps(template, sort_keys=True).encode()


def with_code(template: Template, code: Mapping[str, Mapping[str, str]]) -> Template:
    """Point every function and layer at its uploaded archive, as `sam package` does."""
    packaged = copy.deepcopy(template)
    for name, resource in packaged["Resources"].items():
        if (attribute := _SERVERLESS_CODE.get(resource["Type"])) is not None:
            resource["Properties"][attribute] = dict(code[name])
    return packaged


def translate(template: Template, region: str) -> Template:
    """Apply the SAM transform."""
    done = subprocess.run(
        [emulator_python(), "-I", "-c", _TRANSLATE],
        input=json.dumps(template),
        # The translator makes a boto3 session: the user's own AWS set-up is not its business.
        env={"PATH": os.environ.get("PATH", os.defpath), "AWS_DEFAULT_REGION": region},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise EmulatorFailed(f"SAM refused template.yaml: {reason}")
    translated: Template = json.loads(done.stdout)
    return translated


def drop_what_is_not_carried(resources: dict[str, Any]) -> None:
    """Leave out resource types the emulator fails on, and policies that refuse plain HTTP: loopback has no TLS."""
    for name, resource in list(resources.items()):
        refuses_http = resource["Type"] in _POLICIES and "aws:SecureTransport" in json.dumps(resource)
        if resource["Type"] in _NOT_CARRIED or refuses_http:
            del resources[name]


def delete_with_the_stack(resources: dict[str, Any]) -> None:
    """A local stack keeps nothing: data is retained on AWS only."""
    for resource in resources.values():
        resource.pop("DeletionPolicy", None)
        resource.pop("UpdateReplacePolicy", None)


def spell_out_routes(resources: dict[str, Any]) -> None:
    """SAM writes an HTTP API's routes into its OpenAPI body, which the emulator ignores: make resources of them."""
    for api, resource in list(resources.items()):
        if resource["Type"] == "AWS::ApiGatewayV2::Api" and "Body" in resource["Properties"]:
            body = resource["Properties"].pop("Body")
            resource["Properties"].pop("FailOnWarnings", None)
            resource["Properties"].update(Name=body["info"]["title"], ProtocolType="HTTP")
            resources.update(_authorizers(api, body))
            resources.update(_routes(api, body))


def _authorizers(api: str, body: Mapping[str, Any]) -> dict[str, Any]:
    schemes = body.get("components", {}).get("securitySchemes", {})
    return {
        f"{api}Authorizer{name}": {
            "Type": "AWS::ApiGatewayV2::Authorizer",
            "Properties": {
                "ApiId": {"Ref": api},
                "Name": name,
                "AuthorizerType": "JWT",
                "IdentitySource": [scheme["x-amazon-apigateway-authorizer"]["identitySource"]],
                "JwtConfiguration": {
                    "Issuer": scheme["x-amazon-apigateway-authorizer"]["jwtConfiguration"]["issuer"],
                    "Audience": scheme["x-amazon-apigateway-authorizer"]["jwtConfiguration"]["audience"],
                },
            },
        }
        for name, scheme in schemes.items()
    }


def _routes(api: str, body: Mapping[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    integrations: dict[str, str] = {}
    for path, methods in body["paths"].items():
        for method, operation in methods.items():
            integration = operation["x-amazon-apigateway-integration"]
            key = json.dumps(integration, sort_keys=True)
            target = integrations.setdefault(key, f"{api}Integration{len(integrations)}")
            made[target] = {
                "Type": "AWS::ApiGatewayV2::Integration",
                "Properties": {
                    "ApiId": {"Ref": api},
                    "IntegrationType": "AWS_PROXY",
                    "IntegrationUri": integration["uri"],
                    "PayloadFormatVersion": integration["payloadFormatVersion"],
                },
            }
            verb = "ANY" if method == "x-amazon-apigateway-any-method" else method.upper()
            made[f"{api}Route{len(made)}"] = {
                "Type": "AWS::ApiGatewayV2::Route",
                "Properties": {
                    "ApiId": {"Ref": api},
                    "RouteKey": "$default" if path == "/$default" else f"{verb} {path}",
                    "Target": {"Fn::Join": ["/", ["integrations", {"Ref": target}]]},
                    **_authorization(api, operation),
                },
            }
    return made


def _authorization(api: str, operation: Mapping[str, Any]) -> dict[str, Any]:
    for requirement in operation.get("security", []):
        for name in requirement:
            if name != "NONE":
                return {"AuthorizationType": "JWT", "AuthorizerId": {"Ref": f"{api}Authorizer{name}"}}
    return {"AuthorizationType": "NONE"}


def accept_push_resources(resources: dict[str, Any]) -> None:
    """Say in the roles what the emulator takes for the resource of a call to SNS about phones.

    It names an endpoint `…:app/GCM/…`, AWS `…:endpoint/GCM/…`; and of the calls in `_SNS_WITHOUT_RESOURCE` it sees
    no resource at all, so that only the action is enforced here.
    """
    for resource in resources.values():
        if resource["Type"] == "AWS::IAM::Role":
            properties = _replaced(resource["Properties"], ":endpoint/", ":app/")
            for statement in _statements(properties):
                if _SNS_WITHOUT_RESOURCE.issuperset(statement["Action"]):
                    statement["Resource"] = "*"
            resource["Properties"] = properties


def accept_batches(resources: dict[str, Any]) -> None:
    """On AWS `sqs:SendMessage` allows `SendMessageBatch` too; the emulator asks for an action of that name."""
    for resource in resources.values():
        if resource["Type"] == "AWS::IAM::Role":
            for statement in _statements(resource["Properties"]):
                if "sqs:SendMessage" in statement["Action"]:
                    statement["Action"].append("sqs:SendMessageBatch")


def _statements(value: Json) -> Iterator[dict[str, Any]]:
    match value:
        case {"Effect": _, "Action": list()}:
            yield value
        case dict():
            for one in value.values():
                yield from _statements(one)
        case list():
            for one in value:
                yield from _statements(one)


def fill_in_numbers(template: Template, parameters: Mapping[str, str]) -> None:
    """The emulator leaves a number that comes from a parameter a string and then compares it: write the number."""
    numbers = {
        name: int(parameters.get(name, declared.get("Default", 0)))
        for name, declared in template["Parameters"].items()
        if declared["Type"] == "Number"
    }
    for resource in template["Resources"].values():
        properties = resource.get("Properties", {})
        for key in properties:
            if key != "Environment":  # the values of environment variables are strings
                properties[key] = _with_numbers(properties[key], numbers)


def _with_numbers(value: Json, numbers: Mapping[str, int]) -> Json:
    match value:
        case {"Ref": str(name)} if name in numbers:
            return numbers[name]
        case list():
            return [_with_numbers(one, numbers) for one in value]
        case dict():
            return {key: _with_numbers(one, numbers) for key, one in value.items()}
        case _:
            return value


def _replaced(value: Json, old: str, new: str) -> Json:
    match value:
        case str():
            return value.replace(old, new)
        case list():
            return [_replaced(one, old, new) for one in value]
        case dict():
            return {key: _replaced(one, old, new) for key, one in value.items()}
        case _:
            return value
