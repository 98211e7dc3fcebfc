"""The house around a game: epochs, decisions, banks, who sat where when.  Rules C12."""

from __future__ import annotations

from typing import Any

import pytest

from engine import actions as ca
from engine import events as c
from engine.house import (
    House,
    Table,
    apply,
    apply_all,
    decision,
    idle_seats,
)
from engine.house_options import HouseOptions, read_house_options
from engine.kernel import HOST
from engine.notation import text_of_lines
from engine.occupancy import seated_at
from engine.visibility import AUDITOR, SERVER, Private
from tests.parlour import Parlour, actions, events

GAME = Parlour()


class InOrder:
    def shuffle(self, purpose: str, pile: tuple[int, ...]) -> tuple[int, ...]:
        return pile


class Room:
    """A parlour of three seats, driven as the host does: one commit an action."""

    def __init__(self, house: c.Pairs = (), **options: str) -> None:
        self.table = apply(Table.empty(GAME), c.HouseOpened(house, lab=False, host="h"))
        self.do(HOST, ca.OpenTable(options))
        for seat, name in enumerate(("ann", "bob", "cid")):
            self.do(seat, ca.TakeSeat(name, 50))

    def do(self, actor: int, action: ca.Action) -> tuple[c.Event, ...]:
        made, _ = GAME.decide(self.table.state, actor, action, InOrder())
        self.table = apply_all(self.table, made, actor)
        return made

    def missed(self) -> tuple[tuple[int, int], ...]:
        return self.table.house.missed

    def stacked(self) -> tuple[tuple[int, ...], ...]:
        return self.table.house.stacked

    def banks(self) -> tuple[tuple[int, int], ...]:
        return self.table.house.bank_used_ms

    def hand(self, *turns: ca.Action | None) -> None:
        """A hand of turns in the order of the seats that act; None: the turn times out."""
        self.do(HOST, actions.StartHand())
        for turn in turns:
            (seat,) = GAME.to_act(self.table.state)
            self.do(HOST if turn is None else seat, turn or ca.TimeOut())


def test_the_version_counts_events_of_both_families() -> None:
    room = Room()
    assert room.table.version == 5
    table = apply(room.table, c.TimeBankUsed(0, 10))
    assert table.version == 6
    assert table.state is room.table.state
    seen = events.PotAwarded(0, 0)  # an event that means nothing to the house
    assert apply(table, seen).version == apply_all(table, [seen]).version == 7
    assert apply(table, seen).house is table.house


def test_folding_event_by_event_is_folding_the_commit() -> None:
    room = Room(rounds="1", draw_pile="1")
    made, _ = GAME.decide(room.table.state, HOST, actions.StartHand(), InOrder())
    one_by_one = room.table
    for event in made:
        one_by_one = apply(one_by_one, event)
    assert one_by_one == apply_all(room.table, made)


def test_the_defaults_of_the_options_are_those_of_a_house_without_any() -> None:
    assert read_house_options({})[0] == HouseOptions() == House().options


def test_an_epoch_opens_counts_its_shuffles_and_closes() -> None:
    table = apply(Room().table, c.EpochOpened(1, b"com", Private(b"wrapped", SERVER)))
    house = table.house
    assert (house.epoch, house.epochs, house.shuffles) == (1, 1, 0)
    assert (house.commitment, house.wrapped) == (b"com", b"wrapped")
    made, _ = GAME.decide(table.state, HOST, actions.StartHand(), InOrder())
    table = apply_all(table, made)
    assert table.house.shuffles == 1
    table = apply(table, c.EpochClosed(1, Private(b"secret", SERVER)))
    assert (table.house.epoch, table.house.epochs, table.house.shuffles) == (0, 1, 0)
    assert table.house.commitment == table.house.wrapped == b""


def test_stacked_decks_are_used_up_in_their_order() -> None:
    room = Room()
    for order in ((1, 2), (3, 4)):
        room.table = apply(room.table, c.DeckStacked(Private(order, SERVER)))
    assert room.stacked() == ((1, 2), (3, 4))
    room.do(HOST, actions.StartHand())
    assert room.stacked() == ((3, 4),)


def test_the_decision_is_the_first_of_its_hand_and_moves_with_each_answer() -> None:
    room = Room(rounds="1")
    assert decision(room.table) is None
    room.do(HOST, actions.StartHand())
    assert decision(room.table) == (1, 1, (1,))
    room.do(1, actions.Peek(2, 0))
    assert decision(room.table) == (1, 2, (1,))
    room.do(0, ca.SitOut())
    assert decision(room.table) == (1, 2, (1,))
    room.do(HOST, ca.TimeOut())
    assert decision(room.table) == (1, 3, (2,))
    room.do(2, actions.Keep())
    room.do(0, actions.Keep())
    assert decision(room.table) is None
    room.do(0, ca.SitIn())
    room.do(HOST, actions.StartHand())
    assert decision(room.table) == (2, 1, (2,))


class Interlude(Parlour):
    """A parlour in which the player of seat 0 decides between hands how it goes on."""

    DECIDES = Parlour.DECIDES | {c.ChipsAdded}
    SECRET_UNTIL = frozenset({"DEAL"})

    def to_act(self, state: Any) -> tuple[int, ...]:
        return super().to_act(state) or (0,)

    def answers(self, state: Any, event: c.Event) -> bool:
        return not isinstance(event, c.ChipsAdded) or event.seat == 0


def test_decisions_between_hands_are_counted_through_the_life_of_the_table() -> None:
    """So that no two of them have one name; and only what meets them moves them."""
    table = Room(rounds="1").table._replace(game=Interlude())
    names = []

    def do(actor: int, action: ca.Action) -> None:
        nonlocal table
        made, _ = GAME.decide(table.state, actor, action, InOrder())
        table = apply_all(table, made, actor)
        now = decision(table)
        assert now is not None
        names.append((now.hand, now.number))

    do(0, ca.AddChips(5))
    do(1, ca.AddChips(5))
    do(HOST, actions.StartHand())
    for seat in (1, 2, 0):
        do(seat, actions.Keep())
    do(0, ca.AddChips(5))
    do(HOST, actions.StartHand())
    for seat in (2, 0, 1):
        do(seat, actions.Keep())
    assert names == [
        (0, 1), (0, 1), (1, 1), (1, 2), (1, 3), (0, 2), (0, 3), (2, 1), (2, 2), (2, 3), (0, 4),
    ]  # fmt: skip


def test_an_epoch_that_is_over_may_be_kept() -> None:
    """Opened while one is open: that one is over, and told later."""
    table = Room().table
    for number in (1, 2):
        opened = c.EpochOpened(number, b"com%d" % number, Private(b"wrapped%d" % number, SERVER))
        table = apply(table, opened)
    house = table.house
    assert (house.epoch, house.epochs, house.commitment) == (2, 2, b"com2")
    assert house.kept == ((1, b"com1", b"wrapped1"),)
    house = apply(table, c.EpochClosed(1, Private(b"secret", SERVER))).house
    assert (house.kept, house.epoch, house.wrapped) == ((), 2, b"wrapped2")
    house = apply(table, c.EpochClosed(2, Private(b"secret", SERVER))).house
    assert (house.kept, house.epoch) == (((1, b"com1", b"wrapped1"),), 0)


def test_time_banks_are_summed_and_full_again_in_the_next_hand() -> None:
    room = Room(rounds="1")
    room.do(HOST, actions.StartHand())
    for seat, spent in ((2, 5), (1, 10), (2, 20)):
        room.table = apply(room.table, c.TimeBankUsed(seat, spent))
    assert room.banks() == ((1, 10), (2, 25))
    for seat in (1, 2, 0):
        room.do(seat, actions.Keep())
    room.do(HOST, actions.StartHand())
    assert room.banks() == ()


def test_hands_whose_turns_all_timed_out_are_counted_in_a_row() -> None:
    """C12: a single answer makes the hand a played one, sitting in again forgives."""
    keep = actions.Keep()
    room = Room((("sit_out_after_timeouts", "2"),), rounds="1")
    room.hand(None, keep, keep)  # seats 1 2 0
    assert room.missed() == ((1, 1),)
    assert idle_seats(room.table) == ()
    room.hand(keep, keep, None)  # seats 2 0 1
    assert room.missed() == ((1, 2),)
    assert idle_seats(room.table) == (1,)
    room.do(1, ca.SitOut())
    room.do(1, ca.SitIn())
    assert idle_seats(room.table) == ()
    room.hand(None, None, keep)  # seats 0 1 2
    assert room.missed() == ((0, 1), (1, 1))
    room.hand(keep, None, keep)  # seats 1 2 0
    assert room.missed() == ((2, 1),)


def test_an_answer_of_one_of_two_turns_is_no_missed_hand() -> None:
    keep = actions.Keep()
    room = Room(rounds="2")
    room.hand(None, keep, keep, keep, keep, keep)
    assert room.missed() == ()


def test_never_sitting_anybody_out() -> None:
    room = Room((("sit_out_after_timeouts", "0"),), rounds="1")
    room.hand(None, None, None)
    assert room.missed() == ((0, 1), (1, 1), (2, 1))
    assert idle_seats(room.table) == ()


def test_what_a_player_missed_is_not_counted_against_the_next_one() -> None:
    """Neither from earlier hands nor from the one he left."""
    keep = actions.Keep()
    room = Room(rounds="1")
    room.hand(None, keep, keep)
    room.do(1, ca.LeaveSeat())
    assert room.missed() == ()
    house = House(timed_out=frozenset({1, 2}), answered=frozenset({0}))
    table = apply_all(room.table._replace(house=house), [c.SeatTaken(1, "dan", 5)])
    table = apply(table, c.SeatLeft(1, 5))
    assert table.house.timed_out == {2}


def test_a_position_seats_its_players_and_forgets_the_rest() -> None:
    room = Room(rounds="1")
    room.hand(None, actions.Keep(), actions.Keep())
    room.do(HOST, actions.StartHand())
    text = text_of_lines(GAME.lines(GAME.view(room.table.state, AUDITOR)))
    text = text.replace("1=bob", "1=dan")
    table = apply(room.table, c.PositionSet(Private(text, SERVER)))
    version = table.version
    assert version == room.table.version + 1
    assert seated_at(table)[1] == "dan"
    assert table.house.missed == ()
    assert decision(table) == (2, 1, (2,))


def test_an_unknown_event_is_not_believed() -> None:
    class Stranger(c.HouseEvent):
        pass

    with pytest.raises(AssertionError, match="Stranger"):
        apply(Room().table, Stranger())
