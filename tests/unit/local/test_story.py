"""What the demo says of a chat, its playbook and a run, and where the files go."""

import pytest

from playbooks_local.demo import story
from playbooks_local.demo.story import DemoFailed, Story
from playbooks_local.demo.telling import Teller
from playbooks_local.problems import NoPermission

WEEK = "SELECT 1 AS sales"
MOVING = "SELECT {{start}} AS sales"


class Answers:
    """An API that answers by path."""

    def __init__(self, **answers):
        self.answers = answers

    def get(self, path):
        return self.answers[path.rsplit("/", 1)[-1]]

    def call(self, method, path, body):
        return self.get(path)

    def post(self, path, body=None, *, key=None):
        return self.get(path)


def query(**changed):
    base = {"statement": WEEK, "suggested": False, "ok": True, "rows": 6, "milliseconds": 7, "role": "reader"}
    return {**base, "error": "", **changed}


def step(number, kind, **changed):
    base = {"step": number, "kind": kind, "outcome": "done", "summary": "Done.", "text": "", "notes": []}
    return {**base, "queries": [], "documents": [], "saved_query": "", **changed}


def run(*steps):
    return {"id": "r1", "status": "completed", "reason": "", "steps": list(steps)}


CHAT = {
    "id": "c1", "title": "Sales", "turns": 4, "format": "anthropic_messages", "dropped": [],
    "kept": [{"number": 3, "literal_dates": [], "statement": WEEK}],
}  # fmt: skip
PLAYBOOK = {
    "title": "Sales", "warnings": [], "schedule": None,
    "steps": [
        {"kind": "query_database", "inputs": {"database": "shop"}, "instruction": "Find.",
         "saved_query": {"statement": WEEK, "placeholders": []}},
        {"kind": "organize", "inputs": {}, "instruction": "Say.", "saved_query": None},
    ],
}  # fmt: skip


@pytest.fixture
def told():
    return []


def telling(told, tmp_path, **answers):
    return Story(None, Answers(**answers), Teller(told.append), "UTC", tmp_path)


def test_a_statement_is_printed_once_and_then_named(told, tmp_path):
    first = run(step(1, "query_database", queries=[query()], saved_query="replaced"))
    converted = {"id": "v1", "status": "completed", "playbook": "p1", "tokens": 7}
    one = telling(told, tmp_path, conversations=CHAT, playbook={"id": "v1"}, v1=converted, p1=PLAYBOOK, r1=first)
    one.convert(one.bring_chat(b"{}"))
    one._show_run(first)
    text = "\n".join(told)
    assert text.count(f"| {WEEK}") == 1
    assert "read as Anthropic Messages." in text
    assert "   2. organize: Say." in told
    assert "The model's SQL is unchanged from #3 of the chat." in text
    assert "It left new SQL for the next run." in text
    assert "()" not in text


def test_what_the_steps_wrote_and_why_a_query_failed_is_shown(told, tmp_path):
    shown = run(
        step(1, "query_database", queries=[query(ok=False, error="No such column."), query(statement=MOVING)]),
        step(2, "organize", text="Sales are 12.\nThe best is Online.", notes=["saved SQL failed; rewritten"]),
    )
    telling(told, tmp_path, r1=shown)._show_run(shown)
    text = "\n".join(told)
    assert "As reader: it failed: No such column. The model's SQL is:" in text
    assert f"| {MOVING}" in text
    for line in ("      Sales are 12.", "      The best is Online.", "      saved SQL failed; rewritten"):
        assert line in told


def test_files_that_cannot_be_written_or_fetched_are_told_in_a_line(told, tmp_path, monkeypatch):
    (tmp_path / "r1").write_text("in the way")
    finished = run(step(1, "create_document", documents=[{"name": "a.xlsx", "size": 1}]))
    one = telling(told, tmp_path, **{"a.xlsx": {"link": "http://127.0.0.1:9/"}})
    monkeypatch.setattr(story, "download", lambda _link: b"PK")
    with pytest.raises(NoPermission, match=r"cannot write to .*r1"):
        one.fetch_documents(finished)

    def gone(_link):
        raise ConnectionResetError("gone")

    monkeypatch.setattr(story, "download", gone)
    with pytest.raises(DemoFailed, match=r"a\.xlsx could not be fetched: gone"):
        one.fetch_documents(finished)
