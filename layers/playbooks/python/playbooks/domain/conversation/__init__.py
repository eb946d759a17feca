"""Chat records of any client as one typed conversation, and the SELECTs that succeeded in it."""

from playbooks.domain.conversation.confirmed import (
    Collected,
    ConfirmedQuery,
    DroppedStatement,
    collect,
)
from playbooks.domain.conversation.detect import detect
from playbooks.domain.conversation.executors import ExecutorTools
from playbooks.domain.conversation.json_record import open_record
from playbooks.domain.conversation.model import (
    Conversation,
    ConversationListing,
    LeftOut,
    LeftOutReason,
    ResultState,
    Role,
    ToolCall,
    ToolResult,
    Turn,
)
from playbooks.domain.conversation.reading import SEVERAL, list_conversations, read_conversation

__all__ = [
    "SEVERAL",
    "Collected",
    "ConfirmedQuery",
    "Conversation",
    "ConversationListing",
    "DroppedStatement",
    "ExecutorTools",
    "LeftOut",
    "LeftOutReason",
    "ResultState",
    "Role",
    "ToolCall",
    "ToolResult",
    "Turn",
    "collect",
    "detect",
    "list_conversations",
    "open_record",
    "read_conversation",
]
