"""What the store adds to the errors of Kartejo."""

from __future__ import annotations

from uuid import UUID

from engine.errors import Conflict, KartejoError, Unavailable

__all__ = [
    "DuplicateCommand",
    "LaunchError",
    "ProgressConflict",
    "StreamConflict",
    "Unfit",
    "Unsettled",
]


class StreamConflict(Conflict):
    """A stream stands at another version than the group expected; nothing was stored."""

    def __init__(self, stream: UUID, actual_version: int) -> None:
        self.stream = stream
        self.actual_version = actual_version
        super().__init__(f"stream {stream} stands at version {actual_version}")


class DuplicateCommand(Conflict):
    """The stream already has a commit of this command, at ``version``; nothing was stored."""

    def __init__(self, stream: UUID, command: bytes, version: int) -> None:
        self.stream = stream
        self.command = command
        self.version = version
        super().__init__(f"stream {stream} has command {command.hex()} at version {version}")


class ProgressConflict(Conflict):
    """A consumer of the log does not stand where its writer believed; nothing was kept."""

    def __init__(self, consumer: str, position: int) -> None:
        super().__init__(f"consumer {consumer} does not stand at {position}")


class Unsettled(Unavailable):
    """The store was closed before it learned whether the group was stored.

    The same command sent again finds out: it is stored once in any case.
    """

    reason = "UNSETTLED"


class LaunchError(KartejoError):
    """The embedded PostgreSQL cannot be started; the text says what to do.

    ``reason`` is NO_POSTGRES, TEMPORARY_DATA, UNREACHABLE_DATA, ALREADY_RUNNING, NOT_MAIN_THREAD
    or START_FAILED.
    """

    def __init__(self, reason: str, what: str) -> None:
        self.reason = reason
        super().__init__(what)


class Unfit(KartejoError):
    """The database that was named cannot be used as it is; the text says what to do.

    ``reason`` is BAD_DATABASE, ROLE_MISSING or WRONG_MASTER_KEY.
    """

    def __init__(self, reason: str, what: str) -> None:
        self.reason = reason
        super().__init__(what)
