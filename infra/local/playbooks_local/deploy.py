"""Puts `template.yaml` onto the emulated AWS: archives uploaded, stack created or updated, outputs read."""

import hashlib
import io
import time
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from botocore.exceptions import ClientError

from playbooks_local import rewrite
from playbooks_local.aws import Account, Client
from playbooks_local.cloudformation_yaml import Template
from playbooks_local.problems import EmulatorFailed

_ARTIFACTS = "playbooks-deployment"
_DEADLINE_SECONDS = 60.0
# A zip holds a time of change; one and the same for all makes equal content equal bytes.
_EPOCH = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What is deployed: the template, where its functions stand, and each layer's built folder by its name."""

    template: Template
    root: Path
    layers: Mapping[str, Path]


def deploy(
    account: Account,
    source: Source,
    *,
    stack: str,
    parameters: Mapping[str, str],
    environment: Mapping[str, str],
) -> dict[str, str]:
    """Create or update the stack and return its outputs. Raises EmulatorFailed with the first reason."""
    _make_bucket(account)
    code = {name: _upload(account, archive) for name, archive in _archives(source)}
    local = rewrite.for_emulator(
        source.template, code=code, parameters=parameters, environment=environment, region=account.region
    )
    url = _upload_template(account, local)
    cloudformation = account.client("cloudformation")
    request = {
        "StackName": stack,
        "TemplateURL": url,
        "Capabilities": ["CAPABILITY_IAM", "CAPABILITY_NAMED_IAM"],
        "Parameters": [{"ParameterKey": key, "ParameterValue": value} for key, value in parameters.items()],
    }
    try:
        if _exists(cloudformation, stack):
            cloudformation.update_stack(**request)
        else:
            cloudformation.create_stack(**request)
    except ClientError as error:
        message = error.response.get("Error", {}).get("Message", str(error))
        if "No updates are to be performed" not in message:
            raise EmulatorFailed(f"the emulated AWS refused template.yaml: {message}") from error
    return _outputs_when_done(cloudformation, stack)


def thin_layer(folder: Path) -> bytes:
    """A layer's archive that only points at its built folder: a worker starts without unpacking megabytes."""
    line = f"import sys; sys.path.insert(0, {str(folder / 'python')!r})\n"
    # The emulator reads a layer's site-packages of any version; the folder's name is a label.
    return _zip({"python/lib/python3.13/site-packages/_local.pth": line.encode()})


def _archives(source: Source) -> Iterable[tuple[str, bytes]]:
    for name, resource in source.template["Resources"].items():
        properties = resource.get("Properties", {})
        match resource["Type"]:
            case "AWS::Serverless::Function":
                yield name, _zip_folder(source.root / properties["CodeUri"])
            case "AWS::Serverless::LayerVersion":
                yield name, thin_layer(source.layers[Path(properties["ContentUri"]).name])


def _zip_folder(folder: Path) -> bytes:
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
    if not files:
        raise EmulatorFailed(f"the function folder {folder} is missing or empty.")
    return _zip(files)


def _zip(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _make_bucket(account: Account) -> None:
    try:
        account.client("s3").create_bucket(Bucket=_ARTIFACTS)
    except ClientError as error:
        if error.response["Error"]["Code"] not in {"BucketAlreadyOwnedByYou", "BucketAlreadyExists"}:
            raise


def _upload(account: Account, archive: bytes) -> dict[str, str]:
    key = f"{hashlib.sha256(archive).hexdigest()}.zip"
    account.client("s3").put_object(Bucket=_ARTIFACTS, Key=key, Body=archive)
    return {"Bucket": _ARTIFACTS, "Key": key}


def _upload_template(account: Account, template: Template) -> str:
    """Over 51,200 bytes a template goes by way of S3, on AWS and here."""
    body = rewrite.to_json(template)
    key = f"{hashlib.sha256(body).hexdigest()}.template"
    account.client("s3").put_object(Bucket=_ARTIFACTS, Key=key, Body=body)
    return f"{account.url}/{_ARTIFACTS}/{key}"


def _exists(cloudformation: Client, stack: str) -> bool:
    try:
        cloudformation.describe_stacks(StackName=stack)
    except ClientError:
        return False
    return True


def _outputs_when_done(cloudformation: Client, stack: str) -> dict[str, str]:
    deadline = time.monotonic() + _DEADLINE_SECONDS
    while time.monotonic() < deadline:
        described = cloudformation.describe_stacks(StackName=stack)["Stacks"][0]
        status: str = described["StackStatus"]
        if status in {"CREATE_COMPLETE", "UPDATE_COMPLETE"}:
            return {one["OutputKey"]: one["OutputValue"] for one in described.get("Outputs", [])}
        if not status.endswith("_IN_PROGRESS"):
            reason = _first_failure(cloudformation, stack) or described.get("StackStatusReason", status)
            raise EmulatorFailed(f"the emulated AWS could not make the stack: {reason}")
        time.sleep(0.05)
    raise EmulatorFailed(f"the emulated AWS did not finish the stack within {_DEADLINE_SECONDS:.0f} seconds.")


def _first_failure(cloudformation: Client, stack: str) -> str | None:
    events = cloudformation.describe_stack_events(StackName=stack)["StackEvents"]
    for event in reversed(events):
        if event["ResourceStatus"].endswith("_FAILED"):
            return f"{event['LogicalResourceId']}: {event.get('ResourceStatusReason', 'no reason given')}"
    return None
