"""The sample workspace on a running stack: the shop filled and registered, and the messy chat about it."""

import json
import secrets
from datetime import datetime
from zoneinfo import ZoneInfo

from playbooks_local.demo.database_url import DatabaseUrl
from playbooks_local.demo.workspace import register_database
from playbooks_local.people import MINA
from playbooks_local.sample.chat import sample_chat
from playbooks_local.sample.shop import DATABASE, LOGIN, READER, fill_shop
from playbooks_local.sample.shop_rows import Sizes
from playbooks_local.stack import LocalStack

DESCRIPTION = "The sample shop: orders, customers, products, employees and their departments."


def fill_and_register(
    stack: LocalStack, *, zone: str, language: str, sizes: Sizes | None = None
) -> tuple[bytes, dict[str, int]]:
    """The record of the chat, and the rows of each table."""
    assert stack.postgres is not None
    password = secrets.token_urlsafe(24)
    stack.postgres.create_database(DATABASE)
    now = datetime.now(ZoneInfo(zone))
    with stack.postgres.connection(DATABASE) as owner:
        counts = fill_shop(owner, now=now, login_password=password, sizes=sizes)
    shop = DatabaseUrl("127.0.0.1", stack.postgres.port, DATABASE, LOGIN, password)
    register_database(stack, MINA.tenant, DATABASE, shop, role=READER, description=DESCRIPTION)
    with stack.postgres.connection(DATABASE, user=LOGIN, password=password) as reader:
        record = sample_chat(reader, today=now.date(), zone=zone, language=language)
    return json.dumps(record, ensure_ascii=False).encode(), counts
