"""Identities asked for lately, so that not every call asks the database who is calling."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final
from uuid import UUID

from service.identity.principal import IdentityMap
from service.world import Clock

__all__ = ["RememberedIdentities"]

SECONDS: Final = 60.0
MOST: Final = 50_000


class RememberedIdentities:
    """An identity map in front of another: an answer is good for ``SECONDS``.

    A person who was erased is thus a new person within a minute, in every process; at once in
    the one that erased him.
    """

    def __init__(self, inner: IdentityMap, clock: Clock) -> None:
        self._inner = inner
        self._clock = clock
        self._known: OrderedDict[tuple[str, str], tuple[UUID, float]] = OrderedDict()

    async def resolve(self, issuer: str, subject: str) -> UUID:
        """The id of ``subject`` of ``issuer``; raises what the map behind raises."""
        key = (issuer, subject)
        now = self._clock.monotonic()
        known = self._known.get(key)
        if known is not None and now < known[1]:
            return known[0]
        found = await self._inner.resolve(issuer, subject)
        self._known[key] = (found, now + SECONDS)
        self._known.move_to_end(key)
        while len(self._known) > MOST:
            self._known.popitem(last=False)
        return found

    def forget(self, player: UUID) -> None:
        """Remember ``player`` no more: the map behind was told to forget him."""
        for key in [key for key, (found, _) in self._known.items() if found == player]:
            del self._known[key]

    async def is_known(self, player: UUID) -> bool:
        """Whether an id stands for somebody; raises what the map behind raises."""
        return await self._inner.is_known(player)
