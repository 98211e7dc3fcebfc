"""Tournaments as clients meet them: lists, standings, watches that outlive a service."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Final

from engine.errors import Unavailable
from service.client.connection import Client
from service.pb import tournament_service_pb2 as pb

__all__ = ["follow", "get_tournament", "list_tournaments", "standings", "tables"]

PAGE: Final = 200

RESUME_SECONDS: Final = 0.1
"""Pause before a watch is taken up again."""


async def list_tournaments(
    client: Client,
    game: str = "",
    phases: Sequence[pb.TournamentPhase.ValueType] = (),
    most: int = PAGE,
) -> list[pb.TournamentSummary]:
    """The newest tournaments, ``most`` of them; ``phases``: none: those that are not over."""
    found: list[pb.TournamentSummary] = []
    token = ""
    while True:
        request = pb.ListTournamentsRequest(
            game=game, phases=phases, page_size=min(PAGE, most - len(found)), page_token=token
        )
        page = await client.call(client.tournaments.ListTournaments, request)
        found += page.tournaments
        token = page.next_page_token
        if not token or len(found) >= most:
            return found


async def get_tournament(client: Client, tournament_id: str) -> pb.GetTournamentResponse:
    """A tournament, and the caller in it."""
    request = pb.GetTournamentRequest(tournament_id=tournament_id)
    return await client.call(client.tournaments.GetTournament, request)


async def tables(client: Client, tournament_id: str) -> list[pb.TournamentTable]:
    """The tables that are not closed, in the order of their numbers."""
    found: list[pb.TournamentTable] = []
    token = ""
    while True:
        request = pb.ListTournamentTablesRequest(
            tournament_id=tournament_id, page_size=PAGE, page_token=token
        )
        page = await client.call(client.tournaments.ListTournamentTables, request)
        found += page.tables
        token = page.next_page_token
        if not token:
            return found


async def standings(
    client: Client, tournament_id: str, most: int = 1_000_000
) -> list[pb.TournamentStanding]:
    """The best ``most`` entries."""
    found: list[pb.TournamentStanding] = []
    token = ""
    while True:
        request = pb.GetStandingsRequest(
            tournament_id=tournament_id, page_size=min(PAGE, most - len(found)), page_token=token
        )
        page = await client.call(client.tournaments.GetStandings, request)
        found += page.standings
        token = page.next_page_token
        if not token or len(found) >= most:
            return found


async def follow(
    client: Client, tournament_id: str, after_version: int = 0, *, mine: bool = False
) -> AsyncGenerator[pb.WatchTournamentResponse, None]:
    """What a tournament's watch says, over a service that comes and goes.

    Raises ``Unavailable`` when it stays away for longer than the client's patience.
    """
    loop = asyncio.get_running_loop()
    version = after_version
    away_since: float | None = None
    while True:
        request = pb.WatchTournamentRequest(
            tournament_id=tournament_id, after_version=version, mine=mine
        )
        watch = client.stream(client.tournaments.WatchTournament, request)
        try:
            async with aclosing(watch) as stream:
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
