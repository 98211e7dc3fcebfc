"""State of a Pontoon table, and what is asked of it everywhere."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from engine.cards import PACK
from engine.games.pontoon.options import Options, believed_options
from engine.records import quick_copies

__all__ = [
    "FIVE",
    "TRADING",
    "Auction",
    "BankOffer",
    "Cards",
    "Deal",
    "Hand",
    "Phase",
    "Punter",
    "Sale",
    "Seat",
    "State",
    "active_hand",
    "clockwise",
    "initial",
    "punter_of",
    "running",
    "takes_part",
    "to_act",
    "turn_begins",
]

Cards = tuple[int, ...]

FIVE = 5
"""Cards that close a hand (6.9)."""


class Phase(StrEnum):
    """Phases (5.1); NONE: there is no table yet."""

    NONE = "NONE"
    WAITING = "WAITING"
    BETWEEN_DEALS = "BETWEEN_DEALS"
    BETTING = "BETTING"
    SHOOT_BETTING = "SHOOT_BETTING"
    PLAYER_TURNS = "PLAYER_TURNS"
    BANKER_TURN = "BANKER_TURN"
    AUCTION = "AUCTION"
    CLOSED = "CLOSED"


TRADING = (
    Phase.BETWEEN_DEALS,
    Phase.BETTING,
    Phase.SHOOT_BETTING,
    Phase.PLAYER_TURNS,
    Phase.BANKER_TURN,
)
"""Phases in which the bank may be traded with ``bank_sale=any_time`` (6.13)."""


class Seat(NamedTuple):
    """Who sits there; ``out_next``: sits out from the end of the deal; ``leaving``: see 10.5."""

    player: str
    out: bool = False
    out_next: bool = False
    leaving: bool = False


@quick_copies
class Hand(NamedTuple):
    """A punter's hand; ``number`` as in 6.5.

    ``cards`` in the order received; ``bought``: prices paid for the third card, the fourth …;
    ``closed``: declared or stuck.  A bust hand has nothing once its cards are under the pack.
    """

    number: int
    cards: Cards = ()
    stake: int = 0
    bought: tuple[int, ...] = ()
    shoot: int = 0
    closed: bool = False
    bust: bool = False

    @property
    def is_open(self) -> bool:
        """Whether the hand still plays (5.3)."""
        return not (self.closed or self.bust or len(self.cards) == FIVE)


class Punter(NamedTuple):
    """A punter of the deal; ``bet``: his initial stake, 0 before it; ``hands`` in play order."""

    seat: int
    bet: int = 0
    hands: tuple[Hand, ...] = (Hand(1),)

    @property
    def staked(self) -> int:
        """Chips on his live hands."""
        return sum(hand.stake for hand in self.hands)


class Deal(NamedTuple):
    """A running deal; ``punters`` in turn order.

    ``bank``: the banker's cards; ``bank_up``: they are turned up; ``shooter``: place of the
    punter who is to decide on a first shoot bet.
    """

    punters: tuple[Punter, ...]
    bank: Cards = ()
    bank_up: bool = False
    shooter: int = 0

    @property
    def staked(self) -> int:
        """Chips on all live hands."""
        return sum(punter.staked for punter in self.punters)

    @property
    def shot(self) -> int:
        """Shoot bets on all live hands."""
        return sum(hand.shoot for punter in self.punters for hand in punter.hands)


class BankOffer(NamedTuple):
    """An open offer to sell or to buy the bank (6.13)."""

    offer_id: int
    from_: int
    to: int
    price: int


class Sale(NamedTuple):
    """An agreed sale; the price is in escrow (6.13d)."""

    buyer: int
    price: int


class Auction(NamedTuple):
    """A running auction (S.10): who has not passed, clockwise; whose turn it is, -1: nobody's.

    ``bid``: the highest one, -1 before the first; ``bidder``: whose it is.
    """

    bidders: tuple[int, ...]
    turn: int
    bid: int = -1
    bidder: int = -1


@quick_copies
class State(NamedTuple):
    """A table.

    ``deals``: those started so far.  ``stock``: the card dealt next comes first.  ``reshuffle``: a
    shuffle is due (9.4).  ``vacated``: seats that gave the bank up in this interval (9.6);
    ``auction_used``: an auction was opened in it.  ``offers`` in ascending order.
    """

    phase: Phase
    options: Options
    seats: tuple[Seat | None, ...] = ()
    stacks: tuple[int, ...] = ()
    stock: Cards = PACK
    deals: int = 0
    banker: int | None = None
    kitty: int = 0
    reshuffle: bool = False
    vacated: frozenset[int] = frozenset()
    auction_used: bool = False
    offers_made: int = 0
    offers: tuple[BankOffer, ...] = ()
    sale: Sale | None = None
    auction: Auction | None = None
    deal: Deal | None = None


def initial() -> State:
    """No table."""
    return State(Phase.NONE, believed_options({}))


def running(state: State) -> Deal:
    """The running deal; there must be one."""
    deal = state.deal
    if deal is None:
        raise AssertionError("no deal is running")
    return deal


def clockwise(state: State, seat: int) -> list[int]:
    """The occupied seats from the left of ``seat`` on, without itself (5.2)."""
    count = len(state.seats)
    after = [(seat + step) % count for step in range(1, count)]
    return [each for each in after if state.seats[each] is not None]


def turn_begins(options: Options, banker: int) -> int:
    """The seat from which on, clockwise, the turn goes through the punters (5.2)."""
    return banker + 1 if options.first_to_bet is None else options.first_to_bet


def punter_of(deal: Deal, seat: int) -> Punter | None:
    """The punter at a seat, if he is in the deal."""
    return next((punter for punter in deal.punters if punter.seat == seat), None)


def takes_part(state: State, seat: int) -> bool:
    """Whether a seat takes part in a running deal, the banker included."""
    deal = state.deal
    return deal is not None and (seat == state.banker or punter_of(deal, seat) is not None)


def active_hand(deal: Deal) -> tuple[Punter, Hand] | None:
    """The hand whose turn it is (5.3)."""
    for punter in deal.punters:
        for hand in punter.hands:
            if hand.is_open:
                return punter, hand
    return None


def to_act(state: State) -> int | None:
    """The acting seat (5.1)."""
    deal = state.deal
    match state.phase:
        case Phase.BETWEEN_DEALS | Phase.BANKER_TURN:
            return state.banker
        case Phase.AUCTION:
            return state.auction.turn if state.auction and state.auction.turn >= 0 else None
        case Phase.BETTING if deal:
            return next((punter.seat for punter in deal.punters if not punter.bet), None)
        case Phase.SHOOT_BETTING if deal and deal.shooter < len(deal.punters):
            return deal.punters[deal.shooter].seat
        case Phase.PLAYER_TURNS if deal:
            found = active_hand(deal)
            return found[0].seat if found else None
        case _:
            return None
