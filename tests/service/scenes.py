"""Hands of all four games that have begun and are not over, with cards that somebody hides."""

from __future__ import annotations

from typing import Any

from engine.actions import LeaveSeat, TakeSeat
from engine.games.palace_poker import actions as palace
from engine.games.pontoon import actions as pontoon
from engine.games.royal_casino import actions as casino
from engine.games.royal_flush.actions import AutoPlay, DealPiles
from tests.service.harness import Running
from tests.service.palace import PalaceTable
from tests.service.pontoon import PontoonTable

__all__ = ["SCENES", "casino_deal", "chips", "flush_game", "palace_hand", "pontoon_deal"]


def chips(table: Any) -> dict[int, int]:
    return {seat.seat: seat.chips for seat in table.seats}


async def palace_hand(service: Running) -> tuple[str, Any, dict[int, int]]:
    """In mid-hand, after a battle was declared; somebody sat down, somebody wants to leave."""
    table = await PalaceTable.open(service, (500, 400, 300), options={"max_seats": "5"})
    await table.start()
    await table.fold_out()
    before = chips((await table.host.get(table.id)).table)
    await table.start()
    state = await table.do(palace.Stay())
    (seat,) = state.state.decision.seats
    await table.sit(service, "late", 3, 50)
    await table.players[seat].act(table.id, seat, LeaveSeat())
    during = chips((await table.host.get(table.id)).table)
    assert any(during[each] < before[each] for each in before), "antes were paid"
    return table.id, table.host, {**before, 3: 50}


async def pontoon_deal(service: Running) -> tuple[str, Any, dict[int, int]]:
    """In the second deal of a pack, a bet placed."""
    table = await PontoonTable.open(service, (5000, 5000, 5000))
    await table.begin()
    await table.do(pontoon.StartDeal())
    await table.play_out()
    before = chips((await table.host.get(table.id)).table)
    await table.do(pontoon.StartDeal())
    await table.do(pontoon.PlaceBet(20))
    during = chips((await table.host.get(table.id)).table)
    assert sum(during.values()) < sum(before.values()), "bets lie on the table"
    return table.id, table.host, before


async def casino_deal(service: Running) -> tuple[str, Any, dict[int, int]]:
    """In the first deal of a game with stakes."""
    host = service.client("host")
    made = await host.create("royal_casino", options={"players": "2", "stake": "5"})
    table = made.table.table_id
    players = [service.client(f"p{seat}") for seat in (0, 1)]
    for seat, player in enumerate(players):
        await player.act(table, seat, TakeSeat("", 100))
    await host.start(table)
    before = chips((await host.get(table)).table)
    state = (await host.start(table)).state
    (seat,) = state.decision.seats
    mine = (await players[seat].get(table)).state
    offered = [limit.cards for o in mine.offers if o.action == "trail_card" for limit in o.limits]
    if offered:  # where every card takes something, none may be trailed
        await players[seat].act(table, seat, casino.TrailCard(offered[0].cards[0]), state)
    return table, host, before


async def flush_game(service: Running) -> tuple[str, Any, dict[int, int]]:
    """In the second game of a solitaire."""
    ann = service.client("ann")
    table = (await ann.create("royal_flush")).table.table_id
    await ann.act(table, 0, TakeSeat("", 5))
    state = (await ann.start(table)).state
    await ann.act(table, 0, AutoPlay("game"), state)
    before = chips((await ann.get(table)).table)
    state = (await ann.start(table)).state
    await ann.act(table, 0, DealPiles(), state)
    return table, ann, before


SCENES = [palace_hand, pontoon_deal, casino_deal, flush_game]
"""Each gives the table's id, a client, and the chips of every seat as they were before the hand."""
