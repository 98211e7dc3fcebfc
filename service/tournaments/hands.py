"""Hands of a tournament's tables: what lets the next one begin, and how one has ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from engine.actions import Action, ChangeOptions, ReleaseHands
from engine.errors import Conflict, Refused
from engine.house import Table, running_hand
from engine.kernel import HOST
from engine.tournament import actions as a
from engine.tournament import orders as o
from service.host.commands import Command
from service.host.dealing import next_start, start_at
from service.host.live import Live
from service.tournaments.doing import Doing

__all__ = ["EndHand", "Hands", "Progress", "has_ended"]


@dataclass(frozen=True, slots=True)
class EndHand(o.Order):
    """Report how a hand has ended that ``StartHand`` of the same version let a table deal."""

    STEP = 13

    table: int
    hand: int


class Progress(Enum):
    """What came of an errand: it is over, or it waits for a hand to end or a clock to run out.

    ``ENDED``: the hand that it had dealt has ended, which is to be reported.
    """

    DONE = auto()
    WAITS = auto()
    ENDED = auto()


def has_ended(table: Table, order: o.StartHand) -> bool:
    """Whether the hand of an order was dealt, and is over."""
    return table.house.hands >= order.hand and not running_hand(table)


class Hands(Doing):
    """Deals the hands of one tournament, and reports how they have ended."""

    async def start(self, order: o.StartHand) -> Progress:
        """Have a table deal, or see that the hand has ended."""
        live = await self._table(order.table)
        if live.table.house.hands < order.hand:
            if not self._is_for_players_to_begin(live, order):
                await self._change_options(live, order)
            await self._begin(live, order)
        return Progress.ENDED if has_ended(live.table, order) else Progress.WAITS

    async def end(self, orders: Sequence[EndHand]) -> None:
        """Report how hands have ended, in one commit.

        Its cause are their ends, all of them, which are found by whoever looks at the tables.
        """
        tables = [await self._table(order.table) for order in orders]
        ends = [_ended(order, live.table) for order, live in zip(orders, tables, strict=True)]
        report = a.HandsEnded(tuple(ends)) if ends[1:] else ends[0]
        others = "".join(f" {order.table}/{order.hand}" for order in orders[1:])
        command = Command.of_process(
            self._host.world,
            tables[0].stream,
            orders[0].hand,
            f"ended{others}",
            type(report).__name__,
        )
        await self._joint.run(self._live, command, None, report)

    async def _change_options(self, live: Live, order: o.StartHand) -> None:
        other = _other_options(live, order)
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
                options = _other_options(live, order)
                await self._manage(live, order, "release", ReleaseHands(options))
        except Conflict:  # another process was faster: it is found how it stands
            await self._host.refresh(live)

    @staticmethod
    def _is_for_players_to_begin(live: Live, order: o.StartHand) -> bool:
        """Whether nothing comes between other options and their hand, such as another banker."""
        game, state = live.table.game, live.table.state
        options = {**dict(live.table.house.agreed), **_other_options(live, order)}
        first = game.can_start(state) or game.before_options(state, options)
        return game.ASKS_BETWEEN_HANDS and not first

    async def _act(self, live: Live, order: o.StartHand, step: str, action: Action) -> None:
        await self._host.executor.run(
            live,
            self._command(order.version, f"{order.STEP} {step}", action),
            lambda table: start_at(live, table),
            seat=HOST,
            action=lambda table: self._wire(next_start(live, table)),
        )


def _other_options(live: Live, order: o.StartHand) -> dict[str, str]:
    """Those of a hand that the table does not have yet."""
    agreed = dict(live.table.house.agreed)
    return {name: value for name, value in order.options if agreed.get(name) != value}


def _ended(order: EndHand, table: Table) -> a.HandEnded:
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
