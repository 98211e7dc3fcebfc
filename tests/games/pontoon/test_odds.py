"""Pontoon's odds against every order of the cards that are left."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations
from random import Random

import pytest

from engine.cards import PACK, parse_card
from engine.errors import Malformed
from engine.games.pontoon.bank_odds import Bank, Punter, bank, steps
from engine.games.pontoon.odds import NextCard, next_card
from engine.games.pontoon.options import Options, read_options

STANDARD = read_options({})[0]
Cards = tuple[int, ...]


def cards(text: str) -> Cards:
    return tuple(0 if name == "??" else parse_card(name) for name in text.split())


# The rules once more, slowly (7.1-7.5): nothing of the engine's.
POINTS = {rank: min(at, 10) for at, rank in enumerate("23456789TJQK", 2)} | {"A": 1}
NAMES = dict(enumerate((r + s for s in "cdhs" for r in "23456789TJQKA"), 1))


def low(hand: Sequence[int]) -> int:
    return sum(POINTS[NAMES[card][0]] for card in hand)


def total(hand: Sequence[int]) -> int:
    has_ace = any(NAMES[card][0] == "A" for card in hand)
    return low(hand) + 10 if has_ace and low(hand) <= 11 else low(hand)


def worth(hand: Sequence[int]) -> int:
    if low(hand) > 21:
        return 0
    if len(hand) == 2 and total(hand) == 21:
        return 23
    return 22 if len(hand) == 5 else total(hand)


def test_the_next_card_of_every_two_card_hand() -> None:
    """Bust, worse, same and better share the unseen cards."""
    draw = Random("next")
    for _ in range(300):
        hand = tuple(draw.sample(PACK, draw.choice((2, 3, 4))))
        gone = tuple(draw.sample([card for card in PACK if card not in hand], 9))
        if low(hand) >= 21 or worth(hand) == 23:
            with pytest.raises(Malformed):
                next_card(hand, gone, STANDARD)
            continue
        rest = [card for card in PACK if card not in (*hand, *gone)]
        after = [worth((*hand, card)) for card in rest]
        found = next_card(hand, gone, STANDARD)
        assert found == NextCard(
            worth(hand), len(rest), tuple((w, after.count(w)) for w in sorted(set(after)))
        )
        assert found.bust == Fraction(after.count(0), len(rest))
        assert found.better == Fraction(sum(w > worth(hand) for w in after), len(rest))
        assert found.bust + found.better + found.same + found.worse == 1


def test_a_soft_21_draws_or_not_as_the_table_says() -> None:
    """7.2"""
    hand = cards("Ac 4d 6h")
    assert next_card(hand, (), STANDARD).now == 21
    with pytest.raises(Malformed, match="takes no more cards"):
        next_card(hand, (), read_options({"soft_21_draw": "false"})[0])


def test_a_split_ace_and_ten_may_draw_where_they_are_no_pontoon() -> None:
    """7.3"""
    options = read_options({"split_pontoon": "false"})[0]
    assert next_card(cards("Ac Td"), (), options, split=True).now == 21
    with pytest.raises(Malformed):
        next_card(cards("Ac Td"), (), options)


# --- the banker -------------------------------------------------------------------------------


def net(end: int, hand: Sequence[int], stake: int) -> int:
    """What the banker wins of a hand.  8.2-8.4"""
    theirs = worth(hand)
    if end in {0, 22} and theirs == 23:
        return -2 * stake
    if end == 22:
        return 2 * stake
    if end == 0 or theirs > end:
        return -2 * stake if theirs >= 22 else -stake
    return stake


def lies(hand: Sequence[int], punter: Punter, options: Options) -> bool:
    """Whether the hand was not turned up, took its cards one by one, and was allowed to end."""
    for count in range(2, len(hand)):
        before = hand[:count]
        points = low(before) if options.soft_21_draw else total(before)
        if worth(before) == 23 or points >= 21:  # to be declared, 6.4; takes no more, 7.2
            return False
    if worth(hand) in {0, 23}:
        return punter.pontoon and worth(hand) == 23
    return not punter.pontoon and (len(hand) == 5 or total(hand) >= options.stick_min)


def by_all_orders(
    mine: Cards, punters: Sequence[Punter], gone: Cards, options: Options
) -> tuple[Fraction, Fraction | None]:
    """Stay and draw, from every order of the cards that are left."""
    seen = {*mine, *gone, *(card for each in punters for card in each.cards if card)}
    rest = [card for card in PACK if card not in seen]
    orders: list[tuple[list[Cards], Cards]] = []
    for order in permutations(rest):
        left = list(order)
        table = [tuple(card or left.pop() for card in each.cards) for each in punters]
        if all(lies(hand, each, options) for hand, each in zip(table, punters, strict=True)):
            orders.append((table, tuple(left)))

    def stay(hand: Cards, of: list[tuple[list[Cards], Cards]]) -> Fraction:
        won = sum(
            net(worth(hand), theirs, each.stake)
            for table, _ in of
            for theirs, each in zip(table, punters, strict=True)
        )
        return Fraction(won, len(of))

    def draw(hand: Cards, of: list[tuple[list[Cards], Cards]]) -> Fraction:
        split: dict[int, list[tuple[list[Cards], Cards]]] = {}
        for table, left in of:
            split.setdefault(left[0], []).append((table, left[1:]))
        return sum(
            (Fraction(len(p), len(of)) * best((*hand, card), p) for card, p in split.items()),
            Fraction(0),
        )

    def may_draw(hand: Cards, of: list[tuple[list[Cards], Cards]]) -> bool:
        points = low(hand) if options.soft_21_draw else total(hand)
        return len(hand) < 5 and points < 21 and bool(of[0][1])

    def best(hand: Cards, of: list[tuple[list[Cards], Cards]]) -> Fraction:
        if not may_draw(hand, of):
            return stay(hand, of)
        return max(stay(hand, of), draw(hand, of))

    return stay(mine, orders), draw(mine, orders) if may_draw(mine, orders) else None


POSITIONS = [
    ("9c 6d", [("?? ??", 10)], "Ac 5c 8c Tc 2d 7d", {}),
    ("9c 6d", [("?? ??", 10), ("?? ?? 2s", 25)], "Ac 4c 5c 8c Tc 9d 7d", {}),
    ("2c 3d", [("?? ??", 10)], "Ac 2d 3c Tc Kd 9d 4d", {}),
    ("Ac 5d 5h", [("?? 9s", 3)], "Ad 4c 5c Tc Kd 3d", {"soft_21_draw": "false"}),
    ("Ts 8d", [("Ah ??", 10), ("?? 2h 3h 4h 2s", 7)], "Kc Qd 5c 6c 9d Jh", {}),
    ("Ts 6h", [("?? ??", 10), ("?? ??", 5)], "8c 8d 7c 9d Jh 6c 9h", {"stick_min": "16"}),
    ("2s 2h 3s 4s", [("?? ??", 10)], "Ac 5c 8c Tc 2d 7d", {}),
    ("9c 6d", [("?? ?? 5d", 10)], "Ac Ad Tc Td 4c 5c 7c", {}),
    ("9c 6d", [("?? ?? ??", 10)], "Ac Tc Td 4c 5c 6c 7c", {}),
    ("9c 6d", [("?? ?? ?? 2s", 10)], "Ac Ad 4c 5c 6c 9h Tc", {"soft_21_draw": "false"}),
]


@pytest.mark.parametrize(("mine", "hands", "left", "given"), POSITIONS)
def test_the_banker_wins_what_all_orders_give_him(
    mine: str, hands: list[tuple[str, int]], left: str, given: dict[str, str]
) -> None:
    """Few cards are left; every order of them is played by the best choice."""
    options = read_options(given)[0]
    punters = [Punter(cards(text), n, pontoon=text == "Ah ??") for text, n in hands]
    known = {*cards(mine), *cards(left), *(card for each in punters for card in each.cards)}
    gone = tuple(card for card in PACK if card not in known)
    found = bank(cards(mine), punters, gone, options)
    stay, draw = by_all_orders(cards(mine), punters, gone, options)
    assert (found.stay, found.draw) == (stay, draw)


def test_a_split_ace_and_ten_that_are_no_pontoon_took_another_card() -> None:
    """7.3: it was nothing to declare; at 21 it may draw unless the table says otherwise (7.2)."""
    hand = Punter(cards("Ac Td ??"), 10, split=True)
    for given, possible in (
        ({"split_pontoon": "false"}, True),
        ({"split_pontoon": "false", "soft_21_draw": "false"}, False),
        ({}, False),
    ):
        options = read_options(given)[0]
        if possible:
            assert bank(cards("9c 6d"), [hand], (), options).stay < 0
        else:
            with pytest.raises(Malformed, match="in the order given"):
                bank(cards("9c 6d"), [hand], (), options)


def test_nothing_hidden_and_no_card_left_to_draw() -> None:
    """The banker can only stay: his 15 loses to a trick, twice, and wins of a 15."""
    punters = [Punter(cards("2h 3h 4h 2s 3s"), 7), Punter(cards("7s 8s"), 5)]
    known = {*cards("9c 6d"), *(card for each in punters for card in each.cards)}
    gone = tuple(card for card in PACK if card not in known)
    assert bank(cards("9c 6d"), punters, gone, STANDARD) == Bank(Fraction(-9), None, None)


def test_more_punters_than_can_be_worked_out_are_refused_with_the_bound() -> None:
    heard: list[float] = []
    punters = [Punter(cards("?? ??"), 10)] * 7
    assert steps(cards("9c 6d"), punters, (), STANDARD) > 1_000_000
    with pytest.raises(Malformed, match="at most 1,000,000 are worked out"):
        bank(cards("9c 6d"), punters, (), STANDARD, most=1_000_000, progress=heard.append)
    assert heard == []


@pytest.mark.parametrize(
    ("mine", "hand", "hands"),
    [("2c 2d", "?? ??", 4), ("2c 3d", "?? ?? ??", 2), ("9c 6d", "?? ?? ?? ?? ??", 2)],
)
def test_the_steps_are_counted_and_work_is_heard_of_in_each_of_its_parts(
    mine: str, hand: str, hands: int
) -> None:
    """Ways are weighed for every hand that the banker may come to: whoever waits hears of each."""
    heard: list[float] = []
    punters = [Punter(cards(hand), 10)] * hands
    counted = steps(cards(mine), punters, (), STANDARD)
    assert counted < 10_000_000
    bank(cards(mine), punters, (), STANDARD, most=counted, progress=heard.append)
    assert len(heard) > counted // 20_000
    assert heard == sorted(heard)


def test_work_ends_when_whoever_hears_of_it_says_so() -> None:
    def enough(share: float) -> None:
        raise InterruptedError(share)

    with pytest.raises(InterruptedError):
        bank(cards("9c 6d"), [Punter(cards("?? ??"), 10)], (), STANDARD, progress=enough)


ONE = (Punter(cards("?? ??"), 10),)


@pytest.mark.parametrize(
    ("mine", "punters", "gone", "field"),
    [
        ("9c", ONE, "", "bank"),
        ("9c 9c", ONE, "", "bank"),
        ("Ac Td", ONE, "", "bank"),
        ("Tc Td 9h", ONE, "", "bank"),
        ("2c 2d 2h 2s 3c", ONE, "", "bank"),
        ("9c 6d", (), "", "punters"),
        ("9c 6d", ONE * 29, "", "punters"),
        ("9c 6d", (Punter(cards("??"), 10),), "", "punters[0]"),
        ("9c 6d", (Punter(cards("?? ?? ?? ?? ?? ??"), 10),), "", "punters[0]"),
        ("9c 6d", (*ONE, Punter(cards("9c ??"), 10)), "", "punters[1]"),
        ("9c 6d", (Punter((53, 0), 10),), "", "punters[0]"),
        ("9c 6d", (Punter(cards("?? ??"), 0),), "", "punters[0]"),
        ("9c 6d", (Punter(cards("?? ??"), 1 << 63),), "", "punters[0]"),
        ("9c 6d", (Punter(cards("Tc 2d"), 10),), "", "punters[0]"),
        ("9c 6d", (Punter(cards("Tc Td 5h"), 10),), "", "punters[0]"),
        ("9c 6d", (Punter(cards("Tc Ad"), 10),), "", "punters[0]"),
        ("9c 6d", (Punter(cards("Tc Ad ??"), 10),), "", "punters[0]"),
        ("9c 6d", (Punter(cards("Tc ??"), 10, pontoon=True),), "Ac Ad Ah As", "punters"),
        ("9c 6d", (Punter(cards("9d ??"), 10, pontoon=True),), "", "punters[0]"),
        ("9c 6d", ONE, "6d", "gone"),
    ],
)
def test_positions_that_cannot_be_are_refused(
    mine: str, punters: tuple[Punter, ...], gone: str, field: str
) -> None:
    with pytest.raises(Malformed) as refused:
        bank(cards(mine), punters, cards(gone), STANDARD)
    assert refused.value.field == field


@pytest.mark.parametrize(
    ("hand", "gone"),
    [("Ac", ""), ("Ac Td", ""), ("Tc Td 2h", "2h"), ("2c 2d 3h 3s 4c", ""), ("Tc Td 5h", "")],
)
def test_hands_that_take_no_card_are_refused(hand: str, gone: str) -> None:
    with pytest.raises(Malformed):
        next_card(cards(hand), cards(gone), STANDARD)


def test_no_card_is_left_to_come() -> None:
    gone = tuple(card for card in PACK if card not in cards("5c 6d"))
    with pytest.raises(Malformed, match="no card is left"):
        next_card(cards("5c 6d"), gone, STANDARD)
