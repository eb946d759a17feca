"""A stand-in for the language model on a machine without a key: it works by rules and says so.

It speaks Anthropic's Messages API on a loopback port, so that the real client and adapter are exercised, and reads
nothing but the prompt. It is no language model: it understands the sample chat and chats like it, in English and
Korean, and says what it cannot do instead of guessing.
"""

from playbooks_local.standin_model.faults import Fault, FaultKind
from playbooks_local.standin_model.server import StandInModel
from playbooks_local.standin_model.wire import STAND_IN

__all__ = ["STAND_IN", "Fault", "FaultKind", "StandInModel"]
