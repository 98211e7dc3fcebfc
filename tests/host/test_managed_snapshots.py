"""A table of a tournament comes back from its snapshot as it was: levels, holds, packs and all."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine import actions as ca
from engine.events import PacksShared, TableOpened
from engine.games import GAMES
from engine.games.palace_poker import actions as a
from engine.house import apply_all
from engine.kernel import HOST
from service.host.snapshots import load_table, save_table
from tests.engine.test_managed import PLACED, Managed


@pytest.mark.parametrize("hands", [0, 1])
def test_it_comes_back(hands: int) -> None:
    table = Managed()
    opened = TableOpened("palace_poker", table.table.house.agreed, (("dealer", "none"),))
    table.manage(ca.SeatPlayers(PLACED))
    table.manage(ca.ChangeOptions({"small_bet": "40", "big_bet": "60", "ante": "20"}))
    for _ in range(hands):
        table.play(HOST, a.StartHand())
        while table.game.to_act(table.table.state):
            table.play(table.game.to_act(table.table.state)[0], a.Fold())
    table.manage(ca.HoldHands("BREAK"))
    now = apply_all(table.table, [PacksShared("packs")])
    saved = load_table(dict(GAMES), save_table(now, opened, 7))
    assert saved.table == now
    assert (saved.opened, saved.created_at) == (opened, 7)
    assert saved.table.state.options.small_bet == 40
    other = replace(opened, options=())
    assert load_table(dict(GAMES), save_table(now, other, 7)).table == now
