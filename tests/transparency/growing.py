"""A store with commits, and a signer of its tree, without a service around them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

import psycopg
from psycopg.conninfo import make_conninfo

from service.projections.runner import Runner
from service.store.leases import Leases
from service.store.postgres import Store
from service.transparency.notes import SignerKey
from service.transparency.signer import Signer, Signing
from service.transparency.tiles import LogTiles
from service.world import RealWorld
from tests.store.lines import Line, fast

KEY = SignerKey("kartejo.example/log", bytes(range(32)))


class Log:
    """Commits of some streams, kept in mind as leaves."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.leaves: list[bytes] = []
        self._lines = [Line() for _ in range(7)]
        self._owner = uuid4()

    async def grow(self, commits: int) -> None:
        """Append commits, a few streams at a time."""
        while commits:
            lines = self._lines[: min(commits, len(self._lines))]
            for line in lines:
                (stored,) = await self.store.append([line.next()])
                line.took(stored)
                self.leaves.append(stored.hash)
            commits -= len(lines)

    async def follow(self) -> None:
        """Bring the tiles up to date: build them anew."""
        await Runner(RealWorld(), self.store, LogTiles()).rebuild(lambda _: None)

    def signer(self, folder: Path, key: SignerKey = KEY, *, elsewhere: bool = False) -> Signer:
        """A signer that knows nothing yet: in this process, or in another one."""
        leases = Leases(self.store.pool, uuid4() if elsewhere else self._owner)
        return Signer(RealWorld(), self.store, Signing(key, folder), leases, 1)


@asynccontextmanager
async def grown_log(dsn: str, commits: int) -> AsyncGenerator[Log, None]:
    """A store of so many commits, whose tiles hold them."""
    async with fast(dsn) as store:
        log = Log(store)
        await log.grow(commits)
        await log.follow()
        yield log


def secrets_in(folder: Path) -> Path:
    """A folder for the signer's file, as private as it wants it."""
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def alter(admin_dsn: str, *statements: str) -> None:
    """Do what only somebody with the whole database in hand can do."""
    options = "-c session_replication_role=replica"
    with psycopg.connect(make_conninfo(admin_dsn, options=options), autocommit=True) as db:
        for statement in statements:
            db.execute(statement.encode())


def rows(dsn: str, query: str) -> Sequence[tuple[object, ...]]:
    """What a query finds."""
    with psycopg.connect(dsn) as db:
        return db.execute(query.encode()).fetchall()
