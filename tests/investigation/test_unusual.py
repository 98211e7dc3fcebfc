"""The statistic finds a ring among honest players, and nobody where all are honest."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest

from service.investigation.unusual import Ranking, rank
from service.projections.pair_sums import NOTHING, Pair, PairSums, added_up, of_hand
from tests.investigation.ring import Crowd, played

TOGETHER = 0.5
"""How many of the tables some of a ring meet at."""


def crowd(size: int, ring: int) -> Crowd:
    """Players, the last of whom are a ring."""
    players = [f"p{number:02}" for number in range(size)]
    return Crowd(players, frozenset(players[size - ring :]))


def places(ranking: Ranking, ring: frozenset[str]) -> list[int]:
    """The places of a ring's pairs."""
    return [place for place, each in enumerate(ranking.pairs, 1) if set(each.pair) <= ring]


def test_a_ring_of_three_is_found_in_few_hands() -> None:
    guests = crowd(12, 3)
    ranking = rank(played(guests, 200, seed=1, together=TOGETHER).items(), 5)
    assert places(ranking, guests.ring) == [1, 2, 3]
    assert all(each.score > ranking.threshold for each in ranking.pairs[:3])
    assert ranking.pairs[3].score < ranking.threshold


def test_among_honest_players_nobody_is_conspicuous() -> None:
    ranking = rank(played(crowd(12, 0), 200, seed=2).items(), 5)
    assert len(ranking.pairs) == 66
    assert ranking.pairs[0].score < ranking.threshold


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("seed", [1, 2])
def test_a_ring_of_five_in_two_thousand_games(seed: int) -> None:
    """Its ten pairs are the first ten of hundreds, all beyond the threshold."""
    guests = crowd(40, 5)
    ranking = rank(played(guests, 2_000, seed, TOGETHER).items(), 20)
    assert places(ranking, guests.ring) == list(range(1, 11))
    assert all(each.score > ranking.threshold for each in ranking.pairs[:10])
    assert len(ranking.pairs) > 500


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_two_thousand_honest_games() -> None:
    ranking = rank(played(crowd(40, 0), 2_000, 3).items(), 20)
    assert ranking.pairs[0].score < ranking.threshold
    assert len(ranking.pairs) > 700


# --- by hand ------------------------------------------------------------------------------------


def dealt(hands: list[tuple[str, dict[Pair, int]]]) -> dict[Pair, PairSums]:
    """The sums of some hands: players as letters, and what moved from the lower to the higher."""
    sums: dict[Pair, PairSums] = {}
    for players, moves in hands:
        for pair, added in of_hand(list(players), moves).items():
            sums[pair] = added_up(sums.get(pair, NOTHING), added)
    return sums


def fair(random: Random, players: str, chips: int) -> tuple[str, dict[Pair, int]]:
    """A hand in which any two may have been the ones between whom the chips moved."""
    pair = tuple(sorted(random.sample(players, 2)))
    return players, {(pair[0], pair[1]): random.choice((-chips, chips))}


def test_sums_of_a_hand_are_of_all_its_pairs() -> None:
    """Expected is the mean over pairs, the variances are those of two who are nothing special."""
    sums = of_hand(["c", "a", "b"], {("a", "b"): 60, ("b", "c"): -30})
    assert {pair: (each.up, each.down) for pair, each in sums.items()} == {
        ("a", "b"): (60, 0),
        ("a", "c"): (0, 0),
        ("b", "c"): (0, 30),
    }
    assert {each.expected for each in sums.values()} == {30_000}
    assert [(each.won, each.moved) for each in sums.values()] == [
        (6_324, 6_324),  # 60 / √90
        (0, 0),
        (-3_162, 3_162),
    ]
    assert {each.usual for each in sums.values()} == {3_162}
    assert {each.drift for each in sums.values()} == {(60**2 + 30**2) * 10**6 // 90 // 3}
    assert {each.drift - each.spread for each in sums.values()} == {3_162**2}


def test_a_solitaire_has_no_pair_and_a_bystander_who_pays_is_in_it() -> None:
    assert of_hand(["a"], {}) == {}
    assert set(of_hand(["a", "b"], {("a", "x"): 5})) == set(combinations("abx", 2))


@pytest.mark.parametrize("stakes", [1, 10**12])
def test_stakes_do_not_matter(stakes: int) -> None:
    """The same hands for other chips have the same scores."""
    random = Random(4)
    hands = [fair(random, "abcdef", random.randint(10, 500)) for _ in range(400)]
    scaled = [(who, {pair: n * stakes for pair, n in moves.items()}) for who, moves in hands]
    one, other = (rank(dealt(each).items(), 1).pairs for each in (hands, scaled))
    assert [each.pair for each in one] == [each.pair for each in other]
    for mine, yours in zip(one, other, strict=True):
        assert mine.score == pytest.approx(yours.score, abs=0.01)


def test_who_always_pays_the_same_one_has_a_direction() -> None:
    """One-way: found by direction, and told with its sign."""
    random = Random(5)
    hands = [fair(random, "abcdef", 20) for _ in range(600)]
    hands += [("abcdef", {("b", "e"): 20}) for _ in range(90)]
    ranking = rank(dealt(hands).items(), 1)
    first = ranking.pairs[0]
    assert first.pair == ("b", "e")
    assert first.score == first.direction > ranking.threshold
    back = [(who, {pair: -n for pair, n in moves.items()}) for who, moves in hands]
    assert rank(dealt(back).items(), 1).pairs[0].direction == pytest.approx(-first.direction)


def test_who_never_wins_from_a_friend_has_too_little_volume() -> None:
    random = Random(6)
    hands = [fair(random, "abcdef", 20) for _ in range(3_000)]
    hands = [hand for hand in hands if set(*hand[1]) != {"c", "d"}]
    first = rank(dealt(hands).items(), 1).pairs[0]
    assert first.pair == ("c", "d")
    assert first.volume < -5
    assert first.score == -first.volume


def test_a_winner_and_a_wild_player_are_not_suspicious() -> None:
    """Who wins from everybody, and with whom everybody moves chips, is so with each of them."""
    random = Random(7)
    hands = []
    for _ in range(4_000):
        who, moves = fair(random, "abcdefgh", 20)
        ((pair, chips),) = moves.items()
        if "a" in pair and chips > 0 and random.random() < 0.5:
            moves = {pair: -chips}
        hands.append((who, moves))
        if random.random() < 0.5:
            other = random.choice("bcdefgh")
            hands.append(("abcdefgh", {("a", other): random.choice((-20, 20))}))
    ranking = rank(dealt(hands).items(), 1)
    assert ranking.pairs[0].score < ranking.threshold


def test_pairs_that_met_too_rarely_are_not_judged() -> None:
    hands = [("ab", {("a", "b"): 5})] * 19 + [("ac", {("a", "c"): 5})] * 20
    assert [each.pair for each in rank(dealt(hands).items(), 20).pairs] == [("a", "c")]
    assert rank([], 1).pairs == []


def test_hands_in_which_nothing_moved_say_nothing() -> None:
    ranking = rank(dealt([("abc", {})] * 50).items(), 1)
    assert [each.score for each in ranking.pairs] == [0, 0, 0]
