"""State of a Palace Poker table, and what is asked of it everywhere."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from engine.games.palace_poker.options import Options, believed_options
from engine.records import quick_copies

__all__ = [
    "Battle",
    "Cards",
    "Hand",
    "Phase",
    "Seat",
    "State",
    "deal_order",
    "eligible",
    "initial",
    "new_hand",
    "next_seat",
    "opponent",
    "price",
    "running",
    "seats_of",
]

Cards = tuple[int, ...]


class Phase(StrEnum):
    """Phases (5.1); NONE: there is no table yet; SETUP: within ``start_hand`` only."""

    NONE = "NONE"
    IDLE = "IDLE"
    SETUP = "SETUP"
    TURN = "TURN"
    MUSTER = "MUSTER"
    BATTLE = "BATTLE"
    CLOSED = "CLOSED"


class Seat(NamedTuple):
    """Who sits there; ``out``: takes no part from the next hand on; ``leaving``: see 6.12."""

    player: str
    out: bool = False
    leaving: bool = False


class Battle(NamedTuple):
    """A battle that waits for an answer (5.8); the attacker is the seat whose turn it is.

    ``to_call``: chips that the actor owes; ``unmatched``: his opponent's part that he has not
    answered yet (5.8.7).
    """

    defender: int
    to_call: int
    raises: int
    unmatched: int


@quick_copies
class Hand(NamedTuple):
    """A running hand.  Rows have one item for each seat of the table; sets of seats are masks.

    ``order``: dealt-in seats in deal order (5.2), empty while the dealer is drawn for.
    ``exits``: exit index (5.10.1), 0 for none.  ``banners``: 0 for none.  ``soldiers``: oldest
    first.  ``discard``: in canonical order, it is a set (4.2).  ``rejects``: cards set aside face
    up during the deal.  ``turn``: T of the specification, ``actor``: the seat to act.
    """

    order: tuple[int, ...]
    dealt: int
    alive: int
    capped: int
    quiet: int
    paid: tuple[int, ...]
    exits: tuple[int, ...]
    banners: Cards
    palaces: tuple[Cards, ...]
    soldiers: tuple[Cards, ...]
    pot: int = 0
    turn: int = -1
    forced: bool = False
    actor: int = -1
    turns: int = 0
    battle: Battle | None = None
    draw: Cards = ()
    discard: Cards = ()
    rejects: Cards = ()


@quick_copies
class State(NamedTuple):
    """A table.  ``dealer``: seat that deals the running hand or dealt the last one (9.2)."""

    phase: Phase
    options: Options
    seats: tuple[Seat | None, ...] = ()
    stacks: tuple[int, ...] = ()
    dealer: int | None = None
    hand_no: int = 0
    hand: Hand | None = None


def initial() -> State:
    """No table."""
    return State(Phase.NONE, believed_options({}))


def new_hand(seats: int, dealt: int) -> Hand:
    """A hand before its first card and chip; ``dealt`` is the mask of those in it."""
    none = (0,) * seats
    no_cards = ((),) * seats
    return Hand((), dealt, dealt, 0, 0, none, none, none, no_cards, no_cards)


def running(state: State) -> Hand:
    """The running hand; there must be one."""
    hand = state.hand
    if hand is None:
        raise AssertionError("no hand is running")
    return hand


def seats_of(mask: int) -> tuple[int, ...]:
    """The seats of a mask, ascending.

    >>> seats_of(0b1101)
    (0, 2, 3)
    """
    found: list[int] = []
    while mask:
        lowest = mask & -mask
        found.append(lowest.bit_length() - 1)
        mask ^= lowest
    return tuple(found)


def next_seat(mask: int, seat: int) -> int:
    """The first seat of a mask clockwise of ``seat``, ``seat`` itself last (C1).

    >>> next_seat(0b1101, 0), next_seat(0b1101, 3)
    (2, 0)
    """
    left = mask >> seat + 1 << seat + 1 or mask
    return (left & -left).bit_length() - 1


def deal_order(dealt: int, dealer: int) -> tuple[int, ...]:
    """Clockwise from the dealer's left, the dealer last (5.2)."""
    seats = seats_of(dealt)
    return tuple(s for s in seats if s > dealer) + tuple(s for s in seats if s <= dealer)


def eligible(state: State) -> int:
    """Mask of the seats that a hand would start with (5.2)."""
    mask = 0
    for seat, who in enumerate(state.seats):
        if who is not None and not who.out and not who.leaving and state.stacks[seat] > 0:
            mask |= 1 << seat
    return mask


def price(state: State, hand: Hand, seat: int) -> int:
    """Chips that a seat pays to open a battle or to call one (5.8.2)."""
    return state.options.small_bet * (len(hand.soldiers[seat]) + 1)


def opponent(hand: Hand, battle: Battle) -> int:
    """The combatant who is not to act (5.8.4)."""
    return hand.turn if hand.actor == battle.defender else battle.defender
