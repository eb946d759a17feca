"""The routes that are deployed are the routes there are."""

import re

from playbooks.interfaces.api.routes import build_resolver
from playbooks_local.cloudformation_yaml import load_template
from playbooks_local.paths import TEMPLATE
from tests.unit.api.client import use_cases
from tests.world import World


def test_the_template_deploys_every_route_and_no_other():
    world = World()
    app = build_resolver(use_cases(world), tenant_claim="custom:tenant", telemetry=world.telemetry)
    paths = app.get_openapi_schema().paths or {}
    there = {
        (method.upper(), re.sub(r"<(\w+)>", r"{\1}", path))
        for path, item in paths.items()
        for method in ("get", "post", "put", "delete", "patch")
        if getattr(item, method) is not None
    }
    function = load_template(TEMPLATE)["Resources"]["Api"]["Properties"]
    events = [event["Properties"] for event in function["Events"].values() if event["Type"] == "HttpApi"]
    assert there
    assert {(event["Method"], event["Path"]) for event in events} == there
