"""What an offer does, in a few words beside what is typed for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from rich.text import Text

from engine.games.palace_poker.view import PalacePokerView
from engine.games.pontoon.view import PontoonView
from engine.games.royal_casino.view import BuildView, RoyalCasinoView
from engine.kernel import View
from service.cli.draw.cards import Faces
from service.cli.words import counted, seat_name
from service.pb import common_pb2

__all__ = ["explained"]

MOST_GROUPS: Final = 6
"""Groups of cards that are shown of an offer."""


def explained(view: View, seat: int, offer: common_pb2.Offer, faces: Faces) -> Text:
    """What the offer would do; nothing for a game without such words."""
    words = _WORDS.get(type(view))
    return Text("") if words is None else words(view, seat, offer, faces)


def _range(offer: common_pb2.Offer, field: str) -> common_pb2.Limit.Range:
    for limit in offer.limits:
        if limit.field == field:
            return limit.range
    raise AssertionError(f"{offer.action} without {field}")


def _palace(view: PalacePokerView, seat: int, offer: common_pb2.Offer, faces: Faces) -> Text:
    soldiers = view.soldiers[seat]
    owed = min(view.battle.to_call, view.stacks[seat]) if view.battle else 0
    match offer.action:
        case "stay":
            return Text("do nothing")
        case "discard":
            return Text("throw soldiers away, for nothing")
        case "buy":
            cost = view.prices[seat] // (len(soldiers) + 1)
            return Text(f"{counted(cost, 'chip')} for the top card of the draw pile")
        case "muster":
            least = next(limit.cards.low for limit in offer.limits)
            must = f", at least {least} of them" if least else ""
            return Text(f"throw away what you do not want to keep{must}")
        case "bet":
            target, amount = _range(offer, "target").low, _range(offer, "amount")
            upto = f", up to {amount.high}" if amount.high > amount.low else ""
            told = Text(f"attack {seat_name(target, None)} [")
            told.append_text(faces.card(view.banners[target]))
            answer = min(view.prices[target], amount.low)
            if amount.low >= view.prices[seat]:
                answer = view.prices[target]
            return told.append(f"] for {amount.low}{upto}; {answer} to call")
        case "raise":
            amount = _range(offer, "amount")
            upto = f", up to {amount.high}" if amount.high > amount.low else ""
            return Text(f"call {owed} and raise by {amount.low}{upto}")
        case "call":
            return Text(f"pay {owed}: the hands decide")
        case "fold":
            return Text("give up the battle" if view.battle else "give up the hand")
        case _:
            return Text("")


def _casino(view: RoyalCasinoView, seat: int, offer: common_pb2.Offer, faces: Faces) -> Text:
    del seat  # an offer names the card, and nothing else of the hand matters
    limits = {limit.field: limit for limit in offer.limits}
    hand = faces.cards(limits["card"].cards.cards)
    match offer.action:
        case "trail_card":
            return Text("leave a card on the table: ").append_text(hand)
        case "capture_cards":
            told = Text("take with ").append_text(hand)
            if "loose" in limits:
                told.append(": ").append_text(_groups(limits["loose"].groups.more, faces))
            builds = limits["builds"].names.words
            return told.append(f"; builds {', '.join(builds)}") if builds else told
        case _:
            value = limits["value"].range.low
            named = limits["base"].words.words if "base" in limits else []
            bases = [_build(view, name) for name in named]
            what = "add to" if bases and bases[0].value == value else "raise"
            names = ", ".join(build.id for build in bases)
            told = Text(f"{what} {names}" if bases else "build")
            told.append(f" {value}, with ").append_text(hand)
            groups = limits["loose"].groups
            if groups.first and list(groups.first[0].cards):
                told.append(" and one of ").append_text(_groups(groups.first, faces))
            if groups.more:
                told.append(", and any of ").append_text(_groups(groups.more, faces))
            return told


def _build(view: RoyalCasinoView, name: str) -> BuildView:
    """The build of a name."""
    return next(build for build in view.builds if build.id == name)


def _groups(groups: Iterable[common_pb2.CardList], faces: Faces) -> Text:
    """A few groups; how many more there are."""
    every = [faces.cards(group.cards) for group in groups]
    told = Text(" ").join(Text("[").append_text(each).append("]") for each in every[:MOST_GROUPS])
    return (
        told.append(f" and {len(every) - MOST_GROUPS} more") if len(every) > MOST_GROUPS else told
    )


def _pontoon(view: PontoonView, seat: int, offer: common_pb2.Offer, faces: Faces) -> Text:
    del seat, faces
    told = _PONTOON.get(offer.action, "")
    shoot = next((limit.range.high for limit in offer.limits if limit.field == "shoot_bet"), 0)
    if shoot:
        told += f"; you may shoot up to {shoot} with it"
    for budget in offer.together:
        parts = zip(budget.fields, budget.weights, strict=True)
        sums = " + ".join(field if weight == 1 else f"{weight}·{field}" for field, weight in parts)
        told += f", with {sums} at most {budget.most}"
    if offer.action == "place_shoot_bet":
        told += f" of {view.kitty}"
    return Text(told)


_PONTOON: Final[Mapping[str, str]] = {
    "start_deal": "a card to everybody",
    "resign_bank": "give the bank up for nothing",
    "form_kitty": "the chips that punters may shoot for",
    "add_to_kitty": "more to shoot for",
    "auction_bank": "sell the bank to the highest bidder",
    "bid_for_bank": "who bids most buys the bank",
    "pass_bank_bid": "bid no more in this auction",
    "place_bet": "your stake",
    "place_shoot_bet": "a bet against the kitty",
    "pass_shoot_bet": "no bet against the kitty",
    "declare_pontoon": "you must: an ace and a ten",
    "split_hand": "two hands, the same stake on the new one",
    "buy_card": "a card face down, the price on top of your stake",
    "twist_card": "a card face up; from then on this hand may not buy",
    "stick": "no more cards for this hand",
    "banker_draw": "a card for the bank",
    "banker_stay": "no more cards: the hands are settled",
}

_WORDS: Final[Mapping[type[View], Callable[[Any, int, common_pb2.Offer, Faces], Text]]] = {
    PalacePokerView: _palace,
    PontoonView: _pontoon,
    RoyalCasinoView: _casino,
}
