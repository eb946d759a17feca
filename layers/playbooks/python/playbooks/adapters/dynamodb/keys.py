"""Every key of the table is built here and nowhere else. Tenant first, parts separated by `#`, ids without it."""

import hashlib
import zlib
from urllib.parse import quote

from playbooks.adapters.dynamodb.operations import Key
from playbooks.domain.ids import ConversationId, PlaybookId, RunId, StepId, TenantId, UserId
from playbooks.errors import PlaybooksError
from playbooks.ports.stores.notices import NoticeRef
from playbooks.ports.stores.wake_index import SHARDS, ScheduleRef

META = "META"
SCHED = "SCHED"


class UnsafeKeyPart(PlaybooksError):
    """Raised when an id would leave its place in a key; ids are checked at the edge, so this is a fault of ours."""

    code = "unsafe_key_part"


def _join(*parts: str) -> str:
    for part in parts:
        if not part or "#" in part:
            raise UnsafeKeyPart(f"An id may not be empty or contain '#': {part!r}.")
    return "#".join(parts)


def _escaped(name: str) -> str:
    """A name without `#` and without a dot."""
    return quote(name, safe="").replace(".", "%2E")


ZONES: Key = ("SYS", "ZONES")
"""How far the recomputation under new zone data is."""


def playbook_partition(tenant: TenantId, playbook: PlaybookId) -> str:
    """All items of a playbook."""
    return _join("T", tenant, "PB", playbook)


def playbook(tenant: TenantId, playbook_id: PlaybookId) -> Key:
    """The playbook itself."""
    return (playbook_partition(tenant, playbook_id), META)


def definition(tenant: TenantId, playbook_id: PlaybookId, version: int) -> Key:
    """The steps at a version."""
    return (playbook_partition(tenant, playbook_id), f"DEF#{version:04d}")


def saved_query(tenant: TenantId, playbook_id: PlaybookId, step: StepId) -> Key:
    """A step's saved query."""
    return (playbook_partition(tenant, playbook_id), f"SQL#{_join(step)}")


SAVED_QUERIES = "SQL#"


def saved_query_version(tenant: TenantId, playbook_id: PlaybookId, step: StepId, version: int) -> Key:
    """A former version of a step's saved query."""
    return (playbook_partition(tenant, playbook_id), f"{saved_query_versions(step)}{version:06d}")


def saved_query_versions(step: StepId) -> str:
    """The prefix of a step's former saved queries, oldest first."""
    return f"SQLV#{_join(step)}#"


def schedule(tenant: TenantId, playbook_id: PlaybookId) -> Key:
    """The playbook's schedule."""
    return (playbook_partition(tenant, playbook_id), SCHED)


def run_partition(tenant: TenantId, run_id: RunId) -> str:
    """All items of a run."""
    return _join("T", tenant, "RUN", run_id)


def run(tenant: TenantId, run_id: RunId) -> Key:
    """The run itself."""
    return (run_partition(tenant, run_id), META)


def step(tenant: TenantId, run_id: RunId, number: int) -> Key:
    """The result of a step."""
    return (run_partition(tenant, run_id), f"STEP#{number:02d}")


STEPS = "STEP#"


def checkpoint(tenant: TenantId, run_id: RunId, step_number: int, number: int) -> Key:
    """A checkpoint of a step."""
    return (run_partition(tenant, run_id), f"{checkpoints(step_number)}{number:04d}")


def call(tenant: TenantId, run_id: RunId, step_number: int, call_id: str) -> Key:
    """A call of an outside tool in the run's ledger."""
    return (run_partition(tenant, run_id), f"CALL#{step_number:02d}#{_join(call_id)}")


def checkpoints(step_number: int) -> str:
    """The prefix of a step's checkpoints."""
    return f"CK#{step_number:02d}#"


def notice(ref: NoticeRef) -> Key:
    """A notice below its run or its playbook."""
    if ref.run is not None:
        return (run_partition(ref.tenant, ref.run), f"NOTE#{_join(ref.id)}")
    assert ref.playbook is not None
    return (playbook_partition(ref.tenant, ref.playbook), f"NOTE#{_join(ref.id)}")


def user_partition(tenant: TenantId, user: UserId) -> str:
    """All items of a user."""
    return _join("T", tenant, "U", user)


USER_PLAYBOOKS = "PB#"
USER_DEVICES = "DEV#"


def user_playbook(tenant: TenantId, user: UserId, playbook_id: PlaybookId) -> Key:
    """The pointer from a user to a playbook."""
    return (user_partition(tenant, user), f"{USER_PLAYBOOKS}{_join(playbook_id)}")


def conversation(tenant: TenantId, user: UserId, conversation_id: ConversationId) -> Key:
    """An imported conversation."""
    return (user_partition(tenant, user), f"CONV#{_join(conversation_id)}")


def statement(tenant: TenantId, user: UserId, digest: str) -> Key:
    """A statement known here of a user, by its hash."""
    return (user_partition(tenant, user), f"STMT#{_join(digest)}")


def device(tenant: TenantId, user: UserId, device_id: str) -> Key:
    """A phone of a user."""
    return (user_partition(tenant, user), f"{USER_DEVICES}{_join(device_id)}")


def usage(tenant: TenantId, user: UserId, month: str) -> Key:
    """A user's usage in a month (`2026-11`)."""
    return (user_partition(tenant, user), f"USE#{_join(month)}")


def token(digest: str) -> Key:
    """The one owner of a device token."""
    return (f"TOK#{_join(digest)}", META)


def workspace_partition(tenant: TenantId) -> str:
    """What the administrator registered."""
    return _join("T", tenant, "WS")


WORKSPACE_DATABASES = "DB#"
WORKSPACE_PEOPLE = "PERSON#"


def workspace_database(tenant: TenantId, name: str) -> Key:
    """A registered database."""
    return (workspace_partition(tenant), f"{WORKSPACE_DATABASES}{_join(name)}")


def workspace_role_check(tenant: TenantId, database: str, where: tuple[str, ...], role: str) -> Key:
    """The last check of a database role on a server. Names may hold anything: a hash stands for them."""
    digest = hashlib.sha256("\0".join((*where, role)).encode()).hexdigest()[:32]
    return (workspace_partition(tenant), f"ROLE#{_join(database)}#{digest}")


def workspace_executors(tenant: TenantId) -> Key:
    """The query tools that the administrator added to the known ones."""
    return (workspace_partition(tenant), "TOOLS#executors")


def workspace_readers(database: str, table: str) -> str:
    """The prefix of the playbooks that read a table. Its name may hold anything: `%` escapes what is no letter."""
    return f"READS#{_escaped(database)}.{_escaped(table)}#"


def workspace_reader(tenant: TenantId, database: str, table: str, playbook_id: PlaybookId) -> Key:
    """That a playbook reads a table."""
    return (workspace_partition(tenant), f"{workspace_readers(database, table)}{_join(playbook_id)}")


def workspace_person(tenant: TenantId, user: UserId) -> Key:
    """A person of the workspace."""
    return (workspace_partition(tenant), f"{WORKSPACE_PEOPLE}{_join(user)}")


def shard_of(*parts: str) -> int:
    """A stable shard (CRC-32 over the parts)."""
    return zlib.crc32("#".join(parts).encode()) % SHARDS


def due_shard(shard: int) -> str:
    """The wake partition of schedules."""
    return f"DUE#{shard:02d}"


def work_shard(shard: int) -> str:
    """The wake partition of runs and notices."""
    return f"WORK#{shard:02d}"


def schedule_wake(tenant: TenantId, playbook_id: PlaybookId, at: str) -> dict[str, object]:
    """The wake attributes of a schedule."""
    return {
        "wake_pk": due_shard(shard_of(tenant, playbook_id)),
        "wake_sk": f"{at}#{_join(tenant, playbook_id)}",
    }


def work_wake(tenant: TenantId, owner: str, name: str, at: str) -> dict[str, object]:
    """The wake attributes of a run or a notice."""
    return {"wake_pk": work_shard(shard_of(tenant, owner)), "wake_sk": f"{at}#{_join(tenant, owner)}#{name}"}


def runs_of_playbook(tenant: TenantId, playbook_id: PlaybookId) -> str:
    """The run index's partition of a playbook."""
    return playbook_partition(tenant, playbook_id)


def parse_schedule(partition: str) -> ScheduleRef | None:
    """The schedule that a key names, or None."""
    match partition.split("#"):
        case ["T", tenant, "PB", playbook_id]:
            return ScheduleRef(TenantId(tenant), PlaybookId(playbook_id))
    return None


def parse_schedule_wake(sort: str) -> ScheduleRef | None:
    """The schedule that a wake sort key names, or None."""
    match sort.split("#"):
        case [_, tenant, playbook_id]:
            return ScheduleRef(TenantId(tenant), PlaybookId(playbook_id))
    return None


def parse_work(key: Key) -> tuple[TenantId, RunId] | NoticeRef | None:
    """The run or the notice that a key names, or None."""
    match [*key[0].split("#"), *key[1].split("#")]:
        case ["T", tenant, "RUN", run_id, "META"]:
            return (TenantId(tenant), RunId(run_id))
        case ["T", tenant, "RUN", run_id, "NOTE", note_id]:
            return NoticeRef(TenantId(tenant), RunId(run_id), None, note_id)
        case ["T", tenant, "PB", playbook_id, "NOTE", note_id]:
            return NoticeRef(TenantId(tenant), None, PlaybookId(playbook_id), note_id)
    return None
