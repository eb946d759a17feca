"""`python -m playbooks_local.standin_model --port N`: the stand-in until Ctrl-C or SIGTERM."""

import argparse
import signal
import sys
import threading

from playbooks.errors import PlaybooksError
from playbooks_local.standin_model.server import StandInModel
from playbooks_local.standin_model.wire import STAND_IN


def main() -> int:
    """Serve; 0 after a signal, 1 with one line when it cannot start."""
    parser = argparse.ArgumentParser(description=f"A model for a machine without a key: {STAND_IN}.")
    parser.add_argument("--port", type=int, help="the loopback port (default: a free one)")
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before each answer")
    arguments = parser.parse_args()
    over = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: over.set())
    try:
        with StandInModel(port=arguments.port, delay=arguments.delay) as model:
            sys.stdout.write(f"{STAND_IN}: set ANTHROPIC_BASE_URL={model.url}\n")
            sys.stdout.flush()
            over.wait()
    except PlaybooksError as error:
        sys.stderr.write(f"{error.message}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
