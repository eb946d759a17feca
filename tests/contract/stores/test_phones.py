"""What the store of phones promises, whatever table it lies on."""

import pytest

from playbooks.adapters.dynamodb.operations import Table
from tests.world import ACME, MINA, World


@pytest.fixture
def world(table: Table) -> World:
    return World(table=table).people()


def test_a_phone_has_one_owner_and_the_former_one_loses_it_in_the_same_write(world: World):
    """F31"""
    from playbooks.application.identity import Caller
    from playbooks.domain.ids import UserId
    from playbooks.ports.push import Platform

    joon = Caller(ACME, UserId("joon"))
    world.use_devices.register(joon, Platform.FCM, "TOKEN-OF-MINA")
    assert world.devices.of_user(ACME, MINA) == []
    assert [device.token for device in world.devices.of_user(ACME, joon.user)] == ["TOKEN-OF-MINA"]
