"""Who wins a battle, over all palaces that the cards in sight leave open.

Rules: Palace Poker 7.4, 7.5.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Final, NamedTuple

from engine._native import ffi, lib
from engine.cards import Card, CardSet, card_name, set_of, suit_of, suit_set, to_set
from engine.errors import Malformed
from engine.odds import Progress, require_within, unseen
from engine.ranking import strengths

if TYPE_CHECKING:
    from engine._native import CData

__all__ = ["EVERY_BATTLE", "Equity", "Side", "battles", "equity"]

PALACE: Final = 3
MOST_SOLDIERS: Final = 5
EVERY_BATTLE: Final = comb(50, 3) * comb(47, 3)
"""Battles where nothing is known but two banners: no request is larger."""

_AT_A_TIME: Final = 1 << 22
"""Battles of one call: some ten milliseconds."""


class Side(NamedTuple):
    """What is known of a combatant; palace cards that are not known are left out."""

    banner: Card
    soldiers: tuple[Card, ...] = ()
    palace: tuple[Card, ...] = ()


class Equity(NamedTuple):
    """Numbers of battles, all equally likely: our side won, total ties, our side lost."""

    won: int
    tied: int
    lost: int

    @property
    def all(self) -> int:
        """Battles that are possible."""
        return self.won + self.tied + self.lost


class _Hands(NamedTuple):
    """Every palace that a side may have: the unknown cards of it, and what the whole is worth."""

    cards: array[int]
    worth: array[int]


def _rest(ours: Side, theirs: Side, gone: Sequence[Card]) -> tuple[Card, ...]:
    """The cards that may lie in the palaces; raises ``Malformed`` for sides that cannot be."""
    for name, side in (("ours", ours), ("theirs", theirs)):
        if len(side.soldiers) > MOST_SOLDIERS:
            raise Malformed(
                f"{name}.soldiers", f"{len(side.soldiers)} soldiers; at most 5 are held"
            )
        if len(side.palace) > PALACE:
            raise Malformed(f"{name}.palace", f"{len(side.palace)} cards; a palace has 3")
    rest = unseen(
        ("ours.banner", (ours.banner,)),
        ("theirs.banner", (theirs.banner,)),
        ("ours.soldiers", ours.soldiers),
        ("theirs.soldiers", theirs.soldiers),
        ("ours.palace", ours.palace),
        ("theirs.palace", theirs.palace),
        ("gone", gone),
    )
    if suit_of(ours.banner) == suit_of(theirs.banner):
        both = f"{card_name(ours.banner)} and {card_name(theirs.banner)}"
        raise Malformed("theirs.banner", f"{both}: banners of one suit do not fight")
    hidden = 2 * PALACE - len(ours.palace) - len(theirs.palace)
    if len(rest) < hidden:
        raise Malformed("gone", f"{len(rest)} cards are left for {hidden} places in the palaces")
    return rest


def battles(ours: Side, theirs: Side, gone: Sequence[Card] = ()) -> int:
    """How many battles :func:`equity` would count.  Raises ``Malformed`` as it does.

    >>> battles(Side(1, (), (2, 3, 4)), Side(14))
    16215
    """
    rest = len(_rest(ours, theirs, gone))
    our_hidden, their_hidden = PALACE - len(ours.palace), PALACE - len(theirs.palace)
    return comb(rest, our_hidden) * comb(rest - our_hidden, their_hidden)


def equity(
    ours: Side,
    theirs: Side,
    gone: Sequence[Card] = (),
    *,
    ace_low: bool = True,
    most: int = EVERY_BATTLE,
    progress: Progress | None = None,
) -> Equity:
    """Count the battles of all palaces that are still possible.

    ``gone`` are cards known to lie elsewhere: others' banners and soldiers, discards.

    Raises ``Malformed`` for a card in two places, a number that is none, too many cards of a kind,
    banners of one suit, and more than ``most`` battles.

    >>> equity(Side(13, (), (12, 11, 10)), Side(14, (), (15, 16, 17)))
    Equity(won=1, tied=0, lost=0)
    """
    rest = _rest(ours, theirs, gone)
    require_within("palace", battles(ours, theirs, gone), most, "battles")
    us = _hands(ours, theirs.banner, rest, ace_low)
    them = _hands(theirs, ours.banner, rest, ace_low)
    step = max(_AT_A_TIME // len(them.cards), 1)
    won = tied = lost = 0
    counts = ffi.new("uint64_t[3]")
    for start in range(0, len(us.cards), step):
        some = _Hands(us.cards[start : start + step], us.worth[start : start + step])
        lib.kj_battles(*_raw(some), *_raw(them), counts)
        won, tied, lost = won + counts[0], tied + counts[1], lost + counts[2]
        if progress is not None:
            progress((start + len(some.cards)) / len(us.cards))
    return Equity(won, tied, lost)


def _raw(hands: _Hands) -> tuple[CData, CData, int]:
    cards = ffi.from_buffer("uint64_t[]", hands.cards)
    return cards, ffi.from_buffer("uint64_t[]", hands.worth), len(hands.cards)


def _hands(side: Side, other_banner: Card, rest: Sequence[Card], ace_low: bool) -> _Hands:
    """What a hand is worth: its strength without void cards, then the cards of its own suit."""
    known = to_set((side.banner, *side.soldiers, *side.palace))
    own, void = suit_set(suit_of(side.banner)), suit_set(suit_of(other_banner))
    hidden: list[CardSet] = [
        sum(chosen) for chosen in combinations(map(set_of, rest), PALACE - len(side.palace))
    ]
    counted = array("Q", [(known | cards) & ~void for cards in hidden])
    worth = [
        strength << 4 | ((known | cards) & own).bit_count()
        for strength, cards in zip(strengths(counted, ace_low), hidden, strict=True)
    ]
    return _Hands(array("Q", hidden), array("Q", worth))
