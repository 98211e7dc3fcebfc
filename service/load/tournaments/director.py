"""The host of a tournament under load: makes it, starts it, ends it, and reads it again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any, Final
from uuid import UUID

from engine.errors import Corrupt, Refused, Unavailable
from engine.events import Event, HouseEvent
from engine.tournament.format import Standing
from service.client import Client
from service.client.connection import request_id
from service.client.tournaments import get_tournament, standings
from service.codec import StoredForm
from service.codec.tournaments import tournament_event_from_wire
from service.load.reading import commits_of
from service.load.tournaments.plan import Field
from service.load.tournaments.verifying import Balances, Folded
from service.pb import account_service_pb2 as account_pb
from service.pb import tournament_service_pb2 as pb
from service.pb.tournament_events_pb2 import TournamentStructure
from service.store.commit import unpack_body
from service.store.connection import Connection

__all__ = ["Director", "is_over"]

LOOK_SECONDS: Final = 0.5
AT_ONCE: Final = 8
SETTLE_SECONDS: Final = 300.0
"""How long what is left to do may take once nobody plays any more."""

_OVER: Final = (pb.TOURNAMENT_PHASE_FINISHED, pb.TOURNAMENT_PHASE_CANCELLED)


def is_over(state: pb.TournamentState) -> bool:
    """Whether nothing is left to do: it has its end, all is paid, no table is open."""
    return state.phase in _OVER and not state.owed and not state.tables


class Director:
    """Leads one tournament, over a client with patience.  ``state``: as it was last seen."""

    def __init__(self, client: Client, field: Field) -> None:
        self._client = client
        self._field = field
        self.structure = TournamentStructure.FromString(field.structure)
        self.tournament_id = ""
        self.state = pb.TournamentState()

    async def create(self) -> None:
        """Make the tournament."""
        request = pb.CreateTournamentRequest(request_id=request_id(), structure=self.structure)
        client = self._client
        made = (await client.call(client.tournaments.CreateTournament, request)).tournament
        self.tournament_id, self.structure, self.state = (
            made.tournament_id,
            made.structure,
            made.state,
        )

    async def credit(self, subjects: Sequence[str]) -> None:
        """See that each player has what an entry costs."""
        cost = self.structure.buy_in + self.structure.fee
        if not cost:
            return

        async def one(subject: str) -> None:
            request = account_pb.CreditAccountRequest(
                request_id=request_id(),
                owner=account_pb.AccountOwner(subject=subject),
                amount=cost,
                note=f"an entry: tournament {self.tournament_id}",
            )
            await self._client.call(self._client.accounts.CreditAccount, request)

        await _each(subjects, one)

    async def balances(self, players: Sequence[str]) -> Balances:
        """What is on the accounts."""
        found: dict[str, int] = {}

        async def one(player: str) -> None:
            request = account_pb.GetAccountRequest(owner=account_pb.AccountOwner(player=player))
            answer = await self._client.call(self._client.accounts.GetAccount, request)
            found[player] = answer.account.balance

        await _each(players, one)
        return found

    async def start(self) -> None:
        """Begin to play; a structure may have begun by itself, when the last one entered."""
        request = pb.StartTournamentRequest(
            request_id=request_id(), tournament_id=self.tournament_id
        )
        try:
            await self._client.call(self._client.tournaments.StartTournament, request)
        except Refused as refused:
            if refused.reason != "ALREADY_STARTED":
                raise

    async def cancel(self) -> None:
        """End it before its time; a tournament that has just ended is left as it is."""
        request = pb.CancelTournamentRequest(
            request_id=request_id(),
            tournament_id=self.tournament_id,
            reason="the load is over",
        )
        try:
            await self._client.call(self._client.tournaments.CancelTournament, request)
        except Refused as refused:
            if refused.reason != "ALREADY_OVER":
                raise

    async def look(self) -> None:
        """Keep ``state`` up to date until everything is done."""
        while not is_over(self.state):
            await asyncio.sleep(LOOK_SECONDS)
            found = await get_tournament(self._client, self.tournament_id)
            self.state = found.tournament.state

    # --- afterwards ---------------------------------------------------------------------------

    async def standings(self) -> list[Standing]:
        """How everybody stands, as the service tells it."""
        rows = await standings(self._client, self.tournament_id)
        return [
            Standing(row.entry, row.player, row.place or None, row.score, row.prize) for row in rows
        ]

    async def version(self) -> int:
        """The version it stands at."""
        found = await get_tournament(self._client, self.tournament_id)
        return found.tournament.state.version

    async def fold(self, db: Connection | None, since: int) -> tuple[Folded, list[str]]:
        """The tournament folded from its events, and what is wrong with them.

        They are read over the API, and once more in the commit table itself.  ``since``: see
        ``Folded``.
        """
        folded, faults = Folded(UUID(self.tournament_id), since), list[str]()
        told: list[Event] = []
        async with aclosing(self._commits()) as commits:
            async for version, at, events in commits:
                told += events
                faults += folded.take(version, events, at)
        if db is not None:
            try:
                stored = [event async for event in self._stored(db)]
            except Corrupt as error:
                return folded, [*faults, str(error)]
            if len(stored) != len(told):
                faults.append(f"the API tells of {len(told)} events, {len(stored)} are stored")
            for version, (one, other) in enumerate(zip(told, stored, strict=False), 1):
                # What the house keeps to itself is sealed there.
                if one != other and not isinstance(one, HouseEvent):
                    faults.append(f"version {version} is told as {one}, and stored as {other}")
                    break
        return folded, faults

    async def _commits(self) -> AsyncGenerator[tuple[int, float, list[Event]], None]:
        """Version, time and events of all commits, each once, though the service goes away."""
        client, version = self._client, 0
        until = time.monotonic() + SETTLE_SECONDS
        while time.monotonic() < until:
            request = pb.WatchTournamentRequest(
                tournament_id=self.tournament_id, after_version=version
            )
            try:
                watch = client.stream(client.tournaments.WatchTournament, request)
                async with aclosing(watch) as messages:
                    async for each in messages:
                        if each.news:
                            version, at = each.version, each.record_time
                            seconds = at.seconds + at.nanos / 1e9
                            yield version, seconds, [self._event(one) for one in each.news]
                        if each.live:
                            return
            except Unavailable:
                await asyncio.sleep(LOOK_SECONDS)
        raise Unavailable("the service stays away")

    def _event(self, news: pb.TournamentNews) -> Event:
        if news.WhichOneof("news") == "house":
            return self._client.codec.event_from_wire(news.house)
        return tournament_event_from_wire(news.event)

    async def _stored(self, db: Connection) -> AsyncGenerator[Event, None]:
        """All events as they stand in the commit table, its chain checked; raises ``Corrupt``."""
        codec = self._client.codec
        async for commit in commits_of(db, UUID(self.tournament_id)):
            for form in unpack_body(commit.body, commit.count):
                yield codec.load_unopened(StoredForm(form.type, form.revision, form.public, ()))


async def _each(items: Sequence[str], work: Any) -> None:
    """Do the work for every item, ``AT_ONCE`` at a time."""
    left = iter(items)

    async def some() -> None:
        for item in left:
            await work(item)

    await asyncio.gather(*(some() for _ in range(AT_ONCE)))
