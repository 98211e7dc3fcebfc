"""Battle equity against the engine's judge, battle by battle."""

from __future__ import annotations

from itertools import combinations
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from engine.cards import PACK, parse_card, suit_of
from engine.errors import Malformed
from engine.games.palace_poker.judging import judge
from engine.games.palace_poker.odds import EVERY_BATTLE, Equity, Side, battles, equity


def cards(text: str) -> tuple[int, ...]:
    return tuple(map(parse_card, text.split()))


def judged(ours: Side, theirs: Side, gone: tuple[int, ...], *, ace_low: bool = True) -> Equity:
    """Every battle, decided by the rules.  palace_poker 7.4, 7.5"""
    known = {ours.banner, theirs.banner, *gone}
    known |= {card for side in (ours, theirs) for card in (*side.soldiers, *side.palace)}
    rest = [card for card in PACK if card not in known]
    counts = {0: 0, None: 0, 1: 0}
    for mine in combinations(rest, 3 - len(ours.palace)):
        left = [card for card in rest if card not in mine]
        for others in combinations(left, 3 - len(theirs.palace)):
            hand: Any = SimpleNamespace(
                banners=(ours.banner, theirs.banner),
                palaces=((*ours.palace, *mine), (*theirs.palace, *others)),
                soldiers=(ours.soldiers, theirs.soldiers),
            )
            counts[judge(hand, 0, 1, ace_low).winner] += 1
    return Equity(counts[0], counts[None], counts[1])


def position(draw: Random) -> tuple[Side, Side, tuple[int, ...]]:
    """Two sides that may fight, and so many cards gone that few battles are left."""
    while True:
        pack = draw.sample(PACK, 52)
        ours, theirs = pack.pop(), pack.pop()
        if suit_of(ours) != suit_of(theirs):
            break

    def some(n: int) -> tuple[int, ...]:
        return tuple(pack.pop() for _ in range(n))

    us = Side(ours, some(draw.randint(0, 5)), some(draw.randint(0, 3)))
    them = Side(theirs, some(draw.randint(0, 5)), some(draw.randint(0, 3)))
    hidden = 6 - len(us.palace) - len(them.palace)
    return us, them, some(len(pack) - hidden - draw.randint(0, 3))


def test_equity_is_what_the_judge_says_of_every_battle() -> None:
    """Random sides, ace low or high, also with everything known."""
    draw = Random("battles")
    seen = [0, 0, 0]
    for at in range(120):
        ours, theirs, gone = position(draw)
        found = equity(ours, theirs, gone, ace_low=at % 2 == 0)
        assert found == judged(ours, theirs, gone, ace_low=at % 2 == 0), (ours, theirs, gone)
        assert found.all == battles(ours, theirs, gone)
        seen = [a + b for a, b in zip(seen, found, strict=True)]
    assert seen[0] > 0 < seen[2]


def test_both_sides_see_the_same_battle() -> None:
    ours, theirs = Side(parse_card("Kc"), cards("2c 9h")), Side(parse_card("4d"), cards("Ks"))
    gone = tuple(card for card in PACK[20:40] if card not in (*cards("9h Ks"),))
    found = equity(ours, theirs, gone)
    assert equity(theirs, ours, gone) == Equity(found.lost, found.tied, found.won)


def test_a_total_tie_and_the_own_suit_that_decides() -> None:
    """Equal values: the side with more cards of its banner's suit wins.  palace_poker 7.5"""
    ours = Side(parse_card("Kc"), (), cards("Qh Jh 9s"))
    assert equity(ours, Side(parse_card("Kd"), (), cards("Qs Js 9h"))) == Equity(0, 1, 0)
    assert equity(ours, Side(parse_card("Kd"), (), cards("Qs Js 9d"))) == Equity(0, 0, 1)


def test_void_cards_do_not_count() -> None:
    """Four aces, two of them of the banners' suits.  palace_poker 7.4"""
    ours = Side(parse_card("2c"), (), cards("Ad 3d 4d"))
    theirs = Side(parse_card("5d"), (), cards("Ac 8c 7c"))
    assert equity(ours, theirs) == Equity(0, 0, 1)


def test_banners_of_equal_rank_and_nothing_else_known_are_even() -> None:
    """Exchange the suits: every battle won is one lost.  No request is larger."""
    assert battles(Side(parse_card("Kc")), Side(parse_card("Kd"))) == EVERY_BATTLE
    few = tuple(card for card in PACK if card % 13 not in {0, 12, 5, 6, 7})
    found = equity(Side(parse_card("Kc")), Side(parse_card("Kd")), few)
    assert found.won == found.lost
    assert found.tied > 0
    assert found.all > 100_000


@pytest.mark.parametrize(
    ("ours", "theirs", "gone", "field"),
    [
        (Side(0), Side(14), (), "ours.banner"),
        (Side(53), Side(14), (), "ours.banner"),
        (Side(1), Side(1), (), "theirs.banner"),
        (Side(1), Side(2), (), "theirs.banner"),
        (Side(1, (14,)), Side(14), (), "ours.soldiers"),
        (Side(1, (2, 2)), Side(14), (), "ours.soldiers"),
        (Side(1, (2, 3, 4, 5, 6, 7)), Side(14), (), "ours.soldiers"),
        (Side(1), Side(14, (), (15, 16, 17, 18)), (), "theirs.palace"),
        (Side(1, (), (-1,)), Side(14), (), "ours.palace"),
        (Side(1), Side(14), (1,), "gone"),
        (Side(1), Side(14), tuple(range(2, 14)) + tuple(range(15, 49)), "gone"),
    ],
)
def test_sides_that_cannot_be_are_refused(
    ours: Side, theirs: Side, gone: tuple[int, ...], field: str
) -> None:
    """The field is named; nothing is counted."""
    with pytest.raises(Malformed) as refused:
        equity(ours, theirs, gone)
    assert refused.value.field == field


def test_too_many_battles_are_refused_with_the_bound() -> None:
    heard: list[float] = []
    with pytest.raises(Malformed, match=r"317,814,000 battles; at most 1,000,000"):
        equity(Side(1), Side(14), most=1_000_000, progress=heard.append)
    assert heard == []


def test_work_ends_when_whoever_hears_of_it_says_so() -> None:
    def enough(share: float) -> None:
        raise InterruptedError(share)

    with pytest.raises(InterruptedError):
        equity(Side(1), Side(14), progress=enough)
