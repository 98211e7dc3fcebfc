"""Orders of a tournament, carried out at its tables and on accounts.

Every step is a command whose id derives from the order's cause, so whoever takes it twice, here or
in another process, takes it once.  What a table says no to while a hand runs there is tried again
when the hand is over.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from engine.actions import (
    Action,
    DismissTable,
    GiveChips,
    OpenTable,
    Placed,
    ReleaseEmbargo,
    SeatPlayers,
    UnseatPlayers,
)
from engine.errors import Corrupt, Refused, Unknown
from engine.events import Event, HouseOpened, PacksShared, TableOpened
from engine.house import Table, running_hand
from engine.house_options import read_house_options
from engine.kernel import HOST
from engine.tournament import actions as a
from engine.tournament import orders as o
from engine.tournament.state import Phase, TableStatus
from service.host.commands import stream_of
from service.host.dealing import decide, decide_at, epoch_opened
from service.host.host import Host
from service.host.live import Live
from service.tournaments.deciding import OPENING, packs_id
from service.tournaments.doing import Doing
from service.tournaments.hands import EndHand, Hands, Progress
from service.tournaments.joint import AtTable, Joint
from service.tournaments.live import LiveTournament
from service.vault import EpochKeys

__all__ = ["CloseUnseen", "Errands", "TellPacks", "stream_of_table"]

_NOT_NOW = "IN_HAND"
"""A table's word for what can be done between hands only."""


_DONE_BEFORE = frozenset({"STALE_REPORT", "NOTHING_WITHHELD", "TABLE_CLOSED"})
"""Words of tournaments and tables for what was done, or was overtaken."""


@dataclass(frozen=True, slots=True)
class TellPacks(o.Order):
    """Let the secrets of a table be told whose packs nobody plays any more."""

    STEP = 10

    table: int


@dataclass(frozen=True, slots=True)
class CloseUnseen(o.Order):
    """Close a table that was done with before it stood, if somebody opened it and died then."""

    STEP = 12

    table: int


class Errands(Doing):
    """Carries out the orders of one tournament.  Raises what time may heal, and what it may not."""

    def __init__(self, host: Host, joint: Joint, live: LiveTournament) -> None:
        super().__init__(host, joint, live)
        self._hands = Hands(host, joint, live)

    async def run(self, order: o.Order) -> Progress:
        """Do what can be done about an order now."""
        try:
            match order:
                case o.OpenTable():
                    await self._open(order)
                case o.StartHand():
                    return await self._hands.start(order)
                case EndHand():
                    await self._hands.end([order])
                case o.GiveSeat(_, table, sitting):
                    placed = Placed(sitting.seat, sitting.player, sitting.chips)
                    there = await self._at(table, SeatPlayers((placed,)))
                    await self._report(order, a.SeatGiven(sitting.entry), there)
                case o.TakeSeatAway(_, table, sitting):
                    there = await self._at(table, UnseatPlayers((sitting.seat,)))
                    await self._report(order, a.SeatTakenAway(sitting.entry), there)
                case o.MoveSeat(_, table, sitting, to_table, to_seat):
                    placed = Placed(to_seat, sitting.player, sitting.chips)
                    source = await self._at(table, UnseatPlayers((sitting.seat,)))
                    target = await self._at(to_table, SeatPlayers((placed,)))
                    await self._report(order, a.SeatMoved(sitting.entry), source, target)
                case o.GiveChips(_, table, sitting, chips):
                    there = await self._at(table, GiveChips(sitting.seat, chips))
                    await self._report(order, a.ChipsGiven(sitting.entry), there)
                case o.CloseTable():
                    (progress,) = await self._close([order])
                    return progress
                case CloseUnseen():
                    await self._abandon(order)
                case TellPacks(_, table):
                    await self._tell(order, table)
                case o.Pay(_, entry, _, amount):
                    await self._report(order, a.Paid(entry, amount))
                case o.RunClock(started):
                    if self.left_ms(order):
                        return Progress.WAITS
                    await self._report(order, a.ClockRanOut(started))
                case o.StartAt():
                    if self.left_ms(order):
                        return Progress.WAITS
                    await self._report(order, a.StartDue())
                case _:
                    raise TypeError(f"{type(order).__name__} is no order that is known")
        except Refused as refused:
            if refused.reason == _NOT_NOW:
                return Progress.WAITS
            if refused.reason not in _DONE_BEFORE:
                raise
        return Progress.DONE

    async def run_together(self, orders: Sequence[o.Order]) -> list[Progress]:
        """Do what can be done about several orders of one kind, in one group.

        Raises whatever stands against one of them: then none is done.
        """
        if len(orders) == 1:
            return [await self.run(orders[0])]
        opening = [order for order in orders if isinstance(order, o.OpenTable)]
        if opening:
            tables = await asyncio.gather(*(self._opened(order) for order in opening))
            await self._seat(opening, tables)
            return [Progress.DONE] * len(orders)
        ending = [order for order in orders if isinstance(order, EndHand)]
        if ending:
            await self._hands.end(ending)
            return [Progress.DONE] * len(orders)
        return await self._close([order for order in orders if isinstance(order, o.CloseTable)])

    def left_ms(self, order: o.RunClock | o.StartAt) -> int:
        """What is to go until its time; 0: nothing, or it is waited for no more."""
        state, now = self._live.now.state, self._host.world.now()
        if isinstance(order, o.StartAt):
            waits = state.phase is Phase.REGISTERING
            return max(0, order.milliseconds - now // 1000) if waits else 0
        clock = state.clock
        if clock is None or clock.since != order.version or state.paused:
            return 0
        return self._live.clock_left_ms(now) or 0

    async def _at(self, table: int, action: Action) -> AtTable:
        return AtTable(await self._table(table), action)

    async def _report(self, order: o.Order, report: a.Report, *tables: AtTable) -> None:
        """Tell the tournament that an order is done, in one group with what is done for it."""
        command = self._command(order.version, str(order.STEP), report)
        await self._joint.run(self._live, command, None, report, tables)

    # --- tables -------------------------------------------------------------------------------

    async def _open(self, order: o.OpenTable) -> None:
        if not self._is_done_with(order.table):
            try:
                await self._seat([order], [await self._opened(order)])
            except Refused:
                if not self._is_done_with(order.table):
                    raise
        if self._is_done_with(order.table):
            await self._abandon(order)

    def _is_done_with(self, number: int) -> bool:
        return self._live.now.state.tables[number].status is TableStatus.DONE

    async def _seat(self, orders: Sequence[o.OpenTable], lives: Sequence[Live]) -> None:
        tables: list[AtTable] = []
        for order, live in zip(orders, lives, strict=True):
            seats = tuple(Placed(seat, player, chips) for seat, _, player, chips in order.seats)
            if order.house is not None:
                seats += (Placed(order.house.seat, self._live.tournament_id, order.house.chips),)
            if seats:
                tables.append(AtTable(live, SeatPlayers(seats)))
        first, *others = (order.table for order in orders)
        await self._report(orders[0], a.TableReady(first, tuple(others)), *tables)

    async def _abandon(self, order: o.OpenTable | CloseUnseen) -> None:
        """Close a table that was opened while its tournament came to its end."""
        try:
            live = await self._table(order.table)
        except Unknown:
            return
        if not live.table.game.is_closed(live.table.state):
            await self._manage(live, order, "abandon", DismissTable())
        if live.table.house.packs:
            await self._tell(order, order.table)

    async def _opened(self, order: o.OpenTable) -> Live:
        """The table of an order: one, however often it is opened."""
        host = self._host
        game = host.game(self._live.now.state.structure.game)
        options = dict(order.options)
        if game.SEATS_OPTION:
            options[game.SEATS_OPTION] = str(order.size)
        action = OpenTable(options)
        command = self._command(order.version, OPENING, action)
        stream = stream_of(command.id)
        embargo = {"embargo": "true"} if order.packs else {}
        _, house = read_house_options({"purse": "tournament", **embargo})
        table = Table.empty(game)
        shared: list[Event] = []
        if order.packs:
            if self._live.keys is None:
                raise Corrupt(f"stream {self._live.stream}: nothing opens its epoch")
            packs = packs_id(self._live.stream, order.packs)
            keys = self._live.keys.first_of(packs, stream)
            shared.append(PacksShared(str(packs)))
        else:
            keys = EpochKeys.draw(stream, 1, host.world)
        opened = decide(table, keys, HOST, action)
        events: tuple[Event, ...] = (
            HouseOpened(house, False, self._live.tournament_id),
            *shared,
            epoch_opened(keys, host.recorder.master),
            *opened,
        )
        (fact,) = [event for event in opened if isinstance(event, TableOpened)]
        wire = self._wire(action)
        live, _ = await host.executor.create(stream, table, keys, fact, command, events, wire)
        return live

    async def _close(self, orders: Sequence[o.CloseTable]) -> list[Progress]:
        """Close tables between two hands; one that runs is played out, though it may not count."""
        lives = [await self._table(order.table) for order in orders]
        waits = [bool(running_hand(live.table)) for live in lives]
        due = [order for order, later in zip(orders, waits, strict=True) if not later]
        if due:
            first, *others = (order.table for order in due)
            report = a.TableGone(first, tuple(others))
            await self._report(
                due[0],
                report,
                *[
                    AtTable(live, DismissTable())
                    for live, later in zip(lives, waits, strict=True)
                    if not later
                ],
            )
        return [Progress.WAITS if later else Progress.DONE for later in waits]

    async def _tell(self, order: o.Order, number: int) -> None:
        action = ReleaseEmbargo()
        try:
            live = await self._table(number)
        except Unknown:  # its tournament was over before it was opened: it has dealt nothing
            return
        await self._host.executor.run(
            live,
            self._command(order.version, str(order.STEP), action),
            lambda table: decide_at(live, table, HOST, action),
            seat=HOST,
            action=self._wire(action),
        )


def stream_of_table(live: LiveTournament, order: o.Order) -> tuple[UUID, ...]:
    """The tables whose hands an order may wait for."""
    numbers = [getattr(order, "table", None), getattr(order, "to_table", None)]
    return tuple(live.streams[number] for number in numbers if number is not None)
