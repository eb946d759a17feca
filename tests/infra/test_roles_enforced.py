"""What each function's role lets it do, asked of the emulated AWS, which enforces it."""

import json
from pathlib import Path
from string import Template

import pytest

from playbooks_local.cloudformation_yaml import load_template
from playbooks_local.paths import TEMPLATE

CASES = json.loads((Path(__file__).parents[1] / "cases" / "template" / "role_calls.json").read_text(encoding="utf-8"))
DENIED = {"AccessDenied", "AccessDeniedException", "AuthorizationError"}
# Lambda itself writes the log, Bedrock is not emulated, and this stack's people are the workspace's: no function makes
# these calls here.
NOT_ASKED = {
    *("logs:CreateLogStream", "logs:PutLogEvents", "bedrock:InvokeModel"),
    *("cognito-idp:AdminGetUser", "cognito-idp:AdminListGroupsForUser"),
}


def actions(policies):
    return {action for statement in statements(policies) for action in statement["Action"]}


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


def grants():
    """Every single permission of the template: function, statement, action."""
    for name, resource in load_template(TEMPLATE)["Resources"].items():
        if resource["Type"] == "AWS::IAM::Role":
            for statement in statements(resource["Properties"]["Policies"]):
                for action in set(statement["Action"]) - NOT_ASKED:
                    yield name.removesuffix("Role"), statement["Sid"], action


@pytest.mark.parametrize(("function", "sid", "action"), sorted(grants()))
def test_a_permission_that_is_taken_away_is_missed(function, sid, action, probe_stack, names):
    """So no permission stands in a role that no case needs, and no case passes whatever the role says."""
    iam = probe_stack.client("iam")
    role = probe_stack.client("lambda").get_function(FunctionName=probe_stack.outputs[f"{function}Name"])
    role_name = role["Configuration"]["Role"].rpartition("/")[2]
    (policy_name,) = iam.list_role_policies(RoleName=role_name)["PolicyNames"]
    before = iam.get_role_policy(RoleName=role_name, PolicyName=policy_name)["PolicyDocument"]
    iam.put_role_policy(
        RoleName=role_name, PolicyName=policy_name, PolicyDocument=json.dumps(without(before, sid, action))
    )
    try:
        mine = [case["call"] for case in CASES if (case["function"], case["action"]) == (function, action)]
        calls = json.loads(Template(json.dumps(mine)).substitute(names))
        answers = probe_stack.invoke(f"{function}Name", {"calls": calls})
    finally:
        iam.put_role_policy(RoleName=role_name, PolicyName=policy_name, PolicyDocument=json.dumps(before))
    allowed = [case["allowed"] for case in CASES if (case["function"], case["action"]) == (function, action)]
    assert any(may and answer in DENIED for may, answer in zip(allowed, answers, strict=True)), answers


def without(policy, sid, action):
    """The policy with one action taken from one statement; a statement left with none goes."""
    kept = []
    for statement in policy["Statement"]:
        if statement["Sid"] == sid:
            left = [one for one in statement["Action"] if one != action]
            kept += [{**statement, "Action": left}] if left else []
        else:
            kept.append(statement)
    assert kept != policy["Statement"]
    return {**policy, "Statement": kept}
