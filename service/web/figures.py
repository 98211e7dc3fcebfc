"""What the service counts, for whoever runs it: the page of metrics, over HTTP, by his token.

``kartejo serve --metrics`` shows the same page to whoever reaches its address.  Here it stands
beside everything else that browsers reach, so it is told to administrators alone.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from engine.errors import Denied, KartejoError
from service.identity import Role
from service.rpc.calls import Calls
from service.web.call import Ended
from service.web.exchange import Request

__all__ = ["PATH", "Figures", "Shown"]

PATH: Final = "/metrics"

Shown = Callable[[str], Awaitable[tuple[bytes, str]]]
"""The page for an ``Accept`` header, and its content type; raises ``Unavailable`` before there is
one."""


class Figures:
    """Answers ``GET /metrics``; ``show`` is what is shown, None where nothing is counted."""

    def __init__(self, calls: Calls, show: Shown | None) -> None:
        self._calls = calls
        self._show = show

    async def answer(self, request: Request) -> tuple[bytes, str]:
        """The page and its content type; raises ``Ended`` for whoever is no administrator."""
        try:
            self._calls.connection.take(request.peer)
            claims = self._calls.claims(request.headers)
            if Role.ADMIN not in claims.roles or claims.table is not None:
                raise Denied("figures of the service are for tokens with the role admin")
            if self._show is None:
                raise Denied("nothing is counted here")
            return await self._show(request.header("accept"))
        except KartejoError as error:
            raise Ended(self._calls.told(error)) from None
