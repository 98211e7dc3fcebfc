"""A call that came over HTTP, as its servicer sees it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from time import monotonic
from typing import Final, NoReturn

from google.rpc.status_pb2 import Status

from service.rpc.context import Metadata, reason_in
from service.rpc.door import Served
from service.web.handover import Handover

__all__ = ["CALL", "Call", "Ended"]


class Ended(Exception):
    """A call has ended with a status."""

    def __init__(self, status: Status) -> None:
        self.status = status
        super().__init__(status.message)


class Call:
    """The ``Context`` of a call.

    ``peer`` is its connection's other end, ``cut`` breaks the connection.
    """

    def __init__(
        self,
        served: Served,
        headers: Sequence[tuple[str, str]],
        peer: str,
        cut: Callable[[], None],
    ) -> None:
        self.served = served
        self.method = served.name
        self.reason = ""
        self.handover = Handover(cut)
        self.give_back: Callable[[], None] | None = None
        self.headers = headers
        self._peer = peer
        self._ends_at: float | None = None

    def give_up_after(self, seconds: float | None) -> None:
        """The caller gives up so many seconds from now."""
        self._ends_at = None if seconds is None else monotonic() + seconds

    def metadata(self) -> Metadata:
        """All headers of the request."""
        return self.headers

    def peer(self) -> str:
        """Address and port of the caller, or of the proxy before him."""
        return self._peer

    def time_remaining(self) -> float | None:
        """Until the deadline that came with the request."""
        return None if self._ends_at is None else max(0.0, self._ends_at - monotonic())

    async def write(self, message: object) -> bool:
        """Returns when the message is on its way; a connection that goes ends the call's task."""
        await self.handover.give(message)
        return True

    async def abort(self, status: Status) -> NoReturn:
        """Raises ``Ended``."""
        self.reason = reason_in(status)
        raise Ended(status)


CALL: Final[ContextVar[Call]] = ContextVar("call")
"""The call of the task that runs."""
