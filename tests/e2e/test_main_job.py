"""From a messy chat to the file and the push, by the real rule, under the roles of the template."""

import io
import json
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import openpyxl
import pytest

from playbooks_local.api_client import ApiProblem, download
from playbooks_local.sample.shop import DATABASE, sales_by_department
from tests.e2e.conftest import ZONE


@pytest.fixture(scope="module")
def converted(installation):
    """The playbook as the conversion made it, before any run."""
    story = installation.story
    return installation.api.get(f"/v1/playbooks/{story.convert(story.bring_chat(installation.record))}")


@pytest.fixture(scope="module")
def playbook(converted):
    return converted["id"]


@pytest.fixture(scope="module")
def runs(installation, playbook):
    """The scheduled run, then one that was asked for."""
    installation.stack.recorder.clear()
    return [installation.story.run_on_schedule(playbook), installation.story.run_again(playbook)]


def test_the_playbook_keeps_the_final_requirement_and_the_statement_word_for_word(installation, converted):
    query = converted["steps"][0]
    said = [
        block["input"]["sql"]
        for message in json.loads(installation.record)["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "tool_use" and "sql" in block["input"]
    ]
    assert query["saved_query"]["statement"] in said
    assert "department" in query["instruction"]
    assert "quotes" not in query["saved_query"]["statement"]
    assert not any(step["may_end_run"] for step in converted["steps"])
    rule = converted["schedule"]["rule"]
    assert (rule["unit"], rule["weekdays"], rule["zone"]) == ("weeks", ["mon"], ZONE)


def test_the_workbook_says_what_the_database_says(installation, runs):
    rows = workbook_rows(installation, runs[0])
    with installation.stack.postgres.connection(DATABASE) as connection:
        expected = sales_by_department(connection, *last_week(), ZONE)
    assert [(row[0], row[1], row[2]) for row in rows[1:]] == [
        (sales.department, sales.orders, pytest.approx(float(sales.sales), abs=0.005)) for sales in expected
    ]
    assert len(expected) > 3


def test_the_first_run_leaves_sql_with_placeholders_and_the_second_runs_it_unchanged(installation, playbook, runs):
    first, second = (run["steps"][0] for run in runs)
    assert (first["saved_query"], second["saved_query"]) == ("replaced", "reused")
    assert [query["suggested"] for query in second["queries"]] == [True]
    saved = installation.api.get(f"/v1/playbooks/{playbook}")["steps"][0]["saved_query"]
    assert (saved["reused"], saved["rewritten"]) == (1, 1)
    assert {placeholder["type"] for placeholder in saved["placeholders"]} == {"date"}
    assert workbook_rows(installation, runs[0]) == workbook_rows(installation, runs[1])


def test_each_run_is_told_once_and_only_after_it_was_written(installation, runs):
    pushes = installation.stack.recorder.wait_for(2, 90)
    named = [push.platform("GCM")["fcmV1Message"]["message"]["data"]["link"] for push in pushes]
    assert sorted(named) == sorted(run["id"] for run in runs)


def test_every_statement_ran_as_the_persons_role(runs):
    queries = [query for run in runs for step in run["steps"] for query in step["queries"]]
    assert {query["role"] for query in queries} == {"shop_reader"}
    assert all(query["tables"] for query in queries)


def test_somebody_else_sees_nothing_of_it(installation, playbook, runs):
    other = type(installation.api)(installation.stack.api_url, installation.stack.token("noa"))
    for path in (f"/v1/playbooks/{playbook}", f"/v1/runs/{runs[0]['id']}"):
        with pytest.raises(ApiProblem) as refused:
            other.get(path)
        assert refused.value.code == "not_found"


def workbook_rows(installation, run):
    (document,) = [document for step in run["steps"] for document in step["documents"]]
    link = installation.api.get(f"/v1/runs/{run['id']}/documents/{document['name'].replace(' ', '%20')}")["link"]
    workbook = openpyxl.load_workbook(io.BytesIO(download(link)))
    return [tuple(cell.value for cell in row) for row in workbook.worksheets[0].iter_rows()]


def last_week() -> tuple[date, date]:
    today = datetime.now(ZoneInfo(ZONE)).date()
    monday = today - timedelta(days=today.weekday())
    return monday - timedelta(days=7), monday
