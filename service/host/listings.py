"""Lists of legal plays, made beside the event loop: one may take tens of milliseconds.

A state is an immutable value, so a thread of its own may read it while the table moves on.  There
is one such thread; whoever asks waits in a bounded line.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar
from uuid import UUID

from engine.errors import Exhausted, Malformed, Refused
from engine.house import Table
from engine.kernel import Listing, Lists
from service.host.limits import Places

__all__ = ["STANDARD", "Listings", "most_plays"]

T = TypeVar("T")

STANDARD: Final = 100
MOST: Final = 5_000
"""Plays listed where nothing is said, and at most."""

OF_ONE_CALLER: Final = 2
IN_LINE: Final = 64
RETRY_MS: Final = 200


def most_plays(limit: int) -> int:
    """How many plays to list; raises ``Malformed``."""
    if not 0 <= limit <= MOST:
        raise Malformed("limit", f"expected 0 to {MOST}")
    return limit or STANDARD


class Listings:
    """The thread that lists plays."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="listing")
        self.places = Places[UUID](OF_ONE_CALLER, "lists of plays of one caller")
        self.waiting = 0
        self.refused = 0

    async def make(
        self, caller: UUID, table: Table, seat: int, limit: int, write: Callable[[Listing], T]
    ) -> T:
        """What ``write``, which runs on the thread as well, makes of the plays of a seat.

        Raises ``Refused`` for a game that does not list its plays, ``Exhausted`` when too many
        wait.
        """
        game: object = table.game
        if not isinstance(game, Lists):
            raise Refused("PLAYS_NOT_LISTED", game=table.game.key)
        if self.waiting >= IN_LINE:
            self.refused += 1
            raise Exhausted("too many lists of plays wait", RETRY_MS)
        lists = game

        def work() -> T:
            return write(lists.listing(table.state, seat, limit))

        with self.places.place(caller):
            self.waiting += 1
            try:
                return await asyncio.get_running_loop().run_in_executor(self._thread, work)
            finally:
                self.waiting -= 1

    def close(self) -> None:
        """Take no more; what is under way is short and ends by itself."""
        self._thread.shutdown(wait=False, cancel_futures=True)
