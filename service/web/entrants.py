"""Bots in tournaments, for people who hold one by the pages of a service on their own machine.

A bot enters and plays as people do, with a token of its own.  It is known by its tournament and its
number, so that it goes on where it was when it is asked for again after the service was away.
"""

from __future__ import annotations

import asyncio
import secrets
from typing import Final, NamedTuple

import structlog

from engine.errors import Denied, Exhausted, KartejoError, Refused
from engine.games import GAMES
from service.bots.tournament import TournamentBot, usual_bot
from service.client import Client, Endpoint
from service.client.tournaments import get_tournament
from service.identity import Role, Tokens
from service.pb import person_service_pb2 as person_pb
from service.pb import tournament_service_pb2 as pb

__all__ = ["MOST", "Entrants", "EntryWish"]

log = structlog.get_logger(__name__)

MOST: Final = 36
"""Bots in all tournaments together."""
TOKEN_SECONDS: Final = 7 * 86_400
PATIENCE_SECONDS: Final = 60.0
CHOICE: Final = "choice."


class EntryWish(NamedTuple):
    """So many bots are to be in a tournament in all, each thinking for so long."""

    tournament: str
    bots: int
    ponder_ms: int


class Entrants:
    """Enters bots into tournaments of the service at ``endpoint``, until it is closed."""

    def __init__(self, endpoint: Endpoint, tokens: Tokens) -> None:
        self._endpoint = endpoint
        self._tokens = tokens
        self._bots: dict[tuple[str, int], asyncio.Task[None]] = {}
        self._entering = asyncio.Lock()

    async def close(self) -> None:
        """End all bots; their entries stay theirs."""
        tasks = tuple(self._bots.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def answer(self, wish: EntryWish, token: str) -> int:
        """How many bots play in it, once there are as many as wished for; nobody is sent away.

        Raises what a call may; ``Denied`` for who does not hold the tournament, ``Refused`` where
        an entry costs money, ``Exhausted`` for more bots than one service runs.
        """
        async with Client(self._endpoint, token, patience=0) as caller:
            held = await _his_tournament(caller, wish.tournament)
        async with self._entering:
            for number in range(wish.bots):
                if (wish.tournament, number) not in self._bots:
                    await self._enter(held, number, wish)
        return sum(at == wish.tournament for at, _ in self._bots)

    async def _enter(self, held: pb.Tournament, number: int, wish: EntryWish) -> None:
        if len(self._bots) >= MOST:
            raise Exhausted(f"{MOST} bots play in tournaments already, and that is as many as may")
        structure = held.structure
        named = [each.name for each in structure.settings if each.name.startswith(CHOICE)]
        client = self._client(wish.tournament, number)
        bot = TournamentBot(
            client,
            wish.tournament,
            usual_bot(structure.game, secrets.randbits(64)),
            choices=tuple(name.removeprefix(CHOICE) for name in named),
            pause=wish.ponder_ms / 1_000,
            seed=secrets.randbits(64),
        )
        try:
            await bot.enter()
        except Refused as refused:
            if refused.reason != "ALREADY_REGISTERED":  # else it is back
                await client.close()
                raise
        except BaseException:
            await client.close()
            raise
        place = wish.tournament, number
        task = asyncio.create_task(_play(client, bot), name=f"entrant-{number}")
        self._bots[place] = task
        task.add_done_callback(lambda _: self._bots.pop(place, None))

    def _client(self, tournament: str, number: int) -> Client:
        subject = f"bot of the pages {tournament} {number}"
        token = self._tokens.issue(subject, {Role.PLAYER}, TOKEN_SECONDS)
        return Client(self._endpoint, token, patience=PATIENCE_SECONDS)


async def _play(client: Client, bot: TournamentBot) -> None:
    async with client:
        try:
            await bot.play()
        except KartejoError as error:
            log.warning("entrant_stopped", entry=bot.mine.entry, reason=error.reason)
            raise


async def _his_tournament(caller: Client, tournament: str) -> pb.Tournament:
    """The tournament, if the caller holds it and bots may enter; asked for by his own token."""
    found = (await get_tournament(caller, tournament)).tournament
    request = person_pb.GetProfileRequest()
    if found.host != (await caller.call(caller.persons.GetProfile, request)).profile.player:
        raise Denied("bots enter a tournament when its host asks them to")
    if found.structure.game not in GAMES:
        raise Refused("NO_BOTS", game=found.structure.game)
    if found.structure.buy_in or found.structure.fee:
        raise Refused("BOTS_HAVE_NO_ACCOUNT")
    return found
