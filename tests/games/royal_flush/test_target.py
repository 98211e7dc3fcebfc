"""Families, possible hands, wanted cards.  royal_flush 7.2–7.6."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest

from engine.cards import PACK, from_set, rank_of, suit_of, to_set
from engine.games.royal_flush.target import Family, hands, target
from tests.games.royal_flush.tables import cards

Named = tuple[int, ...]


def _fits_royal(held: Named) -> bool:
    return all(rank_of(c) >= 8 for c in held) and len({suit_of(c) for c in held}) == 1


def _fits_straight(held: Named) -> bool:
    runs = [{(top - step) % 13 for step in range(5)} for top in range(3, 13)]
    ranks = {rank_of(c) for c in held}
    return len({suit_of(c) for c in held}) == 1 and any(ranks <= run for run in runs)


def _fits_four(held: Named) -> bool:
    return len({rank_of(c) for c in held}) == 1


def _fits_full_house(held: Named) -> bool:
    ranks = [rank_of(c) for c in held]
    counts = sorted((ranks.count(rank) for rank in set(ranks)), reverse=True)
    return len(counts) <= 2 and counts[0] <= 3 and (len(counts) < 2 or counts[1] <= 2)


FITS = {
    "royal_flush": _fits_royal,
    "straight_flush": _fits_straight,
    "four_of_a_kind": _fits_four,
    "full_house": _fits_full_house,
}


@pytest.mark.parametrize(
    ("family", "count", "size"),
    [
        (Family("royal_flush"), 4, 5),
        (Family("royal_flush", suit="h"), 1, 5),
        (Family("straight_flush"), 40, 5),
        (Family("straight_flush", suit="c"), 10, 5),
        (Family("straight_flush", rank="5"), 4, 5),
        (Family("straight_flush", suit="s", rank="A"), 1, 5),
        (Family("four_of_a_kind"), 13, 4),
        (Family("four_of_a_kind", rank="7"), 1, 4),
        (Family("full_house"), 3744, 5),
        (Family("full_house", rank="K"), 288, 5),
        (Family("full_house", pair_rank="2"), 288, 5),
        (Family("full_house", rank="K", pair_rank="2"), 24, 5),
        (Family("named_cards", named=(1, 14, 52)), 1, 3),
    ],
)
def test_families_have_the_hands_of_the_specification(
    family: Family, count: int, size: int
) -> None:
    """7.2."""
    found = hands(family)
    assert len(found) == len(set(found)) == count
    assert {hand.bit_count() for hand in found} == {size}


def test_the_ace_is_low_or_high_and_never_in_the_middle() -> None:
    """7.2."""
    low, high = cards("Ah 2h 3h 4h 5h"), cards("Th Jh Qh Kh Ah")
    found = hands(Family("straight_flush"))
    assert to_set(low) in found
    assert to_set(high) in found
    assert to_set(cards("Qh Kh Ah 2h 3h")) not in found
    assert hands(Family("straight_flush", "h", "5")) == (to_set(low),)


@pytest.mark.parametrize("mode", sorted(FITS))
def test_wanted_is_what_fits_to_the_claims(mode: str) -> None:
    """7.5: the equivalent tests, over random claims of one possible hand."""
    rng, family, fits = Random(mode), Family(mode), FITS[mode]
    for _ in range(60):
        hand = from_set(rng.choice(hands(family)))
        claimed = tuple(rng.sample(hand, rng.randint(0, len(hand))))
        now = target(family, claimed)
        assert now.possible >= 1
        for card in PACK:
            expected = fits(tuple({*claimed, card}))
            assert (card in now.wanted) == expected, (claimed, card)


def test_with_nothing_claimed_every_card_is_wanted_in_the_wide_families() -> None:
    """7.5."""
    for mode in ("straight_flush", "four_of_a_kind", "full_house"):
        assert target(Family(mode), ()).wanted == PACK
    assert target(Family("royal_flush"), ()).wanted == cards(
        "Tc Jc Qc Kc Ac Td Jd Qd Kd Ad Th Jh Qh Kh Ah Ts Js Qs Ks As"
    )


def test_parameters_only_keep_hands_that_agree() -> None:
    """7.2: every restricted family is a part of the open one."""
    every = set(hands(Family("full_house")))
    for rank, pair in combinations("2359TA", 2):
        part = hands(Family("full_house", rank=rank, pair_rank=pair))
        assert set(part) < every


def test_an_unknown_family_is_no_family() -> None:
    with pytest.raises(ValueError, match="patience"):
        hands(Family("patience"))
