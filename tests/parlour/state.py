"""State of a Parlour table, and how events change it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple, cast

from engine import events as c
from engine.options import CLOCK_OPTIONS, Kind, Option, parse_options, stored_options
from engine.visibility import EVERYONE, SERVER
from tests.parlour import events as e

OPTIONS = (
    Option("seats", Kind.INT, 3, "seats of the table", low=2, high=4),
    Option("ante", Kind.INT, 1, "chips for a hand, and for a peek", low=1, high=1000),
    Option("hand_size", Kind.INT, 2, "cards of a hand", low=1, high=3),
    Option("rounds", Kind.INT, 2, "turns of each seat", low=1, high=3),
    Option("draw_pile", Kind.INT, 2, "cards to draw from before a reshuffle", low=1, high=30),
    Option("open_discards", Kind.BOOL, False, "cards are thrown away face up"),
    Option("on_timeout", Kind.WORD, "keep", "what a late seat does", words=("keep", "fold")),
    *CLOCK_OPTIONS,
)
START_FACTS = (Option("dealer", Kind.INT, 0, "seat that deals first", high=3),)


class Phase(StrEnum):
    NONE = "NONE"
    LOBBY = "LOBBY"
    TURNS = "TURNS"
    CLOSED = "CLOSED"


class Options(NamedTuple):
    seats: int
    ante: int
    hand_size: int
    rounds: int
    draw_pile: int
    open_discards: bool
    on_timeout: str


class Player(NamedTuple):
    name: str
    chips: int
    out: bool = False
    leaving: bool = False


class Slot(NamedTuple):
    """A place of one card, and who knows the card."""

    card: int
    audience: int


class State(NamedTuple):
    """``hands`` stand in turn order; ``house`` holds no slot or one; ``button`` deals next."""

    phase: Phase
    options: Options
    players: tuple[Player | None, ...] = ()
    button: int = 0
    hand_no: int = 0
    order: tuple[int, ...] = ()
    turn: int = 0
    peeked: bool = False
    folded: frozenset[int] = frozenset()
    pot: int = 0
    hands: tuple[tuple[Slot, ...], ...] = ()
    house: tuple[Slot, ...] = ()
    draw: tuple[int, ...] = ()
    aside: tuple[int, ...] = ()
    discard: tuple[Slot, ...] = ()

    @property
    def acting(self) -> int:
        """The seat whose turn it is; -1 when all turns are over."""
        n = len(self.order)
        return self.order[self.turn % n] if self.turn < n * self.options.rounds else -1


def read_options(given: Mapping[str, str]) -> tuple[Options, c.Pairs]:
    """The options and their text; raises ``Refused(INVALID_OPTIONS)``."""
    values, texts = parse_options(OPTIONS, given)
    return Options(*cast("Any", [values[name] for name in Options._fields])), texts


def believed_options(stored: Mapping[str, str]) -> Options:
    """The options of a recorded table."""
    values = stored_options(OPTIONS, stored)
    return Options(*cast("Any", [values[name] for name in Options._fields]))


def initial() -> State:
    return State(Phase.NONE, believed_options({}))


def with_player(state: State, seat: int, **changes: Any) -> State:
    player = state.players[seat]
    assert player is not None
    return _sit(state, seat, player._replace(**changes))


def _sit(state: State, seat: int, player: Player | None) -> State:
    return state._replace(players=(*state.players[:seat], player, *state.players[seat + 1 :]))


def _pay(state: State, seat: int, amount: int) -> State:
    player = state.players[seat]
    assert player is not None
    return with_player(state, seat, chips=player.chips - amount)._replace(pot=state.pot + amount)


def _put(state: State, seat: int, index: int, slot: Slot) -> State:
    place = state.order.index(seat)
    hand = state.hands[place]
    hand = (*hand[:index], slot, *hand[index + 1 :])
    return state._replace(hands=(*state.hands[:place], hand, *state.hands[place + 1 :]))


def _advance(state: State) -> State:
    turn = state.turn + 1
    while turn < len(state.order) * state.options.rounds:
        if state.order[turn % len(state.order)] not in state.folded:
            break
        turn += 1
    return state._replace(turn=turn, peeked=False)


def evolve(state: State, event: c.Event) -> State:
    """The state after a fact; believes it."""
    match event:
        case e.CardDealt(seat, index, card):
            dealt = _put(state, seat, index, Slot(card.value, card.audience))
            return dealt._replace(draw=state.draw[1:])
        case e.CardDiscarded(seat, index, card):
            thrown = (*state.discard, Slot(card.value, card.audience))
            hole = _put(state, seat, index, Slot(0, SERVER))
            return _advance(hole._replace(discard=thrown))
        case e.CardShown(seat, target, index, price, card):
            old = state.hands[state.order.index(target)][index]
            slot = Slot(card.value if card.shown else old.card, old.audience | card.audience)
            return _pay(_put(state, target, index, slot), seat, price)._replace(peeked=True)
        case e.Kept():
            return _advance(state)
        case e.Folded(seat):
            return _advance(state._replace(folded=state.folded | {seat}))
        case e.AntePaid(seat, amount):
            return _pay(state, seat, amount)
        case e.PotAwarded(seat, amount):
            return _pay(state, seat, -amount)
        case e.HouseCardDealt(card):
            return state._replace(house=(Slot(card.value, card.audience),), draw=state.draw[1:])
        case e.HouseCardRevealed(card):
            return state._replace(house=(Slot(card, EVERYONE),))
        case e.HandShown(seat, cards):
            for index, card in enumerate(cards):
                state = _put(state, seat, index, Slot(card, EVERYONE))
            return state
        case c.DeckShuffled(_, order):
            return state._replace(draw=order.value, discard=())
        case e.PackCut(draw):
            return state._replace(draw=state.draw[:draw], aside=state.draw[draw:])
        case e.HandStarted(hand_no, seats):
            return state._replace(
                phase=Phase.TURNS,
                hand_no=hand_no,
                order=seats,
                hands=((),) * len(seats),
                button=(seats[-1] + 1) % len(state.players),
            )
        case e.HandEnded():
            return State(Phase.LOBBY, state.options, state.players, state.button, state.hand_no)
        case c.SeatTaken(seat, player, chips):
            return _sit(state, seat, Player(player, chips))
        case c.SeatLeft(seat):
            return _sit(state, seat, None)
        case c.SeatLeaving(seat):
            return with_player(state, seat, leaving=True)
        case c.SatOut(seat) | c.SatIn(seat):
            return with_player(state, seat, out=isinstance(event, c.SatOut))
        case c.ChipsAdded(seat, amount):
            return _pay(state, seat, -amount)._replace(pot=state.pot)
        case c.TurnTimedOut():
            return state
        case c.TableOpened(_, options, start):
            chosen = believed_options(dict(options))
            dealer = int(dict(start)["dealer"])
            return State(Phase.LOBBY, chosen, (None,) * chosen.seats, dealer)
        case c.TableClosed():
            return state._replace(phase=Phase.CLOSED)
        case _:
            raise AssertionError(f"{type(event).__name__} is no event of Parlour")
