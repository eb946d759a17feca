"""The stand-in works on steps: the dates are today's, the SQL for next time holds placeholders."""

from datetime import timedelta

import pytest

from playbooks.adapters.documents import document_writers
from playbooks.adapters.memory.outside import MemoryArtifacts
from playbooks.application.artifact_keys import dataset_key
from playbooks.application.steps.create_document import DocumentTools
from playbooks.application.steps.organize import OrganizeTools
from playbooks.application.steps.query_database import QueryTools
from playbooks.domain.dataset import Column, ColumnType, encode
from playbooks.domain.playbook import StepKind
from playbooks.domain.run import Outcome
from playbooks.domain.sql.placeholders import check_submission
from playbooks.domain.sql.saved_query import from_conversation
from playbooks.ports.stores.runs import StepResult, StoredDataset
from playbooks_local.standin_model import StandInModel
from tests.contract.model.stand_in import COLUMNS, DOCUMENT, ORGANIZE, QUERY, SALES, Database, context, monday, work

WEEKLY = """SELECT d.name AS department, COUNT(*) AS orders,
       SUM(o.amount) FILTER (WHERE o.ordered_at >= DATE '2026-11-23') AS sales,
       SUM(o.amount) FILTER (WHERE o.ordered_at < DATE '2026-11-23') AS sales_week_before
FROM orders o JOIN departments d ON d.id = o.department_id
WHERE o.ordered_at >= DATE '2026-11-16' AND o.ordered_at < DATE '2026-11-30'
GROUP BY d.name"""
ASK = "Find sales by department for last week, and the week before for comparison."


@pytest.fixture(scope="module")
def url():
    with StandInModel() as model:
        yield model.url


def saved(statement=WEEKLY):
    return from_conversation(statement, "c1", monday(1))


def query(url, database, *, at, of, instruction=ASK):
    step = context(QUERY, instruction, at=at, saved=of)
    return work(url, step, QueryTools(step, database, at))


def moved(statement, days):
    return (
        statement.replace("11-16", "x")
        .replace("11-23", "y")
        .replace("11-30", "z")
        .replace("x", days[0])
        .replace("y", days[1])
        .replace("z", days[2])
    )


def test_literal_dates_are_moved_and_come_back_as_placeholders(url):
    database = Database()
    result, said = query(url, database, at=monday(7), of=saved())
    assert database.asked == [moved(WEEKLY, ["11-23", "11-30", "12-07"])]
    assert result.outcome is Outcome.DONE
    assert "2 rows" in result.summary
    new = result.saved_query.query
    assert "2026" not in new.statement
    assert [(item.name, item.example) for item in new.placeholders] == [
        ("previous_start", "2026-11-23"),
        ("period_start", "2026-11-30"),
        ("period_end", "2026-12-07"),
    ]
    assert check_submission(new.statement, new.placeholders) == ()
    assert all(said)


@pytest.mark.parametrize("instruction", [ASK, "지난주 부서별 매출 조회. 비교를 위해 그 전주 값도 함께 조회."])
def test_the_next_runs_fill_the_placeholders_and_leave_them_unchanged(url, instruction):
    kept = query(url, Database(), at=monday(7), of=saved())[0].saved_query.query
    for week, days in ((14, ["11-30", "12-07", "12-14"]), (21, ["12-07", "12-14", "12-21"])):
        database = Database()
        result, _ = query(url, database, at=monday(week), of=kept, instruction=instruction)
        assert database.asked == [moved(WEEKLY, days)]
        assert result.saved_query.query.reused == kept.reused + 1
        kept = result.saved_query.query
    assert kept.version == 2


def test_a_query_without_dates_is_run_as_it_is(url):
    database = Database()
    plain = "SELECT name FROM departments"
    result, _ = query(url, database, at=monday(7), of=saved(plain), instruction="List the departments.")
    assert database.asked == [plain]
    assert result.saved_query.query.reused == 1


def test_a_wrong_name_is_mended_once_from_the_tables(url):
    database = Database(fails="departmet")
    wrong = "SELECT departmet FROM orders WHERE ordered_at >= DATE '2026-11-23' AND ordered_at < DATE '2026-11-30'"
    result, _ = query(url, database, at=monday(7), of=saved(wrong))
    assert database.asked[1].startswith("SELECT department FROM orders")
    assert result.outcome is Outcome.DONE
    assert result.saved_query.query.statement.startswith("SELECT department FROM orders")


def test_a_failure_that_stays_is_a_failed_step_with_its_reason(url):
    database = Database(fails="SELECT", error="permission denied for table orders")
    result, _ = query(url, database, at=monday(7), of=saved())
    assert result.outcome is Outcome.FAILED
    assert "permission denied" in result.summary
    assert result.saved_query is None
    assert len(database.asked) == 1


def test_without_a_saved_query_it_says_that_it_writes_no_sql(url):
    database = Database()
    result, _ = query(url, database, at=monday(7), of=None)
    assert result.outcome is Outcome.FAILED
    assert "ANTHROPIC_API_KEY" in result.summary
    assert database.asked == []


def earlier(preview_rows=2, text=""):
    preview = str(SALES[:preview_rows]).replace("'", '"')
    dataset = StoredDataset("s1_q1", dataset_key("t", "r", "s1_q1"), 2, 10, COLUMNS, preview, "")
    tried = StoredDataset("s1_q0", "k", 1, 10, (("x", "integer"),), "[[1]]", "")
    return [_result(0, "query_database", datasets=(tried, dataset)), _result(1, "organize", text=text)]


def _result(number, kind, **more):
    return StepResult(
        step=number, step_id=f"s{number}", kind=kind, outcome="done", summary="done", ended_at=monday(7), **more
    )


def test_an_organize_step_compares_with_the_period_before(url):
    step = context(ORGANIZE, "Say in short how each department compares.", at=monday(7), earlier=earlier()[:1])
    result, _ = work(url, step, OrganizeTools(step))
    assert result.text == (
        "Sales in total: 250.50, +25.1% against 200.25 in the period before. Largest: Online with 200.50. "
        "Each: Online +100.0%, Retail -50.0%."
    )


def test_an_organize_step_speaks_the_language_of_its_instruction(url):
    step = context(ORGANIZE, "부서별로 그 전주와 비교해 짧게 정리.", at=monday(7), earlier=earlier()[:1])
    result, _ = work(url, step, OrganizeTools(step))
    assert result.text.startswith("매출 합계는 250.50로")


def test_an_organize_step_without_rows_says_so(url):
    step = context(ORGANIZE, "Summarize.", at=monday(7), earlier=earlier(preview_rows=0)[:1])
    result, _ = work(url, step, OrganizeTools(step))
    assert result.text == "The earlier steps found no rows."


def test_a_document_step_writes_the_last_dataset_with_headers_for_a_reader(url):
    artifacts = MemoryArtifacts()
    columns = tuple(Column(name, ColumnType(kind), kind) for name, kind in COLUMNS)
    artifacts.put(dataset_key("t", "r", "s1_q1"), encode(columns, []), "application/jsonl")
    instruction = "조회한 행과 정리한 글을 작성."
    step = context(DOCUMENT, instruction, at=monday(7), earlier=earlier(text="정리"), inputs={"format": "md"})
    result, _ = work(url, step, DocumentTools(step, artifacts, document_writers()))
    (document,) = result.documents
    text = b"".join(artifacts.get(document.key)).decode()
    assert "| 부서 | 주문 수 | 매출 | 그 전주 매출 |" in text
    assert "정리" in text


def test_a_kind_of_step_without_a_rule_fails_and_says_what_helps(url):
    step = context(StepKind.READ_DOCUMENTS, "Find the minutes.", at=monday(7) + timedelta(days=1))
    result, _ = work(url, step, OrganizeTools(step))
    assert result.outcome is Outcome.FAILED
    assert "read_documents" in result.summary
