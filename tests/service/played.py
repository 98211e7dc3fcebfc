"""Hands of every game, played over gRPC by bots: short, and the same from the same seed."""

from __future__ import annotations

from typing import Any

from engine.actions import ContributeEntropy, LeaveSeat, TakeSeat
from engine.games import GAMES
from service.bots import Look, bot_of
from service.pb import table_service_pb2 as pb
from tests.service.harness import CODEC, Client, Running

SEATS = {"palace_poker": 3, "pontoon": 3, "royal_casino": 2, "royal_flush": 1}
CHIPS = {"palace_poker": 400, "pontoon": 400, "royal_casino": 100, "royal_flush": 0}
OPTIONS = {
    "palace_poker": {},
    "pontoon": {"min_players_to_start": "2", "min_players_to_continue": "2"},
    "royal_casino": {"players": "2"},
    "royal_flush": {},
}
MOST_ACTIONS = 400


class Played:
    """A table and its players by seat; the first one is its host."""

    def __init__(self, game: str, table: str, players: list[Client]) -> None:
        self.game = game
        self.table = table
        self.players = players

    @property
    def host(self) -> Client:
        return self.players[0]

    async def hands(self, count: int, seed: int = 1) -> None:
        """Play some hands, each to its end."""
        game = GAMES[self.game]
        bots = [bot_of(game, "random", seed + seat) for seat in range(len(self.players))]
        options = {o.name: o.value for o in (await self.host.get(self.table)).table.options}
        over = 0
        for _ in range(MOST_ACTIONS):
            if over >= count:
                return
            state = (await self.host.get(self.table)).state
            if not state.decision.seats:
                over += ended(game, (await self.host.start(self.table)).events)
                continue
            seat = state.decision.seats[0]
            state = (await self.players[seat].get(self.table)).state
            look = Look(game, seat, CODEC.view_from_wire(state.view), state.offers, options)
            answer = await self.players[seat].act(self.table, seat, bots[seat](look), state)
            over += ended(game, answer.events)
        raise AssertionError("the hands do not end")

    async def leave(self) -> None:
        """Everybody gets up; Pontoon, whose pack goes on until then, is closed before."""
        if self.game == "pontoon":
            request = pb.CloseTableRequest(request_id="close", table_id=self.table)
            await self.host.call(self.host.tables.CloseTable, request)
        for row in (await self.host.get(self.table)).table.seats:
            await self.players[row.seat].act(self.table, row.seat, LeaveSeat())


def ended(game: Any, events: Any) -> int:
    """How many hands these events end."""
    kinds = [type(CODEC.event_from_wire(each.event)) for each in events]
    return sum(kind in game.HAND_ENDS for kind in kinds)


async def seated(service: Running, game: str, house: dict[str, str] | None = None) -> Played:
    """A table with its seats taken."""
    players = [service.client(f"{game} {seat}") for seat in range(SEATS[game])]
    made = await players[0].create(game, options=OPTIONS[game], house_options=house or {})
    table = made.table.table_id
    for seat, player in enumerate(players):
        await player.act(table, seat, TakeSeat("", CHIPS[game]))
        await player.act(table, seat, ContributeEntropy(1, b"of seat %d" % seat))
    return Played(game, table, players)
