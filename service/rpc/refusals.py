"""Refusals that are held back: whoever goes on when refused hears of it later.

A refusal costs nearly as much as a small call.  A held one keeps its place on its connection
meanwhile, of which that has few (``connections``): nobody can have the service refuse all the
time.  They are told one after the other: told at the same time, they would be everybody's time,
and so would the calls that come in their places.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from contextlib import suppress
from typing import Final, NamedTuple

from engine.errors import Exhausted
from service.host.rates import Rates
from service.rpc.budget import Budget, Limits
from service.world import Clock

__all__ = ["Held", "Refusals"]

EACH_SECOND: Final = 50
"""Refusals a second that one caller is told, and that one connection is; callers without a token
count as one."""

HELD: Final = Limits(each=300, all=1_500)
HELD_SECONDS: Final = 2.0
"""How many refusals of one who goes on are held back, and for how long at most."""


class Held(NamedTuple):
    """A refusal to be told in so many seconds; it holds a place, to be given back."""

    seconds: float
    give_back: Callable[[], None]


class Refusals:
    """Those of one server; ``held`` are the places of the ones that are held back."""

    def __init__(self, clock: Clock) -> None:
        self._rate = Rates("one caller", "refused calls", EACH_SECOND, clock)
        self.held = Budget("refusals", HELD)

    def hold(self, whose: Hashable) -> Held | None:
        """How a refusal is held back; None: its caller hears of it at once.

        That is so too where all places are taken: enough is held back already.
        """
        seconds = self._rate.owe(whose, HELD_SECONDS)
        if seconds:
            with suppress(Exhausted):
                return Held(seconds, self.held.take(whose))
        return None

    async def pause(self, whose: Hashable) -> None:
        """Return when the next refusal may be told."""
        held = self.hold(whose)
        if held is not None:
            try:
                await asyncio.sleep(held.seconds)
            finally:
                held.give_back()
