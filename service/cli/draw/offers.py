"""What an offer does, in a few words beside what is typed for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from rich.text import Text

from engine.games.palace_poker.view import PalacePokerView
from engine.kernel import View
from service.cli.draw.cards import Faces
from service.cli.words import counted, seat_name
from service.pb import common_pb2

__all__ = ["explained"]


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


_WORDS: Final[Mapping[type[View], Callable[[Any, int, common_pb2.Offer, Faces], Text]]] = {
    PalacePokerView: _palace,
}
