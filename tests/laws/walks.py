"""Random play: tables opened, seats taken and left, hands played, nonsense tried."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from random import Random
from typing import Any, NamedTuple

from engine.actions import (
    COMMON_ACTIONS,
    Action,
    CloseTable,
    OpenTable,
    TableAction,
    TakeSeat,
    TimeOut,
)
from engine.errors import Refused
from engine.events import Event
from engine.fields import FieldKind, describe
from engine.house import Table, apply_all
from engine.kernel import HOST, AnyGame, Offer
from engine.shuffle import order
from tests.laws.samples import NAMES, concrete, options_text, sample, seat_actions

__all__ = [
    "Attempt",
    "Lot",
    "Shuffles",
    "attempt",
    "exchange_cards",
    "replay",
    "walk",
]

Orders = tuple[tuple[int, ...], ...]
Options = Callable[[Random], Mapping[str, str]]


class Attempt(NamedTuple):
    """An action that was tried, and what came of it; ``reason`` is empty if it was accepted."""

    actor: int
    action: Action
    before: Table
    after: Table
    events: tuple[Event, ...]
    reason: str
    detail: str
    orders: Orders


class Shuffles:
    """Supplies orders that follow from a seed, or those that are given, and keeps them."""

    def __init__(self, seed: int, given: Sequence[tuple[int, ...]] | None = None) -> None:
        self._seed = seed
        self._given = given
        self.made: list[tuple[int, ...]] = []

    def shuffle(self, purpose: str, pile: tuple[int, ...]) -> tuple[int, ...]:
        """An order of the pile, which must come in canonical order (C8)."""
        assert list(pile) == sorted(pile), "C8: a pile is shuffled from its canonical order"
        if self._given is not None:
            made = self._given[len(self.made)]
            assert sorted(made) == list(pile)
        else:
            key = sha256(f"{self._seed} {len(self.made)} {purpose}".encode()).digest()
            made = order(key, pile)
        self.made.append(made)
        return made


class Lot(NamedTuple):
    """Draws the number that is given, or the nearest there is."""

    number: int

    def draw(self, purpose: str, count: int) -> int:
        """See ``Lots``."""
        del purpose
        return min(self.number, count - 1)


def attempt(table: Table, actor: int, action: Action, shuffles: Shuffles) -> Attempt:
    """Try an action at a table."""
    first = len(shuffles.made)
    try:
        events, _ = table.game.decide(table.state, actor, action, shuffles)
    except Refused as no:
        return Attempt(actor, action, table, table, (), no.reason, repr(no.detail), ())
    orders = tuple(shuffles.made[first:])
    after = apply_all(table, events, actor)
    return Attempt(actor, action, table, after, events, "", "", orders)


def _open(
    rng: Random, game: AnyGame, shuffles: Shuffles, options_of: Options | None
) -> list[Attempt]:
    tried: list[Attempt] = []
    table = Table.empty(game)
    drawn = [options_text(rng, game.OPTIONS) for _ in range(3)]
    if options_of is not None:
        drawn.insert(rng.randrange(2), options_of(rng))
    for options in (*drawn, {}):
        start = options_text(rng, game.START_FACTS) if options else {}
        tried.append(attempt(table, HOST, OpenTable(options, start), shuffles))
        if not tried[-1].reason:
            return tried
    raise AssertionError(f"no table of {game.key} can be opened by default")


def _next(rng: Random, table: Table) -> tuple[int, Action]:
    """Mostly an offered action; else a start, a time-out, a table action, something wrong."""
    game, state = table.game, table.state
    dice = rng.randrange(100)
    acting = game.to_act(state)
    if acting and dice < 62:
        seat = rng.choice(acting)
        offered = game.legal_actions(state, seat)
        # Games list what ends a hand last: taken less often, so that walks go deep.
        offer = offered[min(rng.randrange(len(offered)), rng.randrange(len(offered)))]
        return seat, rng.choice(list(concrete(offer)))
    if not acting and dice < 50:
        empty = [s for s in range(game.seats(state)) if s not in game.players(state)]
        if empty and rng.randrange(3):
            chips = rng.choice((0, 1, 5, 100, 2**62))
            return rng.choice(empty), TakeSeat(rng.choice(NAMES), chips)
        return HOST, game.next_start(state, Lot(rng.randrange(game.seats(state))))
    if dice < 66:
        return HOST, TimeOut()
    if dice == 99 and not rng.randrange(4):
        return HOST, CloseTable()
    return _any(rng, table)


def _any(rng: Random, table: Table) -> tuple[int, Action]:
    game, state = table.game, table.state
    seat = rng.randrange(-1, game.seats(state) + 1)
    kinds = seat_actions(game)
    if rng.randrange(2):
        kinds = [kind for kind in kinds if issubclass(kind, TableAction)]
    elif not rng.randrange(8):
        host = [kind for kind in (*COMMON_ACTIONS, *game.ACTIONS) if kind not in kinds]
        kind = rng.choice([kind for kind in host if kind is not CloseTable])
        return HOST, sample(rng, game, kind, ())
    return seat, sample(rng, game, rng.choice(kinds), offers(table))


def offers(table: Table) -> list[Offer]:
    """All offers to all seats."""
    game, state = table.game, table.state
    return [o for seat in range(game.seats(state)) for o in game.legal_actions(state, seat)]


def walk(
    rng: Random, game: AnyGame, length: int, options_of: Options | None = None
) -> list[Attempt]:
    """A table's life from its opening, refused attempts included.

    ``options_of`` draws options that go together, for games where few that are drawn at random do.
    """
    shuffles = Shuffles(rng.getrandbits(32))
    tried = _open(rng, game, shuffles, options_of)
    table = tried[-1].after
    for seat in range(game.seats(table.state)):
        if rng.randrange(8):
            chips = rng.choice((0, 3, 100, 100, 10_000))
            tried.append(attempt(table, seat, TakeSeat(NAMES[seat % len(NAMES)], chips), shuffles))
            table = tried[-1].after
    for _ in range(length):
        actor, action = _next(rng, table)
        tried.append(attempt(table, actor, action, shuffles))
        table = tried[-1].after
    return tried


def exchange_cards(action: Action, exchange: Callable[[int], int]) -> Action:
    """The action with other cards in its parameters."""
    changes: dict[str, Any] = {}
    for field in describe(type(action)):
        value = getattr(action, field.name)
        if value is None:
            continue
        if field.kind is FieldKind.CARD:
            changes[field.name] = exchange(value)
        elif field.kind is FieldKind.CARDS:
            changes[field.name] = tuple(map(exchange, value))
        elif field.kind is FieldKind.GROUPS:
            changes[field.name] = tuple(tuple(map(exchange, group)) for group in value)
    return replace(action, **changes) if changes else action  # type: ignore[type-var]


def replay(
    game: AnyGame,
    tries: Sequence[tuple[int, Action, Orders]],
    stop: Callable[[Attempt, int], bool] = lambda _attempt, _place: False,
) -> list[Attempt]:
    """The same attempts again, with the orders that their shuffles shall have.

    Ends early, without the attempt in question, when ``stop`` says so.
    """
    table = Table.empty(game)
    again: list[Attempt] = []
    for actor, action, orders in tries:
        one = attempt(table, actor, action, Shuffles(0, orders))
        if stop(one, len(again)):
            break
        again.append(one)
        table = again[-1].after
    return again
