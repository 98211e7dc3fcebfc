"""A process manager in memory: carries out orders in any order, reports, and checks everything.

After each action: the state is the fold of the facts, money is conserved, an entry sits at one
table at most and is where its seat says.  Tables are played by whoever knows the format.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from engine.actions import Action
from engine.errors import Refused
from engine.events import Event
from engine.tournament import actions as a
from engine.tournament import orders as o
from engine.tournament.decider import decide, fold
from engine.tournament.persistent import members
from engine.tournament.state import EntryStatus, Phase, Tournament
from engine.tournament.structure import Structure

__all__ = ["Manager", "lots"]

Plays = Callable[["Manager", o.StartHand], a.HandEnded]


class _Lots:
    """Lots from a seed."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)

    def order(self, purpose: str, count: int) -> tuple[int, ...]:
        assert purpose
        return tuple(self._chance.sample(range(count), count))


def lots(seed: int) -> _Lots:
    """A drawing of lots that a seed repeats."""
    return _Lots(seed)


class Manager:
    """A tournament, and what its orders would do."""

    def __init__(
        self,
        structure: Structure,
        players: int,
        plays: Plays,
        seed: int = 0,
        *,
        check_all: bool = True,
    ) -> None:
        self._check_all = check_all
        self.chance = random.Random(seed)
        self.events: list[Event] = []
        self.state = Tournament()
        self.opened: dict[int, o.OpenTable] = {}
        self._plays = plays
        self._draw = lots(seed)
        self.do(a.CreateTournament(structure))
        for number in range(players):
            self.do(a.Register(), f"p{number}")

    def do(self, action: Action, actor: str | None = None) -> tuple[Event, ...]:
        """Decide, believe, check."""
        events, after = decide(self.state, actor, action, self._draw)
        before, self.state = self.state, after
        self.events += events
        if self._check_all:
            assert fold(events, before) == after
            self._check()
        return events

    def may(self, action: Action, *reasons: str, actor: str | None = None) -> bool:
        """Do it, unless it is refused for one of these reasons."""
        try:
            self.do(action, actor)
        except Refused as refused:
            if refused.reason not in reasons:
                raise
            return False
        return True

    def _check(self) -> None:
        state, money = self.state, self.state.money
        kept = money.waiting + money.pool + money.fees + money.owed + money.paid
        assert money.taken + money.added == kept
        sits: dict[int, tuple[int, int]] = {}
        for number in members(state.standing):
            table = state.tables[number]
            for at in table.taken():
                entry = table.seats[at].entry
                assert entry not in sits, f"entry {entry} sits twice"
                sits[entry] = (number, at)
        for number, entry in enumerate(state.entries):
            assert sits.get(number, (-1, -1)) == (entry.table, entry.seat)

    def start(self) -> None:
        """The host starts."""
        self.do(a.StartTournament())

    def step(self) -> bool:
        """Carry out one of the orders that are outstanding; False: there is none."""
        outstanding = list(o.orders(self.state))
        if not outstanding:
            return False
        self._carry_out(self.chance.choice(outstanding))
        return True

    def run(self, steps: int = 100_000) -> None:
        """Until nothing is to be done."""
        for _ in range(steps):
            if not self.step():
                return
        raise AssertionError("it does not come to an end")

    def run_all(self) -> None:
        """Until nothing is to be done; all that is outstanding before looking again."""
        while outstanding := list(o.orders(self.state)):
            for order in outstanding:
                self._carry_out(order)

    def _carry_out(self, order: o.Order) -> None:
        match order:
            case o.OpenTable(table=table):
                assert order.options == tuple(dict(order.options).items())
                self.opened[table] = order
                self.do(a.TableReady(table))
            case o.StartHand():
                self.do(self._plays(self, order))
            case o.CloseTable(table=table):
                self.do(a.TableGone(table))
            case o.TakeSeatAway(sitting=sitting):
                self.do(a.SeatTakenAway(sitting.entry))
            case o.Pay(entry=entry, amount=amount):
                self.do(a.Paid(entry, amount))
            case o.RunClock(version=version):
                self.do(a.ClockRanOut(version))
            case _:
                raise AssertionError(f"{order} is none of these formats")

    # --- what tests ask -----------------------------------------------------------------------

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

    def made(self, kind: type) -> Sequence[Event]:
        """The facts of a kind."""
        return [event for event in self.events if isinstance(event, kind)]
