"""The exact odds against games that are played: all orders of small packs, many of whole ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache, reduce
from hashlib import sha256
from itertools import combinations, permutations
from math import comb, factorial, sqrt
from operator import or_
from typing import Any

import pytest

from engine._native import ffi, lib
from engine.cards import PACK, RANKS, SUITS
from engine.games.royal_flush.combinations import STYLES, TARGETS, Style, options_of
from engine.games.royal_flush.layout import deal, gather, sizes
from engine.games.royal_flush.odds import chance, chance_of, narrowings, winners
from engine.games.royal_flush.options import Options, read_options
from engine.games.royal_flush.simulation import MOST_DEALS, simulate
from engine.games.royal_flush.target import hands
from engine.ranking import Tier, best_tier, tier, use_tier
from tests.games.royal_flush.test_against_core import Target as CoreTarget
from tests.games.royal_flush.test_against_core import compare, native_options


def options(**given: str) -> Options:
    return read_options(given)[0]


def of_style(style: Style) -> Options:
    return options_of(style, TARGETS[0])


def is_won(pack: Sequence[int], family: Iterable[int], styles: Options) -> bool:
    """Play a pack of any size, card by card, as the rules say.  royal_flush 6.5, 7.1-7.11."""
    stock = tuple(pack)
    possible = list(family)
    size = possible[0].bit_count()
    for piles in (5, 4, 3, 2, 1):
        left = []
        for pile in deal(stock, sizes(len(stock), piles), styles):
            wanted = reduce(or_, possible)
            found = next((at for at, card in enumerate(pile) if wanted >> card & 1), len(pile))
            left.append(pile[found:])
            if found < len(pile):
                possible = [hand for hand in possible if hand >> pile[found] & 1]
        stock, _ = gather(tuple(left), styles.gather_style)
    return len(stock) == size


def played(pack: int, family: Sequence[int], styles: Options) -> Fraction:
    """The chance to win, by all orders of a pack."""
    orders = permutations(range(pack))
    return Fraction(sum(is_won(order, family, styles) for order in orders), factorial(pack))


SMALL = (
    (5, (0b00011,)),  # one hand
    (6, (0b000011, 0b000110, 0b001100)),  # runs
    (6, (0b000111, 0b001110, 0b011100, 0b110001)),  # runs that meet again
    (6, tuple(sum(1 << card for card in cards) for cards in combinations(range(5), 2))),
    (6, (0b000011, 0b001100, 0b110000)),  # suits of two
    (7, (0b0001111, 0b0011110)),
)


@pytest.mark.parametrize("style", STYLES, ids="-".join)
def test_small_packs_come_out_as_all_their_orders_are_played(style: Style) -> None:
    """Families of every kind: one hand, hands that share cards, hands that do not."""
    styles = of_style(style)
    for pack, family in SMALL[:5]:
        won = winners(styles, family[0].bit_count(), pack)
        assert chance_of(won, narrowings(family)) == played(pack, family, styles)


def test_some_small_packs_are_lost() -> None:
    """The test above sees odds between 0 and 1, and styles that differ."""
    found = {
        (style, n): chance_of(
            winners(of_style(style), family[0].bit_count(), pack), narrowings(family)
        )
        for style in STYLES
        for n, (pack, family) in enumerate(SMALL)
    }
    assert any(0 < value < 1 for value in found.values())
    assert len({found[style, 5] for style in STYLES}) > 2


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("style", STYLES, ids="-".join)
def test_packs_of_seven_and_eight_come_out_as_well(style: Style) -> None:
    styles = of_style(style)
    eights = (8, (0b00011111, 0b00111110, 0b01111100))
    for pack, family in (SMALL[5], eights):
        won = winners(styles, family[0].bit_count(), pack)
        assert chance_of(won, narrowings(family)) == played(pack, family, styles)


# --- the whole pack ---------------------------------------------------------------------------


narrowed = cache(narrowings)


def assert_near(exact: Fraction, won: int, deals: int, what: object) -> None:
    """Within four standard errors."""
    deviation = sqrt(deals * exact * (1 - exact))
    assert abs(won - deals * exact) <= 4 * deviation, what


def check(style: Style, deals: int) -> None:
    """All targets of a style: the exact chances, and deals."""
    every = [options_of(style, target) for target in TARGETS]
    won = {size: winners(every[0], size) for size in range(1, 6)}
    counts = simulate(every, "kartejo tests", 0, deals)
    for target, one, count in zip(TARGETS, every, counts, strict=True):
        exact = chance_of(won[one.size], narrowed(hands(one.family)))
        assert_near(exact, count, deals, (style, target.name, exact, count))


@pytest.mark.parametrize("style", [STYLES[3], STYLES[6]], ids="-".join)
def test_deals_confirm_the_exact_odds(style: Style) -> None:
    """40,000 deals of every target; docs/odds.md has many more."""
    check(style, 40_000)


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("style", STYLES, ids="-".join)
def test_many_deals_confirm_the_exact_odds_of_every_style(style: Style) -> None:
    check(style, 2_000_000)


def test_targets_that_are_one_game_have_one_chance() -> None:
    """A hand that is named some other way; runs of one rank, which are as the royal flush."""

    won = {size: winners(options(), size) for size in (4, 5)}

    def of(**given: str) -> Fraction:
        one = options(**given)
        return chance_of(won[one.size], narrowings(hands(one.family)))

    flush = of(target_suit="c")
    assert flush == of(target_mode="straight_flush", target_suit="h", target_rank="5")
    assert flush == of(target_mode="named_cards", named_cards="2c,9d,As,Kh,3c")
    assert of() == of(target_mode="straight_flush", target_rank="9")
    four = of(target_mode="four_of_a_kind", target_rank="A")
    assert chance(options(target_mode="four_of_a_kind", target_rank="2")) == four
    assert four == of(target_mode="named_cards", named_cards="2c,9d,As,Kh")
    assert of(target_mode="straight_flush") < of() < flush < four


def test_one_card_is_always_won() -> None:
    """It is alone in the end, wherever it lay."""
    for style in STYLES:
        assert len(winners(of_style(style), 1).profiles) == 52


FAMILIES = [
    {"target_mode": "royal_flush"},
    *({"target_mode": "royal_flush", "target_suit": suit} for suit in SUITS),
    {"target_mode": "straight_flush"},
    *({"target_mode": "straight_flush", "target_suit": suit} for suit in SUITS),
    *({"target_mode": "straight_flush", "target_rank": rank} for rank in RANKS[3:]),
    *({"target_mode": "four_of_a_kind", "target_rank": rank} for rank in RANKS),
    *({"target_mode": "full_house", "target_rank": rank} for rank in RANKS[:3]),
    *({"target_mode": "full_house", "target_pair_rank": rank} for rank in RANKS[:3]),
    *(
        {"target_mode": "full_house", "target_rank": a, "target_pair_rank": b}
        for a, b in ("2A", "A2", "78")
    ),
]


def test_suits_and_ranks_make_no_odds() -> None:
    """Families of one kind narrow alike, and every order of every hand is counted once."""
    kinds: dict[Any, Any] = {}
    for given in FAMILIES:
        family = hands(options(**given).family)
        narrowed = narrowings(family)
        assert narrowed.total() == len(family) * factorial(family[0].bit_count()), given
        kind = (given["target_mode"], frozenset(given))
        assert kinds.setdefault(kind, narrowed) == narrowed, given


def test_rivals_of_a_royal_flush_and_of_a_full_house() -> None:
    """Fifteen royal cards drop out with the first claim; of full houses all but the two ranks at
    the second, in orders that show them.  royal_flush 7.5"""
    assert narrowings(hands(options().family)) == {(15, 0, 0, 0, 0): 480}
    for drops in narrowings(hands(options(target_mode="full_house").family)):
        assert sum(drops) == 47
        assert drops[0] == 0


# --- the simulation ---------------------------------------------------------------------------


def deals_of(seed: str, first: int, deals: int) -> list[tuple[int, ...]]:
    """The decks of a simulation, one call of the core each."""
    key = sha256(seed.encode()).digest()[:24]
    found = []
    for number in range(first, first + deals):
        deck = bytearray(PACK)
        lib.kj_shuffle(key + number.to_bytes(8, "little"), ffi.from_buffer(deck), 52)
        found.append(tuple(deck))
    return found


@pytest.mark.parametrize("target", [TARGETS[0], TARGETS[2], TARGETS[8], TARGETS[14]])
def test_a_simulation_wins_what_the_engine_wins(target: Any) -> None:
    """The same decks, one by one, by the rules in Python; the core judges them as well."""
    style = STYLES[1]
    core = CoreTarget(
        target.options["target_mode"], named=target.options.get("named_cards", "none")
    )
    wins = 0
    for deck in deals_of("engine", 70, 60):
        wins += type(compare(style, core, deck)).__name__ == "GameWon"
    assert simulate([options_of(style, target)], "engine", 70, 60) == [wins]


def test_every_tier_and_every_partition_plays_the_same_games() -> None:
    """The vectors of the best tier against one game after the other; parts against the whole."""
    every = [options_of(style, target) for style in STYLES for target in TARGETS]
    used = tier()
    try:
        use_tier(Tier.PORTABLE)
        slow = simulate(every, "tiers", 5, 700)
        use_tier(best_tier())
        assert simulate(every, "tiers", 5, 700) == slow
    finally:
        use_tier(used)
    parts = (simulate(every, "tiers", 5, 1), simulate(every, "tiers", 6, 699))
    assert [sum(pair) for pair in zip(*parts, strict=True)] == slow
    assert simulate(every, "other", 5, 700) != slow
    assert simulate(every[:3], "tiers", 5, 0) == [0, 0, 0]
    assert simulate([], "tiers", 5, 10) == []


# --- what makes no sense ----------------------------------------------------------------------


@pytest.mark.parametrize(("size", "pack"), [(0, 52), (6, 52), (5, 53), (5, 4)])
def test_hands_that_no_pack_holds_are_refused(size: int, pack: int) -> None:
    with pytest.raises(ValueError, match="no hand of"):
        winners(options(), size, pack)


def test_places_below_the_pack_are_refused() -> None:
    room = ffi.new("uint32_t[]", comb(51, 4))
    native = native_options(STYLES[0], CoreTarget("royal_flush"))
    assert lib.kj_rf_winning_places(native, 52, 5, 48, room) == lib.KJ_EINVAL
    native.deal_style = 3
    assert lib.kj_rf_winning_places(native, 52, 5, 0, room) == lib.KJ_EINVAL


@pytest.mark.parametrize(("first", "deals"), [(-1, 1), (0, -1), (MOST_DEALS, 1)])
def test_deals_that_a_seed_does_not_have_are_refused(first: int, deals: int) -> None:
    with pytest.raises(ValueError, match="not all within"):
        simulate([options()], "seed", first, deals)


def test_work_ends_when_whoever_hears_of_it_says_so() -> None:
    """Shares ascend to 1; an exception ends it at once."""
    heard: list[float] = []
    winners(options(), 3, progress=heard.append)
    assert heard == sorted(heard)
    assert heard[-1] == 1

    def enough(share: float) -> None:
        raise InterruptedError(share)

    with pytest.raises(InterruptedError):
        chance(options(), enough)
