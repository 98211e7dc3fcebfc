"""Audience masks and the one redaction.  Rules C10."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from engine.events import DeckShuffled, EpochClosed, PositionSet, SeatLeft
from engine.visibility import (
    AUDITOR,
    EVERYONE,
    MAX_SEATS,
    OBSERVER,
    SERVER,
    Private,
    private_fields,
    redact,
    seat_viewer,
    seats_only,
)


@dataclass(frozen=True, slots=True)
class Told:
    """An event with two secrets."""

    public: int
    one: Private[int]
    many: Private[tuple[int, ...]]


def test_viewers_are_different_bits() -> None:
    viewers = [seat_viewer(seat) for seat in range(MAX_SEATS)] + [OBSERVER, AUDITOR]
    assert len(set(viewers)) == 32
    assert sum(viewers) == EVERYONE
    assert all(viewer.bit_count() == 1 for viewer in viewers)


@pytest.mark.parametrize("seat", [-1, MAX_SEATS, 31, 1000])
def test_there_is_no_viewer_of_a_seat_outside(seat: int) -> None:
    """A mask of bit 30 or 31 would be everybody or the server."""
    with pytest.raises(ValueError, match="outside"):
        seat_viewer(seat)
    with pytest.raises(ValueError, match="outside"):
        seats_only(seat)


def test_the_server_is_in_every_audience() -> None:
    for audience in (SERVER, EVERYONE, seats_only(), seats_only(0, 29)):
        assert audience & AUDITOR
        assert 0 <= audience <= EVERYONE


@pytest.mark.parametrize("seat", range(MAX_SEATS))
def test_a_seat_sees_its_own_and_no_other(seat: int) -> None:
    for other in range(MAX_SEATS):
        assert bool(seats_only(seat) & seat_viewer(other)) == (seat == other)
    assert not seats_only(seat) & OBSERVER
    assert not SERVER & seat_viewer(seat)
    assert EVERYONE & seat_viewer(seat)


def test_redaction_hides_what_the_viewer_is_not_in_the_audience_of() -> None:
    event = Told(7, Private(12, seats_only(0)), Private((3, 4), seats_only(0, 1)))
    assert redact(event, seat_viewer(0)) is event
    assert redact(event, AUDITOR) is event
    assert redact(event, seat_viewer(1)) == Told(
        7, Private(0, seats_only(0), shown=False), Private((3, 4), seats_only(0, 1))
    )
    assert redact(event, OBSERVER) == Told(
        7, Private(0, seats_only(0), shown=False), Private((0, 0), seats_only(0, 1), shown=False)
    )


def test_a_viewer_of_two_seats_sees_what_either_sees() -> None:
    event = Told(7, Private(12, seats_only(0)), Private((3,), seats_only(1)))
    assert redact(event, seat_viewer(0) | seat_viewer(1) | OBSERVER) is event


def test_the_hidden_form_depends_on_nothing_but_the_shape() -> None:
    """Two events that differ in secrets only are equal, and as long, once they are redacted."""
    one = Told(7, Private(12, SERVER), Private((3, 4), SERVER))
    two = Told(7, Private(51, SERVER), Private((40, 52), SERVER))
    assert redact(one, OBSERVER) == redact(two, OBSERVER)
    assert one != two
    order = DeckShuffled("DEAL", Private((9, 8, 7), SERVER))
    assert redact(order, OBSERVER).order.value == (0, 0, 0)
    assert redact(EpochClosed(1, Private(b"secret", SERVER)), OBSERVER).secret.value == b""
    assert redact(PositionSet(Private("phase LOBBY", SERVER)), OBSERVER).position.value == ""


def test_a_list_may_be_a_secret_in_part() -> None:
    """Everybody gets what is public of it, in its place; the audience gets all."""
    event = Told(7, Private(12, SERVER), Private((3, 4), seats_only(1), public=(0, 4)))
    seen = redact(event, OBSERVER)
    assert (seen.many.value, seen.many.shown) == ((0, 4), False)
    assert redact(seen, 0) == seen
    assert redact(event, seat_viewer(1)).many.value == (3, 4)


def test_redacting_again_changes_nothing() -> None:
    event = Told(7, Private(12, SERVER), Private((3, 4), seats_only(1)))
    once = redact(event, OBSERVER)
    assert redact(once, OBSERVER) == once
    assert redact(once, seat_viewer(1)) == once  # what is gone does not come back
    assert not redact(once, AUDITOR).one.shown


def test_public_events_go_as_they_are() -> None:
    event = SeatLeft(0, 5)
    assert redact(event, 0) is event
    assert private_fields(SeatLeft) == ()
    assert private_fields(Told) == ("one", "many")


def test_the_text_of_a_private_value_leaves_the_value_out() -> None:
    """Nor does the text of an event that holds it: texts go into logs, whoever reads those."""
    order = Private((4711, 4712), SERVER)
    for text in (repr(order), str(order), f"{order}", repr(DeckShuffled("DEAL", order))):
        assert "471" not in text
        assert "audience=0x80000000" in text
