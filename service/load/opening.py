"""Opening the tables of a process: connections, players, watchers, seats."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from itertools import cycle
from random import Random
from typing import Final

from engine.actions import TakeSeat
from engine.games import GAMES
from service.bots import Bot, bot_of
from service.bots.random_offer import random_action
from service.client import Endpoint
from service.client.connection import open_channel
from service.load import journal as books
from service.load.journal import UNTOLD, Acknowledged, Journal, Seen, fingerprint
from service.load.lines import Line, PlayLine, UnaryLine
from service.load.plan import CHIPS, Load, house_of, seats_of
from service.load.tables import HOST, Crew, Table
from service.pb import table_service_pb2 as pb

__all__ = ["Group"]

AT_ONCE: Final = 8
"""Tables of a group that are opened at a time."""

STREAMS_OF_CONNECTION: Final = 100
"""A service takes 120 at a time on a connection, and a few calls beside them."""


class Group:
    """Tables whose players are the same: a line for each player and watcher.

    Play streams share a connection, up to a hundred of them.  Calls do not: a watch for every table
    is a stream of its own, and a connection carries so many and no more.
    """

    def __init__(
        self, crew: Crew, load: Load, endpoint: Endpoint, tokens: Sequence[str], seed: str
    ) -> None:
        self._crew = crew
        self._load = load
        each = STREAMS_OF_CONNECTION if load.play else 1
        self._channels = [open_channel(endpoint) for _ in tokens[::each]]
        self._random = Random(seed)
        kind = PlayLine if load.play else UnaryLine
        lines: list[Line] = [
            kind(channel, token, crew.tally)
            for channel, token in zip(cycle(self._channels), tokens, strict=False)
        ]
        count = len(tokens) - load.watchers
        self._players, self._watchers = lines[:count], lines[count:]
        self._next = 0

    async def open(self, games: Sequence[str]) -> AsyncGenerator[Table, None]:
        """A table of each game, its players seated; raises ``KartejoError``."""
        waiting = list(games)
        while waiting:
            some, waiting = waiting[:AT_ONCE], waiting[AT_ONCE:]
            for table in await asyncio.gather(*map(self.open_one, some)):
                yield table

    async def open_one(self, game: str) -> Table:
        """One more table; raises ``KartejoError``."""
        lines = self._next_players(seats_of(self._load, game))
        options, house = house_of(game, len(lines))
        number, request_id = self._crew.next_request()
        made = await lines[0].insist(
            "CreateTable",
            pb.CreateTableRequest(
                request_id=request_id, game=game, options=options, house_options=house
            ),
        )
        journal = Journal(game, made.table.table_id)
        version = made.state.version
        journal.acknowledge(Acknowledged(number, HOST, version, version, UNTOLD))
        table = Table(self._crew, journal, lines, self._bot(game), sees=self._load.bot != "random")
        for line in self._watchers:
            journal.watchers.append(_watch(line, journal.table))
        state = made.state
        for seat in range(len(lines)):
            state = await self._sit(journal, lines[seat], seat)
        if len(lines) > 1 or self._load.apart:  # a single one sees everything in his answers
            for seat, line in enumerate(lines):
                line.watch(journal.table, table.listener(seat), state.version)
        table.heard(len(lines) - 1, state)
        return table

    def _next_players(self, seats: int) -> list[Line]:
        """Who sits at the next table: everybody in turn."""
        first = self._next % len(self._players)
        self._next += seats if self._load.apart else 1
        return [*self._players[first:], *self._players[:first]][:seats]

    async def _sit(self, journal: Journal, line: Line, seat: int) -> pb.TableState:
        number, request_id = self._crew.next_request()
        request = pb.SubmitActionRequest(
            request_id=request_id,
            table_id=journal.table,
            seat=seat,
            action=self._crew.codec.action_to_wire(TakeSeat("", CHIPS)),
        )
        sat = await line.insist("SubmitAction", request)
        version, count = sat.state.version, len(sat.events)
        journal.acknowledge(Acknowledged(number, seat, version, count, fingerprint(sat.events)))
        state: pb.TableState = sat.state
        return state

    def _bot(self, game: str) -> Bot:
        seed = self._random.getrandbits(64)
        if self._load.bot == "random":
            return _offers_only(Random(seed))
        return bot_of(GAMES[game], self._load.bot, seed)

    async def close(self) -> None:
        """End the lines and the connections."""
        for line in (*self._players, *self._watchers):
            await line.close()
        for channel in self._channels:
            await channel.close()


def _watch(line: Line, table: str) -> books.Sequence:
    """Somebody who writes down every commit that he is sent, from the first one."""
    sequence = books.Sequence()

    def heard(news: pb.WatchTableResponse) -> None:
        if news.events:
            sequence.add(Seen(news.version, len(news.events), fingerprint(news.events)))

    line.watch(table, heard)
    return sequence


def _offers_only(random: Random) -> Bot:
    """A bot that is quick: it looks at nothing but its offers."""
    return lambda look: random_action(random, look, look.offers)
