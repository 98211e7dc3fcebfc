"""A bot that enters a tournament and plays wherever it is seated, until it has its place."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from random import Random
from typing import Final

from engine.errors import Refused, Unknown
from engine.games import GAMES
from service.bots.bot import Bot, bot_of, bots_for
from service.bots.line import PlayLine
from service.bots.runner import SeatRunner
from service.client import Client
from service.client.connection import request_id
from service.client.tournaments import follow
from service.pb import tournament_service_pb2 as pb

__all__ = ["TournamentBot", "usual_bot"]

_OVER: Final = (pb.TOURNAMENT_PHASE_FINISHED, pb.TOURNAMENT_PHASE_CANCELLED)


def usual_bot(game: str, seed: int) -> Bot:
    """A sensible one where there is one for the game."""
    name = "sensible" if "sensible" in bots_for(game) else "random"
    return bot_of(GAMES[game], name, seed)


class TournamentBot:
    """One player.  ``choices``: it commits to one of them, where the format asks for that.

    ``mine`` is its entry as it was last told.
    """

    def __init__(
        self,
        client: Client,
        tournament_id: str,
        bot: Bot,
        *,
        choices: tuple[str, ...] = (),
        pause: float = 0.0,
        seed: int = 0,
    ) -> None:
        self._client = client
        self._tournament = tournament_id
        self._bot = bot
        self._choices = choices
        self._pause = pause
        self._random = Random(seed)
        self.mine = pb.TournamentEntry()

    async def enter(self) -> None:
        """Register, and commit to a choice; raises what a call may."""
        client = self._client
        register = pb.RegisterRequest(request_id=request_id(), tournament_id=self._tournament)
        self.mine = (await client.call(client.tournaments.Register, register)).mine
        if self._choices:
            commit = pb.CommitToChoiceRequest(
                request_id=request_id(),
                tournament_id=self._tournament,
                choice=self._random.choice(self._choices),
            )
            try:
                await client.call(client.tournaments.CommitToChoice, commit)
            except Refused as refused:
                if refused.reason != "COMMITMENTS_CLOSED":  # it was full, and has begun
                    raise

    async def play(self) -> pb.TournamentEntry:
        """Play until it has its place, or the tournament is over; how it stood then."""
        sitting: asyncio.Task[object] | None = None
        at = ("", 0)
        try:
            async with aclosing(follow(self._client, self._tournament, mine=True)) as stations:
                async for station in stations:
                    self.mine = station.mine
                    here = (station.mine.table_id, station.mine.seat)
                    if here != at:
                        await _end(sitting)
                        sitting, at = self._sit(*here), here
                    out = station.mine.status == pb.TOURNAMENT_ENTRY_STATUS_OUT
                    if out or station.state.phase in _OVER:
                        break
        finally:
            await _end(sitting)
        return self.mine

    def _sit(self, table_id: str, seat: int) -> asyncio.Task[object] | None:
        return asyncio.create_task(self._play_at(table_id, seat)) if table_id else None

    async def _play_at(self, table_id: str, seat: int) -> None:
        line = PlayLine(self._client, table_id)
        await SeatRunner(line, seat, self._bot, chips=0, pause=self._pause).run()


async def _end(sitting: asyncio.Task[object] | None) -> None:
    """Leave a table; raises what playing there failed with, but that it is gone."""
    if sitting is None:
        return
    sitting.cancel()
    (outcome,) = await asyncio.gather(sitting, return_exceptions=True)
    if isinstance(outcome, Exception) and not isinstance(outcome, Unknown):
        raise outcome
