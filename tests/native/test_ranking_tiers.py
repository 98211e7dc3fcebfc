"""Every tier of the ranking core gives the same strengths, whatever the buffers look like.

What the strengths mean is tested in test_ranking.py, with the best tier; here the others are held
to the portable one, hand by hand.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from array import array
from collections import Counter
from collections.abc import Iterator
from itertools import combinations

import pytest

from engine._native import ffi, lib
from engine.ranking import Tier, best_tier, tier, use_tier
from tests.native import twins
from tests.native.test_ranking import BITS, CARDS, SPARE_BITS, samples

TIERS = list(Tier)[: best_tier() + 1]
NO_HANDS = [*SPARE_BITS, twins.card_set(range(1, 15)), twins.card_set(CARDS), (1 << 64) - 1]


@pytest.fixture(params=TIERS, ids=lambda tier: tier.name.lower())
def each_tier(request) -> Iterator[Tier]:
    before = tier()
    use_tier(request.param)
    yield request.param
    use_tier(before)


def ranked_by(wanted: Tier, sets: array[int], ace_low: bool) -> tuple[array[int], int]:
    """Strengths of many sets in one call, and the first that is no hand."""
    before = tier()
    use_tier(wanted)
    out = array("I", bytes(4)) * len(sets)
    bad = lib.kj_strength_many(
        ffi.from_buffer("uint64_t[]", sets), len(sets), ace_low, ffi.from_buffer("uint32_t[]", out)
    )
    use_tier(before)
    return out, bad


def one_by_one(sets: array[int], ace_low: bool) -> array[int]:
    """Strengths of single calls of the portable tier."""
    before = tier()
    use_tier(Tier.PORTABLE)
    call = lib.kj_strength if ace_low else lib.kj_strength_ace_high
    words = array("I", map(call, sets))
    use_tier(before)
    return words


@pytest.fixture(scope="module")
def fives(all_fives: array[int]) -> dict[bool, tuple[array[int], array[int]]]:
    """All five-card sets and what the portable tier says of them, with low aces or without."""
    return {low: (all_fives, ranked_by(Tier.PORTABLE, all_fives, low)[0]) for low in (True, False)}


@pytest.mark.parametrize("ace_low", [True, False])
def test_all_five_card_hands_are_the_same(each_tier, fives, ace_low):
    """2,598,960 hands."""
    sets, words = fives[ace_low]
    assert ranked_by(each_tier, sets, ace_low) == (words, len(sets))


@pytest.mark.parametrize("ace_low", [True, False])
def test_hands_of_all_sizes_are_the_same(each_tier, ace_low):
    """0 to 13 cards: random ones, some of two suits, some of six ranks; alone and together."""
    hands = [cards for n in range(14) for cards, _ in samples(7, 1_000, n)]
    random.Random(7).shuffle(hands)
    sets = array("Q", map(twins.card_set, hands))
    words = one_by_one(sets, ace_low)
    assert ranked_by(each_tier, sets, ace_low) == (words, len(sets))
    call = lib.kj_strength if ace_low else lib.kj_strength_ace_high
    assert array("I", map(call, sets)) == words


@pytest.mark.parametrize("n", [0, 1, 2, 15, 16, 17, 31, 32, 33, 63, 1_000])
@pytest.mark.parametrize("shift", [0, 1, 4, 7])
def test_every_length_at_every_address(each_tier, n, shift):
    """Nothing beside the output is touched."""
    sets = array("Q", [twins.card_set(cards) for cards, _ in samples(8, n, 9)])
    words = one_by_one(sets, True)
    source = bytearray(b"\xff" * shift + sets.tobytes() + b"\xff" * 64)
    target = bytearray(b"\xaa" * (4 * n + shift + 64))
    bad = lib.kj_strength_many(
        ffi.from_buffer("uint64_t[]", memoryview(source)[shift : shift + 8 * n]),
        n,
        True,
        ffi.from_buffer("uint32_t[]", memoryview(target)[shift : shift + 4 * n]),
    )
    assert bad == n
    assert target == b"\xaa" * shift + words.tobytes() + b"\xaa" * 64


@pytest.mark.parametrize("place", [0, 1, 7, 8, 15, 16, 30, 32, 34])
def test_the_first_word_that_is_no_hand_is_found(each_tier, place):
    """At any place of a block and behind the last whole one; its neighbours stay what they are."""
    hands = [cards for n in (5, 9, 10, 13, 0) for cards, _ in samples(9, 7, n)]
    good = array("Q", map(twins.card_set, hands))
    words = one_by_one(good, True)
    assert len(good) == 35
    for wrong in NO_HANDS:
        sets, expected = good[:], words[:]
        sets[place], expected[place] = wrong, 0
        assert ranked_by(each_tier, sets, True) == (expected, place)
        sets[34], expected[34] = wrong, 0
        assert ranked_by(each_tier, sets, True) == (expected, place)


def test_two_flush_suits_in_every_lane(each_tier):
    """Ten to thirteen cards, five or more of each of two suits, at every place of a block."""
    draw = random.Random("two flushes")
    sets = array("Q")
    for number in range(2_000):
        low, high = draw.sample(range(4), 2)
        sizes = 5 + draw.randrange(4), 5
        cards = [
            13 * suit + rank + 1
            for suit, size in zip((low, high), sizes, strict=True)
            for rank in draw.sample(range(13), size)
        ]
        sets.append(twins.card_set(cards if number % 3 else cards[:9]))
    for ace_low in (True, False):
        assert ranked_by(each_tier, sets, ace_low) == (one_by_one(sets, ace_low), len(sets))


@pytest.mark.long
@pytest.mark.timeout(600)
def test_all_seven_card_hands_are_counted():
    """133,784,560 hands, 4,824 values, the published counts.  `make check-native` has every tier
    count them."""
    times: Counter[int] = Counter()
    for first, second in combinations(range(47), 2):
        two = BITS[first] | BITS[second]
        sets = array("Q", map(two.__or__, map(sum, combinations(BITS[second + 1 :], 5))))
        words, bad = ranked_by(best_tier(), sets, True)
        assert bad == len(sets)
        times.update(words)
    counts: Counter[int] = Counter()
    for word, number in times.items():
        counts[lib.kj_category(word)] += number
    assert [counts[category] for category in range(9)] == [
        23_294_460,
        58_627_800,
        31_433_400,
        6_461_620,
        6_180_020,
        4_047_644,
        3_473_184,
        224_848,
        41_584,
    ]
    assert len(times) == 4_824


def test_a_tier_that_is_not_there_is_refused():
    """Nothing changes."""
    before = tier()
    for number in (-1, len(Tier), best_tier() + 1, 1 << 20):
        assert lib.kj_use_tier(number) == lib.KJ_EINVAL
    for missing in list(Tier)[best_tier() + 1 :]:
        with pytest.raises(ValueError, match=f"no {missing.name.lower()}; its best tier is"):
            use_tier(missing)
    assert tier() == before


def python(code: str, ranking: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"KARTEJO_RANKING": ranking}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("wanted", [TIERS[0], TIERS[-1]], ids=lambda tier: tier.name.lower())
def test_the_environment_chooses(wanted):
    """Before anything is ranked."""
    done = python("from engine.ranking import tier; print(tier().name)", wanted.name.lower())
    assert (done.stdout.strip(), done.stderr) == (wanted.name, "")


def test_the_environment_is_told_what_there_is():
    """A name that means nothing, with all that do."""
    done = python("import engine.ranking", "mmx")
    assert done.returncode == 1
    assert done.stderr.strip().endswith(
        "KARTEJO_RANKING: 'mmx' is none of portable, bmi2, avx2, avx512"
    )
