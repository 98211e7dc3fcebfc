"""The second count of action sequences: try everything and see what is accepted.

Nothing is asked of ``legal_actions``.  Each seat tries each action with all values its parameters
could have: all integers from -1 to beyond the chips of the table, all sets of the cards that lie
in the open, all words.  Of amounts, which may be thousands, only the ends count, as in the table;
an amount that has the same events as another, such as one left out, is that other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, combinations, product
from typing import Any, NamedTuple, Protocol

from engine.actions import Action, HostAction, TableAction
from engine.errors import Refused
from engine.events import Event
from engine.fields import describe
from engine.games.pontoon.actions import AddToKitty, FormKitty
from engine.kernel import AnyGame

__all__ = ["AMOUNTS", "VALUES", "Trier"]

Values = Callable[[AnyGame, Any], Iterable[object]]
Decide = Callable[["Point", int, Action], tuple[tuple[Event, ...], "Point"]]

AMOUNTS = frozenset({"amount", "shoot_bet"})
"""Parameters of which only the ends count."""


def amounts(game: AnyGame, state: Any) -> Iterable[int | None]:
    """Left out, or any number up to more than anybody has."""
    most = max(chips for _, chips in game.players(state).values())
    return None, *range(-1, most + 2)


def seats(game: AnyGame, state: Any) -> Iterable[object]:
    return None, *range(-1, game.seats(state) + 1)


def sets(things: Iterable[object]) -> Iterable[object]:
    lying = tuple(things)
    return chain.from_iterable(combinations(lying, size) for size in range(len(lying) + 1))


def soldiers(game: AnyGame, state: Any) -> Iterable[object]:
    """Anybody's soldiers, and his banner."""
    hand = state.hand
    return sets([*chain(*hand.soldiers), hand.banners[hand.actor]] if hand else ())


def hands(game: AnyGame, state: Any) -> Iterable[object]:
    """Anybody's cards."""
    return [None, *chain(*state.deal.hands)] if state.deal else ()


def loose(game: AnyGame, state: Any) -> Iterable[object]:
    """All sets of loose cards; or one card that is in a build."""
    if not state.deal:
        return ()
    return *sets(state.deal.loose), *(build.groups[0][:1] for build in state.deal.builds)


def built(game: AnyGame, state: Any) -> list[str]:
    """The builds on the table, and one that is not there."""
    numbers = [build.number for build in state.deal.builds] if state.deal else []
    return [*(f"b{number}" for number in numbers), "b99"]


VALUES: Mapping[str, Mapping[str, Values]] = {
    "palace_poker": {"target": seats, "cards": soldiers, "discard": soldiers},
    "pontoon": {},
    "royal_casino": {
        "card": hands,
        "value": lambda _game, _state: (None, *range(16)),
        "loose": loose,
        "builds": lambda game, state: sets(built(game, state)),
        "base": lambda game, state: (None, *built(game, state)),
    },
    "royal_flush": {
        "pile": lambda _game, _state: (None, *range(-1, 7)),
        "scope": lambda _game, _state: (None, "", "step", "round", "game", "all"),
    },
}
"""By game: what may be tried for each parameter that is no amount."""


ASIDE = frozenset({FormKitty, AddToKitty})
"""Actions that answer no decision and are offered all the same (pontoon 12.0)."""


class Point(Protocol):
    """Where sequences go on; see tools/perft.py."""

    @property
    def state(self) -> Any: ...


class Accepted(NamedTuple):
    """Amounts that were accepted, as many as the action has, and what they did."""

    amounts: tuple[int | None, ...]
    events: tuple[Event, ...]
    after: Point


class Trier:
    """Counts by trying.  ``decide`` answers like that of a game, from point to point."""

    def __init__(self, game: AnyGame, decide: Decide) -> None:
        self.game = game
        self.decide = decide

    def sequences(self, point: Point, depth: int) -> int:
        """How many sequences of ``depth`` accepted actions there are."""
        if depth == 0:
            return 1
        return sum(self.sequences(after, depth - 1) for after in self.outcomes(point))

    def outcomes(self, point: Point) -> Iterator[Point]:
        """The point after each action that is accepted and counts."""
        for seat in range(self.game.seats(point.state) + 1):
            for kind in self.game.ACTIONS:
                if kind in ASIDE or not issubclass(kind, (HostAction, TableAction)):
                    yield from self._of_kind(point, seat, kind)

    def _of_kind(self, point: Point, seat: int, kind: type[Action]) -> Iterator[Point]:
        names = [field.name for field in describe(kind)]
        others = [name for name in names if name not in AMOUNTS]
        free = [name for name in names if name in AMOUNTS]
        known = VALUES[self.game.key]
        for values in product(*(known[name](self.game, point.state) for name in others)):
            found: list[Accepted] = []
            for given in product(*(amounts(self.game, point.state) for _ in free)):
                action = kind(**dict(zip((*others, *free), (*values, *given), strict=True)))
                try:
                    events, after = self.decide(point, seat, action)
                except Refused:
                    continue
                found.append(Accepted(given, events, after))
            yield from (each.after for each in ends(found))


def ends(found: list[Accepted]) -> list[Accepted]:
    """Those with the least or greatest of each amount, or with what one left out stands for."""
    real = {each.events: each for each in found if None not in each.amounts}
    for each in found:
        assert each.events in real, "an amount left out stands for none that can be named"
    kept = list(real.values())
    for at in range(len(found[0].amounts) if found else 0):
        values = sorted({each.amounts[at] for each in real.values()})
        assert values == list(range(values[0], values[-1] + 1)), "amounts with gaps"
        left_out = {real[each.events].amounts[at] for each in found if each.amounts[at] is None}
        wanted = {values[0], values[-1], *left_out}
        kept = [each for each in kept if each.amounts[at] in wanted]
    return kept
