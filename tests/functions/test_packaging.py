"""Each function as it is shipped: in a bare interpreter that sees its folder, its layers and boto3, no more."""

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from playbooks_local.build import build_layers, copy_package_layer
from playbooks_local.cloudformation_yaml import load_template
from playbooks_local.paths import ROOT, TEMPLATE, emulator_python

T = load_template(TEMPLATE)
FUNCTIONS = {
    name: one["Properties"] for name, one in T["Resources"].items() if one["Type"] == "AWS::Serverless::Function"
}
# What AWS documents as the most a function and its layers may be, unpacked.
LIMIT_BYTES = 250 * 1024 * 1024
IMPORT = "import json, sys; sys.path[:] += json.loads(sys.argv[1]); import app; assert callable(app.lambda_handler)"

pytestmark = pytest.mark.skipif(
    not emulator_python().exists(), reason="the emulator's environment is missing: run `make setup`"
)


@pytest.fixture(scope="module")
def layers(tmp_path_factory):
    """Layer name → built folder; our own package copied as it is shipped."""
    built = dict(build_layers())
    built["playbooks"] = copy_package_layer(tmp_path_factory.mktemp("layer"))
    return built


@pytest.fixture(scope="module")
def runtime_folder(tmp_path_factory):
    """Only boto3 and what it needs: Lambda's Python brings them, so no layer does."""
    folder = tmp_path_factory.mktemp("lambda-runtime")
    wanted, seen = ["boto3"], set()
    while wanted:
        name = wanted.pop()
        if name in seen:
            continue
        seen.add(name)
        distribution = importlib.metadata.distribution(name)
        for requirement in distribution.requires or []:
            if "extra ==" not in requirement:
                wanted.append(re.match(r"[A-Za-z0-9._-]+", requirement)[0])
        for top in {file.parts[0] for file in distribution.files if file.parts[0] not in {"..", "__pycache__"}}:
            if not (folder / top).exists():
                (folder / top).symlink_to(distribution.locate_file(top))
    return folder


def default_of(reference):
    parameter = T["Parameters"].get(reference.get("Ref", ""), {})
    return str(parameter.get("Default", "")) or "placeholder"


def layer_names(function):
    return [Path(T["Resources"][one["Ref"]]["Properties"]["ContentUri"]).name for one in function["Layers"]]


def environment(function):
    """What the template gives the function: a parameter's default, and a placeholder for what only AWS knows."""
    variables = {**T["Globals"]["Function"]["Environment"]["Variables"], **function["Environment"]["Variables"]}
    filled = {name: value if isinstance(value, str) else default_of(value) for name, value in variables.items()}
    seconds = {name: "60" for name in filled if name.endswith("_SECONDS")}
    return {**filled, **seconds, "AWS_DEFAULT_REGION": "us-east-1", "PATH": os.defpath}


def load(function, layers, runtime_folder, tmp_path, *, without=()):
    folder = tmp_path / "task"
    shutil.copytree(ROOT / function["CodeUri"], folder, ignore=shutil.ignore_patterns("__pycache__"))
    names = [name for name in layer_names(function) if name not in without]
    paths = [str(folder), *(str(layers[name] / "python") for name in names), str(runtime_folder)]
    return subprocess.run(
        [emulator_python(), "-I", "-S", "-B", "-c", IMPORT, json.dumps(paths)],
        env=environment(function),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_needs_nothing_but_its_layers(name, layers, runtime_folder, tmp_path):
    done = load(FUNCTIONS[name], layers, runtime_folder, tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_without_its_runtime_layer_does_not_load(name, layers, runtime_folder, tmp_path):
    """The interpreter of these tests really sees nothing else."""
    done = load(FUNCTIONS[name], layers, runtime_folder, tmp_path, without={"runtime"})
    assert "ModuleNotFoundError: No module named 'aws_lambda_powertools'" in done.stderr


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_with_its_layers_is_small_enough(name, layers):
    size = sum(
        file.stat().st_size
        for layer in layer_names(FUNCTIONS[name])
        for file in layers[layer].rglob("*")
        if file.is_file() and file.suffix != ".pyc"
    )
    print(f"{name}: {size / 1024 / 1024:.0f} MB of 250")
    assert size < LIMIT_BYTES


@pytest.mark.parametrize("layer", ["playbooks", "runtime", "engine"])
def test_layer_holds_no_path_file_no_aws_client_no_test_and_no_local_stack(layer, layers):
    """A `.pth` file would run at start; the others have no place on Lambda."""
    content = {path.name for path in (layers[layer] / "python").iterdir()}
    assert content
    assert not list(layers[layer].rglob("*.pth"))
    assert content.isdisjoint({"boto3", "botocore", "s3transfer", "pytest", "hypothesis", "tests", "playbooks_local"})


def test_package_stands_in_its_layer_only(layers):
    for name, folder in layers.items():
        assert (folder / "python" / "playbooks").exists() == (name == "playbooks")


@pytest.mark.parametrize("package", ["pydantic", "tzdata"])
def test_package_that_must_agree_with_itself_stands_in_one_layer(package, layers):
    assert sum((folder / "python" / package).exists() for folder in layers.values()) == 1
