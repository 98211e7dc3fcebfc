"""Where cards go: dealing and gathering (royal_flush 6.5, 7.1, 7.9).

Pure rearrangements of a sequence; the items may be cards or, as in the state, places in the deck.
"""

from __future__ import annotations

from engine.games.royal_flush.options import Options

__all__ = ["deal", "gather", "sizes"]

Pile = tuple[int, ...]


def sizes(stock_size: int, piles: int) -> tuple[int, ...]:
    """Cards per pile: the earliest piles get the surplus (6.5).

    >>> sizes(52, 5), sizes(2, 4)
    ((11, 11, 10, 10, 10), (1, 1, 0, 0))
    """
    each, surplus = divmod(stock_size, piles)
    return tuple(each + (pile < surplus) for pile in range(piles))


def deal(stock: Pile, counts: tuple[int, ...], options: Options) -> tuple[Pile, ...]:
    """The piles in search order (7.1), dealt from the stock's top."""
    n = len(counts)
    if options.deal_style == "round_robin":
        dealt = tuple(stock[j::n] for j in range(n))
    else:
        starts = [sum(counts[:j]) for j in range(n)]
        dealt = tuple(
            stock[start : start + count] for start, count in zip(starts, counts, strict=True)
        )
    # A packet keeps its top card on top; a pile dealt card by card lies upside down.  Turning a
    # pile over reverses it once more: the two cancel for turn_pile.
    as_dealt = (options.deal_style == "packet") == (options.search_style == "card_by_card")
    return dealt if as_dealt else tuple(pile[::-1] for pile in dealt)


def gather(piles: tuple[Pile, ...], style: str) -> tuple[Pile, tuple[int, ...]]:
    """The new stock from its top, and the numbers of the piles in it, from its top (7.9).

    >>> gather(((1, 2, 3), (4,), (5, 6)), "turn_packet")
    ((3, 2, 1, 4, 6, 5), (1, 2, 3))
    """
    numbers = [j for j, pile in enumerate(piles, 1) if pile]
    if style != "turn_packet":
        numbers.reverse()
    step = 1 if style == "as_they_lie" else -1
    stock = tuple(card for j in numbers for card in piles[j - 1][::step])
    return stock, tuple(numbers)
