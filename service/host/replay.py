"""The past of a table: hands, steps, states, as whoever asks may see them.

A player sees what he was allowed to see then: the seats he held at each version.  An auditor sees
everything of epochs that are closed, as any viewer he names; of the running one what an observer
sees.  Who has played at a table himself is not its auditor.  Every look of an auditor is recorded
before anything is shown; if it cannot be, nothing is.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final, NamedTuple
from uuid import UUID

from engine.errors import Denied, Malformed, Unknown
from engine.house import Table, secret_epochs
from engine.visibility import AUDITOR, MAX_SEATS, OBSERVER, seat_viewer
from service.host.accesses import EVERYTHING, Access, Accesses
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

    def __init__(self, host: Host, store: Store, hands: Hands, accesses: Accesses) -> None:
        self._host = host
        self._store = store
        self._hands = hands
        self._accesses = accesses
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
        if _is_office(live, as_):
            await require_impartial(caller, live, self._store)

    async def record_look(
        self,
        caller: Principal,
        live: Live,
        as_: Viewing,
        surface: str,
        first: int,
        last: int,
        hand: int = 0,
    ) -> None:
        """Record a look with an auditor's eyes; raises if it cannot be."""
        if _is_office(live, as_):
            eyes = f"seat {as_.seat}" if as_.kind == "seat" else as_.kind
            await self._accesses.record(
                caller.id, live.stream, surface, eyes, hand=hand, first=first, last=last
            )

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
        await self.record_look(caller, live, as_, "ReplayHand", first, last, hand)
        async with aclosing(self._steps(caller, live, first, last, as_)) as past:
            async for step in past:
                # At tables of the laboratory others lie in between.
                if step.recorded.commit.hand == hand:
                    yield step

    async def table(
        self, caller: Principal, stream: UUID, as_: Viewing
    ) -> AsyncGenerator[Past, None]:
        """Every step of a table up to where it stands, in order."""
        live = await self._host.find_table(caller, stream)
        await self._host.refresh(live)
        await self.require_eyes(caller, live, as_)
        last = live.table.version
        await self.record_look(caller, live, as_, "ReplayTable", 0, last)
        async with aclosing(self._steps(caller, live, 0, last, as_)) as past:
            async for step in past:
                yield step

    async def _steps(
        self, caller: Principal, live: Live, first: int, last: int, as_: Viewing
    ) -> AsyncGenerator[Past, None]:
        with self.readers.place(caller.id):
            async with aclosing(self._host.tables.stored.steps(live.stream, first, last)) as past:
                async for recorded, table in past:
                    mask = self.mask(caller, live, recorded.commit.epoch, table, as_)
                    yield Past(recorded, table, mask)

    async def accesses(
        self, caller: Principal, stream: UUID, after: tuple[int, int], limit: int
    ) -> list[tuple[int, Access]]:
        """Who looked at a table, then who copied the whole store; each oldest first.

        The first number is 0 for the table's own and 1 for those of the store; ``after`` is that
        and the version of the last one known.
        """
        await self._host.find_table(caller, stream)
        part, version = after
        found: list[tuple[int, Access]] = []
        if part == 0:
            found = [(0, each) for each in await self._accesses.of(stream, version, limit)]
            version = 0
        if len(found) < limit:
            rest = await self._accesses.of(EVERYTHING, version, limit - len(found))
            found += [(1, each) for each in rest]
        return found

    async def state_at(self, caller: Principal, stream: UUID, version: int, as_: Viewing) -> Past:
        """The table at a version; raises ``Malformed`` if no commit ends there."""
        live = await self._host.find_table(caller, stream)
        if version > live.table.version:
            await self._host.refresh(live)
        if not 1 <= version <= live.table.version:
            raise Malformed("version", f"expected 1 to {live.table.version}")
        await self.require_eyes(caller, live, as_)
        await self.record_look(caller, live, as_, "GetStateAt", version - 1, version)
        try:
            with self.readers.place(caller.id):
                recorded, table = await self._host.tables.at(live, version)
        except Unknown:
            raise Malformed("version", "expected the version of an answer or a message") from None
        mask = self.mask(caller, live, recorded.commit.epoch, table, as_)
        return Past(recorded, table, mask)


def _is_office(live: Live, as_: Viewing) -> bool:
    """Whether these eyes are an auditor's, at a table that is played for real."""
    return as_.kind in {"seat", "auditor"} and not live.table.house.lab
