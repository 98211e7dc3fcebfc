"""The legal plays of Royal Casino in C against the slow twin and the published counts."""

from __future__ import annotations

import doctest
import random
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement, pairwise, product
from typing import Any

import pytest

from engine._native import ffi, lib
from engine.cards import PACK, card_name, make_card, parse_card
from engine.games.royal_casino import plays as plays_module
from engine.games.royal_casino.plays import BuildFacts, Play, PlayRules, Plays, enumerate_plays
from tests.native import casino_twin
from tests.native.twins import differs

SIMPLE = PlayRules(must_take_equal=True, raise_own_build=False, partner_builds=False, partner=None)
ANY_TRAIL = SIMPLE._replace(must_take_equal=False)

Case = tuple[Any, ...]


def cards(names: str) -> tuple[int, ...]:
    return tuple(map(parse_card, names.split()))


def in_c(hand, loose, builds, seat, rules, limit) -> Plays:
    return enumerate_plays(hand, loose, builds, seat, rules=rules, limit=limit)


def some_rules(draw: random.Random) -> PlayRules:
    flags = (draw.random() < 0.5 for _ in range(3))
    return PlayRules(*flags, draw.choice([None, 2]))


def positions(seed: str, count: int, most_loose: int, most_builds: int) -> Iterator[Case]:
    """Hands and tables of low cards more often than not, builds of values that are held more often
    than not, owners at random: also what play could not lead to, so that nothing is rare."""
    draw = random.Random(seed)
    for _ in range(count):
        ranks = draw.sample(range(13), draw.randint(3, 13))
        pack = [card for card in PACK if (card - 1) % 13 in ranks]
        chosen = draw.sample(pack, min(len(pack), draw.randint(1, 4 + most_loose)))
        size = draw.randint(1, min(4, len(chosen)))
        hand, loose = tuple(chosen[:size]), tuple(chosen[size:][:most_loose])
        held = [casino_twin.capture_value(card) for card in hand]
        builds = tuple(
            BuildFacts(
                number,
                draw.choice([*held, draw.randint(2, 14)]),
                draw.choice([0, 0, 1, 2, 3]),
                draw.random() < 0.3,
            )
            for number in draw.sample(range(1, 20), draw.randint(0, most_builds))
        )
        yield hand, loose, builds, 0, some_rules(draw), draw.choice([0, 1, 7, 100, 10**6])


@pytest.mark.parametrize(
    ("count", "most_loose", "most_builds"),
    [
        *((500, 4, 2), (50, 6, 3), (100, 3, 5), (8, 8, 1)),
        pytest.param(2_000, 4, 2, marks=pytest.mark.long),
        pytest.param(200, 6, 3, marks=pytest.mark.long),
        pytest.param(300, 3, 5, marks=pytest.mark.long),
        pytest.param(30, 8, 1, marks=pytest.mark.long),
    ],
)
def test_plays_are_those_that_the_twin_finds(count, most_loose, most_builds):
    """All options, every kind; counts, list, order, limit.  royal_casino 6.4–6.6, 6.8.5."""
    cases = list(positions(f"{most_loose}/{most_builds}", count, most_loose, most_builds))
    assert differs(in_c, casino_twin.enumerate_plays, cases) is None
    found = [in_c(*case) for case in cases]
    kinds = Counter(play.kind for plays in found for play in plays.plays)
    assert kinds.keys() == {"trail", "capture", "build"}
    assert {plays.truncated for plays in found} == {True, False}


def test_the_twin_can_fail():
    """A twin that plays by another option is found out, whichever it is."""
    for option in ("must_take_equal", "raise_own_build", "partner_builds"):

        def twin(hand, loose, builds, seat, rules, limit, option=option) -> Plays:
            other = rules._replace(**{option: not getattr(rules, option)})
            return casino_twin.enumerate_plays(hand, loose, builds, seat, other, limit)

        assert differs(in_c, twin, positions("fail", 1_000, 4, 3)) is not None


WORST_HAND = cards("Kc Ac Ad Ah")
WORST_LOOSE = cards("2c 3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kd As 2d 2h 2s")


def test_the_worst_position_has_as_many_plays_as_published():
    """44,821 plays, or 41,335 if a twin must be taken.  royal_casino 6.8.6."""
    for rules, total in ((ANY_TRAIL, 44_821), (SIMPLE, 41_335)):
        found = enumerate_plays(WORST_HAND, WORST_LOOSE, (), 0, rules=rules, limit=10**6)
        assert (found.total, len(found.plays), found.truncated) == (total, total, False)
        keys = [casino_twin.listing(play) for play in found.plays]
        assert all(one < other for one, other in pairwise(keys))
        for limit in (0, 1, 11_792, total - 1):
            part = enumerate_plays(WORST_HAND, WORST_LOOSE, (), 0, rules=rules, limit=limit)
            assert part == found._replace(plays=found.plays[:limit], truncated=True)


def test_a_full_table_is_listed_as_the_twin_lists_it():
    """Every fortieth play of the worst position, one by one: legal, and nothing between them."""
    found = enumerate_plays(WORST_HAND, WORST_LOOSE, (), 0, rules=ANY_TRAIL, limit=10**6)
    turn = casino_twin.Turn(
        WORST_HAND, tuple(sorted(WORST_LOOSE, key=casino_twin.order)), (), 0, ANY_TRAIL
    )
    for play in found.plays[::40]:
        if play.kind == "capture":
            assert turn.may_capture(play.card, play.loose, ())
        else:
            assert turn.may_build(play.card, play.value, play.loose, None)


GROUPS = 136
UNIONS = (16, 32, 32, 64, 82, 144, 228, 414, 652, 1_196, 1_876, 3_496, 6_276)
EXTRAS = [*combinations(range(13), 2), *((rank,) * 3 for rank in range(13))]
"""What can lie loose beside one card of each rank: of the four cards dealt to the table, two pairs
or four of a kind (5.10).  Whatever else lies loose is a part of one of these tables."""


def table_with(extra: tuple[int, ...]) -> tuple[int, ...]:
    ranks = Counter([*range(13), *extra])
    table = (make_card(suit, rank) for rank, count in ranks.items() for suit in range(count))
    return tuple(sorted(table, key=casino_twin.order))


def masks_of_groups(table: tuple[int, ...], value: int) -> list[int]:
    """G(v), word by word: sums of low values depth first, and lone aces.  royal_casino 6.8.1."""
    found: list[int] = []

    def add(mask: int, total: int, start: int) -> None:
        for index in range(start, len(table)):
            reached = total + casino_twin.low_value(table[index])
            if reached < value:
                add(mask | 1 << index, reached, index + 1)
            elif reached == value:
                found.append(mask | 1 << index)

    add(0, 0, 0)
    if value == 14:
        found += [1 << at for at, c in enumerate(table) if casino_twin.capture_value(c) == 14]
    return found


def masks_of_unions(table: tuple[int, ...], value: int) -> set[int]:
    """U(v), word by word: to each union without a card the groups of which it is the lowest."""
    groups = masks_of_groups(table, value)
    found = {0}
    for index in range(len(table)):
        lowest = [group for group in groups if group & -group == 1 << index]
        free = [union for union in found if not union >> index & 1]
        found.update(union | group for union in free for group in lowest if not group & union)
    return found


def test_no_table_has_more_groups_and_unions_than_published():
    """The most for each value 2…14, over all fullest tables.  royal_casino 5.10, 6.8.6."""
    tables = list(map(table_with, EXTRAS))
    most = [max(len(masks_of_unions(t, value)) for t in tables) for value in range(2, 15)]
    assert tuple(most) == UNIONS
    groups = (len(masks_of_groups(t, value)) for t in tables for value in range(2, 15))
    assert max(groups) == GROUPS


@pytest.mark.parametrize("value", range(2, 15))
def test_the_c_core_finds_as_many_unions(value):
    """On each of these tables; where all four cards of the value lie loose, without one of them,
    since none is left to capture with.  royal_casino 6.8.1, 6.8.2."""
    card = make_card(3, value - 2)
    for extra in EXTRAS:
        loose = tuple(other for other in table_with(extra) if other != card)
        found = enumerate_plays((card,), loose, (), 0, rules=ANY_TRAIL, limit=0)
        assert found.captures == len(masks_of_unions(loose, value)) - 1


def most_plays(extras, stride=1):
    """The most plays with either option on such tables, whatever four cards are held."""
    most = {ANY_TRAIL: 0, SIMPLE: 0}
    for table, held in product(
        map(table_with, extras), list(combinations_with_replacement(range(13), 4))[::stride]
    ):
        ranks = Counter(held)
        loose = Counter((card - 1) % 13 for card in table)
        if any(count + loose[rank] > 4 for rank, count in ranks.items()):
            continue
        hand = tuple(make_card(3 - at, rank) for rank, n in ranks.items() for at in range(n))
        for rules, best in most.items():
            found = enumerate_plays(hand, table, (), 0, rules=rules, limit=0)
            most[rules] = max(best, found.total)
    return tuple(most.values())


def test_no_hand_at_the_worst_table_has_more_plays_than_published():
    """Some of the hands of four beside three more twos; all of them below.  royal_casino 6.8.6."""
    either, simple = most_plays([(0, 0, 0)], stride=11)
    assert 20_000 < either <= 44_821
    assert 20_000 < simple <= 41_335


@pytest.mark.long
def test_no_position_without_builds_has_more_plays_than_published():
    """Each hand of four at each of the fullest tables.  royal_casino 6.8.6."""
    assert most_plays(EXTRAS) == (44_821, 41_335)


def test_the_example_of_the_specification():
    """E22, in the notation of scripts.  royal_casino 6.8.5, 12.0.6."""
    builds = (BuildFacts(1, 6, 1, multiple=False),)
    found = enumerate_plays(cards("Ac 6d 7s"), cards("5h Ad"), builds, 0, rules=SIMPLE, limit=99)
    assert found[:4] == (11, 2, 4, 5)
    assert " ".join(map(notation, found.plays)) == (
        "6d 7s 6d:b1 6d:5h,Ad 6d:5h,Ad,b1 Ac:Ad 6d=7:Ad Ac=6:5h Ac=6:5h@b1 Ac=7:5h,Ad Ac=7@b1"
    )


def notation(play: Play) -> str:
    value = f"={play.value}" if play.kind == "build" else ""
    taken = ",".join([*map(card_name, play.loose), *(f"b{number}" for number in play.builds)])
    base = f"@b{play.base}" if play.base else ""
    return card_name(play.card) + value + (f":{taken}" if taken else "") + base


def test_an_empty_hand_has_no_plays():
    """Nor is anything read or written for it."""
    assert in_c((), cards("2c"), (), 0, SIMPLE, 9) == Plays(0, 0, 0, 0, (), truncated=False)


FULL = cards("2c 2d 2h 2s 3c 3d 3h 3s 4c 4d 4h 4s 5c 5d 5h 5s")
BUILD = BuildFacts(1, 9, 1, multiple=False)


@pytest.mark.parametrize(
    "wrong",
    [
        {"hand": cards("2c 3c 4c 5c 6c")},
        {"hand": cards("2c 2c")},
        {"hand": (0,)},
        {"hand": (53,)},
        {"hand": (-1,)},
        {"hand": (300,)},
        {"loose": (*FULL, *cards("Kd"))},
        {"loose": cards("Kd Kd")},
        {"loose": cards("9c")},
        {"loose": (0,)},
        {"builds": (BUILD,) * 17},
        {"builds": (BUILD._replace(value=1),)},
        {"builds": (BUILD._replace(value=15),)},
        {"builds": (BUILD._replace(value=300),)},
        {"limit": -1},
    ],
)
def test_what_no_position_has_is_an_error(wrong):
    """Cards twice, too many, none at all; values that no build has.  royal_casino 2.7, 5.10."""
    right = {"hand": cards("9c"), "loose": (), "builds": (), "limit": 10, **wrong}
    with pytest.raises(ValueError):
        enumerate_plays(seat=0, rules=SIMPLE, **right)


def test_the_fullest_position_is_counted_without_a_list():
    """Sixteen builds and sixteen low cards, far beyond what play leads to: each union goes with
    each set of builds, and three plays are all that is made."""
    builds = tuple(BuildFacts(number, 9, 0, multiple=True) for number in range(1, 17))
    found = in_c(cards("9c 9d 9h 9s"), FULL, builds, 0, SIMPLE, 3)
    assert found.captures % 4 == 0
    assert found.captures // 4 + 1 == (found.captures // 4 + 1) >> 16 << 16
    assert [play.builds for play in found.plays] == [(1,), (1, 2), (1, 2, 3)]


def test_examples_of_the_documentation():
    """The docstring's example."""
    assert doctest.testmod(plays_module).failed == 0


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("hand_size", 5),
        ("loose_size", 17),
        ("build_count", 17),
        ("must_take_equal", 2),
        ("raise_own_build", 2),
        ("partner_builds", 2),
        ("hand", cards("3c 2c")),
        ("hand", (2, 53)),
        ("loose", (3, 3)),
        ("loose", (2, 0)),
        ("builds", [(9, 3, 0)]),
        ("builds", [(9, 0, 2)]),
        ("builds", [(1, 0, 0)]),
        ("builds", [(15, 0, 0)]),
    ],
)
def test_positions_without_sense_are_refused(field, value):
    """The C core checks by itself, and nothing is written."""
    position = ffi.new("kj_rc_position *", (2, 2, 1, 0, 0, 0, (1, 2), (5, 6), [(9, 0, 0)]))
    plays, counts = ffi.new("kj_rc_play[]", 1), ffi.new("kj_rc_counts *", (7, 7, 7))
    assert lib.kj_rc_plays(position, plays, 1, counts) == lib.KJ_OK
    counts[0] = (7, 7, 7)
    setattr(position, field, value)
    assert lib.kj_rc_plays(position, plays, 1, counts) == lib.KJ_EINVAL
    assert (counts.trails, counts.captures, counts.builds) == (7, 7, 7)
