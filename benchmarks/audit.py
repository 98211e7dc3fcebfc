"""Auditing a large store: ``python benchmarks/audit.py [--events 1000000] [--jobs 2]``.

Bots play all four games in process, at tables with chips of accounts and without, until the store
holds that many events.  Then it is audited as ``kartejo audit --jobs 2`` does; memory of all
processes is told on the way.  Beside it, as the least that any audit must do: the same rows read
from the same database, page by page, and nothing done with them.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import random
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import uvloop

from engine.account import credit
from engine.actions import AddChips, SitIn, TakeSeat
from engine.errors import KartejoError
from engine.games import GAMES
from engine.house import decision
from engine.offers import Cards, Groups, Limit, Names, Offer, OneCard, Range, Words
from service.audit.database import connected
from service.audit.whole import Audited, Plan, audit
from service.codec import Codec
from service.host.commands import Command
from service.host.host import Host
from service.host.live import Live
from service.identity import Principal, Role
from service.store.commit import ActorKind
from service.store.embedded import launch
from service.store.migrate import migrate
from service.store.postgres import Store
from service.vault import MasterKey
from service.world import RealWorld

KEY = bytes(range(32))
FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
TABLES = 24
LIFE = 4_000
OPTIONS = {
    "palace_poker": {"max_seats": "6"},
    "pontoon": {"max_seats": "4", "min_players_to_start": "2"},
    "royal_casino": {"players": "2"},
    "royal_flush": {},
}


# --- a store worth auditing -------------------------------------------------------------------


def any_of(limit: Limit) -> Any:
    """Something that a parameter may be."""
    match limit:
        case Range(_, low, high):
            return random.randint(low, min(high, low + 20))
        case Words(_, words):
            return random.choice(words)
        case Cards(_, cards, low, high):
            return tuple(random.sample(cards, random.randint(low, high)))
        case OneCard(_, cards):
            return random.choice(cards)
        case Groups():
            return next(limit.unions())
        case Names(_, words, low, must):
            free = [word for word in words if word not in must]
            return (*must, *free[: max(0, low - len(must))])


def any_action(offers: Sequence[Offer]) -> Any:
    """Something that a seat may do."""
    offer = random.choice(offers)
    return offer.action(**{limit.field: any_of(limit) for limit in offer.limits})


class Filler:
    """Plays until the store holds enough events."""

    def __init__(self, host: Host, events: int) -> None:
        self.host = host
        self.wanted = events
        self.stored = 0
        self.owner = Principal(uuid4(), frozenset({Role.HOST}))

    async def play(self, key: str) -> None:
        """Tables of a game, one after the other."""
        while self.stored < self.wanted:
            people = [Principal(uuid4(), frozenset({Role.PLAYER})) for _ in range(6)]
            for one in people:
                await self._credit(one.id)
            house = {"purse": random.choice(("account", "free"))}
            live, _ = await self.host.create_table(
                self.owner, uuid4().hex, key, OPTIONS[key], house, {}
            )
            for seat in range(live.table.game.seats(live.table.state)):
                chips = 0 if key == "royal_flush" else 1_000
                await self._act(live, people, seat, TakeSeat("", chips))
            while live.table.version < LIFE and self.stored < self.wanted:
                before = live.table.version
                await self._step(live, people)
                self.stored += live.table.version - before
                if live.table.version == before:
                    break

    async def _credit(self, player: UUID) -> None:
        command = Command.of_caller(
            self.host.world, self.owner.id, uuid4().hex, (bytes(32),), ActorKind.HOST, "credit"
        )
        await self.host.accounts.run(player, command, partial(credit, amount=10**9, note=""))

    async def _act(self, live: Live, people: Sequence[Principal], seat: int, action: Any) -> None:
        now = live.awaited
        hand, number = (now.hand, now.number) if now else (None, None)
        with suppress(KartejoError):
            await self.host.submit(
                people[seat], uuid4().hex, live.stream, seat, action, hand, number
            )

    async def _step(self, live: Live, people: Sequence[Principal]) -> None:
        table = live.table
        if decision(table) is not None:
            seat = random.choice(table.game.to_act(table.state))
            for _ in range(20):  # what is offered may cost too much together
                offers = table.game.legal_actions(table.state, seat)
                await self._act(live, people, seat, any_action(offers))
                if live.table.version > table.version:
                    return
            return
        for seat, (_, chips) in table.game.players(table.state).items():
            await self._act(live, people, seat, SitIn())
            if chips < 500:
                await self._act(live, people, seat, AddChips(1_000))
        with suppress(KartejoError):
            await self.host.start_hand(self.owner, uuid4().hex, live.stream)


async def fill(dsn: str, events: int) -> None:
    """Have all games played at many tables at once."""
    world = RealWorld()
    async with Store(dsn, allow_unsafe=True) as store:
        master = MasterKey(KEY, world)
        async with Host(world, store, GAMES, Codec(GAMES), master) as host:
            filler = Filler(host, events)
            async with asyncio.TaskGroup() as tasks:
                for _ in range(TABLES // len(GAMES)):
                    for key in GAMES:
                        tasks.create_task(filler.play(key))


# --- measuring --------------------------------------------------------------------------------


def resident(pid: int | str) -> int:
    """MiB of memory that a process holds."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) // 1024
    return 0


class Memory:
    """Tells the memory of this process and of its children on the way."""

    def __init__(self, commits: int) -> None:
        self._commits = commits
        self._read = 0
        self._marks = [0.1, 0.25, 0.5, 0.75, 1.0]

    def tick(self, commits: int) -> None:
        self._read += commits
        if self._marks and self._read >= self._marks[0] * self._commits:
            share = self._marks.pop(0)
            children = multiprocessing.active_children()
            sizes = [resident(os.getpid()), *(resident(each.pid or 0) for each in children)]
            print(
                f"  at {share:4.0%}: {sum(sizes)} MiB ({' + '.join(map(str, sizes))})", flush=True
            )


def bare(dsn: str) -> float:
    """Seconds to read all rows of all streams, a page at a time."""
    begun = time.perf_counter()
    with connected(dsn) as source:
        standing = source.standing()
        for size in standing.streams:
            for _ in source.commits(size.stream, standing.head):
                pass
    return time.perf_counter() - begun


def audited(dsn: str, key: Path, jobs: int) -> Audited:
    """The audit, with what memory it takes."""
    with connected(dsn) as source:
        standing = source.standing()
    plan = Plan(partial(connected, dsn), (key,), standing.head, standing.newest)
    return audit(plan, standing, jobs, Memory(standing.head).tick)


def main() -> None:
    """Fill a store, read it, audit it."""
    parser = argparse.ArgumentParser(description="auditing a large store")
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--jobs", type=int, default=2)
    told = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kartejo-bench-") as folder:
        Path(folder).chmod(0o711)
        key = Path(folder) / "keys" / "master.key"
        key.parent.mkdir(mode=0o700)
        key.write_text(KEY.hex() + "\n")
        key.chmod(0o600)
        with launch(Path(folder) / "home", settings=FAST, allow_temporary=True) as server:
            migrate(server.conninfo)
            begun = time.perf_counter()
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                runner.run(fill(server.service_conninfo, told.events))
            print(f"filled in {time.perf_counter() - begun:,.0f} s")
            raw = bare(server.service_conninfo)
            found = audited(server.service_conninfo, key, told.jobs)
            count = found.result.count
            print(f"{count.events:,} events, {count.commits:,} commits, {count.streams:,} streams")
            print(f"bare read: {raw:,.1f} s, {count.events / raw:,.0f} events/s")
            rate = count.events / found.seconds
            print(
                f"audit with {told.jobs} jobs: {found.seconds:,.1f} s, {rate:,.0f} events/s, "
                f"{count.events / found.result.worked:,.0f} events/s of processor time; "
                f"decided {count.decided / count.commits:.2%}, found {found.result.found}"
            )
            server.kill()


if __name__ == "__main__":
    main()
