"""Many deals of Royal Flush, shuffled and played card by card: what confirms the exact odds."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any, Final

from engine._native import ffi, lib
from engine.cards import RANKS, SUITS, to_set
from engine.games.royal_flush.options import Options

__all__ = ["MOST_DEALS", "simulate"]

MOST_DEALS: Final = 1 << 48
"""Deals that a seed has: more than anybody plays."""

_DEALS: Final = ("round_robin", "pile_by_pile", "packet")
_SEARCHES: Final = ("turn_pile", "card_by_card")
_GATHERS: Final = ("turn_packet", "turn_piles", "as_they_lie")
_MODES: Final = ("royal_flush", "straight_flush", "four_of_a_kind", "full_house", "named_cards")


def simulate(options: Sequence[Options], seed: str, first: int, deals: int) -> list[int]:
    """How many of the deals ``first`` … ``first + deals - 1`` each of the options wins.

    A deal follows from the seed, any text, and its number: whoever plays them in whatever parts,
    on whatever machine, comes to the same numbers.

    >>> from engine.games.royal_flush.options import read_options
    >>> simulate([read_options({})[0]], "kartejo", 0, 1000)
    [378]
    """
    if not (first >= 0 and deals >= 0 and first + deals <= MOST_DEALS):
        raise ValueError(f"deals {first} to {first + deals} are not all within 0 and {MOST_DEALS}")
    made = ffi.new("kj_rf_options[]", len(options))
    for at, one in enumerate(options):
        _fill(made[at], one)
    won = ffi.new("uint64_t[]", len(options))
    key = sha256(seed.encode()).digest()[:24]
    code = lib.kj_rf_simulate(made, len(options), key, first, deals, won)
    if code != lib.KJ_OK:
        raise AssertionError(f"the core does not play what the rules allow: {code}")
    return list(won)


def _fill(made: Any, options: Options) -> None:
    family = options.family
    made.deal_style = _DEALS.index(options.deal_style)
    made.search_style = _SEARCHES.index(options.search_style)
    made.gather_style = _GATHERS.index(options.gather_style)
    made.target_mode = _MODES.index(family.mode)
    made.suit = lib.KJ_RF_ANY if family.suit is None else SUITS.index(family.suit)
    made.rank = lib.KJ_RF_ANY if family.rank is None else RANKS.index(family.rank)
    made.pair_rank = lib.KJ_RF_ANY if family.pair_rank is None else RANKS.index(family.pair_rank)
    made.named = to_set(family.named or ())
