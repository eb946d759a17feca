"""What the server or the wire said, as errors a person can act on."""

from collections.abc import Mapping

from pg8000.exceptions import DatabaseError, InterfaceError  # type: ignore[import-untyped]  # pg8000 ships no types

from playbooks.errors import PlaybooksError
from playbooks.ports.databases import (
    DatabaseTarget,
    DatabaseUnreachable,
    QueryFailed,
    QueryTimedOut,
    ResultTooLarge,
    ResultUnreadable,
    RoleRefused,
    WrongPassword,
)

_GONE = ("57P01", "57P02", "57P03", "57P05", "53300", "25P03", "25P04")
_HELP = {
    "08P01": "Write values instead of $1, $2 …",
    "25006": "Only reading is possible here.",
    "42501": "Ask the owner of the database for the right to read it.",
    "55P03": "The table is locked by someone else: try again later.",
    "53400": "The query needs more temporary space than the role may use: narrow it.",
    "34000": "Only one SELECT may run.",
}


def at_connecting(error: Exception, target: DatabaseTarget) -> PlaybooksError:
    """What a failure before the first statement means."""
    if isinstance(error, ResultTooLarge):
        return DatabaseUnreachable(
            f"What answers at {target.host}:{target.port} does not speak PostgreSQL: register the host and port again."
        )
    if isinstance(error, PlaybooksError):
        return error
    if not isinstance(error, DatabaseError) and isinstance(error.__context__, DatabaseError):
        error = error.__context__  # the server refused and hung up; saying goodbye failed
    if isinstance(error, DatabaseError):
        fields = _fields(error)
        state, message = fields.get("C", ""), fields.get("M", str(error))
        if state[:2] == "28":
            return WrongPassword(
                f"The database {target.name} refuses the user {target.user} ({message}): register user and password "
                "again."
            )
        if state == "3D000":
            return QueryFailed(
                f"The database {target.name} is registered with a wrong name: {message}.", sqlstate=state
            )
        if state == "42501":
            return RoleRefused(f"The user {target.user} may not connect to {target.name}: {message}.")
        if state[:2] == "22":
            return QueryFailed(f"The database {target.name} does not take our settings: {message}.", sqlstate=state)
        return DatabaseUnreachable(f"The database {target.name} did not let us in: {message}.")
    return DatabaseUnreachable(f"The database {target.name} broke off the connection ({error}).")


def at_role(error: DatabaseError, target: DatabaseTarget) -> PlaybooksError:
    """What a refused SET ROLE means."""
    fields = _fields(error)
    helps = f"grants it with GRANT {target.role} TO {target.user}"
    if fields.get("C") == "22023":
        helps = "makes it with the script that `playbooks harden` prints"
    return RoleRefused(
        f"{target.user} may not act as {target.role} in {target.name} ({fields.get('M', error)}): the administrator "
        f"{helps}."
    )


def at_query(error: Exception, target: DatabaseTarget, prefix: int) -> PlaybooksError:
    """What a failure of a statement means; `prefix` is how many characters of ours stand before its text."""
    if isinstance(error, PlaybooksError):
        return error
    if not isinstance(error, DatabaseError):
        if isinstance(error, (InterfaceError, OSError)):
            return DatabaseUnreachable(f"The connection to {target.name} broke during the query ({error}).")
        return ResultUnreadable(
            f"The answer of {target.name} could not be read ({type(error).__name__}: {error!s:.200}): no row of it is "
            "used. Cast the column to text."
        )
    fields = _fields(error)
    state, message = fields.get("C", ""), fields.get("M", str(error))
    if state == "57014":
        return QueryTimedOut(
            f"The database stopped the query ({message}): ask for fewer rows, or narrow a condition on a column with "
            "an index."
        )
    if (state[:2] == "08" and state != "08P01") or state in _GONE:
        return DatabaseUnreachable(f"The database {target.name} ended the connection: {message}.")
    sentence = ". ".join(part.rstrip(".") for part in (message, fields.get("H", ""), _HELP.get(state, "")) if part)
    position = fields.get("P")
    offset = int(position) - 1 - prefix if position and position.isdecimal() else None
    return QueryFailed(f"{sentence}.", sqlstate=state, position=offset if offset is None or offset >= 0 else None)


def _fields(error: DatabaseError) -> Mapping[str, str]:
    return error.args[0] if error.args and isinstance(error.args[0], dict) else {}
