"""Engine and C core play the same games: every option combination, thousands of decks."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any, NamedTuple

import pytest

from engine._native import ffi, lib
from engine.cards import PACK, RANKS, SUITS, card_name, to_set
from engine.events import Event
from engine.games.royal_flush.actions import AutoPlay
from engine.games.royal_flush.events import DeckRevealed, GameLost, GameWon
from tests.games.royal_flush.tables import Play

DEALS = ("round_robin", "pile_by_pile", "packet")
SEARCHES = ("turn_pile", "card_by_card")
GATHERS = ("turn_packet", "turn_piles", "as_they_lie")
MODES = ("royal_flush", "straight_flush", "four_of_a_kind", "full_house", "named_cards")
ANY = lib.KJ_RF_ANY


class Target(NamedTuple):
    """A ``target_mode`` with its parameters, as texts."""

    mode: str
    suit: str = "none"
    rank: str = "none"
    pair: str = "none"
    named: str = "none"


def every_target() -> list[Target]:
    """Every mode with every choice of its parameters given or not; lists of each length."""
    targets = [Target("royal_flush", suit) for suit in ("none", *SUITS)]
    tops = ("none", *RANKS[3:])
    targets += [Target("straight_flush", s, r) for s, r in product(("none", *SUITS), tops)]
    targets += [Target("four_of_a_kind", rank=r) for r in ("none", *RANKS)]
    ranks = ("none", *RANKS)
    targets += [
        Target("full_house", rank=r, pair=p)
        for r, p in product(ranks, ranks)
        if r != p or r == "none"
    ]
    rng = Random(5)
    for count in (1, 2, 3, 4, 5):
        for _ in range(6):
            names = ",".join(card_name(card) for card in rng.sample(PACK, count))
            targets.append(Target("named_cards", named=names))
    return targets


TARGETS = every_target()
STYLES = [
    (deal, search, gather)
    for deal, search, gather in product(DEALS, SEARCHES, GATHERS)
    if search == "turn_pile" or gather == "as_they_lie"
]


def native_options(style: tuple[str, str, str], target: Target) -> Any:
    """The C structure of the options."""
    made = ffi.new("kj_rf_options *")
    made.deal_style = DEALS.index(style[0])
    made.search_style = SEARCHES.index(style[1])
    made.gather_style = GATHERS.index(style[2])
    made.target_mode = MODES.index(target.mode)
    made.suit = ANY if target.suit == "none" else SUITS.index(target.suit)
    made.rank = ANY if target.rank == "none" else RANKS.index(target.rank)
    made.pair_rank = ANY if target.pair == "none" else RANKS.index(target.pair)
    if target.named != "none":
        names = {card_name(card): card for card in PACK}
        made.named = to_set(names[name] for name in target.named.split(","))
    return made


def options(style: tuple[str, str, str], target: Target) -> dict[str, str]:
    """The same as texts."""
    return {
        "deal_style": style[0],
        "search_style": style[1],
        "gather_style": style[2],
        "target_mode": target.mode,
        "target_suit": target.suit,
        "target_rank": target.rank,
        "target_pair_rank": target.pair,
        "named_cards": target.named,
    }


def compare(style: tuple[str, str, str], target: Target, deck: tuple[int, ...]) -> Event:
    """Play a deck on both sides; the engine's verdict."""
    play = Play.started(deck, **options(style, target))
    *_, verdict, revealed = play.do(0, AutoPlay("game"))
    out = ffi.new("kj_rf_outcome *")
    assert lib.kj_rf_play(native_options(style, target), bytes(deck), out) == lib.KJ_OK
    left = tuple(out.pile[0 : out.size])
    if out.won:
        assert verdict == GameWon(left)
        assert out.excess == 0
    else:
        assert verdict == GameLost(left, out.excess)
    assert revealed == DeckRevealed(deck)
    return verdict


def test_there_are_twelve_styles_and_targets_of_every_kind() -> None:
    """3.1 (a) leaves 3 × 3 styles with turn_pile and 3 × 1 with card_by_card."""
    assert len(STYLES) == 12
    assert {target.mode for target in TARGETS} == set(MODES)


@pytest.mark.parametrize("style", STYLES, ids="-".join)
def test_engine_and_core_agree_on_every_target(style: tuple[str, str, str]) -> None:
    """One deck for each combination of options (7.11, 7.9, 6.5, 7.1)."""
    rng = Random("-".join(style))
    verdicts = set()
    for target in TARGETS:
        deck = tuple(rng.sample(PACK, 52))
        verdicts.add(type(compare(style, target, deck)))
    assert verdicts == {GameWon, GameLost}


@pytest.mark.parametrize("style", STYLES, ids="-".join)
def test_engine_and_core_agree_on_many_decks(style: tuple[str, str, str]) -> None:
    """The plain royal flush, where most games are played."""
    rng = Random("many-" + "-".join(style))
    for _ in range(100):
        compare(style, Target("royal_flush"), tuple(rng.sample(PACK, 52)))


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("style", STYLES, ids="-".join)
def test_engine_and_core_agree_on_thousands_of_fresh_decks(style: tuple[str, str, str]) -> None:
    rng = Random()
    for _ in range(20):
        for target in TARGETS:
            compare(style, target, tuple(rng.sample(PACK, 52)))
