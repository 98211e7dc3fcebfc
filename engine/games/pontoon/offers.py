"""What a seat may do, with everything its amounts may be (pontoon 12.0 ``legal``)."""

from __future__ import annotations

from engine.actions import Action
from engine.games.pontoon import actions as a
from engine.games.pontoon.auction import auction_obstacle, bid_bounds
from engine.games.pontoon.banking import deal_obstacle, kitty_bounds, top_up_bounds
from engine.games.pontoon.bounds import (
    Bounds,
    bet_bounds,
    buy_bounds,
    buy_budget,
    first_shoot_bounds,
    shoot_most,
    split_is_covered,
)
from engine.games.pontoon.rules import (
    banker_draw_obstacle,
    draw_obstacle,
    must_declare,
    split_obstacle,
    stick_obstacle,
)
from engine.games.pontoon.state import Hand, Phase, Punter, State, active_hand, running, to_act
from engine.kernel import Budget, Offer, Range

__all__ = ["legal_actions"]


def _amounts(kind: type[Action], bounds: Bounds) -> list[Offer]:
    """An offer with an amount, if there is one."""
    low, high = bounds
    return [Offer(kind, (Range("amount", low, high),))] if low <= high else []


def legal_actions(state: State, seat: int) -> tuple[Offer, ...]:
    """What the seat may answer the running decision with, and feed the kitty with meanwhile."""
    if seat != to_act(state):
        return ()
    match state.phase:
        case Phase.BETWEEN_DEALS:
            return tuple(_between(state, seat))
        case Phase.BETTING:
            (punter,) = [each for each in running(state).punters if each.seat == seat]
            return tuple(_amounts(a.PlaceBet, bet_bounds(state, punter)))
        case Phase.SHOOT_BETTING:
            (punter,) = [each for each in running(state).punters if each.seat == seat]
            shoots = _amounts(a.PlaceShootBet, first_shoot_bounds(state, punter))
            return (*shoots, Offer(a.PassShootBet))
        case Phase.PLAYER_TURNS:
            found = active_hand(running(state))
            return tuple(_turn(state, *found)) if found else ()
        case Phase.BANKER_TURN:
            draws = () if banker_draw_obstacle(state) else (Offer(a.BankerDraw),)
            return (*draws, Offer(a.BankerStay))
        case _:
            bids = (
                _amounts(a.BidForBank, bid_bounds(state, state.auction, seat))
                if state.auction
                else []
            )
            return (*bids, Offer(a.PassBankBid))


def _between(state: State, seat: int) -> list[Offer]:
    """6.1, 6.12, S.2, S.9."""
    offers: list[Offer] = []
    if not deal_obstacle(state, seat):
        offers.append(Offer(a.StartDeal))
    if state.options.shoot:
        if state.kitty:
            offers += _amounts(a.AddToKitty, top_up_bounds(state, seat))
        else:
            offers += _amounts(a.FormKitty, kitty_bounds(state, seat))
        if not (state.options.fixed_bank or auction_obstacle(state)):
            offers.append(Offer(a.AuctionBank))
    offers.append(Offer(a.ResignBank))
    return offers


def _shoot(most: int) -> Range:
    return Range("shoot_bet", 0, most, 0)


def _turn(state: State, punter: Punter, hand: Hand) -> list[Offer]:
    """6.4–6.8."""
    if must_declare(state, punter, hand):
        return [Offer(a.DeclarePontoon)]
    offers: list[Offer] = []
    shoots = state.options.shoot
    fourth = shoots and len(hand.cards) == 3
    if not split_obstacle(state, punter, hand) and split_is_covered(state, punter):
        most = shoot_most(state, punter, punter.bet) if shoots else 0
        offers.append(Offer(a.SplitHand, (_shoot(most),)))
    if not draw_obstacle(state, punter, hand, buys=True):
        low, high = buy_bounds(state, punter, hand)
        if low <= high:
            most = shoot_most(state, punter, low) if fourth else 0
            limits = (Range("amount", low, high), _shoot(most))
            weight, budget = buy_budget(state, punter)
            offer = Offer(a.BuyCard, limits)
            if weight * high + most > budget:
                both = Budget(("amount", "shoot_bet"), (weight, 1), budget)
                offer = offer._replace(together=(both,))
            offers.append(offer)
    if not draw_obstacle(state, punter, hand, buys=False):
        most = shoot_most(state, punter, 0) if fourth else 0
        offers.append(Offer(a.TwistCard, (_shoot(most),)))
    if not stick_obstacle(state, punter, hand):
        offers.append(Offer(a.Stick))
    return offers
