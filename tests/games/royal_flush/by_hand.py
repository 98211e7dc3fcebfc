"""The solitaire played literally, with packets of cards that are dealt, turned over and heaped.

Written from royal_flush 6.5, 7.1, 7.7, 7.9 and 7.11 without the engine: slow and obvious.
A packet is a list whose first item is the top card as it lies.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.events import Event
from engine.games.royal_flush import events as e

__all__ = ["play_by_hand"]

Packet = list[int]
Hands = Sequence[frozenset[int]]


def _deal(stock: Packet, n: int, style: str) -> list[Packet]:
    """6.5: face-down piles, the card that lies on top first."""
    piles: list[Packet] = [[] for _ in range(n)]
    if style == "round_robin":
        pile = 0
        while stock:
            piles[pile].insert(0, stock.pop(0))
            pile = (pile + 1) % n
        return piles
    total = len(stock)
    for pile in range(n):
        count = total // n + (1 if pile < total % n else 0)
        if style == "packet":
            piles[pile] = [stock.pop(0) for _ in range(count)]
        else:
            for _ in range(count):
                piles[pile].insert(0, stock.pop(0))
    return piles


def _heap(kept: list[Packet], search_style: str, gather_style: str) -> Packet:
    """7.9: the new stock, face down, from the kept piles (found card first)."""
    heap: Packet = []
    for pile in kept:
        # Against the direction of the deal: each pile goes on its left neighbour.
        heap = (list(reversed(pile)) if gather_style == "turn_piles" else list(pile)) + heap
    if gather_style == "turn_packet":
        assert search_style == "turn_pile"
        heap.reverse()
    return heap


def play_by_hand(deck: Iterable[int], styles: tuple[str, str, str], family: Hands) -> list[Event]:
    """All events of a whole game after ``DeckShuffled``."""
    deck = list(deck)
    deal_style, search_style, gather_style = styles
    out: list[Event] = []
    possible = list(family)
    claimed: list[int] = []
    discarded = 0

    def fix() -> None:
        out.append(e.TargetFixed(tuple(sorted(possible[0]))))

    if len(possible) == 1:
        fix()
    stock = list(deck)
    for turn in range(1, 6):
        n = 6 - turn
        piles = _deal(stock, n, deal_style)
        out.append(e.PilesDealt(turn, tuple(map(len, piles))))
        kept: list[Packet] = []
        for number, pile in enumerate(piles, 1):
            if search_style == "turn_pile":
                pile.reverse()  # its former bottom card is now its face-up top (7.1)
            if pile:
                out.append(e.PileTurnedUp(turn, number, len(pile)))
            wanted = frozenset().union(*possible)
            thrown: Packet = []
            while pile and pile[0] not in wanted:
                thrown.append(pile.pop(0))
            if thrown:
                out.append(e.CardsDiscarded(turn, number, tuple(thrown)))
                discarded += len(thrown)
            kept.append(pile)
            if not pile:
                out.append(e.PileEmptied(turn, number))
                continue
            found = pile[0]
            out.append(e.CardFound(turn, number, found, len(pile) - 1))
            if found not in claimed:
                claimed.append(found)
                out.append(e.CardClaimed(found, len(claimed)))
                left = [hand for hand in possible if found in hand]
                if len(left) == 1 < len(possible):
                    possible = left
                    fix()
                possible = left
        if turn < 5:
            stock = _heap(kept, search_style, gather_style)
            order = [number for number, pile in enumerate(kept, 1) if pile]
            if gather_style != "turn_packet":
                order.reverse()
            out.append(e.PilesGathered(turn, tuple(order), len(stock), discarded))
    (last,) = kept
    if frozenset(last) in possible:
        out.append(e.GameWon(tuple(last)))
    else:
        out.append(e.GameLost(tuple(last), len(last) - len(family[0])))
    out.append(e.DeckRevealed(tuple(deck)))
    return out
