"""Orders of a tournament, carried out at its tables and on accounts.

Every step is a command whose id derives from the order's cause, so whoever takes it twice, here or
in another process, takes it once.  What a table says no to while a hand runs there is tried again
when the hand is over.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from uuid import UUID

from engine.actions import (
    Action,
    ChangeOptions,
    DismissTable,
    GiveChips,
    OpenTable,
    Placed,
    ReleaseEmbargo,
    ReleaseHands,
    SeatPlayers,
    UnseatPlayers,
)
from engine.errors import Conflict, Corrupt, Refused
from engine.events import Event, HouseOpened, PacksShared, TableOpened
from engine.house import Table, running_hand
from engine.house_options import read_house_options
from engine.kernel import HOST
from engine.tournament import actions as a
from engine.tournament import orders as o
from service.host.commands import Command, stream_of
from service.host.dealing import decide, decide_at, epoch_opened, next_start, start_at
from service.host.host import Host
from service.host.live import Live
from service.tournaments.deciding import OPENING, packs_id
from service.tournaments.joint import AtTable, Joint
from service.tournaments.live import LiveTournament
from service.vault import EpochKeys

__all__ = ["Errands", "Progress", "TellPacks", "stream_of_table"]

_NOT_NOW = "IN_HAND"
"""A table's word for what can be done between hands only."""


_DONE_BEFORE = frozenset({"STALE_REPORT", "NOTHING_WITHHELD"})
"""Words of tournaments and tables for what was done, or was overtaken."""


@dataclass(frozen=True, slots=True)
class TellPacks(o.Order):
    """Let the secrets of a table be told whose packs nobody plays any more."""

    STEP = 10

    table: int


class Progress(Enum):
    """What came of an errand: it is over, or it waits for a hand to end or a clock to run out."""

    DONE = auto()
    WAITS = auto()


class Errands:
    """Carries out the orders of one tournament.  Raises what time may heal, and what it may not."""

    def __init__(self, host: Host, joint: Joint, live: LiveTournament) -> None:
        self._host = host
        self._joint = joint
        self._live = live

    async def run(self, order: o.Order) -> Progress:
        """Do what can be done about an order now."""
        try:
            match order:
                case o.OpenTable():
                    await self._open(order)
                case o.StartHand():
                    return await self._start(order)
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
                case o.CloseTable(_, table):
                    return await self._close(order, table)
                case TellPacks(_, table):
                    await self._tell(order, table)
                case o.Pay(_, entry, _, amount):
                    await self._report(order, a.Paid(entry, amount))
                case o.RunClock(started):
                    if self.clock_left_ms(started):
                        return Progress.WAITS
                    await self._report(order, a.ClockRanOut(started))
                case _:
                    raise TypeError(f"{type(order).__name__} is no order that is known")
        except Refused as refused:
            if refused.reason == _NOT_NOW:
                return Progress.WAITS
            if refused.reason not in _DONE_BEFORE:
                raise
        return Progress.DONE

    def clock_left_ms(self, started: int) -> int:
        """What the clock that began with that event has to go; 0: nothing, or it runs no more."""
        clock = self._live.now.state.clock
        if clock is None or clock.since != started or self._live.now.state.paused:
            return 0
        return self._live.clock_left_ms(self._host.world.now()) or 0

    async def _table(self, number: int) -> Live:
        return await self._host.tables.get(self._live.streams[number])

    async def _at(self, table: int, action: Action) -> AtTable:
        return AtTable(await self._table(table), action)

    async def _report(self, order: o.Order, report: a.Report, *tables: AtTable) -> None:
        """Tell the tournament that an order is done, in one group with what is done for it."""
        command = self._command(order.version, str(order.STEP), report)
        await self._joint.run(self._live, command, None, report, tables)

    def _command(self, version: int, step: str, action: Action) -> Command:
        world, stream = self._host.world, self._live.stream
        return Command.of_process(world, stream, version, step, type(action).__name__)

    # --- tables -------------------------------------------------------------------------------

    async def _open(self, order: o.OpenTable) -> None:
        live = await self._opened(order)
        seats = tuple(Placed(seat, player, chips) for seat, _, player, chips in order.seats)
        if order.house is not None:
            seats += (Placed(order.house.seat, self._live.tournament_id, order.house.chips),)
        tables = [AtTable(live, SeatPlayers(seats))] if seats else []
        await self._report(order, a.TableReady(order.table), *tables)

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

    async def _close(self, order: o.CloseTable, number: int) -> Progress:
        """Close a table between two hands; one that runs is played out, though it may not count."""
        live = await self._table(number)
        if running_hand(live.table):
            return Progress.WAITS
        await self._report(order, a.TableGone(number), AtTable(live, DismissTable()))
        return Progress.DONE

    async def _tell(self, order: o.Order, number: int) -> None:
        live, action = await self._table(number), ReleaseEmbargo()
        await self._host.executor.run(
            live,
            self._command(order.version, str(order.STEP), action),
            lambda table: decide_at(live, table, HOST, action),
            seat=HOST,
            action=self._wire(action),
        )

    # --- hands --------------------------------------------------------------------------------

    async def _start(self, order: o.StartHand) -> Progress:
        """Have a table deal, or see how the hand has ended."""
        live = await self._table(order.table)
        if live.table.house.hands < order.hand:
            await self._change_options(live, order)
            await self._begin(live, order)
        if live.table.house.hands < order.hand or running_hand(live.table):
            return Progress.WAITS
        report = _ended(order, live.table)
        # Its cause is the end of the hand, which is found by whoever looks at the table.
        command = Command.of_process(
            self._host.world, live.stream, order.hand, "ended", type(report).__name__
        )
        await self._joint.run(self._live, command, None, report)
        return Progress.DONE

    async def _change_options(self, live: Live, order: o.StartHand) -> None:
        agreed = dict(live.table.house.agreed)
        other = {name: value for name, value in order.options if agreed.get(name) != value}
        if not other:
            return
        try:
            await self._manage(live, order, "options", ChangeOptions(other))
        except Refused as refused:
            if refused.reason != "NOTHING_CHANGES":  # another process was faster
                raise

    async def _begin(self, live: Live, order: o.StartHand) -> None:
        """What leads on to the next hand, as far as it is the host's."""
        game = live.table.game
        try:
            while game.can_start(live.table.state) and live.table.house.hands < order.hand:
                action = next_start(live, live.table)
                await self._act(live, order, type(action).__name__, action)
            if game.ASKS_BETWEEN_HANDS:
                await self._manage(live, order, "release", ReleaseHands())
        except Conflict:  # another process was faster: it is found how it stands
            await self._host.refresh(live)

    async def _manage(self, live: Live, order: o.StartHand, step: str, action: Action) -> None:
        await self._host.executor.run(
            live,
            self._command(order.version, f"{order.STEP} {step}", action),
            lambda table: decide_at(live, table, HOST, action),
            seat=HOST,
            action=self._wire(action),
        )

    async def _act(self, live: Live, order: o.StartHand, step: str, action: Action) -> None:
        await self._host.executor.run(
            live,
            self._command(order.version, f"{order.STEP} {step}", action),
            lambda table: start_at(live, table),
            seat=HOST,
            action=lambda table: self._wire(next_start(live, table)),
        )

    def _wire(self, action: Action) -> bytes:
        return self._host.codec.action_to_wire(action).SerializeToString(deterministic=True)


def _ended(order: o.StartHand, table: Table) -> a.HandEnded:
    """How a hand ended: what everybody dealt in had before it, and has now."""
    game, state = table.game, table.state
    scores, rests, players = game.scores(state), game.rests(state), game.players(state)
    results = tuple(
        a.SeatResult(seat, before, scores.get(seat, before), rests.get(seat, 0))
        for seat, before in table.house.began
        if seat in players and players[seat][0] != table.house.host  # the house's own player
    )
    dealer, over = game.dealer(state), game.is_game_over(state)
    return a.HandEnded(order.table, order.hand, results, dealer, over)


def stream_of_table(live: LiveTournament, order: o.Order) -> tuple[UUID, ...]:
    """The tables whose hands an order may wait for."""
    numbers = [getattr(order, "table", None), getattr(order, "to_table", None)]
    return tuple(live.streams[number] for number in numbers if number is not None)
