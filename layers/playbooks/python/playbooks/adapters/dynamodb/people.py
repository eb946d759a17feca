"""People's things: imported conversations and phones."""

import hashlib
from collections.abc import Collection, Sequence

from playbooks.adapters.dynamodb import keys
from playbooks.adapters.dynamodb.codec import pack, unpack
from playbooks.adapters.dynamodb.items import item
from playbooks.adapters.dynamodb.operations import (
    NEW,
    AllOf,
    ConditionFailed,
    Delete,
    Equals,
    Put,
    Table,
    Update,
    Write,
)
from playbooks.adapters.dynamodb.statements import statement_writes
from playbooks.adapters.dynamodb.writing import Pause, transact
from playbooks.domain.ids import ConversationId, TenantId, UserId
from playbooks.ports.push import Device
from playbooks.ports.stores.faults import StoreBusy
from playbooks.ports.stores.people import ConversationRecord


class DynamoConversations:
    """`ConversationStore` on the table."""

    def __init__(self, table: Table, pause: Pause) -> None:
        self._table = table
        self._pause = pause

    def save(self, record: ConversationRecord, confirmed: Collection[str]) -> None:
        origin = f"conversation {record.id}"
        writes: list[Write] = [Put(item(keys.conversation(record.tenant, record.user, record.id), pack(record)))]
        writes += statement_writes(record.tenant, record.user, [(statement, origin) for statement in confirmed])
        transact(self._table, writes, self._pause)

    def conversation(self, tenant: TenantId, user: UserId, conversation: ConversationId) -> ConversationRecord | None:
        stored = self._table.get(keys.conversation(tenant, user, conversation))
        return unpack(ConversationRecord, stored) if stored is not None else None


class DynamoDevices:
    """`DeviceStore` on the table. iOS tokens come back in lower case, so the owner's key is over that form."""

    def __init__(self, table: Table, pause: Pause) -> None:
        self._table = table
        self._pause = pause

    def register(self, device: Device) -> None:
        token = keys.token(hashlib.sha256(device.token.lower().encode()).hexdigest())
        for _ in range(5):
            owner = self._table.get(token)
            mine = {"tenant": device.tenant, "user": device.user, "device": device.id}
            writes: list[Write] = [
                Put(item(keys.device(device.tenant, device.user, device.id), pack(device))),
                Put(
                    item(token, mine),
                    NEW if owner is None else AllOf((Equals("tenant", owner["tenant"]), Equals("user", owner["user"]))),
                ),
            ]
            if owner is not None and (owner["tenant"], owner["user"]) != (device.tenant, device.user):
                former = keys.device(TenantId(str(owner["tenant"])), UserId(str(owner["user"])), str(owner["device"]))
                writes.append(Delete(former))
            if transact(self._table, writes, self._pause) is None:
                return
        raise StoreBusy("Somebody registers the same device at this moment; try again.")

    def of_user(self, tenant: TenantId, user: UserId) -> Sequence[Device]:
        found, _ = self._table.query(keys.user_partition(tenant, user), prefix=keys.USER_DEVICES)
        return [unpack(Device, stored) for stored in found]

    def deactivate(self, device: Device) -> None:
        key = keys.device(device.tenant, device.user, device.id)
        try:
            self._table.write(Update(key, {"active": False}, condition=Equals("endpoint", device.endpoint)))
        except ConditionFailed:
            return
