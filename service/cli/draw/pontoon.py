"""Pontoon on a terminal: the bank above, the punters below in turn order, a line for each hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from engine.cards import HIDDEN, Card
from engine.games.pontoon.state import Phase
from engine.games.pontoon.totals import best, low
from engine.games.pontoon.view import HandView, PontoonView
from service.cli.draw.cards import Faces
from service.cli.words import counted, seat_name

__all__ = ["draw_pontoon", "total_told"]

_WAITS: Final = {
    Phase.NONE: "no table yet",
    Phase.WAITING: "waiting for a banker",
    Phase.CLOSED: "the table is closed",
}
_DOES: Final = {
    Phase.BETWEEN_DEALS: "to deal",
    Phase.BETTING: "to bet",
    Phase.SHOOT_BETTING: "to shoot or to pass",
    Phase.PLAYER_TURNS: "to play",
    Phase.BANKER_TURN: "to play for the bank",
    Phase.AUCTION: "to bid for the bank",
}


def draw_pontoon(view: PontoonView, faces: Faces, me: int | None) -> RenderableType:
    """The table; ``me``: the seat that looks at it."""
    return _Drawing(view, faces, me)


def total_told(cards: tuple[Card, ...]) -> str:
    """What shown cards count: both totals where an ace may be either."""
    if not cards or HIDDEN in cards:
        return ""
    least, most = low(cards), best(cards)
    return f"{least}" if least == most else f"{least} or {most}"


class _Drawing(NamedTuple):
    view: PontoonView
    faces: Faces
    me: int | None

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        del options
        view = self.view
        yield self._title()
        seats = [seat for seat, name in enumerate(view.players) if name]
        if not seats:
            yield Text("  nobody sits here yet", "dim")
            return
        if view.banker is not None:
            yield from self._bank(view.banker)
        yield self._pack()
        start = -1 if view.banker is None else view.banker
        order = [seat for seat in seats if seat > start] + [s for s in seats if s < start]
        for seat in order:
            yield from self._seat(seat)
        yield from self._trade()

    def _title(self) -> Text:
        view = self.view
        told = [f"Deal {view.deal}" if view.punters else f"After deal {view.deal}"]
        told = told if view.deal else []
        if view.phase in _WAITS:
            told.append(_WAITS[view.phase])
        elif view.turn is not None:
            name = seat_name(view.turn, self.me)
            verb = "are" if view.turn == self.me else "is"
            told.append(f"{name} {verb} {_DOES[view.phase]}")
        return Text(" · ".join(told), "bold")

    def _named(self, seat: int, role: str = "") -> Text:
        """The line of a seat: who is to act, name, chips, standing."""
        view = self.view
        mark = (">" if not self.faces.symbols else "▸") if seat == view.turn else " "
        style = "bold cyan" if seat == self.me else "bold"
        told = Text(f"{mark} ").append(seat_name(seat, self.me), style)
        if role:
            told.append(f" ({role})", "dim")
        told.append(f"  {counted(view.stacks[seat], 'chip')}")
        standing: list[str] = []
        if seat in view.leaving:
            standing.append("leaving")
        elif seat in view.out:
            standing.append("sits out")
        elif seat in view.out_next:
            standing.append("sits out after this deal")
        if view.phase is Phase.AUCTION and seat in view.bidders:
            standing.append("bids")
        return told.append("".join(f" · {each}" for each in standing), "dim")

    def _bank(self, banker: int) -> Iterator[Text]:
        view = self.view
        told = self._named(banker, "banker")
        if view.kitty:
            told.append(f" · kitty {view.kitty}", "yellow")
            if view.punters:
                told.append(f", {view.room} to shoot for", "dim")
        yield told
        if view.bank_hand:
            yield self._cards(view.bank_hand)

    def _cards(self, cards: tuple[Card, ...]) -> Text:
        told = Text("      ").append_text(self.faces.cards(cards))
        total = total_told(cards)
        return told.append(f"  {total}", "bold") if total else told

    def _pack(self) -> Text:
        view = self.view
        due = ", to be shuffled before the next deal" if view.reshuffle else ""
        return Text(f"  pack {len(view.stock)}{due}", "dim")

    def _seat(self, seat: int) -> Iterator[Text]:
        view = self.view
        yield self._named(seat)
        rows = [(h, c) for h, c in zip(view.hands, view.cards, strict=True) if h.seat == seat]
        for hand, cards in rows:
            yield self._hand(hand, cards, alone=len(rows) == 1)

    def _hand(self, hand: HandView, cards: tuple[Card, ...], *, alone: bool) -> Text:
        told = Text("      " if alone else f"   {hand.number}. ")
        if hand.bust:
            return told.append("bust", "dim")
        told.append_text(self.faces.cards(cards))
        total = total_told(cards)
        if total:
            told.append(f"  {total}", "bold")
        notes: list[str] = []
        if hand.stake:
            notes.append(f"stake {hand.stake}")
        if hand.shoot:
            notes.append(f"shoots {hand.shoot}")
        if hand.closed:
            notes.append(self._closed(cards, alone=alone))
        elif len(cards) == 5:
            notes.append("five-card trick")
        return told.append("".join(f" · {note}" for note in notes), "dim")

    @staticmethod
    def _closed(cards: tuple[Card, ...], *, alone: bool) -> str:
        """What closed a hand, as far as its cards tell."""
        if len(cards) != 2 or not any(cards):
            return "stuck"
        if HIDDEN not in cards:
            return "pontoon" if best(cards) == 21 else "stuck"
        # One card lies open: the ace of a pontoon, or what a split turned up.
        if alone:
            return "pontoon"
        return "closed" if best(tuple(filter(None, cards))) == 11 else "stuck"

    def _trade(self) -> Iterator[Text]:
        """Offers, an agreed sale, the highest bid."""
        view = self.view
        for offer in view.offers:
            sells = offer.from_ == view.banker
            verb = ("offer" if offer.from_ == self.me else "offers") + (" to sell" if sells else "")
            told = f"{seat_name(offer.from_, self.me)} {verb} "
            to = seat_name(offer.to, self.me, object=True)
            told += f"{to} the bank for {offer.price}" if sells else f"{offer.price} for the bank"
            yield Text(f"  offer {offer.offer_id}: {told}", "yellow")
        if view.sale is not None:
            buyer = seat_name(view.sale.buyer, self.me)
            verb = "have" if view.sale.buyer == self.me else "has"
            yield Text(f"  {buyer} {verb} bought the bank for {view.sale.price}", "yellow")
        if view.bid is not None:
            bidder = seat_name(view.bid.seat, self.me)
            verb = "bid" if view.bid.seat == self.me else "bids"
            yield Text(f"  {bidder} {verb} {view.bid.amount} for the bank", "yellow")
