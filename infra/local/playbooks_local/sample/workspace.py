"""What the administrator of the sample workspace registered, and who works in it."""

from playbooks.domain.ids import UserId
from playbooks.ports.directory import Person, RegisteredDatabase
from playbooks_local.people import PEOPLE
from playbooks_local.sample.shop import DATABASE, LOGIN, READER

TENANT = "shop"
ZONE = "Asia/Seoul"
SECRET = "playbooks/sample-shop"  # noqa: S105 - the name of a secret, not a secret


def sample_database(*, host: str, port: int) -> RegisteredDatabase:
    """The shop, as the group of analysts may read it. The secret holds `secret_value`."""
    return RegisteredDatabase(
        name=DATABASE,
        host=host,
        port=port,
        database=DATABASE,
        secret=SECRET,
        roles=(("analysts", READER),),
        tls="off",
        description="The sample shop: orders, customers, products, employees and their departments.",
    )


def secret_value(password: str) -> dict[str, str]:
    """The secret with the login of the shop's database."""
    return {"user": LOGIN, "password": password}


def sample_people(*, zone: str = ZONE, language: str = "en") -> tuple[Person, ...]:
    """Who works in the sample workspace as its directory knows them; mina asks, joon administers, noa only looks on."""
    return tuple(
        Person(UserId(person.sub), person.name, frozenset(person.groups), zone=zone, language=language)
        for person in PEOPLE.values()
        if person.tenant == TENANT
    )
