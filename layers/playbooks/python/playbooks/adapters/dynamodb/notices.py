"""The owed notices: claimed before they are published, settled after."""

from dataclasses import replace
from datetime import datetime, timedelta

from playbooks.adapters.dynamodb import keys
from playbooks.adapters.dynamodb.codec import instant
from playbooks.adapters.dynamodb.items import notice_item, read_notice
from playbooks.adapters.dynamodb.operations import (
    AllOf,
    AnyOf,
    ConditionFailed,
    Equals,
    Less,
    Missing,
    Put,
    Table,
    Update,
)
from playbooks.domain.notice import CLAIM_FOR, Notice
from playbooks.ports.stores.notices import NoticeRef


class DynamoNotices:
    """`NoticeStore` on the table."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def notice(self, ref: NoticeRef) -> Notice | None:
        stored = self._table.get(keys.notice(ref))
        return read_notice(stored) if stored is not None else None

    def claim(self, ref: NoticeRef, now: datetime) -> Notice | None:
        until = now + CLAIM_FOR
        owner = str(ref.run or ref.playbook)
        change: dict[str, object] = {
            "claimed_until": instant(until),
            "due": instant(until),
            **keys.work_wake(ref.tenant, owner, f"NOTE#{ref.id}", instant(until)),
        }
        owed = AllOf(
            (
                # Not before it is due: a stale index would use up the tries of a throttled one within a minute.
                Less("due", instant(now + timedelta(microseconds=1))),
                Missing("sent_at"),
                AnyOf((Missing("claimed_until"), Less("claimed_until", instant(now)))),
            )
        )
        try:
            self._table.write(Update(keys.notice(ref), change, add={"tries": 1}, condition=owed))
        except ConditionFailed:
            return None
        claimed = self.notice(ref)
        # A pause between the two may have outlived the claim: then it is somebody else's.
        return claimed if claimed is not None and claimed.claimed_until == until else None

    def settle(self, claimed: Notice, after: Notice) -> bool:
        assert claimed.claimed_until is not None
        mine = Equals("claimed_until", instant(claimed.claimed_until))
        try:
            self._table.write(Put(notice_item(replace(after, claimed_until=None)), mine))
        except ConditionFailed:
            return False
        return True
