"""What is stored of the tables that were played: over the API, and in the commit table itself.

Everything is read anew, over connections that the run has not used.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping
from contextlib import aclosing
from typing import Final, NamedTuple
from uuid import UUID

from engine.errors import Corrupt
from engine.events import Event, HouseOpened, SeatTaken, TurnTimedOut
from engine.games import GAMES
from service.client import Client
from service.client.sitting import follow
from service.host.commands import command_id
from service.load.journal import Journal, Seen, fingerprint
from service.load.tables import HOST
from service.load.verifying import Books, commands_differ, differences
from service.store import log
from service.store.commit import Commit, genesis, unpack_body, verify
from service.store.connection import Connection

__all__ = ["Checked", "check", "request_name"]

PAGE: Final = 1_000


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
    stored: list[Seen] = []
    faults: list[str] = []
    books = Books(GAMES[journal.game])
    players: dict[int, str] = {}
    own: set[int] = set()
    async with aclosing(follow(client, journal.table)) as news:
        async for each in news:
            if each.events:
                events = [client.codec.event_from_wire(event.event) for event in each.events]
                players.update(_people(events))
                faults += books.take(each.version, events)
                if any(isinstance(event, TurnTimedOut) for event in events):
                    own.add(each.version)
                stored.append(Seen(each.version, len(each.events), fingerprint(each.events)))
            if each.live:
                break
    faults += differences(journal, stored, own)
    in_store = 0
    if db is not None:
        try:
            commits = [commit async for commit in _commits(db, UUID(journal.table))]
        except Corrupt as error:
            faults.append(str(error))
        else:
            faults += _other_history(stored, commits)
            faults += commands_differ(
                journal, _versions(commits), _commands(journal, players, run, process)
            )
            in_store = len(journal)
    watched = sum(map(len, journal.watchers))
    named = tuple(f"{journal.game} {journal.table}: {fault}" for fault in faults)
    return Checked(1, len(stored), len(journal), in_store, watched, len(journal.unknown), named)


def _people(events: Iterable[Event]) -> Iterator[tuple[int, str]]:
    """Who makes the requests of the host and of the seats: nobody here changes his seat."""
    for event in events:
        if isinstance(event, HouseOpened):
            yield HOST, event.host
        elif isinstance(event, SeatTaken):
            yield event.seat, event.player


async def _commits(db: Connection, stream: UUID) -> AsyncGenerator[Commit, None]:
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


def _other_history(stored: list[Seen], commits: list[Commit]) -> Iterable[str]:
    """Where the API tells of other commits than those in the table of commits."""
    told = [(seen.version, seen.count) for seen in stored]
    kept = [(commit.version, commit.count) for commit in commits]
    if told != kept:
        number = next((i for i, (a, b) in enumerate(zip(told, kept, strict=False)) if a != b), None)
        if number is None:
            yield f"the API tells of {len(told)} commits, {len(kept)} are stored"
        else:
            yield f"commit {number + 1} ends at {kept[number][0]}, told was {told[number][0]}"


def _versions(commits: Iterable[Commit]) -> Mapping[bytes, list[int]]:
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
    }
