"""`playbooks workspace FILE --table NAME`: make a deployment's people and databases what a file says."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

import boto3
from botocore.exceptions import BotoCoreError

from playbooks.bootstrap.administration import Registrations, registrations
from playbooks.errors import PlaybooksError
from playbooks.interfaces.playbook_yaml import read_yaml
from playbooks_local.workspace_file import WorkspaceFile, changes, parse_workspace

if TYPE_CHECKING:
    from collections.abc import Callable


class WorkspaceUnreachable(PlaybooksError):
    """Raised when the file cannot be read, or there are no AWS credentials or no region for the table."""

    code = "workspace_unreachable"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What follows the command's name."""
    parser.add_argument("file", type=Path, help="YAML or JSON: tenant, people, databases")
    parser.add_argument("--table", required=True, help="the deployment's table (output TableName of the stack)")
    parser.add_argument("--dry-run", action="store_true", help="say what would change and write nothing")


def run(arguments: argparse.Namespace, write: "Callable[[str], object]" = print) -> int:
    """0 when the workspace is as the file says. AWS credentials and region are the environment's."""
    try:
        text = arguments.file.read_bytes()
    except OSError as error:
        raise WorkspaceUnreachable(f"{arguments.file} cannot be read: {error.strerror}.") from error
    file = parse_workspace(read_yaml(text))
    try:
        workspace = registrations(boto3.client("dynamodb"), arguments.table)
    except BotoCoreError as error:
        said = str(error).rstrip(".")
        raise WorkspaceUnreachable(f"AWS cannot be asked: {said}. Set AWS_DEFAULT_REGION and credentials.") from error
    apply(file, workspace, write, dry_run=arguments.dry_run)
    return 0


def apply(
    file: WorkspaceFile, workspace: Registrations, write: "Callable[[str], object]", *, dry_run: bool = False
) -> None:
    """Write what differs, one line each; a second time nothing does."""
    found = changes(file, workspace.known_people(file.tenant), workspace.databases(file.tenant))
    found.told(write)
    if dry_run:
        return
    for name in found.removed:
        workspace.remove_database(file.tenant, name)
    for person in found.people:
        workspace.register_person(file.tenant, person)
    for database in found.databases:
        workspace.register_database(file.tenant, database)
