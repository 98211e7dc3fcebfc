"""How the messages of a stream come from the one who makes them to the one who sends them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

__all__ = ["GRACE_SECONDS", "Handover"]

GRACE_SECONDS: Final = 1.0
"""How long the message under way may still wait for its reader when the stream has ended."""


class Handover:
    """Hands over one message at a time: the next is made when this one is on its way.

    ``cut`` breaks the connection: for a stream that ends while its caller reads nothing, and so
    could not be told of it.
    """

    def __init__(self, cut: Callable[[], None]) -> None:
        self._cut = cut
        self._message: object = None
        self._given = asyncio.Event()
        self._sent = asyncio.Event()
        self._sent.set()
        self._is_over = False
        self._timer: asyncio.TimerHandle | None = None

    async def give(self, message: object) -> None:
        """Returns when the message was sent."""
        self._message = message
        self._sent.clear()
        self._given.set()
        await self._sent.wait()

    async def take(self) -> object:
        """The next message; None when there will be no other."""
        while self._message is None and not self._is_over:
            self._given.clear()
            await self._given.wait()
        message, self._message = self._message, None
        return message

    def sent(self) -> None:
        """Say that the message that was taken is on its way, or that nobody sends any more."""
        self._sent.set()
        if self._timer is not None:
            self._timer.cancel()

    def end(self) -> None:
        """Say that there is no other message."""
        self._is_over = True
        self._given.set()
        if not self._sent.is_set():
            self._timer = asyncio.get_running_loop().call_later(GRACE_SECONDS, self._cut)
