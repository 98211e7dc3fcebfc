"""Who holds a seat just after an event, and what that lets him see."""

from __future__ import annotations

from engine import events as c
from engine.occupancy import seated_after, viewer_of, viewers
from engine.visibility import AUDITOR, OBSERVER, SERVER, Private, seat_viewer


def test_the_mask_follows_every_event_of_a_commit() -> None:
    """A leaver sees what happens before he has left, his successor what comes after."""
    events = [
        c.SatOut(1),
        c.SeatLeft(0, 5),
        c.SatIn(1),
        c.SeatTaken(0, "cid", 9),
        c.SeatTaken(2, "cid", 9),
        c.SatOut(1),
    ]
    seated = {0: "ann", 1: "bob"}
    zero, two = seat_viewer(0), seat_viewer(2)
    assert viewers(seated, events, "ann") == [OBSERVER | zero, *[OBSERVER] * 5]
    assert viewers(seated, events, "cid") == [
        *[OBSERVER] * 3,
        OBSERVER | zero,
        OBSERVER | zero | two,
        OBSERVER | zero | two,
    ]
    assert viewers(seated, events, "eve") == [OBSERVER] * 6
    assert seated == {0: "ann", 1: "bob"}


def test_nobody_is_not_a_player() -> None:
    """An empty seat belongs to no caller without a name; no player is an auditor."""
    assert viewer_of({0: "ann"}, "") == OBSERVER
    assert not viewer_of({0: "ann"}, "ann") & AUDITOR


def test_players_of_a_position_are_nobodys_principals() -> None:
    """Lab tables: who sat there sits there no more."""
    assert seated_after({0: "ann"}, c.PositionSet(Private("phase LOBBY", SERVER))) == {}
