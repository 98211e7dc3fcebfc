"""What hands are worth in battles and at the showdown (palace_poker 7)."""

from __future__ import annotations

from typing import NamedTuple

from engine.cards import CardSet, set_of, suit_of, suit_set, to_set
from engine.games.palace_poker.events import DecidedBy
from engine.games.palace_poker.state import Hand
from engine.ranking import (
    HandValue,
    hand_value,
    unchecked_strength,
    unchecked_strength_ace_high,
)

__all__ = ["Verdict", "held", "judge", "showdown_strength"]


class Verdict(NamedTuple):
    """How a battle went: both sides' values, own-suit counts if the values were equal."""

    winner: int | None
    decided_by: DecidedBy
    attacker_value: HandValue
    defender_value: HandValue
    attacker_count: int | None = None
    defender_count: int | None = None


def held(hand: Hand, seat: int) -> CardSet:
    """Banner, palace and soldiers of a player in the hand."""
    return to_set(hand.palaces[seat] + hand.soldiers[seat]) | set_of(hand.banners[seat])


def judge(hand: Hand, attacker: int, defender: int, ace_low: bool) -> Verdict:
    """Decide a battle that was called (7.4, 7.5).

    A side's cards of the other banner's suit are void; its own suit never is.
    """
    strength = unchecked_strength if ace_low else unchecked_strength_ace_high
    suit_a = suit_set(suit_of(hand.banners[attacker]))
    suit_d = suit_set(suit_of(hand.banners[defender]))
    cards_a = held(hand, attacker)
    cards_d = held(hand, defender)
    worth_a = strength(cards_a & ~suit_d)
    worth_d = strength(cards_d & ~suit_a)
    value_a = hand_value(worth_a)
    value_d = hand_value(worth_d)
    if worth_a != worth_d:
        winner = attacker if worth_a > worth_d else defender
        return Verdict(winner, DecidedBy.HAND, value_a, value_d)
    count_a = (cards_a & suit_a).bit_count()
    count_d = (cards_d & suit_d).bit_count()
    if count_a != count_d:
        winner = attacker if count_a > count_d else defender
        return Verdict(winner, DecidedBy.OWN_SUIT_COUNT, value_a, value_d, count_a, count_d)
    return Verdict(None, DecidedBy.TOTAL_TIE, value_a, value_d, count_a, count_d)


def showdown_strength(hand: Hand, seat: int, ace_low: bool) -> int:
    """Strength of everything a player holds: no suit is void at the showdown (7.6)."""
    strength = unchecked_strength if ace_low else unchecked_strength_ace_high
    return strength(held(hand, seat))
