"""Where the parts of a checkout stand: found from this file, so the command works from any folder."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
TEMPLATE = ROOT / "template.yaml"
FUNCTIONS = ROOT / "functions"
LAYERS = ROOT / "layers"
BUILD = ROOT / ".build"
STATE = ROOT / ".local"


def emulator_python() -> Path:
    """The Python of the emulator's own environment (`make setup` makes it; `PLAYBOOKS_EMULATOR` names another)."""
    environment = Path(os.environ.get("PLAYBOOKS_EMULATOR", ROOT / ".emu"))
    return environment / "bin" / "python"
