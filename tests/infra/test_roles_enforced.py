"""What each function's role lets it do, asked of the emulated AWS, which enforces it."""

import json
from pathlib import Path
from string import Template

import pytest

from playbooks_local.cloudformation_yaml import load_template
from playbooks_local.paths import TEMPLATE

CASES = json.loads((Path(__file__).parents[1] / "cases" / "template" / "role_calls.json").read_text(encoding="utf-8"))
DENIED = {"AccessDenied", "AccessDeniedException", "AuthorizationError"}
# Lambda itself writes the log, and Bedrock is not emulated: no function makes these calls here.
NOT_ASKED = {"logs:CreateLogStream", "logs:PutLogEvents", "bedrock:InvokeModel"}


@pytest.fixture(scope="module")
def names(probe_stack):
    """What the cases name with a `$`."""
    sns, secrets = probe_stack.client("sns"), probe_stack.client("secretsmanager")
    return {
        **probe_stack.outputs,
        **probe_stack.parameters,
        "EndpointArn": sns.create_platform_endpoint(
            PlatformApplicationArn=probe_stack.parameters["FcmApplicationArn"], Token="a-phone"
        )["EndpointArn"],
        "DatabaseSecret": probe_stack.put_secret("shop", "{}"),
        "OtherSecret": secrets.create_secret(Name="someone-elses", SecretString="x")["ARN"],
    }


@pytest.fixture(scope="module")
def outcomes(probe_stack, names):
    """Every case's outcome, with one invocation a function."""
    found = {}
    for function in {case["function"] for case in CASES}:
        mine = [case for case in CASES if case["function"] == function]
        calls = json.loads(Template(json.dumps([case["call"] for case in mine])).substitute(names))
        answers = probe_stack.invoke(f"{function}Name", {"calls": calls})
        found.update(zip((case["id"] for case in mine), answers, strict=True))
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_role(case, outcomes):
    assert (outcomes[case["id"]] not in DENIED) == case["allowed"], outcomes[case["id"]]


def test_every_action_of_every_role_is_asked():
    asked = {(case["function"], case["action"]) for case in CASES if case["allowed"]}
    for name, resource in load_template(TEMPLATE)["Resources"].items():
        if resource["Type"] == "AWS::IAM::Role":
            for action in actions(resource["Properties"]["Policies"]) - NOT_ASKED:
                assert (name.removesuffix("Role"), action) in asked


def actions(value):
    match value:
        case {"Effect": _, "Action": list(listed)}:
            return set(listed)
        case dict():
            return set().union(*(actions(one) for one in value.values()))
        case list():
            return set().union(*(actions(one) for one in value))
        case _:
            return set()
