"""`playbooks workspace FILE --table NAME`: make a deployment's people and databases what a file says."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

import boto3
from botocore.exceptions import BotoCoreError

from playbooks.adapters.dynamodb.table import DynamoTable
from playbooks.adapters.dynamodb.workspace import DynamoWorkspace
from playbooks.errors import PlaybooksError
from playbooks.interfaces.playbook_yaml import read_yaml
from playbooks_local.workspace_file import WorkspaceFile, changes, parse_workspace

if TYPE_CHECKING:
    from collections.abc import Callable

    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 - argparse names no public type


class WorkspaceUnreachable(PlaybooksError):
    """Raised when the file cannot be read, or there are no AWS credentials or no region for the table."""

    code = "workspace_unreachable"


def add_to(subparsers: "Subparsers") -> None:
    """Register the subcommand."""
    parser = subparsers.add_parser("workspace", help="register a deployment's people and databases from a file")
    parser.add_argument("file", type=Path, help="YAML or JSON: tenant, people, databases")
    parser.add_argument("--table", required=True, help="the deployment's table (output TableName of the stack)")
    parser.add_argument("--dry-run", action="store_true", help="say what would change and write nothing")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, write: "Callable[[str], object]" = print) -> int:
    """0 when the workspace is as the file says. AWS credentials and region are the environment's."""
    try:
        text = arguments.file.read_bytes()
    except OSError as error:
        raise WorkspaceUnreachable(f"{arguments.file} cannot be read: {error.strerror}.") from error
    file = parse_workspace(read_yaml(text))
    try:
        table = DynamoTable(boto3.client("dynamodb"), arguments.table)
    except BotoCoreError as error:
        said = str(error).rstrip(".")
        raise WorkspaceUnreachable(f"AWS cannot be asked: {said}. Set AWS_DEFAULT_REGION and credentials.") from error
    apply(file, DynamoWorkspace(table), write, dry_run=arguments.dry_run)
    return 0


def apply(
    file: WorkspaceFile, workspace: DynamoWorkspace, write: "Callable[[str], object]", *, dry_run: bool = False
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
