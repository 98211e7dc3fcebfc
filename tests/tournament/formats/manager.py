"""A process manager in memory: carries out orders in any order, and looks at the books.

Tables are played by whoever knows the format.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from engine.actions import Action
from engine.errors import Refused
from engine.events import Event
from engine.tournament import actions as a
from engine.tournament import orders as o
from engine.tournament.decider import fold
from engine.tournament.state import EntryStatus, Phase, Tournament
from engine.tournament.structure import Structure
from tests.tournament import books
from tests.tournament.hall import Hall

__all__ = ["Manager", "Plays"]

Plays = Callable[["Manager", o.StartHand], a.HandEnded]


class Lots:
    """Lots from a seed."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)

    def order(self, purpose: str, count: int) -> tuple[int, ...]:
        assert purpose
        return tuple(self._chance.sample(range(count), count))


def check(state: Tournament) -> None:
    """The books; chips are the formats' own matter here."""
    books.check_money(state)
    books.check_seats(state)
    books.check_counts(state)
    books.check_sets(state)


class Manager(Hall):
    """A tournament that was created, with players p0, p1, … registered."""

    def __init__(self, structure: Structure, players: int, plays: Plays, seed: int = 0) -> None:
        super().__init__(Lots(seed), check=lambda _: None)
        self.chance = random.Random(seed)
        self.opened: dict[int, o.OpenTable] = {}
        self._plays = plays
        self.ask(a.CreateTournament(structure))
        self.register(*(f"p{number}" for number in range(players)))

    def may(self, action: Action, *reasons: str, player: str | None = None) -> bool:
        """Ask for it, unless it is refused for one of these reasons."""
        try:
            self.ask(action, player)
        except Refused as refused:
            if refused.reason not in reasons:
                raise
            return False
        return True

    def start(self) -> None:
        """The host starts."""
        self.ask(a.StartTournament())

    def step(self) -> bool:
        """Carry out one of the orders that are outstanding; False: there is none."""
        outstanding = list(o.orders(self.state))
        if outstanding:
            self.carry_out(self.chance.choice(outstanding))
            check(self.state)
        return bool(outstanding)

    def run(self) -> None:
        """Until nothing is to be done."""
        for _ in range(100_000):
            if not self.step():
                return
        raise AssertionError("it does not come to an end")

    def run_at_once(self) -> None:
        """The same, all that is outstanding before looking again."""
        while outstanding := list(o.orders(self.state)):
            for order in outstanding:
                self.carry_out(order)

    def carry_out(self, order: o.Order) -> tuple[Event, ...]:
        """Hands are played as well."""
        if isinstance(order, o.StartHand):
            return self.ask(self._plays(self, order))
        if isinstance(order, o.OpenTable):
            assert len(dict(order.options)) == len(order.options)
            self.opened[order.table] = order
        return super().carry_out(order)

    def finished(self) -> list[int]:
        """The places by entry, once it is finished and everything is paid and closed."""
        state = self.state
        assert state.phase is Phase.FINISHED
        assert not state.standing
        assert not state.owed
        assert not state.money.pool
        assert fold(self.events) == state, "the same from the first fact on"
        places: list[int] = []
        for number, entry in enumerate(state.entries):
            place = state.place(number)
            assert entry.status is EntryStatus.OUT
            assert place is not None
            places.append(place)
        assert all(sum(p < place for p in places) + 1 == place for place in places)
        return places

    def made(self, kind: type[Event]) -> list[Event]:
        """The facts of a kind."""
        return [event for event in self.events if isinstance(event, kind)]
