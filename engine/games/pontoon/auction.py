"""The auction of a bank whose kitty is dry (pontoon S.9, S.10)."""

from __future__ import annotations

from engine.errors import Refused
from engine.games.pontoon import actions as a
from engine.games.pontoon import bank_events as b
from engine.games.pontoon.bounds import Bounds
from engine.games.pontoon.checks import acting_banker, acting_bidder
from engine.games.pontoon.ending import lapse, pass_bank
from engine.games.pontoon.funds import bank_need, is_active, others
from engine.games.pontoon.state import Auction, Phase, State, clockwise
from engine.kernel import Shuffler, Steps
from engine.table import require_amount

__all__ = [
    "auction_bank",
    "auction_obstacle",
    "bid_bounds",
    "bid_for_bank",
    "go_on",
    "open_auction",
    "pass_bank_bid",
    "pass_bid",
]


def auction_obstacle(state: State) -> str:
    """Why the banker cannot auction the bank, if he cannot (S.9)."""
    if state.kitty:
        return "KITTY_NOT_DRY"
    return "AUCTION_USED" if state.auction_used else ""


def auction_bank(
    steps: Steps[State], actor: int, action: a.AuctionBank, shuffler: Shuffler
) -> None:
    """S.9."""
    del action, shuffler
    acting_banker(steps.state, actor, Phase.BETWEEN_DEALS, part_b=True)
    obstacle = auction_obstacle(steps.state)
    if obstacle:
        raise Refused(obstacle)
    open_auction(steps)


def open_auction(steps: Steps[State]) -> None:
    """S.10."""
    lapse(steps)
    state = steps.state
    banker = -1 if state.banker is None else state.banker
    order = tuple(seat for seat in clockwise(state, banker) if is_active(state, seat))
    steps.emit(b.AuctionOpened(order))


def _least(auction: Auction, state: State) -> int:
    """The least legal bid."""
    return 0 if auction.bidder < 0 else auction.bid + state.options.min_bet


def bid_bounds(state: State, auction: Auction, seat: int) -> Bounds:
    """What a bidder may bid; others(p) is never 0 while the banker is active (S.10)."""
    most = state.stacks[seat] - bank_need(state, seat)
    return Bounds(_least(auction, state), most if others(state, seat) else -1)


def bid_for_bank(steps: Steps[State], actor: int, action: a.BidForBank, shuffler: Shuffler) -> None:
    """S.10."""
    del shuffler
    state = steps.state
    auction = acting_bidder(state, actor)
    amount = require_amount("amount", action.amount)
    if amount < _least(auction, state):
        raise Refused("BID_TOO_LOW", least=_least(auction, state))
    most = state.stacks[actor] - bank_need(state, actor)
    if amount > most:
        raise Refused("INSUFFICIENT_CHIPS", most=max(0, most))
    if not others(state, actor):
        raise Refused("BANK_CANNOT_COVER")
    steps.emit(b.AuctionBidPlaced(actor, amount))


def pass_bank_bid(
    steps: Steps[State], actor: int, action: a.PassBankBid, shuffler: Shuffler
) -> None:
    """S.10."""
    del action, shuffler
    acting_bidder(steps.state, actor)
    pass_bid(steps, actor, auto=False)


def pass_bid(steps: Steps[State], seat: int, *, auto: bool) -> None:
    """A bidder is out of the auction."""
    steps.emit(b.AuctionPassed(seat, auto))


def go_on(steps: Steps[State], before: int | None = None) -> None:
    """Pass for bidders whose turn has come and who cannot bid, and close what is over (S.10).

    ``before``: whose turn it was; who had the turn already keeps it.
    """
    while True:
        state = steps.state
        auction = state.auction
        if auction is None:
            return
        if all(seat == auction.bidder for seat in auction.bidders):
            _close(steps, auction)
            return
        if auction.turn == before:
            return
        low, high = bid_bounds(state, auction, auction.turn)
        if low <= high:
            return
        pass_bid(steps, auction.turn, auto=True)


def _close(steps: Steps[State], auction: Auction) -> None:
    if auction.bidder < 0:
        steps.emit(b.AuctionClosed(False, None, None))
        return
    steps.emit(b.AuctionClosed(True, auction.bidder, auction.bid))
    pass_bank(steps, auction.bidder, b.Passing.AUCTION)
