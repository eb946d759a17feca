"""A person's own database: what is wrong is said in the words of its URL, and what its user may do is told."""

import pytest

from playbooks.errors import PlaybooksError
from playbooks_local.demo.own_database import OwnDatabaseFault, read_own_database, risks_of
from playbooks_local.postgres import PostgresServer

NOWHERE = "n" * 64 + ".example"  # too long a name to be asked for


@pytest.fixture(scope="module")
def server(postgres_server: PostgresServer) -> PostgresServer:
    postgres_server.create_database("own")
    return postgres_server


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("postgresql://postgres:wrong-hunter2@127.0.0.1:{port}/own", "refuses the user postgres for the database own"),
        ("postgresql://nobody:wrong-hunter2@127.0.0.1:{port}/own", "check user and password in the URL"),
        ("postgresql://postgres:{password}@127.0.0.1:{port}/none", "has no database none"),
        ("postgresql://postgres:{password}@127.0.0.1:1/own", "does not answer at 127.0.0.1:1"),
        ("postgresql://postgres:{password}@{nowhere}:{port}/own", "check host and port in the URL"),
    ],
)
def test_a_wrong_part_of_the_url_is_named(url: str, said: str, server: PostgresServer) -> None:
    wrong = read_own_database(url.format(port=server.port, password=server.password, nowhere=NOWHERE))
    with pytest.raises(OwnDatabaseFault) as refused:
        risks_of(wrong)
    assert said in refused.value.message
    assert "regist" not in refused.value.message
    assert server.password not in refused.value.message
    assert "hunter2" not in refused.value.message


def test_the_password_may_stand_in_the_environment(server: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"postgresql://postgres@127.0.0.1:{server.port}/own"
    monkeypatch.delenv("PGPASSWORD", raising=False)
    with pytest.raises(PlaybooksError):
        risks_of(read_own_database(url))
    monkeypatch.setenv("PGPASSWORD", server.password)
    assert "role_superuser" in {risk.code for risk in risks_of(read_own_database(url))}
