"""Cards that an event shows: every field that holds cards is read, whatever its form."""

from __future__ import annotations

import doctest

import pytest

from engine import events as c
from engine import faces as module
from engine.events import COMMON_EVENTS, HOUSE_EVENTS
from engine.faces import faces
from engine.fields import FieldKind, describe
from engine.games import GAMES
from engine.games.royal_casino import events as casino
from engine.visibility import OBSERVER, Private, redact, seat_viewer, seats_only

CARDS = {FieldKind.CARD, FieldKind.CARDS, FieldKind.GROUPS, FieldKind.RECORD, FieldKind.RECORDS}
KINDS = [*COMMON_EVENTS, *HOUSE_EVENTS, *(kind for game in GAMES.values() for kind in game.EVENTS)]


def test_the_example_runs() -> None:
    result = doctest.testmod(module)
    assert (result.failed, result.attempted > 0) == (0, True)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_field_named_for_cards_holds_them_by_its_annotation(kind: type[c.Event]) -> None:
    """Words like card, cards, deck, hand of cards: none of them is a bare number."""
    for field in describe(kind):
        if field.name in {"card", "cards", "deck", "soldiers", "palace", "remaining", "ace"}:
            assert field.kind in CARDS, field


def test_single_cards_lists_groups_and_records_are_read() -> None:
    captured = casino.Captured("b1", 9, 0, (5, 6))
    assert faces(captured) == {5, 6}
    assert faces(c.SeatLeft(5, 7)) == frozenset()
    private = casino.HandDealt(0, 3, Private((1, 2, 3), seats_only(0)))
    assert faces(private) == {1, 2, 3}
    assert faces(redact(private, seat_viewer(0))) == {1, 2, 3}
    assert faces(redact(private, OBSERVER | seat_viewer(1))) == frozenset()


def test_what_is_public_of_a_private_list_is_seen_by_all() -> None:
    event = c.DeckShuffled("DEAL", Private((7, 8, 9), seats_only(0), public=(0, 8, 0)))
    assert faces(redact(event, OBSERVER)) == {8}
