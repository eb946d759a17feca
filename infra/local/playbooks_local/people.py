"""The sample people of the local stack, as an OpenID Connect issuer would describe them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Whom a token speaks of: the claims the product reads, nothing more."""

    name: str
    sub: str
    email: str
    tenant: str
    role: str = "member"
    groups: tuple[str, ...] = ()


MINA = Person(
    name="mina",
    sub="5f6c2a0e-6a1d-4a6e-9a35-0c6f1f5a7b01",
    email="mina@shop.example",
    tenant="shop",
    groups=("analysts",),
)
JOON = Person(
    name="joon",
    sub="0b8e4d52-3c0f-4b7b-8f0f-2f1f8a3f6c02",
    email="joon@shop.example",
    tenant="shop",
    role="admin",
    groups=("analysts", "admins"),
)
NOA = Person(
    name="noa",
    sub="c1d7e9aa-91d4-4d0c-b5c3-7a2f4f0e9d03",
    email="noa@shop.example",
    tenant="shop",
)
ADA = Person(
    name="ada",
    sub="9a3f0b6c-2e55-4c8a-8d71-6b1c2d3e4f04",
    email="ada@harbour.example",
    tenant="harbour",
    role="admin",
    groups=("analysts", "admins"),
)

# mina asks, joon administers, noa is in no group; ada is another tenant's.
PEOPLE = {person.name: person for person in (MINA, JOON, NOA, ADA)}
