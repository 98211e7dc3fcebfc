"""A bot that plays Pontoon by the odds of the next card, as punter, banker and bidder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Final

from engine.actions import Action
from engine.games.pontoon import actions as a
from engine.games.pontoon.view import HandView, PontoonView
from service.bots.look import Bot, Look
from service.bots.pontoon_odds import BUST, PONTOON, TRICK, Odds, Total, points_of, total_of
from service.pb import common_pb2

__all__ = ["sensible_pontoon"]

FAIR_BID: Final = 3
"""Minimum raises that a bank is worth to a bidder."""

_ACE: Final = 1
_TEN: Final = 10


def sensible_pontoon(random: Random) -> Bot:
    """Bets more on better first cards, buys where the next card gains, stays where it does not."""
    del random  # the same look, the same action
    return _act


def _act(look: Look) -> Action:
    view = look.view
    if not isinstance(view, PontoonView):
        raise TypeError("not a view of Pontoon")
    offers = {offer.action: offer for offer in look.offers}
    for name, choose in _CHOICES.items():
        if name in offers:
            return choose(view, offers, look.seat)
    raise ValueError("nothing is on offer")


Offers = Mapping[str, common_pb2.Offer]


def _range(offer: common_pb2.Offer, field: str) -> common_pb2.Limit.Range:
    return next(limit.range for limit in offer.limits if limit.field == field)


def _own(view: PontoonView, seat: int) -> list[tuple[HandView, tuple[int, ...]]]:
    rows = zip(view.hands, view.cards, strict=True)
    return [(hand, cards) for hand, cards in rows if hand.seat == seat]


# --- between deals ----------------------------------------------------------------------------


def _between(view: PontoonView, offers: Offers, seat: int) -> Action:
    """A small kitty, then a deal; a bank that cannot deal is sold or given up."""
    del view, seat
    if "start_deal" in offers:
        return a.StartDeal()
    if "form_kitty" in offers:
        return a.FormKitty(_range(offers["form_kitty"], "amount").low)
    return a.AuctionBank() if "auction_bank" in offers else a.ResignBank()


def _bid(view: PontoonView, offers: Offers, seat: int) -> Action:
    """A bank is worth a little more than nothing."""
    del seat
    if "bid_for_bank" in offers:
        low = _range(offers["bid_for_bank"], "amount").low
        before = view.bid.amount if view.bid else 0
        step = low - before
        if low <= FAIR_BID * max(1, step):
            return a.BidForBank(low)
    return a.PassBankBid()


# --- bets -------------------------------------------------------------------------------------


def _first_points(view: PontoonView, seat: int) -> int:
    return points_of(_own(view, seat)[0][1][0])


def _place_bet(view: PontoonView, offers: Offers, seat: int) -> Action:
    """All on an ace, half on a ten-point card, the least on others."""
    amounts = _range(offers["place_bet"], "amount")
    match _first_points(view, seat):
        case 1:
            return a.PlaceBet(amounts.high)
        case 10:
            return a.PlaceBet((amounts.low + amounts.high) // 2)
        case _:
            return a.PlaceBet(amounts.low)


def _shoot(view: PontoonView, offers: Offers, seat: int) -> Action:
    """A shoot bet pays at evens: it takes a good first card."""
    if "place_shoot_bet" in offers and _first_points(view, seat) in {_ACE, _TEN}:
        amounts = _range(offers["place_shoot_bet"], "amount")
        return a.PlaceShootBet(max(amounts.low, amounts.high // 2))
    return a.PassShootBet()


# --- a punter's turn --------------------------------------------------------------------------


def _active(view: PontoonView, seat: int) -> tuple[HandView, tuple[int, ...]]:
    for hand, cards in _own(view, seat):
        if not (hand.closed or hand.bust or len(cards) == 5):
            return hand, cards
    raise ValueError("no hand of this seat is open")


def _declare(view: PontoonView, offers: Offers, seat: int) -> Action:
    del view, offers, seat
    return a.DeclarePontoon()


def _turn(view: PontoonView, offers: Offers, seat: int) -> Action:
    """Split, buy, twist or stick, whichever is worth most by the odds."""
    hand, cards = _active(view, seat)
    odds = Odds(view)
    total = total_of(cards)
    drawn = odds.drawn(total)
    if "split_hand" in offers:
        single = odds.drawn(total_of(cards[:1]))
        if 2 * single > max(drawn, odds.held(total)):
            return a.SplitHand()
    if "stick" in offers and odds.held(total) * hand.stake >= _gain(drawn, offers, hand.stake):
        return a.Stick()
    if "buy_card" in offers and drawn > 0:
        return _buy(offers["buy_card"])
    if "twist_card" in offers:
        shoot = _range(offers["twist_card"], "shoot_bet").high if drawn > 0 else 0
        return a.TwistCard(shoot)
    return a.Stick()


def _gain(drawn: float, offers: Offers, stake: int) -> float:
    """What another card is worth, bought for as much as may be if that is good."""
    if drawn > 0 and "buy_card" in offers:
        stake += _range(offers["buy_card"], "amount").high
    return drawn * stake


def _buy(offer: common_pb2.Offer) -> Action:
    """The dearest card, and what is left for a shoot bet."""
    amount = _range(offer, "amount").high
    shoot = _range(offer, "shoot_bet").high
    for budget in offer.together:
        weights = dict(zip(budget.fields, budget.weights, strict=True))
        shoot = min(shoot, budget.most - weights["amount"] * amount)
    return a.BuyCard(amount, max(0, shoot))


# --- the banker's turn ------------------------------------------------------------------------


def _bank(view: PontoonView, offers: Offers, seat: int) -> Action:
    """Stay unless another card costs less than it brings."""
    del seat
    if "banker_draw" not in offers:
        return a.BankerStay()
    odds = Odds(view)
    against = _against(view, odds)
    total = total_of(view.bank_hand)
    if _drawing(odds, against, total) > _staying(against, total):
        return a.BankerDraw()
    return a.BankerStay()


Against = list[tuple[int, Mapping[int, float]]]
"""Stakes, and the chances of what the hand they are on is worth."""


def _against(view: PontoonView, odds: Odds) -> Against:
    found: Against = []
    for hand, cards in zip(view.hands, view.cards, strict=True):
        if hand.bust:
            continue
        shown = tuple(card for card in cards if card)
        hidden = len(cards) - len(shown)
        declared = len(cards) == 2 and any(points_of(c) == _ACE for c in shown) and hand.closed
        if declared and (hidden == 0 or _is_declared(view, hand)):
            chances: Mapping[int, float] = {PONTOON: 1.0}
        elif hidden:
            chances = odds.stuck(total_of(shown), hidden)
        else:
            chances = {total_of(cards).strength: 1.0}
        found.append((hand.stake, chances))
    return found


def _is_declared(view: PontoonView, hand: HandView) -> bool:
    """An ace that lies open on a hand that was not split was declared."""
    return sum(other.seat == hand.seat for other in view.hands) == 1


def _settled(against: Against, mine: int) -> float:
    """What the bank gains with a hand of this strength."""
    gain = 0.0
    for stake, chances in against:
        for theirs, chance in chances.items():
            if mine == BUST or theirs > mine:
                gain -= chance * stake * (2 if theirs >= TRICK else 1)
            else:
                gain += chance * stake * (2 if mine == TRICK else 1)
    return gain


def _staying(against: Against, total: Total) -> float:
    return _settled(against, total.strength)


def _drawing(odds: Odds, against: Against, total: Total) -> float:
    """The next card by its odds, then the better of going on and staying."""
    gain = 0.0
    for points, chance in odds.next():
        after = total.plus(points)
        worth = _staying(against, after)
        if after.low < 21 and after.cards < 5:
            worth = max(worth, _drawing(odds, against, after))
        gain += chance * worth
    return gain


_Choice = Callable[[PontoonView, Offers, int], Action]

_CHOICES: Final[Mapping[str, _Choice]] = {
    "resign_bank": _between,
    "pass_bank_bid": _bid,
    "place_bet": _place_bet,
    "pass_shoot_bet": _shoot,
    "declare_pontoon": _declare,
    "banker_stay": _bank,
    "twist_card": _turn,
    "stick": _turn,
}
"""What is always on offer at a decision, and how that decision is made."""
