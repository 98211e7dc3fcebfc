"""Whole tournaments by chance: hands end as they like, orders are carried out in any order."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from random import Random

from engine.actions import Action
from engine.errors import Refused
from engine.events import Event
from engine.tournament import actions as a
from engine.tournament import orders as o
from engine.tournament.events import DealAllowed
from engine.tournament.formats.elimination.sizes import strength
from engine.tournament.state import Phase, TableStatus, Tournament
from engine.tournament.structure import AddOn, Structure
from tests.tournament.books import check_books
from tests.tournament.hall import Hall, bets, structure

__all__ = ["Parlour", "by_chance"]


class Lots:
    """Lots by chance."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def order(self, purpose: str, count: int) -> tuple[int, ...]:
        return tuple(self.random.sample(range(count), count))


def by_chance(random: Random, players: int) -> Structure:
    """Some structure for so many players."""
    late = random.choice((0, 0, 1, 2))
    breaks = random.choice((0, 3))
    timed = random.random() < 0.5
    length = {"minutes": 10} if timed else {"hands": random.randint(1, 4)}
    levels = [bets(20 * 2**n, **length, break_minutes=breaks) for n in range(5)]
    return structure(
        table_size=random.randint(2, 10),
        stack=random.choice((100, 1_000)),
        levels=(*levels, bets(2_000)),
        buy_in=random.choice((0, 7, 100)),
        fee=random.choice((0, 3)),
        max_entrants=max(2, players - random.choice((0, 0, players // 4))),
        waiting=random.choice((0, 5)),
        late_levels=late,
        re_entries=random.choice((0, 2)) if late else 0,
        add_on=AddOn(late, 500, 50, 1) if late and breaks else None,
        guarantee=random.choice((0, 10_000)),
        settings=(("hand_for_hand", str(random.choice((0, 1, 4)))),),
    )


class Parlour:
    """A tournament that is played to its end by chance.

    ``trouble``: how likely it is that the host or a player does something instead.
    """

    def __init__(
        self,
        seed: int,
        players: int,
        made: Structure | None = None,
        trouble: float = 0.0,
        check: Callable[[Tournament], None] = check_books,
    ) -> None:
        self.random = Random(seed)
        self.hall = Hall(Lots(self.random), check)
        self.trouble = trouble
        self.known: set[o.Order] = set()
        self.told = 0
        self.players = [f"p{number}" for number in range(players)]
        self.hall.ask(a.CreateTournament(made or by_chance(self.random, players)))

    def run(self) -> Hall:
        """From the registration until nothing is left to do."""
        for player in self.players:
            self.attempt(a.Register(), player)
            if self.chance():
                self.attempt(a.Unregister(), self.random.choice(self.players))
        for player in self.players[:2]:
            self.attempt(a.Register(), player)
        self.attempt(a.StartTournament())
        while self.goes_on():
            if self.chance():
                self.attempt(*self.some_trouble())
            if self.hall.state.paused and self.chance(0.3):
                self.hall.ask(a.ResumeTournament())
        return self.hall

    def goes_on(self) -> bool:
        """Carry out one of the outstanding orders; what runs has one, unless it is paused."""
        todo = self.outstanding()
        state = self.hall.state
        if not todo:
            assert state.paused or state.phase in {Phase.FINISHED, Phase.CANCELLED}
            return state.phase is Phase.RUNNING
        order = self.random.choice(todo)
        if isinstance(order, o.StartHand):
            self.play(order)
        elif not isinstance(order, o.RunClock) or len(todo) == 1 or self.chance(0.2):
            check_deals(self.hall, self.hall.carry_out(order))
        return True

    def outstanding(self) -> list[o.Order]:
        """All orders; those that are new are about what the last events touched."""
        todo = list(o.orders(self.hall.state))
        about = o.orders_about(self.hall.state, self.hall.events[self.told :])
        assert {*todo} - self.known <= {*about} <= {*todo}
        assert len({(order.version, order.STEP) for order in todo}) == len(todo)
        self.known, self.told = {*todo}, len(self.hall.events)
        return todo

    def play(self, order: o.StartHand) -> None:
        """Everybody who loses chips loses them to one winner; many lose all."""
        stacks = self.hall.dealt_in(order.table)
        winner, *losers = self.random.sample(list(stacks), len(stacks))
        after: dict[int, int] = {}
        for loser in losers[: self.random.choice((1, 1, 2, 9))]:
            lost = stacks[loser] if self.chance(0.6) else self.random.randint(0, stacks[loser])
            after[loser] = stacks[loser] - min(lost, stacks[winner])
        after[winner] = stacks[winner] + sum(stacks[at] - left for at, left in after.items())
        dealer = self.random.choice(list(stacks))
        check_deals(self.hall, self.hall.play(order.table, after, dealer))

    def some_trouble(self) -> tuple[Action, str | None]:
        """Something that a player or the host may ask at any time."""
        clock = self.hall.state.clock
        left = self.random.randint(0, clock.milliseconds) if clock else None
        player = self.random.choice(self.players)
        return self.random.choice(
            (
                (a.Register(), f"late{len(self.hall.state.entries)}"),
                (a.ReEnter(), player),
                (a.ReEnter(), player),
                (a.TakeAddOn(), player),
                (a.PauseTournament(left), None),
                (a.Disqualify(player, "by chance"), None),
                (a.CancelTournament("by chance") if self.chance(0.05) else a.Register(), player),
            )
        )

    def attempt(self, action: Action, player: str | None = None) -> None:
        """Ask for something that may be refused."""
        with suppress(Refused):
            check_deals(self.hall, self.hall.ask(action, player))

    def chance(self, likely: float | None = None) -> bool:
        return self.random.random() < (self.trouble if likely is None else likely)


def check_deals(hall: Hall, events: tuple[Event, ...]) -> None:
    """Who is allowed to deal plays neither alone, nor far shorter or longer than others."""
    state = hall.state
    for event in events:
        if not isinstance(event, DealAllowed) or state.phase is not Phase.RUNNING:
            continue
        assert not state.paused
        assert not state.on_break
        assert event.level == state.level
        sizes = {
            number: strength(state, number)
            for number, table in enumerate(state.tables)
            if table.status in {TableStatus.RESTING, TableStatus.DEALING}
        }
        mine = sizes[event.table]
        assert mine == len(hall.dealt_in(event.table))
        assert mine >= 2
        assert max(sizes.values()) - mine < 3
        room = [
            size
            for number, size in sizes.items()
            if number != event.table and state.tables[number].open_seats()
        ]
        all_fit = sum(sizes.values()) <= (len(sizes) - 1) * state.structure.table_size
        assert not room or mine - min(room) < 2 or all_fit
