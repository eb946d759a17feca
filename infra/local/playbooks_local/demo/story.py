"""The demo's story, told over the HTTP API: chat → playbook → schedule → run → file → push → second run."""

import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote
from zoneinfo import ZoneInfo

from playbooks.errors import PlaybooksError
from playbooks_local.api_client import ApiClient, download
from playbooks_local.demo.telling import Teller
from playbooks_local.format_words import format_words
from playbooks_local.problems import NoPermission
from playbooks_local.stack import LocalStack

CONVERSION_SECONDS = 120
RUN_SECONDS = 240
LEAD_SECONDS = 12
OVER = frozenset({"completed", "stopped", "failed", "cancelled", "skipped", "blocked"})
_FOR_NEXT_TIME: Mapping[str, str] = {
    "replaced": "It left new SQL for the next run.",
    "reused": "The saved SQL proved good once more and stays.",
    "kept": "The saved SQL stays as it was.",
}
"""What the log's word for a saved query means."""


class DemoFailed(PlaybooksError):
    """Raised when the story did not go as it must; the message says where, and what the product said."""

    code = "demo_failed"


@dataclass
class Story:
    """One telling. `zone` is the schedule's; files go to `out`."""

    stack: LocalStack
    api: ApiClient
    tell: Teller
    zone: str
    out: Path
    _shown: dict[str, str] = field(default_factory=dict)
    """Where each statement was shown: none is printed twice."""

    def bring_chat(self, record: bytes) -> str:
        """Import the record and say what is kept of it and what is not."""
        self.tell.heading("The chat is imported; nothing of it is executed again")
        shown = self.api.call("POST", "/v1/conversations", record)
        self.tell.line(f"{shown['title']!r}: {shown['turns']} turns, read as {format_words(shown['format'])}.")
        self.tell.line(f"Kept, word for word, because it ran and came back good: {len(shown['kept'])}")
        for query in shown["kept"]:
            dates = f" (literal dates: {', '.join(query['literal_dates'])})" if query["literal_dates"] else ""
            self.tell.line(f"#{query['number']}{dates}")
            self.tell.sql(query["statement"])
            self._shown[query["statement"].strip()] = f"#{query['number']} of the chat"
        self.tell.line(f"Dropped: {len(shown['dropped'])}")
        for item in shown["dropped"]:
            first = " ".join(item["statement"].split())[:60]
            self.tell.line(f"- {first} … : {item['reason']}")
        conversation: str = shown["id"]
        return conversation

    def convert(self, conversation: str) -> str:
        """Let the converter make the playbook, and show it."""
        self.tell.heading("A model plans the steps; the converter works over SQS")
        path = f"/v1/conversations/{conversation}/playbook"
        asked = self.api.post(path, {"zone": self.zone}, key=f"demo-{uuid.uuid4()}")
        done = self._wait(f"/v1/conversions/{asked['id']}", CONVERSION_SECONDS)
        if done["status"] != "completed":
            raise DemoFailed(f"The conversion ended as {done['status']}: {done['reason']}")
        playbook: str = done["playbook"]
        shown = self.api.get(f"/v1/playbooks/{playbook}")
        self.tell.line(f"Playbook {shown['title']!r}, {done['tokens']} tokens")
        for number, step in enumerate(shown["steps"], 1):
            inputs = ", ".join(f"{name} {value}" for name, value in step["inputs"].items())
            self.tell.line(f"{number}. {step['kind']}{f' ({inputs})' if inputs else ''}: {step['instruction']}")
            if step["saved_query"]:
                self._sql(
                    "Its saved SQL, a suggestion to the run, is", step["saved_query"]["statement"], "the saved SQL"
                )
        self.tell.lines(f"Note: {warning}" for warning in shown["warnings"])
        if shown["schedule"] is not None:
            self.tell.line(
                "The schedule that was asked for in the chat, its next five from the scheduler's own function:"
            )
            self.tell.lines(_occurrence(item) for item in shown["schedule"]["upcoming"])
        else:
            self.tell.line("The chat named no schedule, so none is proposed.")
        return playbook

    def run_on_schedule(self, playbook: str) -> dict[str, Any]:
        """Give it a time within the minute and wait for the real rule to fire."""
        self.tell.heading("It is due within the minute; EventBridge's per-minute rule is to find it")
        due = _next_minute(datetime.now(UTC))
        local = due.astimezone(ZoneInfo(self.zone)).replace(tzinfo=None)
        rule = {"start": local.isoformat(timespec="minutes"), "zone": self.zone, "unit": "days", "interval": 1}
        rev = self.api.get(f"/v1/playbooks/{playbook}")["rev"]
        self.api.put(f"/v1/playbooks/{playbook}/schedule", {"rev": rev, "rule": rule})
        self.api.post(f"/v1/playbooks/{playbook}/enable")
        seconds = (due - datetime.now(UTC)).total_seconds()
        self.tell.line(f"On, every day at {local:%H:%M} {self.zone}: first in {seconds:.0f} s. Waiting …")
        run = self._wait_for_run(playbook, due)
        self.tell.line(f"The rule fired: run {run['id']} for {run['occurrence']} was claimed, and is {run['status']}.")
        return self._show_run(run)

    def run_again(self, playbook: str) -> dict[str, Any]:
        """Run it now: the SQL that the first run left, with its placeholders, is the suggestion."""
        self.tell.heading("The second run is given the SQL that the first one left")
        for step in self.api.get(f"/v1/playbooks/{playbook}")["steps"]:
            if saved := step["saved_query"]:
                self._sql("The saved SQL is", saved["statement"], "the saved SQL")
                self.tell.lines(
                    f"{{{{{p['name']}}}}} {p['type']}: {p['description']} (example {p['example']})"
                    for p in saved["placeholders"]
                )
        asked = self.api.post(f"/v1/playbooks/{playbook}/runs", key=f"demo-{uuid.uuid4()}")
        run = self._wait(f"/v1/runs/{asked['id']}", RUN_SECONDS)
        self.tell.line(f"Run {run['id']} is {run['status']}.")
        return self._show_run(run)

    def fetch_documents(self, run: dict[str, Any]) -> list[Path]:
        """Fetch the files of a run by their short-lived links; raises NoPermission, DemoFailed."""
        files = []
        for step in run["steps"]:
            for document in step["documents"]:
                link = self.api.get(f"/v1/runs/{run['id']}/documents/{quote(document['name'], safe='')}")["link"]
                try:
                    data = download(link)
                except OSError as error:
                    raise DemoFailed(f"The file {document['name']} could not be fetched: {error}") from error
                file = self.out / run["id"] / document["name"]
                _write(file, data)
                files.append(file)
        return files

    def pushes(self, count: int) -> None:
        """Say what the phone showed."""
        self.tell.heading("The phone shows a push for each run, sent after the run's end was written")
        for push in self.stack.recorder.wait_for(count, 90):
            shown = push.platform("GCM")["fcmV1Message"]["message"]["notification"]
            self.tell.line(f"{shown['title']}: {shown['body']}")

    def _show_run(self, run: dict[str, Any]) -> dict[str, Any]:
        shown: dict[str, Any] = self.api.get(f"/v1/runs/{run['id']}")
        for step in shown["steps"]:
            self.tell.line(f"{step['step']}. {step['kind']}, {step['outcome']}: {step['summary']}")
            for query in step["queries"]:
                found = f"{query['rows']} rows in {query['milliseconds']} ms."
                came = found if query["ok"] else f"it failed: {query['error'].rstrip('.')}."
                source = "The saved SQL, filled for this run," if query["suggested"] else "The model's SQL"
                self._sql(f"As {query['role']}: {came} {source} is", query["statement"], "what ran before")
            for told in (*step["text"].splitlines(), *step["notes"]):
                self.tell.detail(told)
            if step["saved_query"]:
                self.tell.detail(_FOR_NEXT_TIME.get(step["saved_query"], step["saved_query"]))
        if shown["status"] != "completed":
            raise DemoFailed(f"The run ended as {shown['status']}: {shown['reason']}")
        return shown

    def _sql(self, begin: str, statement: str, name: str) -> None:
        """A statement, or where it stands already, after the beginning of a sentence."""
        known = self._shown.get(statement.strip())
        if known is not None:
            self.tell.detail(f"{begin} unchanged from {known}.")
            return
        self.tell.detail(f"{begin}:")
        self.tell.sql(statement)
        self._shown[statement.strip()] = name

    def _wait_for_run(self, playbook: str, due: datetime) -> dict[str, Any]:
        wanted = due.isoformat(timespec="seconds").replace("+00:00", "Z")
        deadline = time.monotonic() + RUN_SECONDS
        while time.monotonic() < deadline:
            for run in self.api.get(f"/v1/playbooks/{playbook}/runs")["runs"]:
                if run["due"] == wanted and run["status"] in OVER:
                    found: dict[str, Any] = run
                    return found
            time.sleep(1)
        raise DemoFailed(f"No run for {wanted} came to an end within {RUN_SECONDS} s.")

    def _wait(self, path: str, seconds: int) -> dict[str, Any]:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            shown: dict[str, Any] = self.api.get(path)
            if shown["status"] in OVER:
                return shown
            time.sleep(0.5)
        raise DemoFailed(f"{path} came to no end within {seconds} s.")


def _write(file: Path, data: bytes) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    except OSError as error:
        raise NoPermission(file.parent, error.strerror or str(error)) from error


def _next_minute(now: datetime) -> datetime:
    return (now + timedelta(seconds=60 + LEAD_SECONDS)).replace(second=0, microsecond=0)


def _occurrence(item: dict[str, Any]) -> str:
    moved = f", {item['moved']}" if item["moved"] else ""
    return f"- {item['local']} = {item['at']}{moved}"
