"""A seat at a table as its player holds it: acts on the decision that he saw last."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing, suppress
from typing import Final

from engine.actions import Action, ContributeEntropy, LeaveSeat, TakeSeat
from engine.errors import Refused, Unavailable
from engine.events import Event
from service.client.connection import Client, request_id
from service.pb import table_service_pb2 as pb

__all__ = ["News", "Sitting", "add_entropy", "create_table", "follow"]

RESUME_SECONDS: Final = 0.1
"""Pause before a watch is taken up again."""

ENTROPY_BYTES: Final = 32

News = pb.WatchTableResponse


async def create_table(
    client: Client,
    game: str,
    options: dict[str, str] | None = None,
    house: dict[str, str] | None = None,
) -> pb.CreateTableResponse:
    """Make a table; the caller is its host."""
    request = pb.CreateTableRequest(
        request_id=request_id(), game=game, options=options or {}, house_options=house or {}
    )
    return await client.call(client.tables.CreateTable, request)


def add_entropy(table: pb.Table, seat: int) -> ContributeEntropy | None:
    """What a seat adds to the shuffles of the open epoch: 32 bytes of this machine's own.

    None where it is too late for that, or the seat has added something already.
    """
    epoch = table.epoch
    if not epoch.takes_entropy or seat in epoch.contributed:
        return None
    return ContributeEntropy(epoch.epoch, os.urandom(ENTROPY_BYTES))


class Sitting:
    """One seat.  ``state`` is the table as it was last seen, ``events`` what the last call made."""

    def __init__(self, client: Client, state: pb.TableState, seat: int = 0) -> None:
        self._client = client
        self.seat = seat
        self.state = state
        self.events: tuple[Event, ...] = ()

    @property
    def table_id(self) -> str:
        """The table's id."""
        return self.state.table_id

    @property
    def is_asked(self) -> bool:
        """Whether the running decision is this seat's."""
        return self.state.HasField("decision") and self.seat in self.state.decision.seats

    async def sit(self, chips: int) -> None:
        """Sit down."""
        await self.act(TakeSeat("", chips))

    async def leave(self) -> None:
        """Leave the table."""
        await self.act(LeaveSeat())

    async def act(self, action: Action) -> None:
        """Act on what was seen last; raises ``Refused``, ``Conflict`` and whatever a call may."""
        request = pb.SubmitActionRequest(
            request_id=request_id(),
            table_id=self.table_id,
            seat=self.seat,
            action=self._client.codec.action_to_wire(action),
        )
        if self.state.HasField("decision"):
            request.hand = self.state.decision.hand
            request.decision = self.state.decision.number
        answer = await self._client.call(self._client.tables.SubmitAction, request)
        self._take(answer.state, answer.events)

    async def start(self) -> None:
        """Begin the next hand, where the player may."""
        request = pb.StartHandRequest(request_id=request_id(), table_id=self.table_id)
        answer = await self._client.call(self._client.tables.StartHand, request)
        self._take(answer.state, answer.events)

    async def add_entropy(self) -> None:
        """Add randomness of one's own to the next shuffles; nothing if they have begun."""
        request = pb.GetTableRequest(table_id=self.table_id)
        table = (await self._client.call(self._client.tables.GetTable, request)).table
        action = add_entropy(table, self.seat)
        if action is not None:
            with suppress(Refused):  # a hand began meanwhile
                await self.act(action)

    async def look(self) -> None:
        """See the table as it is now."""
        request = pb.GetTableRequest(table_id=self.table_id)
        self.state = (await self._client.call(self._client.tables.GetTable, request)).state

    def _take(self, state: pb.TableState, events: Iterable[pb.TableEvent]) -> None:
        self.state = state
        from_wire = self._client.codec.event_from_wire
        self.events = tuple(from_wire(each.event) for each in events)


async def follow(
    client: Client, table_id: str, after_version: int = 0
) -> AsyncGenerator[News, None]:
    """The news of a table, over a service that comes and goes: nothing twice, nothing left out.

    Raises ``Unavailable`` when it stays away for longer than the client's patience, however long
    the table had been quiet before.
    """
    loop = asyncio.get_running_loop()
    version = after_version
    away_since: float | None = None
    while True:
        request = pb.WatchTableRequest(table_id=table_id, after_version=version)
        try:
            async with aclosing(client.stream(client.tables.WatchTable, request)) as stream:
                async for news in stream:
                    version = max(version, news.version)
                    away_since = None
                    yield news
        except Unavailable:
            now = loop.time()
            away_since = now if away_since is None else away_since
            if now - away_since > client.patience:
                raise
            await asyncio.sleep(RESUME_SECONDS)
