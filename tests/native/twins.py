"""The slow, obvious twins of the C core: what each function means, without a thought for speed.

Cards are ids 1…52 here; nothing is shared with the code under test.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, product
from typing import Any, NamedTuple

Value = tuple[int, tuple[int, ...]]
"""Category 0…8 and five ranks 2…14 (0: none), palace_poker 7.2; tuples compare like hands."""


def differs(c: Callable[..., Any], twin: Callable[..., Any], cases: Iterable[Any]) -> Any:
    """The first case for which the two disagree, or None.  A case is a tuple of arguments."""
    for case in cases:
        if c(*case) != twin(*case):
            return case
    return None


# ------------------------------------------------------------------------------------ card sets


def suit(card: int) -> int:
    return (card - 1) // 13


def rank(card: int) -> int:
    """2…14, the ace 14."""
    return (card - 1) % 13 + 2


def card_set(cards: Iterable[int]) -> int:
    return sum(2 ** (16 * suit(card) + rank(card) - 2) for card in set(cards))


# ------------------------------------------------------------------------------------- strength


def value_of(cards: Sequence[int], ace_low: bool) -> Value:
    """Value of at most five cards."""
    times = Counter(map(rank, cards))
    shape = sorted(times.values(), reverse=True)
    by_weight = sorted(times, key=lambda r: (times[r], r), reverse=True)
    straight = None
    if len(times) == 5:
        top = max(times)
        if set(times) == set(range(top - 4, top + 1)):
            straight = top
        elif ace_low and set(times) == {14, 2, 3, 4, 5}:
            straight = 5
    flush = len(cards) == 5 and len(set(map(suit, cards))) == 1
    if straight:
        return (8 if flush else 4), (straight, 0, 0, 0, 0)
    category = {
        (4,): 7,
        (3, 2): 6,
        (3,): 3,
        (2, 2): 2,
        (2,): 1,
    }.get(tuple(n for n in shape if n > 1), 0)
    if flush:
        category = 5
    return category, tuple(by_weight + [0] * (5 - len(by_weight)))


def choices(cards: Sequence[int]) -> Iterator[tuple[int, ...]]:
    return combinations(cards, min(5, len(cards)))


def best_value(cards: Sequence[int], ace_low: bool) -> Value:
    """Value of any number of cards: try all fives."""
    return max(value_of(five, ace_low) for five in choices(cards))


def best_cards(cards: Sequence[int], ace_low: bool) -> set[int]:
    """Of the fives with the best value the one that is first when fives are compared rank by
    rank, each rank by its lowest suits."""
    best = best_value(cards, ace_low)
    fives = [five for five in choices(cards) if value_of(five, ace_low) == best]
    return set(min(fives, key=lambda five: sorted((-rank(card), suit(card)) for card in five)))


# -------------------------------------------------------------------------------------- shuffle


def rotate(x: int, by: int) -> int:
    return (x << by | x >> 32 - by) & 0xFFFFFFFF


def chacha20_block(key: bytes, counter: int, nonce: bytes, rounds: int = 20) -> bytes:
    """RFC 8439 2.3."""

    def words(data: bytes) -> list[int]:
        return [int.from_bytes(data[i : i + 4], "little") for i in range(0, len(data), 4)]

    start = [*words(b"expand 32-byte k"), *words(key), counter, *words(nonce)]
    x = list(start)
    columns = [(i, 4 + i, 8 + i, 12 + i) for i in range(4)]
    diagonals = [(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4) for i in range(4)]
    for number in range(rounds):
        for a, b, c, d in diagonals if number % 2 else columns:
            for p, q, r, by in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
                x[p] = (x[p] + x[q]) & 0xFFFFFFFF
                x[r] = rotate(x[r] ^ x[p], by)
    return b"".join(
        ((one + other) & 0xFFFFFFFF).to_bytes(4, "little")
        for one, other in zip(x, start, strict=True)
    )


def key_draws(key: bytes) -> Iterator[int]:
    counter = 0
    while True:
        stream = chacha20_block(key, counter, bytes(12))
        yield from (int.from_bytes(stream[i : i + 2], "little") for i in range(0, 64, 2))
        counter += 1


def pick(draw: int, bound: int) -> int:
    return draw % bound if draw < 65536 // bound * bound else -1


def shuffle_draws(draws: Iterable[int], items: Sequence[int]) -> tuple[list[int], int] | None:
    """The shuffled items and the number of draws used; None if there were too few."""
    order = list(items)
    source = iter(draws)
    used = 0
    for i in range(len(order) - 1, 0, -1):
        j = -1
        while j < 0:
            draw = next(source, None)
            if draw is None:
                return None
            used += 1
            j = pick(draw, i + 1)
        order[i], order[j] = order[j], order[i]
    return order, used


def shuffle(key: bytes, items: Sequence[int]) -> list[int]:
    shuffled = shuffle_draws(key_draws(key), items)
    assert shuffled is not None
    return shuffled[0]


# ---------------------------------------------------------------------------------- Royal Flush

DEALS = ("round_robin", "pile_by_pile", "packet")
SEARCHES = ("turn_pile", "card_by_card")
GATHERS = ("turn_packet", "turn_piles", "as_they_lie")
MODES = ("royal_flush", "straight_flush", "four_of_a_kind", "full_house", "named_cards")

Hand = frozenset[int]


class Options(NamedTuple):
    """Options of a table, royal_flush 3; suits 0…3, ranks 2…14, None for any."""

    mode: str = "royal_flush"
    deal: str = "round_robin"
    search: str = "turn_pile"
    gather: str = "turn_packet"
    suit: int | None = None
    rank: int | None = None
    pair_rank: int | None = None
    named: tuple[int, ...] = ()


class Outcome(NamedTuple):
    won: bool
    excess: int
    pile: tuple[int, ...]


def family(options: Options) -> list[Hand]:
    """The hands sought.  royal_flush 7.2."""

    def of(s: int, r: int) -> int:
        return 13 * s + (r if r > 1 else 14) - 1

    def asked(option: int | None, values: Iterable[int]) -> list[int]:
        return [v for v in values if option in (None, v)]

    four = range(4)
    match options.mode:
        case "royal_flush":
            tops = [14]
        case "straight_flush":
            tops = asked(options.rank, range(5, 15))
        case "four_of_a_kind":
            return [Hand(of(s, r) for s in four) for r in asked(options.rank, range(2, 15))]
        case "full_house":
            return [
                Hand([*(of(s, three) for s in a), *(of(s, two) for s in b)])
                for three in asked(options.rank, range(2, 15))
                for two in asked(options.pair_rank, range(2, 15))
                if two != three
                for a, b in product(combinations(four, 3), combinations(four, 2))
            ]
        case _:
            return [Hand(options.named)]
    return [
        Hand(of(s, r) for r in range(top - 4, top + 1))
        for s in asked(options.suit, four)
        for top in tops
    ]


def deal(options: Options, stock: list[int], n: int) -> list[list[int]]:
    """The piles in search order.  royal_flush 6.5, 7.1."""
    left = list(stock)
    piles: list[list[int]] = [[] for _ in range(n)]  # from the bottom of the pile to its top
    sizes = [len(stock) // n + (j < len(stock) % n) for j in range(n)]
    if options.deal == "round_robin":
        for number in range(len(stock)):
            piles[number % n].append(left.pop(0))
    for j in range(n if options.deal != "round_robin" else 0):
        run, left = left[: sizes[j]], left[sizes[j] :]
        piles[j] = run if options.deal == "pile_by_pile" else run[::-1]
    assert [len(pile) for pile in piles] == sizes
    # a pile turned over as a whole is searched from its former bottom
    return [pile if options.search == "turn_pile" else pile[::-1] for pile in piles]


def gather(style: str, piles: Sequence[list[int]]) -> list[int]:
    """The next stock, top first.  royal_flush 7.9."""
    heap: list[int] = []  # face up, top first: each pile goes on top of its left neighbour
    for pile in reversed(piles):
        heap += pile[::-1] if style == "turn_piles" else pile
    return heap[::-1] if style == "turn_packet" else heap


def play(options: Options, deck: Sequence[int]) -> Outcome:
    """A game to its end.  royal_flush 5–7."""
    possible = family(options)
    k = len(possible[0])
    stock = list(deck)
    claimed: set[int] = set()
    piles: list[list[int]] = []
    for n in (5, 4, 3, 2, 1):
        piles = deal(options, stock, n)
        for pile in piles:
            wanted = set().union(*possible)
            while pile and pile[0] not in wanted:
                pile.pop(0)
            if pile:
                claimed.add(pile[0])
                possible = [hand for hand in possible if claimed <= hand]
        stock = gather(options.gather, piles)
    last = piles[0]
    won = set(last) in possible
    assert won == (len(last) == k)
    return Outcome(won, len(last) - k, tuple(last))
