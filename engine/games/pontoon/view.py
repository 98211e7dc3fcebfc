"""What a viewer sees of a Pontoon table (pontoon 4.3, 4.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from engine.cards import Card
from engine.games.pontoon.funds import free, room
from engine.games.pontoon.state import (
    BankOffer,
    Cards,
    Deal,
    Hand,
    Phase,
    Punter,
    Sale,
    State,
    to_act,
)
from engine.games.pontoon.totals import public_faces
from engine.kernel import View
from engine.visibility import AUDITOR, seat_viewer

__all__ = ["Bid", "HandView", "PontoonView", "view"]


class HandView(NamedTuple):
    """A punter's hand without its cards; see ``state.Hand``."""

    seat: int
    number: int
    stake: int
    shoot: int
    closed: bool
    bust: bool
    bought: tuple[int, ...]


class Bid(NamedTuple):
    """The highest bid of an auction."""

    amount: int
    seat: int


@dataclass(frozen=True, slots=True)
class PontoonView(View):
    """A table as one viewer sees it.  Cards are ids, 0 for a face that is not shown.

    ``players``, ``stacks`` and ``free`` have one item for each seat: an empty name for an empty
    one.  ``punters`` in turn order with their initial stakes in ``bets``, 0 before it; ``hands``
    in turn and play order, ``cards`` of each in the order received.  ``turn``: the acting seat.
    ``staked``, ``shot``: chips on all live hands; ``escrow``: of an agreed sale.
    """

    phase: Phase
    deal: int
    players: tuple[str, ...]
    stacks: tuple[int, ...]
    free: tuple[int, ...]
    out: tuple[int, ...]
    out_next: tuple[int, ...]
    leaving: tuple[int, ...]
    banker: int | None
    kitty: int
    room: int
    reshuffle: bool
    vacated: tuple[int, ...]
    auction_used: bool
    offers_made: int
    offers: tuple[BankOffer, ...]
    sale: Sale | None
    escrow: int
    bidders: tuple[int, ...]
    bid: Bid | None
    turn: int | None
    bank_hand: tuple[Card, ...]
    punters: tuple[int, ...]
    bets: tuple[int, ...]
    hands: tuple[HandView, ...]
    cards: tuple[tuple[Card, ...], ...]
    staked: int
    shot: int
    stock: tuple[Card, ...]


def _bank(state: State, deal: Deal, viewer: int) -> Cards:
    """The banker's cards: his own once there are two, everybody's once they are turned up."""
    seen = deal.bank_up or viewer & AUDITOR
    if state.banker is not None and state.phase not in {Phase.BETTING, Phase.SHOOT_BETTING}:
        seen = seen or viewer & seat_viewer(state.banker)
    return deal.bank if seen else (0,) * len(deal.bank)


def _cards(state: State, punter: Punter, hand: Hand, viewer: int) -> Cards:
    if viewer & (AUDITOR | seat_viewer(punter.seat)):
        return hand.cards
    return public_faces(hand, len(punter.hands) > 1, state.options)


def _marked(state: State, mark: str) -> tuple[int, ...]:
    return tuple(
        seat for seat, who in enumerate(state.seats) if who is not None and getattr(who, mark)
    )


def view(state: State, viewer: int) -> PontoonView:
    """Cards as 4.3 shows them, all else to everyone."""
    deal = state.deal or Deal(())
    auction = state.auction
    held = [(punter, hand) for punter in deal.punters for hand in punter.hands]
    taken = [who is not None for who in state.seats]
    bid = Bid(auction.bid, auction.bidder) if auction and auction.bidder >= 0 else None
    return PontoonView(
        phase=state.phase,
        deal=state.deals,
        players=tuple(who.player if who else "" for who in state.seats),
        stacks=state.stacks,
        free=tuple(free(state, seat) if sits else 0 for seat, sits in enumerate(taken)),
        out=_marked(state, "out"),
        out_next=_marked(state, "out_next"),
        leaving=_marked(state, "leaving"),
        banker=state.banker,
        kitty=state.kitty,
        room=room(state),
        reshuffle=state.reshuffle,
        vacated=tuple(sorted(state.vacated)),
        auction_used=state.auction_used,
        offers_made=state.offers_made,
        offers=state.offers,
        sale=state.sale,
        escrow=state.sale.price if state.sale else 0,
        bidders=auction.bidders if auction else (),
        bid=bid,
        turn=to_act(state),
        bank_hand=_bank(state, deal, viewer),
        punters=tuple(punter.seat for punter in deal.punters),
        bets=tuple(punter.bet for punter in deal.punters),
        hands=tuple(
            HandView(p.seat, h.number, h.stake, h.shoot, h.closed, h.bust, h.bought)
            for p, h in held
        ),
        cards=tuple(_cards(state, punter, hand, viewer) for punter, hand in held),
        staked=deal.staked,
        shot=deal.shot,
        stock=state.stock if viewer & AUDITOR else (0,) * len(state.stock),
    )
