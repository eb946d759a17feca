"""The main job on a real database: the sample chat becomes steps, the steps a workbook with the right numbers."""

import io
import json
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import openpyxl
import pg8000.native
import pytest

from playbooks.adapters.documents import document_writers
from playbooks.adapters.memory.outside import MemoryArtifacts
from playbooks.adapters.postgres import PostgresDatabases
from playbooks.application.steps.create_document import DocumentTools
from playbooks.application.steps.organize import OrganizeTools
from playbooks.application.steps.query_database import QueryTools
from playbooks.application.steps.run_query import QueryRunner
from playbooks.domain.conversation import collect, read_conversation
from playbooks.domain.ids import UserId
from playbooks.domain.sql.saved_query import from_conversation
from playbooks.ports.databases import Caps
from playbooks.ports.directory import Person, RegisteredDatabase
from playbooks_local import postgres
from playbooks_local.sample.chat import sample_chat
from playbooks_local.sample.shop import LOGIN, READER, fill_shop, sales_by_department
from playbooks_local.sample.shop_rows import Sizes
from playbooks_local.standin_model import StandInModel
from tests.contract.model.stand_in import DOCUMENT, ORGANIZE, QUERY, context, work

ZONE = "Asia/Seoul"
NOW = datetime(2026, 12, 7, 9, 0, tzinfo=ZoneInfo(ZONE))
PASSWORD = "secret"
ASK = "Find sales and the number of orders by department for last week, and the week before for comparison."


class Shop:
    """Workspace, directory and secrets of one registered database."""

    def __init__(self, port):
        roles = (("analysts", READER),)
        self.registered = RegisteredDatabase("shop", "127.0.0.1", port, "shop", "s", roles, "off")

    def database(self, _tenant, name):
        return self.registered if name == "shop" else None

    def databases(self, _tenant):
        return [self.registered]

    def people(self, _tenant, users):
        return {user: Person(UserId(user), "mina", frozenset({"analysts"}), zone=ZONE) for user in users}

    def get(self, _name):
        return {"user": LOGIN, "password": PASSWORD}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with postgres.start(tmp_path_factory.mktemp("postgres")) as running:
        running.create_database("shop")
        yield running


@pytest.fixture(scope="module")
def connect(server):
    """Connects as a user; the shop is filled."""

    def connected(user, password):
        return pg8000.native.Connection(user, host="127.0.0.1", port=server.port, database="shop", password=password)

    with connected("postgres", server.password) as owner:
        fill_shop(owner, now=NOW, login_password=PASSWORD, sizes=Sizes(30, 300, 60, 6_000, 500))
    return connected


def test_two_mondays_of_the_sample_chat_s_playbook_report_the_right_weeks(server, connect):
    """Made on the 30th of November; run on the 30th (with its literal dates) and on the 7th (with placeholders)."""
    with connect(LOGIN, PASSWORD) as login:
        record = sample_chat(login, today=date(2026, 11, 30), zone=ZONE)
    statement = collect(read_conversation(json.dumps(record).encode())).kept[-1].statement
    saved = from_conversation(statement, "c1", NOW)
    for monday, reused in ((date(2026, 11, 30), 0), (date(2026, 12, 7), 1)):
        at = datetime(monday.year, monday.month, monday.day, 9, tzinfo=ZoneInfo(ZONE)).astimezone(UTC)
        saved, sheet, notes = run(server, at, saved)
        with connect("postgres", server.password) as owner:
            expected = sales_by_department(owner, monday - timedelta(days=7), monday, ZONE)
            before = sales_by_department(owner, monday - timedelta(days=14), monday - timedelta(days=7), ZONE)
        earlier = {line.department: float(line.sales) for line in before}
        assert sheet == [
            ("Department", "Orders", "Sales", "Sales week before"),
            *((line.department, line.orders, float(line.sales), earlier[line.department]) for line in expected),
        ]
        assert f"{sum(line.sales for line in expected):,.2f}" in notes
        assert saved.reused == reused
    assert "2026" not in saved.statement


def run(server, at, saved):
    """The three steps of one run: the saved query for next time, the sheet's rows, the notes."""
    shop, artifacts = Shop(server.port), MemoryArtifacts()
    runner = QueryRunner(PostgresDatabases(), shop, shop, shop, artifacts, Caps(seconds=30))
    with StandInModel() as model:
        asking = context(QUERY, ASK, at=at, saved=saved)
        asked, _ = work(model.url, asking, QueryTools(asking, runner, at))
        earlier = [asked.as_result(asking, at)]
        comparing = context(ORGANIZE, "Say in short how each department compares.", at=at, earlier=earlier)
        compared, _ = work(model.url, comparing, OrganizeTools(comparing))
        earlier.append(compared.as_result(comparing, at))
        writing = context(DOCUMENT, "Write an Excel file.", at=at, earlier=earlier, inputs={"format": "xlsx"})
        written, _ = work(model.url, writing, DocumentTools(writing, artifacts, document_writers()))
    workbook = openpyxl.load_workbook(io.BytesIO(b"".join(artifacts.get(written.documents[0].key))))
    notes = " ".join(str(row[0]) for row in workbook["Notes"].values)
    return asked.saved_query.query, list(workbook.worksheets[0].values), notes
