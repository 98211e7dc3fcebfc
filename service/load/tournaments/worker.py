"""A process of the load generator that plays a part of a tournament's field.

It tells of each player that has entered (``Opened``); waits for ``Begin``; plays and counts until
it is told to count no more, plays on without thinking until it is told to stop; hands over what it
was told (``Kept``); gets the tables that it is to verify (``ToCheck``), and tells of each.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from multiprocessing.connection import Connection
from random import Random
from typing import Any, Final, NamedTuple

import grpc

from engine.errors import KartejoError
from engine.games import GAMES
from service.bots import Bot, bot_of
from service.bots.random_offer import random_action
from service.client import Client
from service.client.connection import open_channel
from service.load.journal import Journal
from service.load.process import Begin, Ended, Opened, Process, Stopped, until, work
from service.load.reading import request_name
from service.load.tournaments.plan import PLAYERS_OF_CONNECTION, Part, request_number
from service.load.tournaments.player import Player
from service.load.tournaments.reading import check_table
from service.load.tournaments.tally import FieldTally
from service.store.connection import open_connection, told_apart

__all__ = ["Kept", "ToCheck", "main"]

AT_ONCE: Final = 8
"""Players that enter at a time."""

CHOOSING_PART: Final = 0.7
"""Of the time for commitments: by then everybody has made up his mind."""

PATIENCE: Final = 10.0
"""Seconds for which the readings of the verification are tried again."""


class Kept(NamedTuple):
    """What a process was told, by table, and what it counted to the end (``FieldTally``).

    ``news``: a histogram, encoded.  ``lost``: players who were not told that all is over for them.
    """

    journals: dict[str, Journal]
    news: bytes
    clocks: Counter[str]
    given_up: Counter[str]
    lost: int


class ToCheck(NamedTuple):
    """Tables to verify, with what all processes together were told of them."""

    journals: list[Journal]
    players: dict[int, str]


class Worker(Process):
    """The crew of some players."""

    tally: FieldTally

    def __init__(self, part: Part, pipe: Connection) -> None:
        super().__init__(pipe)
        self.tally = FieldTally()
        self._part = part
        self._game = GAMES[part.field.game]
        self._random = Random(f"{part.field.seed} {part.number}")
        self._sampler = part.field.think.sampler(self._random)
        self._hurries = False
        self._channels: list[grpc.aio.Channel] = []
        self._players: list[Player] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._journals: dict[str, Journal] = {}
        self._choices: dict[int, str] = {}
        self._numbers = 0
        self.patience = part.field.patience

    # --- what players ask for -----------------------------------------------------------------

    def think(self) -> float:
        """See ``Crew``."""
        return 0.0 if self._hurries else self._sampler()

    def next_request(self) -> tuple[int, str]:
        """See ``Crew``."""
        self._numbers += 1
        name = request_name(self._part.run, self._part.number, self._numbers)
        return request_number(self._part.number, self._numbers), name

    def journal(self, table: str) -> Journal:
        """See ``Crew``."""
        found = self._journals.get(table)
        if found is None:
            found = self._journals[table] = Journal(self._part.field.game, table)
        return found

    def choose(self, player: Player, seconds: float) -> None:
        """See ``Crew``.  Not all at once: somewhere in the time that there is."""
        if self._part.field.choices and not self._hurries:
            self._spawn(self._commit(player, self._random.uniform(0, CHOOSING_PART * seconds)))

    # --- the run ------------------------------------------------------------------------------

    async def _work(self) -> None:
        await self._enter()
        begin: Begin = await self._told.get()
        self.tally.forget()  # what it took to enter is no part of the load
        await self._measure_from(begin.start)
        await self._told.get()  # the measuring is over
        self._hurries = True
        await self._measure_no_more()
        self._pipe.send(Stopped(0, {}))
        await self._told.get()  # so is the play
        await until(lambda: not any(player.waits for player in self._players), self.patience)
        for player in self._players:
            player.stop()
        await self._close()
        self._pipe.send(self._kept())
        await self._verify(await self._told.get())

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.result()  # what goes wrong here goes to the loop's exception handler

    async def _enter(self) -> None:
        part = self._part
        for number, token in enumerate(part.tokens):
            if number % PLAYERS_OF_CONNECTION == 0:
                self._channels.append(open_channel(part.endpoint))
            player = Player(
                self,
                part.first + number,
                self._channels[-1],
                token,
                part.tournament,
                self._game,
                self._bot(),
                sees=part.field.bot != "random",
            )
            self._players.append(player)
        left = iter(self._players)

        async def some() -> None:
            for player in left:
                await self._enter_one(player)

        await asyncio.gather(*(some() for _ in range(AT_ONCE)))

    async def _enter_one(self, player: Player) -> None:
        _, request_id = self.next_request()
        entered = await player.way.ask("Register", self.patience, request_id=request_id)
        if self._part.field.choices:
            await self._commit(player)
        self._spawn(player.way.follow())
        self._pipe.send(Opened(player.number, entered.mine.player))

    async def _commit(self, player: Player, after: float = 0.0) -> None:
        """Commit to another choice than before.  What is too late is an error like any other."""
        await asyncio.sleep(after)
        others = [
            choice
            for choice in self._part.field.choices
            if choice != self._choices.get(player.number)
        ]
        choice = self._random.choice(others)
        _, request_id = self.next_request()
        try:
            await player.way.ask(
                "CommitToChoice", self.patience, request_id=request_id, choice=choice
            )
        except KartejoError as error:
            self.tally.errors[error.reason] += 1
        else:
            self._choices[player.number] = choice

    def _bot(self) -> Bot:
        seed = self._random.getrandbits(64)
        if self._part.field.bot == "random":  # it looks at nothing but its offers
            random = Random(seed)
            return lambda look: random_action(random, look, look.offers)
        return bot_of(self._game, self._part.field.bot, seed)

    async def _close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(player.line.close() for player in self._players))
        for channel in self._channels:
            await channel.close()

    # --- afterwards ---------------------------------------------------------------------------

    def _kept(self) -> Kept:
        tally = self.tally
        return Kept(
            self._journals,
            tally.news.encode(),
            tally.clocks,
            tally.given_up,
            sum(not player.done for player in self._players),
        )

    async def _verify(self, tables: ToCheck) -> None:
        part = self._part
        async with AsyncExitStack() as stack:
            client = Client(part.endpoint, part.reader, patience=PATIENCE)
            await stack.enter_async_context(client)
            db = None
            stack.enter_context(told_apart())
            if database := part.store.find():
                db = await open_connection(database, name="kartejo-load", role=None)
                stack.push_async_callback(db.close)
            for journal in tables.journals:
                checked = await check_table(journal, client, db, part.run, tables.players)
                self._pipe.send(checked)
        self._pipe.send(Ended())


def main(part: Part, pipe: Connection) -> None:
    """The process."""
    work(lambda: Worker(part, pipe), pipe)
