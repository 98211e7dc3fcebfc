"""The past of a table: hands, steps, states, as whoever asks may see them.

A player sees what he was allowed to see then: the seats he held at each version.  An auditor sees
everything of epochs that are closed, as any viewer he names; of the running one what an observer
sees.  Who has played at a table himself is not its auditor.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final, NamedTuple
from uuid import UUID

from engine.errors import Denied, Malformed, Unknown
from engine.house import Table, secret_epochs
from engine.visibility import AUDITOR, MAX_SEATS, OBSERVER, seat_viewer
from service.host.eyes import require_impartial
from service.host.host import Host
from service.host.limits import Places
from service.host.live import Live
from service.host.recorder import Recorded
from service.identity import Principal, Role
from service.projections.hand_index import Hands
from service.store.hand_index import HandRow, PlayedRow
from service.store.postgres import Store

__all__ = ["Past", "Replay", "Viewing"]

READERS: Final = 8
"""Folds of recorded tables that one caller may have under way."""


class Viewing(NamedTuple):
    """Whose eyes: ``kind`` is ``self``, ``seat``, ``observer`` or ``auditor``."""

    kind: str = "self"
    seat: int = 0


class Past(NamedTuple):
    """A recorded step, the table after it, and the viewer mask to show them with."""

    recorded: Recorded
    table: Table
    viewer: int


class Replay:
    """Reads recorded tables.  Raises ``Unknown``, ``Denied``, ``Malformed``."""

    def __init__(self, host: Host, store: Store, hands: Hands) -> None:
        self._host = host
        self._store = store
        self._hands = hands
        self.readers = Places[UUID](READERS, "readings of the past by one caller")

    def mask(self, caller: Principal, live: Live, epoch: int, table: Table, as_: Viewing) -> int:
        """The viewer mask for a commit of ``epoch`` that leads to ``table``."""
        house = live.table.house
        if as_.kind == "self":
            return self._host.viewer(caller, table)
        if as_.kind == "observer":
            return OBSERVER
        if not 0 <= as_.seat < MAX_SEATS:
            raise Malformed("viewer.seat", f"expected 0 to {MAX_SEATS - 1}")
        wanted = AUDITOR if as_.kind == "auditor" else OBSERVER | seat_viewer(as_.seat)
        if house.lab and caller.lab and caller.has(Role.ADMIN):
            return wanted
        if not caller.has(Role.AUDITOR):
            raise Denied("only auditors see with other eyes than their own")
        told = epoch <= house.epochs and epoch not in secret_epochs(house)
        return wanted if told else OBSERVER

    async def require_eyes(self, caller: Principal, live: Live, as_: Viewing) -> None:
        """Raises ``Denied`` for eyes that are not the caller's to use."""
        self.mask(caller, live, live.table.house.epoch, live.table, as_)
        if as_.kind in {"seat", "auditor"} and not live.table.house.lab:
            await require_impartial(caller, live, self._store)

    async def hands(self, caller: Principal, stream: UUID, after: int, limit: int) -> list[HandRow]:
        """Hands with numbers above ``after``, oldest first."""
        live = await self._host.find_table(caller, stream)
        return await self._hands.of_table(live.stream, after, limit)

    async def played(
        self, caller: Principal, player: UUID, before: tuple[int, UUID, int, int], limit: int
    ) -> list[PlayedRow]:
        """Hands that a player was dealt in at whatever table, newest first.

        One's own; those of others are for admins and auditors.
        """
        caller.require_unlimited()
        if player != caller.id:
            caller.require(Role.ADMIN, Role.AUDITOR)
        if caller.lab:
            raise Denied("the laboratory has no players")
        return await self._hands.of_player(player, limit, before)

    async def hand(
        self, caller: Principal, stream: UUID, hand: int, as_: Viewing
    ) -> AsyncGenerator[Past, None]:
        """The steps of a hand, in order; raises ``Unknown`` if it was not played."""
        live = await self._host.find_table(caller, stream)
        if hand < 1:  # what lies between hands is stored under 0
            raise Unknown(f"no hand {hand} at this table")
        await self._host.refresh(live)
        await self.require_eyes(caller, live, as_)
        found = await self._hands.of_table(stream, hand - 1, 1)
        if not found or found[0].hand != hand:
            raise Unknown(f"no hand {hand} at this table")
        first, last = found[0].first_version, min(found[0].last_version, live.table.version)
        with self.readers.place(caller.id):
            async with aclosing(self._host.tables.stored.steps(stream, first, last)) as past:
                async for recorded, table in past:
                    commit = recorded.commit
                    if commit.hand == hand:  # at tables of the laboratory others lie in between
                        mask = self.mask(caller, live, commit.epoch, table, as_)
                        yield Past(recorded, table, mask)

    async def state_at(self, caller: Principal, stream: UUID, version: int, as_: Viewing) -> Past:
        """The table at a version; raises ``Malformed`` if no commit ends there."""
        live = await self._host.find_table(caller, stream)
        if version > live.table.version:
            await self._host.refresh(live)
        if not 1 <= version <= live.table.version:
            raise Malformed("version", f"expected 1 to {live.table.version}")
        await self.require_eyes(caller, live, as_)
        try:
            with self.readers.place(caller.id):
                recorded, table = await self._host.tables.at(live, version)
        except Unknown:
            raise Malformed("version", "expected the version of an answer or a message") from None
        mask = self.mask(caller, live, recorded.commit.epoch, table, as_)
        return Past(recorded, table, mask)
