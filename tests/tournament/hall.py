"""A hall for tournaments: carries out orders as the service does, at tables that play no cards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from engine.actions import Action
from engine.events import Event
from engine.tournament import actions as a
from engine.tournament import orders as o
from engine.tournament.actions import SeatResult
from engine.tournament.decider import decide, evolve
from engine.tournament.state import Entry, Table, Tournament
from engine.tournament.steps import Draw
from engine.tournament.structure import Level, Structure
from tests.tournament.books import check_books

__all__ = ["Hall", "InOrder", "bets", "running", "structure"]

Kind = TypeVar("Kind", bound=o.Order)


class InOrder:
    """Lots that change nothing: entry n sits at table n modulo their number."""

    def order(self, purpose: str, count: int) -> tuple[int, ...]:
        return tuple(range(count))


def bets(small: int = 20, **more: int) -> Level:
    """A level; without end where nothing else is said."""
    return Level((("small_bet", str(small)),), **(more or {"hands": 1_000}))


def structure(**fields: Any) -> Structure:
    """An elimination tournament that works, with other fields where they are given."""
    usual = {"name": "Friday", "game": "palace_poker", "format": "elimination"}
    return Structure(**{**usual, "stack": 1_000, "levels": (bets(),), **fields})


class Hall:
    """A tournament and its events; ``check`` is called with the state after each of them."""

    def __init__(
        self, draw: Draw | None = None, check: Callable[[Tournament], None] = check_books
    ) -> None:
        self.state = Tournament()
        self.events: list[Event] = []
        self.draw = draw or InOrder()
        self.check = check

    def ask(self, action: Action, player: str | None = None) -> tuple[Event, ...]:
        """Decide an action: what is decided is what its events make of the state before."""
        events, state = decide(self.state, player, action, self.draw)
        now = self.state
        for event in events:
            now = evolve(now, event)
            self.check(now)
        assert now == state
        self.state = state
        self.events.extend(events)
        return events

    def register(self, *players: str) -> None:
        """Players register."""
        for player in players:
            self.ask(a.Register(), player)

    def orders(self, kind: type[Kind]) -> list[Kind]:
        """The outstanding orders of a kind."""
        return [order for order in o.orders(self.state) if isinstance(order, kind)]

    def carry_out(self, order: o.Order) -> tuple[Event, ...]:
        """What the service reports once an order about seats, tables or money is done."""
        match order:
            case o.OpenTable():
                return self.ask(a.TableReady(order.table))
            case o.GiveSeat():
                return self.ask(a.SeatGiven(order.sitting.entry))
            case o.TakeSeatAway():
                return self.ask(a.SeatTakenAway(order.sitting.entry))
            case o.MoveSeat():
                return self.ask(a.SeatMoved(order.sitting.entry))
            case o.GiveChips():
                return self.ask(a.ChipsGiven(order.sitting.entry))
            case o.CloseTable():
                return self.ask(a.TableGone(order.table))
            case o.Pay():
                return self.ask(a.Paid(order.entry, order.amount))
            case o.RunClock():
                return self.ask(a.ClockRanOut(order.version))
        raise AssertionError(f"{order} is carried out by playing")

    def settle(self) -> None:
        """Carry out everything but hands and clocks, until there is nothing left."""
        waits = (o.StartHand, o.RunClock)
        while todo := [order for order in o.orders(self.state) if not isinstance(order, waits)]:
            for order in todo:
                self.carry_out(order)

    def play(
        self, table: int, after: Mapping[int, int] | None = None, dealer: int = 0
    ) -> tuple[Event, ...]:
        """A hand that leaves these seats with so much, and the others with what they had."""
        (order,) = [order for order in self.orders(o.StartHand) if order.table == table]
        stacks = self.dealt_in(table)
        results = [
            SeatResult(seat, chips, (after or {}).get(seat, chips))
            for seat, chips in stacks.items()
        ]
        return self.ask(a.HandEnded(table, order.hand, tuple(results), dealer))

    def lose(self, table: int, *losers: int, dealer: int = 0) -> tuple[Event, ...]:
        """A hand in which these seats lose all to the lowest of the others."""
        stacks = self.dealt_in(table)
        winner = min(set(stacks) - set(losers))
        after = dict.fromkeys(losers, 0)
        after[winner] = stacks[winner] + sum(stacks[loser] for loser in losers)
        return self.play(table, after, dealer)

    def dealt_in(self, table: int) -> dict[int, int]:
        """Seats with chips, and how many."""
        seats = self.state.tables[table].seats
        return {at: seats[at].chips for at in self.state.tables[table].taken() if seats[at].chips}

    def table(self, number: int) -> Table:
        return self.state.tables[number]

    def entry(self, player: str) -> Entry:
        """The latest entry of a player."""
        number = self.state.entry_of(player)
        assert number is not None
        return self.state.entries[number]

    def place(self, player: str) -> int | None:
        """The place of his latest entry."""
        number = self.state.entry_of(player)
        assert number is not None
        return self.state.place(number)


def running(players: int, draw: Draw | None = None, **fields: Any) -> Hall:
    """A hall whose tournament has begun, with players p0, p1, …; all tables deal."""
    hall = Hall(draw)
    hall.ask(a.CreateTournament(structure(**fields)))
    hall.register(*(f"p{number}" for number in range(players)))
    hall.ask(a.StartTournament())
    hall.settle()
    return hall
