"""What can keep the local stack from standing, each told in one line that says what helps."""

from pathlib import Path

from playbooks.errors import PlaybooksError


class NotSetUp(PlaybooksError):
    """Raised when a part of the set-up is missing or was interrupted."""

    code = "not_set_up"


class PortInUse(PlaybooksError):
    """Raised when a port the caller chose cannot be had, as a rule because another program listens there."""

    code = "port_in_use"

    def __init__(
        self, port: int, what: str, problem: str = "is in use: choose another, or end what listens there"
    ) -> None:
        super().__init__(f"port {port}, meant for {what}, {problem}.")


class NoPermission(PlaybooksError):
    """Raised when a folder the stack writes to cannot be written."""

    code = "no_permission"

    def __init__(self, folder: Path, reason: str) -> None:
        super().__init__(f"cannot write to {folder} ({reason}): make it writable, or choose another folder.")


class AlreadyRunning(PlaybooksError):
    """Raised when a living stack owns the state folder."""

    code = "already_running"


class EmulatorFailed(PlaybooksError):
    """Raised when the emulated AWS did not start, did not answer, or refused the stack."""

    code = "emulator_failed"


class BuildFailed(PlaybooksError):
    """Raised when the layers could not be built for this machine."""

    code = "build_failed"
