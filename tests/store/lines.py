"""What the store's tests share: streams that grow commit by commit, and a loop to run in."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar
from uuid import UUID, uuid4

from service.store.commit import (
    ActorKind,
    Commit,
    StoredEvent,
    StreamKind,
    genesis,
    link,
    pack_body,
    verify,
)
from service.store.connection import Pool
from service.store.postgres import Store

T = TypeVar("T")


def run(scenario: Coroutine[Any, Any, T], seconds: float = 60.0) -> T:
    """Run a test's coroutine under a deadline."""

    async def limited() -> T:
        async with asyncio.timeout(seconds):
            return await scenario

    return asyncio.run(limited())


def fast(dsn: str, **options: Any) -> Store:
    """A store on the tests' forgetful server."""
    return Store(dsn, allow_unsafe=True, **options)


class Line:
    """A stream as its owner knows it: version and hash, moved on by ``took``."""

    def __init__(self, stream: UUID | None = None) -> None:
        self.stream = stream or uuid4()
        self.version = 0
        self.hash = genesis(self.stream)

    def next(self, events: int = 1, command: bytes | None = None, public: bytes = b"e") -> Commit:
        """A commit that continues the line; the line itself stays where it is."""
        commit = Commit(
            stream=self.stream,
            kind=StreamKind.TABLE,
            version=self.version + events,
            count=events,
            command=command or os.urandom(16),
            group=os.urandom(16),
            digest=bytes(32),
            actor_kind=ActorKind.PLAYER,
            actor=uuid4(),
            seat=1,
            action=b"act",
            received_at=1,
            recorded_at=2,
            hand=0,
            epoch=0,
            rules=1,
            body=pack_body([StoredEvent(1, 1, public)] * events),
            hash=b"",
        )
        return commit._replace(hash=link(self.hash, commit))

    def took(self, commit: Commit) -> None:
        """Move on to ``commit``."""
        self.version, self.hash = commit.version, commit.hash


async def check_log(store: Store) -> list[Commit]:
    """Read the whole log: gapless, every chain unbroken, no command twice on a stream."""
    commits: list[Commit] = []
    end = await store.position()
    if end:
        async for commit in store.follow(0):
            commits.append(commit)
            if commit.position == end:
                break
    assert [commit.position for commit in commits] == list(range(1, end + 1))
    lines: dict[UUID, Line] = {}
    for commit in commits:
        line = lines.setdefault(commit.stream, Line(commit.stream))
        assert commit.expected == line.version
        verify(line.hash, commit)
        line.took(commit)
    assert len({(commit.stream, commit.command) for commit in commits}) == len(commits)
    return commits


async def until(condition: Callable[[], Awaitable[bool]], every: float = 0.01) -> None:
    """Wait until ``condition`` holds; the test's deadline bounds it."""
    while not await condition():  # noqa: ASYNC110 – what is waited for happens in the database
        await asyncio.sleep(every)


def pooled(dsn: str, scenario: Callable[[Pool], Coroutine[Any, Any, None]], **options: Any) -> None:
    """Run ``scenario`` with a pool."""

    async def work() -> None:
        async with Pool(dsn, **options) as pool:
            await scenario(pool)

    run(work())
