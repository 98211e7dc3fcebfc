"""The parlour game does what its module says; the shared laws are tested in tests/laws."""

from __future__ import annotations

from engine import actions as ca
from engine import events as c
from engine.cards import parse_card
from engine.house import Table, apply_all
from engine.kernel import HOST
from engine.occupancy import seated_at, viewer_of
from engine.visibility import (
    EVERYONE,
    OBSERVER,
    SERVER,
    Private,
    redact,
    seat_viewer,
    seats_only,
)
from tests.parlour import Parlour, actions, events

GAME = Parlour()


class InOrder:
    """Leaves every pile in canonical order."""

    def shuffle(self, purpose: str, pile: tuple[int, ...]) -> tuple[int, ...]:
        return pile


class Room:
    """A table, its events, and who acts how."""

    def __init__(self, **options: str) -> None:
        self.table = Table.empty(GAME)
        self.events: list[c.Event] = []
        self.do(HOST, ca.OpenTable(options))
        for seat, name in enumerate(("ann", "bob", "cid")):
            self.do(seat, ca.TakeSeat(name, 10))

    def do(self, actor: int, action: ca.Action) -> tuple[c.Event, ...]:
        made, _ = GAME.decide(self.table.state, actor, action, InOrder())
        self.table = apply_all(self.table, made)
        self.events += made
        return made


def test_a_card_thrown_away_face_down_is_known_to_those_who_knew_it() -> None:
    """The discarder and who looked at the card; nobody else, whatever he was told."""
    room = Room()
    room.do(HOST, actions.StartHand())  # turn order 1 2 0: cards 2c 5c / 3c 6c / 4c 7c, house 8c
    (shown,) = room.do(1, actions.Peek(2, 0))
    assert isinstance(shown, events.CardShown)
    assert shown.card == Private(parse_card("3c"), seats_only(1, 2))
    room.do(1, actions.Keep())
    thrown, dealt = room.do(2, actions.Swap((parse_card("3c"),)))
    assert isinstance(thrown, events.CardDiscarded)
    assert isinstance(dealt, events.CardDealt)
    assert thrown.card.audience == seats_only(1, 2)
    assert dealt.card.audience == seats_only(2)
    assert redact(thrown, seat_viewer(0)).card == Private(0, seats_only(1, 2), shown=False)
    assert GAME.view(room.table.state, seat_viewer(0)).discard == (0,)
    assert GAME.view(room.table.state, seat_viewer(1)).discard == (parse_card("3c"),)


def test_open_discards_are_for_everyone_and_the_house_card_for_nobody() -> None:
    room = Room(open_discards="true")
    dealt = room.do(HOST, actions.StartHand())
    house = next(event for event in dealt if isinstance(event, events.HouseCardDealt))
    assert house.card.audience == SERVER
    thrown, _ = room.do(1, actions.Swap((parse_card("2c"),)))
    assert isinstance(thrown, events.CardDiscarded)
    assert thrown.card.audience == EVERYONE


def test_the_discard_becomes_the_draw_pile_in_mid_hand() -> None:
    room = Room(draw_pile="1")
    room.do(HOST, actions.StartHand())
    room.do(1, actions.Swap((parse_card("2c"),)))
    made = room.do(2, actions.Swap((parse_card("3c"),)))
    assert [type(event) for event in made] == [
        events.CardDiscarded,
        c.DeckShuffled,
        events.CardDealt,
    ]


def test_who_leaves_in_mid_hand_folds_in_turn_and_goes_after_the_hand() -> None:
    """A new player of the seat sees nothing of its old hand, in the view or by version."""
    room = Room(rounds="1")
    room.do(HOST, actions.StartHand())
    assert [type(e) for e in room.do(0, ca.LeaveSeat())] == [c.SeatLeaving]
    room.do(1, actions.Keep())
    before = seated_at(room.table)
    made = room.do(2, actions.Keep())
    kinds = [type(event) for event in made]
    assert kinds[:2] == [events.Kept, events.Folded]
    assert kinds[-2:] == [events.HandEnded, c.SeatLeft]
    room.do(0, ca.TakeSeat("dan", 5))
    assert viewer_of(before, "ann") & seat_viewer(0)
    assert viewer_of(before, "dan") == OBSERVER
    assert viewer_of(seated_at(room.table), "dan") & seat_viewer(0)
    assert GAME.view(room.table.state, seat_viewer(0)).hands == ()


def test_a_late_seat_folds_where_the_option_says_so() -> None:
    room = Room(on_timeout="fold")
    room.do(HOST, actions.StartHand())
    assert [type(e) for e in room.do(HOST, ca.TimeOut())] == [c.TurnTimedOut, events.Folded]


def test_the_highest_hand_wins_the_pot_and_the_house_suit_counts_twice() -> None:
    room = Room(rounds="1")
    room.do(HOST, actions.StartHand())
    for seat in (1, 2):
        room.do(seat, actions.Keep())
    made = room.do(0, actions.Keep())
    shown = [event for event in made if isinstance(event, events.HandShown)]
    assert [(s.seat, s.points) for s in shown] == [(1, 14), (2, 18), (0, 22)]
    assert events.PotAwarded(0, 3) in made
    assert dict(GAME.players(room.table.state)) == {
        0: ("ann", 12),
        1: ("bob", 9),
        2: ("cid", 9),
    }
