"""A Palace Poker table of a running service, as tests use it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Self
from uuid import uuid4

from engine.actions import TakeSeat
from engine.games.palace_poker import actions as a
from service.pb import table_service_pb2 as pb
from tests.service.harness import Client, Running

STRUCTURE = {"betting_structure": "no_limit"}


class PalaceTable(NamedTuple):
    """A table with its host and the players by seat."""

    id: str
    host: Client
    players: dict[int, Client]

    @classmethod
    async def open(
        cls,
        service: Running,
        stacks: Sequence[int] = (500, 500, 500),
        options: dict[str, str] | None = None,
        **fields: Any,
    ) -> Self:
        """Players p0, p1 … sit down with these stacks; the first hand is dealt by seat 0."""
        host = service.client("host")
        fields.setdefault("start", {"dealer": "0"})
        made = await host.create("palace_poker", options=options or {}, **fields)
        table = cls(made.table.table_id, host, {})
        for seat, chips in enumerate(stacks):
            await table.sit(service, f"p{seat}", seat, chips)
        return table

    async def sit(self, service: Running, name: str, seat: int, chips: int = 500) -> Client:
        """Somebody sits down."""
        player = service.client(name)
        await player.act(self.id, seat, TakeSeat("", chips))
        self.players[seat] = player
        return player

    async def start(self) -> Any:
        """The host's state after the next hand has begun."""
        return (await self.host.start(self.id)).state

    async def state(self) -> Any:
        """The host's state now."""
        return (await self.host.get(self.id)).state

    async def do(self, action: Any) -> Any:
        """The seat that is to act does something; its answer."""
        state = await self.state()
        (seat,) = state.decision.seats
        return await self.players[seat].act(self.id, seat, action, state)

    async def fold_out(self) -> Any:
        """Everybody folds until the hand is over; the host's state then."""
        state = await self.state()
        while state.decision.hand:
            await self.do(a.Fold())
            state = await self.state()
        return state

    async def until(self, version: int) -> list[Any]:
        """Messages after a version up to the first that comes."""
        return await self.host.watched(self.id, version, version + 1)

    async def close(self) -> Any:
        request = pb.CloseTableRequest(request_id=uuid4().hex, table_id=self.id)
        return await self.host.call(self.host.tables.CloseTable, request)
