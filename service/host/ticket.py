"""A command and whoever waits for it: what they tell each other, and how long he waits."""

from __future__ import annotations

import asyncio
from typing import Any

__all__ = ["Ticket", "ended_within"]


class Ticket:
    """What a command and who waits for it tell each other.

    ``begun`` is when (on the loop's clock) its table was its own for the first time; a command
    that was ``given_up`` before does not begin any more.  One that is ``repeated`` was accepted
    earlier.
    """

    def __init__(self) -> None:
        self.begun: float | None = None
        self.given_up = False
        self.repeated = False

    def begin(self) -> None:
        """The table is the command's own."""
        if self.begun is None:
            self.begun = asyncio.get_running_loop().time()


async def ended_within(done: asyncio.Future[Any], seconds: float) -> bool:
    """Whether something ends within ``seconds``; it goes on whatever becomes of the one who waits.

    A future and a timer: ``asyncio.wait`` for a single task costs four times as much.
    """
    loop = asyncio.get_running_loop()
    waiter: asyncio.Future[None] = loop.create_future()

    def wake(_: object = None) -> None:
        if not waiter.done():
            waiter.set_result(None)

    timer = loop.call_later(seconds, wake)
    done.add_done_callback(wake)
    try:
        await waiter
    finally:
        timer.cancel()
        done.remove_done_callback(wake)
    return done.done()
