"""A Pontoon table of a running service, as tests use it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Self
from uuid import uuid4

from engine.actions import TakeSeat
from engine.games.pontoon import actions as a
from service.pb import table_service_pb2 as pb
from tests.service.harness import Client, Running

__all__ = ["PontoonTable"]

NOMINATED = {"min_players_to_start": "2", "first_banker": "nominated", "nominated_seat": "0"}


class PontoonTable(NamedTuple):
    """A table with its host and the players by seat; seat 0 is to be the first banker."""

    id: str
    host: Client
    players: dict[int, Client]

    @classmethod
    async def open(
        cls,
        service: Running,
        stacks: Sequence[int] = (1000, 500, 500),
        options: dict[str, str] | None = None,
        **fields: Any,
    ) -> Self:
        """Players p0, p1 … sit down with these stacks."""
        host = service.client("host")
        made = await host.create("pontoon", options={**NOMINATED, **(options or {})}, **fields)
        table = cls(made.table.table_id, host, {})
        for seat, chips in enumerate(stacks):
            table.players[seat] = service.client(f"p{seat}")
            await table.players[seat].act(table.id, seat, TakeSeat("", chips))
        return table

    async def state(self) -> Any:
        """The host's state now."""
        return (await self.host.get(self.id)).state

    async def begin(self) -> Any:
        """A banker is found; the host's state."""
        return (await self.host.start(self.id)).state

    async def do(self, action: Any) -> Any:
        """The seat that is to act does something; its answer."""
        state = await self.state()
        (seat,) = state.decision.seats
        return await self.players[seat].act(self.id, seat, action, state)

    async def aside(self, seat: int, action: Any) -> Any:
        """A seat does something that answers no decision; its answer."""
        return await self.players[seat].act(self.id, seat, action)

    async def play_out(self) -> Any:
        """Everybody bets the least, takes what he must and no more; the state after the deal."""
        state = await self.state()
        while state.decision.hand:
            (seat,) = state.decision.seats
            mine = (await self.players[seat].get(self.id)).state
            offered = {offer.action for offer in mine.offers}
            if "place_bet" in offered:
                await self.do(a.PlaceBet(10))
            elif "pass_shoot_bet" in offered:
                await self.do(a.PassShootBet())
            elif "declare_pontoon" in offered:
                await self.do(a.DeclarePontoon())
            elif "banker_stay" in offered:
                await self.do(a.BankerStay())
            else:
                await self.do(a.Stick() if "stick" in offered else a.TwistCard())
            state = await self.state()
        return state

    async def close(self) -> Any:
        request = pb.CloseTableRequest(request_id=uuid4().hex, table_id=self.id)
        return await self.host.call(self.host.tables.CloseTable, request)
