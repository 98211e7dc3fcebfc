"""What a Pontoon table accepts (pontoon 6): tests in their order, then the facts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine import actions as ca
from engine.errors import Refused
from engine.events import Event, TurnTimedOut
from engine.games.pontoon import actions as a
from engine.games.pontoon import auction, banking, playing, seating, trading
from engine.games.pontoon import bank_events as b
from engine.games.pontoon import events as e
from engine.games.pontoon.bounds import bet_range, card_price, require_cover
from engine.games.pontoon.checks import (
    acting_banker,
    acting_punter,
    active,
    amount_or_none,
    require_host,
)
from engine.games.pontoon.funds import free, room
from engine.games.pontoon.state import Hand, Phase, Punter, State, running, to_act
from engine.games.pontoon.totals import best, is_ace, is_pair, is_pontoon, may_draw
from engine.kernel import Shuffler, Steps
from engine.table import require_amount

__all__ = ["decide", "draw_obstacle", "split_obstacle", "stick_obstacle"]

_ACTING = (
    Phase.BETWEEN_DEALS,
    Phase.BETTING,
    Phase.SHOOT_BETTING,
    Phase.PLAYER_TURNS,
    Phase.BANKER_TURN,
    Phase.AUCTION,
)


def _refuse(obstacle: str) -> None:
    if obstacle:
        raise Refused(obstacle)


# --- why a hand may not (tests and offers agree here) -----------------------------------------


def must_declare(state: State, punter: Punter, hand: Hand) -> str:
    """6.4."""
    pontoon = is_pontoon(hand.cards, len(punter.hands) > 1, state.options)
    return "MUST_DECLARE_PONTOON" if pontoon else ""


def split_obstacle(state: State, punter: Punter, hand: Hand) -> str:
    """6.5, without cover."""
    if must_declare(state, punter, hand):
        return "MUST_DECLARE_PONTOON"
    if not is_pair(hand.cards):
        return "NOT_A_PAIR"
    if state.options.aces_only and not is_ace(hand.cards[0]):
        return "SPLIT_NOT_ALLOWED"
    return "DECK_EXHAUSTED" if len(state.stock) < 2 else ""


def draw_obstacle(state: State, punter: Punter, hand: Hand, *, buys: bool) -> str:
    """6.6 and 6.7, without price and cover."""
    if must_declare(state, punter, hand):
        return "MUST_DECLARE_PONTOON"
    if buys and len(hand.cards) > 2 + len(hand.bought):
        return "BUY_AFTER_TWIST"
    if not may_draw(hand.cards, state.options):
        return "TOTAL_IS_21"
    return "" if state.stock else "DECK_EXHAUSTED"


def stick_obstacle(state: State, punter: Punter, hand: Hand) -> str:
    """6.8."""
    if must_declare(state, punter, hand):
        return "MUST_DECLARE_PONTOON"
    low = best(hand.cards) < state.options.stick_min and state.stock
    return "STICK_TOO_LOW" if low else ""


def banker_draw_obstacle(state: State) -> str:
    """6.11."""
    if not may_draw(running(state).bank, state.options):
        return "TOTAL_IS_21"
    return "" if state.stock else "DECK_EXHAUSTED"


def _require_shoot(state: State, shoot: int, *, now: bool = True) -> None:
    """The checks of a shoot bet that comes with a card or a split (6.0, S.5)."""
    if shoot and not state.options.shoot:
        raise Refused("SHOOT_NOT_AVAILABLE")
    if shoot and not now:
        raise Refused("SHOOT_NOT_NOW")


# --- the punters ------------------------------------------------------------------------------


def _place_bet(steps: Steps[State], actor: int, action: a.PlaceBet, shuffler: Shuffler) -> None:
    """6.2."""
    del shuffler
    state = steps.state
    punter = acting_punter(state, actor, Phase.BETTING)
    amount = require_amount("amount", action.amount)
    low, high = bet_range(state, actor)
    if not low <= amount <= high:
        raise Refused("BET_OUT_OF_RANGE", low=low, high=high)
    require_cover(state, punter, amount, 0)
    steps.emit(e.BetPlaced(actor, amount))


def _place_shoot_bet(
    steps: Steps[State], actor: int, action: a.PlaceShootBet, shuffler: Shuffler
) -> None:
    """S.4."""
    del shuffler
    state = steps.state
    acting_punter(state, actor, Phase.SHOOT_BETTING, part_b=True)
    amount = require_amount("amount", action.amount)
    if amount < 1:
        raise Refused("SHOOT_BET_TOO_SMALL")
    if amount > free(state, actor):
        raise Refused("INSUFFICIENT_CHIPS", most=max(0, free(state, actor)))
    if amount > room(state):
        raise Refused("KITTY_EXCEEDED", room=room(state))
    steps.emit(b.ShootBetPlaced(actor, 1, amount))


def _pass_shoot_bet(
    steps: Steps[State], actor: int, action: a.PassShootBet, shuffler: Shuffler
) -> None:
    """S.4."""
    del action, shuffler
    acting_punter(steps.state, actor, Phase.SHOOT_BETTING, part_b=True)
    playing.pass_shoot(steps, actor)


def _declare(steps: Steps[State], actor: int, action: a.DeclarePontoon, shuffler: Shuffler) -> None:
    """6.4."""
    del action, shuffler
    punter, hand = active(steps.state, actor)
    if not must_declare(steps.state, punter, hand):
        raise Refused("NOT_A_PONTOON")
    playing.declare(steps, punter, hand)


def _split(steps: Steps[State], actor: int, action: a.SplitHand, shuffler: Shuffler) -> None:
    """6.5, S.6."""
    del shuffler
    state = steps.state
    punter, hand = active(state, actor)
    shoot = amount_or_none("shoot_bet", action.shoot_bet)
    _refuse(split_obstacle(state, punter, hand))
    _require_shoot(state, shoot)
    require_cover(state, punter, punter.bet, shoot)
    playing.split(steps, punter, hand, shoot)


def _buy(steps: Steps[State], actor: int, action: a.BuyCard, shuffler: Shuffler) -> None:
    """6.6, S.5."""
    del shuffler
    state = steps.state
    punter, hand = active(state, actor)
    amount = require_amount("amount", action.amount)
    shoot = amount_or_none("shoot_bet", action.shoot_bet)
    _refuse(draw_obstacle(state, punter, hand, buys=True))
    low, high = card_price(punter, hand)
    if not low <= amount <= high:
        raise Refused("BUY_OUT_OF_RANGE", low=low, high=high)
    _require_shoot(state, shoot, now=len(hand.cards) == 3)
    require_cover(state, punter, amount, shoot)
    playing.buy(steps, punter, hand, amount, shoot)


def _twist(steps: Steps[State], actor: int, action: a.TwistCard, shuffler: Shuffler) -> None:
    """6.7, S.5."""
    del shuffler
    state = steps.state
    punter, hand = active(state, actor)
    shoot = amount_or_none("shoot_bet", action.shoot_bet)
    _refuse(draw_obstacle(state, punter, hand, buys=False))
    _require_shoot(state, shoot, now=len(hand.cards) == 3)
    require_cover(state, punter, 0, shoot)
    playing.twist(steps, punter, hand, shoot)


def _stick(steps: Steps[State], actor: int, action: a.Stick, shuffler: Shuffler) -> None:
    """6.8."""
    del action, shuffler
    punter, hand = active(steps.state, actor)
    _refuse(stick_obstacle(steps.state, punter, hand))
    playing.stick(steps, punter, hand)


# --- the banker -------------------------------------------------------------------------------


def _banker_draw(steps: Steps[State], actor: int, action: a.BankerDraw, shuffler: Shuffler) -> None:
    """6.11."""
    del action, shuffler
    acting_banker(steps.state, actor, Phase.BANKER_TURN)
    _refuse(banker_draw_obstacle(steps.state))
    playing.banker_draw(steps)


def _banker_stay(steps: Steps[State], actor: int, action: a.BankerStay, shuffler: Shuffler) -> None:
    """6.11."""
    del action, shuffler
    acting_banker(steps.state, actor, Phase.BANKER_TURN)
    playing.banker_stay(steps)


# --- the host ---------------------------------------------------------------------------------


def _time_out(steps: Steps[State], actor: int, action: ca.TimeOut, shuffler: Shuffler) -> None:
    """10.3."""
    del actor, action
    state = steps.state
    require_host(state, *_ACTING)
    seat = to_act(state)
    if seat is None:
        raise AssertionError("a waiting state in which nobody is to act")
    steps.emit(TurnTimedOut(seat))
    if state.phase is Phase.BETWEEN_DEALS:
        banking.time_is_over(steps, seat, shuffler)
    elif state.phase is Phase.AUCTION:
        auction.pass_bid(steps, seat, auto=False)
    else:
        playing.act_by_default(steps, seat)


_Handler = Callable[[Steps[State], int, Any, Shuffler], None]

_HANDLERS: Mapping[type[ca.Action], _Handler] = {
    a.StartGame: banking.start_game,
    a.StartDeal: banking.start_deal,
    a.PlaceBet: _place_bet,
    a.DeclarePontoon: _declare,
    a.SplitHand: _split,
    a.BuyCard: _buy,
    a.TwistCard: _twist,
    a.Stick: _stick,
    a.BankerDraw: _banker_draw,
    a.BankerStay: _banker_stay,
    a.ResignBank: banking.resign_bank,
    a.OfferBankSale: trading.offer_bank_sale,
    a.OfferBankPurchase: trading.offer_bank_purchase,
    a.WithdrawBankOffer: trading.withdraw_bank_offer,
    a.DeclineBankOffer: trading.decline_bank_offer,
    a.AcceptBankOffer: trading.accept_bank_offer,
    a.FormKitty: banking.form_kitty,
    a.AddToKitty: banking.add_to_kitty,
    a.PlaceShootBet: _place_shoot_bet,
    a.PassShootBet: _pass_shoot_bet,
    a.AuctionBank: auction.auction_bank,
    a.BidForBank: auction.bid_for_bank,
    a.PassBankBid: auction.pass_bank_bid,
    ca.TimeOut: _time_out,
    ca.TakeSeat: seating.take_seat,
    ca.LeaveSeat: seating.leave_seat,
    ca.SitOut: seating.sit_out,
    ca.SitIn: seating.sit_in,
    ca.AddChips: seating.add_chips,
    ca.OpenTable: seating.open_table,
    ca.CloseTable: seating.close_table,
}


def decide(
    steps: Steps[State], actor: int, action: ca.Action, shuffler: Shuffler
) -> tuple[tuple[Event, ...], State]:
    """The facts of an action.  Raises ``Refused``."""
    handler = _HANDLERS.get(type(action))
    if handler is None:
        raise TypeError(f"{type(action).__name__} is no action of Pontoon")
    bidding, shooter = steps.state.auction, playing.shooter(steps.state)
    handler(steps, actor, action, shuffler)
    auction.go_on(steps, bidding.turn if bidding else None)
    playing.go_on(steps, shooter)
    return steps.result()
