"""The house around a Royal Casino table: hands of its own count, lots, who is back (rules C12)."""

from __future__ import annotations

from typing import Any

from engine.actions import OpenTable, SitIn, TakeSeat, TimeOut
from engine.events import LotDrawn
from engine.games.royal_casino.actions import StartDeal, StartGame
from engine.house import Table, apply, apply_all, idle_seats, running_hand
from engine.kernel import HOST
from engine.script import ScriptedShuffler
from tests.games.royal_casino.tables import GAME


class House:
    """A table with its house."""

    def __init__(self, **options: str) -> None:
        self.table = Table.empty(GAME)
        self.shuffler = ScriptedShuffler([()] * 9)
        self.do(HOST, OpenTable(options))
        for seat in (0, 1):
            self.do(seat, TakeSeat(f"p{seat}", 5))
        self.do(HOST, StartGame(0))

    def do(self, actor: int, action: Any) -> None:
        events, _ = GAME.decide(self.table.state, actor, action, self.shuffler)
        self.table = apply_all(self.table, events, actor)

    def play_out(self) -> None:
        """Every turn of the deal by its first listed play."""
        while seats := GAME.to_act(self.table.state):
            (seat,) = seats
            self.do(seat, GAME.listing(self.table.state, seat, 1).plays[0].action)


def test_hands_are_counted_on_from_game_to_game() -> None:
    """The deal's number begins anew, the hand's does not."""
    house = House(max_deals="1")
    for hand in (1, 2, 3):
        house.do(HOST, StartDeal())
        assert house.table.state.deals == 1
        assert running_hand(house.table) == hand
        house.play_out()
        assert running_hand(house.table) == 0
        house.do(HOST, StartGame())


def test_who_sits_in_again_has_not_missed_the_hand() -> None:
    """10.3 made the seat sit out; the house does not do so once more when the deal is over."""
    for back in (True, False):
        house = House(max_timeouts="1")
        house.do(HOST, StartDeal())
        house.do(HOST, TimeOut())  # seat 1 is out, and seat 0 plays on alone
        if back:
            house.do(1, SitIn())
        while house.table.state.deal is not None and not (
            back and GAME.to_act(house.table.state) == (1,)
        ):
            house.do(0, GAME.listing(house.table.state, 0, 1).plays[0].action)
        house.play_out()
        assert idle_seats(house.table) == (() if back else (1,))


def test_a_lot_is_a_shuffle_of_the_epoch() -> None:
    house = House()
    table = apply(house.table, LotDrawn("FIRST_DEALER", (1, 0)))
    assert table.house.shuffles == house.table.house.shuffles + 1
    assert table.state == house.table.state
    house.do(HOST, StartDeal())
    assert house.table.house.shuffles == 1
