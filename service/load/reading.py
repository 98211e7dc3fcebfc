"""What is stored of the tables that were played: over the API, and in the commit table itself.

Everything is read anew, over connections that the run has not used.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping
from contextlib import aclosing
from typing import Final, NamedTuple
from uuid import UUID

from engine.errors import Corrupt, Exhausted, Unavailable, Unknown
from engine.events import Event, HouseOpened, SeatTaken, TurnTimedOut
from engine.games import GAMES
from service.client import Client
from service.client.records import hands, steps
from service.client.sitting import follow
from service.codec import Codec
from service.host.commands import command_id
from service.host.live import RECENT
from service.load.journal import Journal, Seen, fingerprint
from service.load.tables import HOST
from service.load.verifying import Books, commands_differ, differences
from service.pb import common_pb2
from service.pb import table_service_pb2 as pb
from service.store import log
from service.store.commit import Commit, genesis, unpack_body, verify
from service.store.connection import Connection

__all__ = [
    "Checked",
    "Told",
    "check",
    "commits_of",
    "other_history",
    "request_name",
    "versions",
]

PAGE: Final = 1_000
TRIES: Final = 300


class Checked(NamedTuple):
    """What the verification of some tables came to.

    ``in_store``: acknowledgements that were found in the commit table itself as well.
    """

    tables: int = 0
    commits: int = 0
    acknowledged: int = 0
    in_store: int = 0
    watched: int = 0
    unknown: int = 0
    faults: tuple[str, ...] = ()

    def __add__(self, other: tuple[object, ...]) -> Checked:
        """Both together."""
        return Checked(*(one + two for one, two in zip(self, other, strict=True)))  # type: ignore[operator]


def request_name(run: str, process: int, number: int) -> str:
    """The id of a request: no other run or process has it."""
    return f"load {run} {process} {number}"


async def check(
    journal: Journal, client: Client, db: Connection | None, run: str, process: int
) -> Checked:
    """Hold a table's journal against what is stored of it."""
    told = Told(journal)
    faults = [fault async for fault in told.read(client)]
    faults += differences(journal, told.stored, told.own)
    if db is None:
        faults += [fault async for fault in told.read_hands_again(client)]
    else:
        commands = _commands(journal, told.players, run, process)
        faults += [fault async for fault in _in_the_table(journal, db, told.stored, commands)]
    return Checked(
        tables=1,
        commits=len(told.stored),
        acknowledged=len(journal),
        in_store=0 if db is None else len(journal),
        watched=sum(map(len, journal.watchers)),
        unknown=len(journal.unknown),
        faults=tuple(f"{journal.game} {journal.table}: {fault}" for fault in faults),
    )


class Told:
    """A table as the API tells of it from its first commit on, to somebody who never saw it.

    ``own``: versions of what the service did by itself.  ``players``: who made the requests of the
    host and of the seats, for nobody here changes his seat.
    """

    def __init__(self, journal: Journal) -> None:
        self._table = journal.table
        self._game = GAMES[journal.game]
        self.books = Books(self._game)
        self._of_hands: set[int] = set()
        self._in_hand = False
        self.stored: list[Seen] = []
        self.own: set[int] = set()
        self.players: dict[int, str] = {}

    async def read(self, client: Client) -> AsyncGenerator[str, None]:
        """Take in everything; yields where chips are not conserved, and where it cannot be read."""
        try:
            async with aclosing(self._news(client)) as news:
                async for each in news:
                    for fault in self._take(client.codec, each):
                        yield fault
        except (Corrupt, Unknown) as error:
            yield f"it cannot be read beyond version {self._version}: {error}"

    @property
    def _version(self) -> int:
        return self.stored[-1].version if self.stored else 0

    async def _news(self, client: Client) -> AsyncGenerator[pb.WatchTableResponse, None]:
        """Every commit up to now."""
        for _ in range(TRIES):
            try:
                async with aclosing(follow(client, self._table, self._version)) as news:
                    async for each in news:
                        if each.events:
                            yield each
                        if each.live:
                            return
            except Exhausted as error:  # a caller may ask so often a second, and no more
                await asyncio.sleep(error.retry_ms / 1_000)
        raise Unavailable("the service takes no more calls of this caller")

    def _take(self, codec: Codec, news: pb.WatchTableResponse) -> Iterator[str]:
        yield from self.take(news, [codec.event_from_wire(each.event) for each in news.events])

    def take(self, news: pb.WatchTableResponse, events: list[Event]) -> Iterator[str]:
        """The next commit."""
        for event in events:
            match event:
                case TurnTimedOut():
                    self.own.add(news.version)
                case HouseOpened():
                    self.players[HOST] = event.host
                case SeatTaken():
                    self.players[event.seat] = event.player
        kinds = {type(event) for event in events}
        self._in_hand = self._in_hand or bool(kinds & self._game.HAND_BEGINS)
        if self._in_hand:
            self._of_hands.add(news.version)
        self._in_hand = self._in_hand and not kinds & self._game.HAND_ENDS
        self.stored.append(Seen(news.version, len(events), fingerprint(news.events)))
        yield from self.books.take(news.version, events)

    async def read_hands_again(self, client: Client) -> AsyncGenerator[str, None]:
        """Replay the newest hands.

        A watch is told of the newest commits from the service's memory; a replay reads the store.
        """
        newest = self.stored[-RECENT:]
        left = {seen.version: seen for seen in newest if seen.version in self._of_hands}
        for hand in await hands(client, self._table):
            if not newest or hand.last_version < newest[0].version:
                continue
            try:
                replayed = await _replayed(client, self._table, hand.hand)
            except (Corrupt, Unknown) as error:
                yield f"hand {hand.hand} cannot be replayed: {error}"
                return
            for step in replayed:
                if left.pop(step.version, step) != step:
                    yield f"version {step.version} is replayed otherwise than it was told"
        for version in left:
            yield f"version {version} was told and is not replayed"


async def _replayed(client: Client, table: str, hand: int) -> list[Seen]:
    """The commits of a hand; raises what the call may, once it has waited for its turn."""
    for _ in range(TRIES):
        try:
            viewer = common_pb2.Viewer(observer=True)
            async with aclosing(steps(client, table, hand, viewer)) as found:
                return [
                    Seen(each.state.version, len(each.events), fingerprint(each.events))
                    async for each in found
                ]
        except Exhausted as error:  # so many readings of one caller at a time, and no more
            await asyncio.sleep(error.retry_ms / 1_000)
    raise Unavailable("others keep reading the past")


async def _in_the_table(
    journal: Journal, db: Connection, told: list[Seen], commands: Mapping[int, bytes]
) -> AsyncGenerator[str, None]:
    """Where the table of commits differs from the journal, or from what the API told."""
    try:
        commits = [commit async for commit in commits_of(db, UUID(journal.table))]
    except Corrupt as error:
        yield str(error)
        return
    for fault in (
        *other_history(told, commits),
        *commands_differ(journal, versions(commits), commands),
    ):
        yield fault


async def commits_of(db: Connection, stream: UUID) -> AsyncGenerator[Commit, None]:
    """The rows of a stream, their chain checked; raises ``Corrupt``."""
    previous, version = genesis(stream), 0
    while True:
        page = await log.commits_after(db, stream, version, PAGE)
        for commit in page:
            verify(previous, commit)
            unpack_body(commit.body, commit.count)
            previous, version = commit.hash, commit.version
            yield commit
        if len(page) < PAGE:
            return


def other_history(stored: list[Seen], commits: list[Commit]) -> Iterable[str]:
    """Where the API tells of other commits than those in the table of commits."""
    told = [(seen.version, seen.count) for seen in stored]
    kept = [(commit.version, commit.count) for commit in commits]
    if told != kept:
        number = next((i for i, (a, b) in enumerate(zip(told, kept, strict=False)) if a != b), None)
        if number is None:
            yield f"the API tells of {len(told)} commits, {len(kept)} are stored"
        else:
            yield f"commit {number + 1} ends at {kept[number][0]}, told was {told[number][0]}"


def versions(commits: Iterable[Commit]) -> Mapping[bytes, list[int]]:
    """By their commands."""
    found: dict[bytes, list[int]] = defaultdict(list)
    for commit in commits:
        found[commit.command].append(commit.version)
    return found


def _commands(
    journal: Journal, players: Mapping[int, str], run: str, process: int
) -> Mapping[int, bytes]:
    """The command that each request became, or would have become."""
    actors = {answer.request: answer.actor for answer in journal.answers()} | journal.unknown
    return {
        request: command_id(UUID(players[actor]), request_name(run, process, request))
        for request, actor in actors.items()
        if actor in players  # of whom nothing is stored, the command is nowhere
    }
