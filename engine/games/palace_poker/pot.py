"""Who wins what of the pot (palace_poker 8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from engine.games.palace_poker.events import End
from engine.games.palace_poker.state import Hand, seats_of

__all__ = ["Award", "awards", "layers"]


class Award(NamedTuple):
    """A layer of the pot and its shares, clockwise from the dealer's left."""

    cap: int | None
    amount: int
    shares: tuple[tuple[int, int], ...]


def layers(hand: Hand) -> list[tuple[int | None, int]]:
    """The non-empty layers, lowest cap first: (cap, chips); None: above all caps (8.4)."""
    paid = [hand.paid[seat] for seat in hand.order]
    found: list[tuple[int | None, int]] = []
    below = 0
    for cap in sorted({hand.paid[seat] for seat in seats_of(hand.capped)}):
        amount = sum(min(chips, cap) - min(chips, below) for chips in paid)
        if amount:
            found.append((cap, amount))
        below = cap
    amount = sum(max(0, chips - below) for chips in paid)
    if amount:
        found.append((None, amount))
    return found


def _eligible(hand: Hand, cap: int | None) -> list[int]:
    """8.5, in deal order: the uncapped, and those capped no lower."""
    return [
        seat
        for seat in hand.order
        if not hand.capped >> seat & 1 or (cap is not None and hand.paid[seat] >= cap)
    ]


def _winners(hand: Hand, eligible: list[int], end: End, strengths: Mapping[int, int]) -> list[int]:
    """8.6."""
    last = max(hand.exits)
    if end is End.SPLIT_FINAL_TIE:
        # Nobody is left; the tied two went last, with one index between them.
        left = [seat for seat in eligible if hand.exits[seat] == last]
    else:
        left = [seat for seat in eligible if hand.alive >> seat & 1]
    if left and end is End.SHOWDOWN:
        best = max(strengths[seat] for seat in left)
        return [seat for seat in left if strengths[seat] == best]
    if left:
        return left
    longest = max(hand.exits[seat] for seat in eligible)
    return [seat for seat in eligible if hand.exits[seat] == longest]


def awards(hand: Hand, end: End, strengths: Mapping[int, int]) -> list[Award]:
    """All layers with their winners; odd chips one each from the dealer's left (8.7).

    ``strengths``: by seat, of those who show at a showdown.
    """
    found: list[Award] = []
    for cap, amount in layers(hand):
        winners = _winners(hand, _eligible(hand, cap), end, strengths)
        each, odd = divmod(amount, len(winners))
        shares = tuple((seat, each + (place < odd)) for place, seat in enumerate(winners))
        found.append(Award(cap, amount, shares))
    return found
