"""The contract of a projection: a pure fold of recorded commits, and where its rows are kept."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final, Protocol, TypeVar
from uuid import UUID

import structlog

from service.store.commit import Commit, StreamKind
from service.store.connection import Connection

__all__ = ["AnyProjection", "Follower", "Projection", "project"]

log = structlog.get_logger(__name__)

PIECE: Final = 64
"""Commits that are folded in one turn of the loop: under half a millisecond.  Several projections
go on at once, with what came in a second, and who plays would wait for all of it.  Much smaller
pieces are too many turns for the deadline of the transaction, where turns are slow."""


S = TypeVar("S")


class Follower(Protocol):
    """What the runner needs to know: rows that follow from the log."""

    NAME: ClassVar[str]
    REVISION: ClassVar[int]
    """Raised whenever the same log gives other rows: they are then built anew beside the old."""

    @abstractmethod
    async def advance(self, db: Connection, build: int, commits: Sequence[Commit]) -> None:
        """Take the commits that follow into the rows of a build, in the caller's transaction."""

    @abstractmethod
    async def clear(self, db: Connection, build: int, limit: int) -> int:
        """Remove some of a build's rows; how many, 0 when none is left."""


class Projection(Follower, Protocol[S]):
    """A pure fold, stream by stream.

    ``S`` is what it knows of one stream: enough to go on from, and the rows that have changed.
    Streams do not depend on each other.
    """

    KIND: ClassVar[StreamKind]
    """The streams it is about."""

    @abstractmethod
    def fold(self, known: S | None, commit: Commit) -> S:
        """What is known after a commit; None: nothing, it is the stream's first.

        Pure: the same commits give the same rows, whoever runs it and in whatever portions.
        """

    @abstractmethod
    async def load(self, db: Connection, build: int, streams: Sequence[UUID]) -> dict[UUID, S]:
        """What the rows of a build say of some streams, with no row changed."""

    @abstractmethod
    async def save(self, db: Connection, build: int, changed: Iterable[S]) -> None:
        """Write the rows that have changed."""

    async def advance(self, db: Connection, build: int, commits: Sequence[Commit]) -> None:
        """Fold those that are of its kind."""
        mine = [commit for commit in commits if commit.kind == self.KIND]
        if mine:
            streams = list({commit.stream for commit in mine})
            known = await self.load(db, build, streams)
            changed: dict[UUID, S] = {}
            for begin in range(0, len(mine), PIECE):
                after = project(self, known, mine[begin : begin + PIECE])
                known.update(after)
                changed.update(after)
                await asyncio.sleep(0)
            await self.save(db, build, changed.values())


AnyProjection = Projection[Any]


def project(
    projection: Projection[S], known: Mapping[UUID, S], commits: Iterable[Commit]
) -> dict[UUID, S]:
    """What is known of the streams of ``commits`` after them.

    A commit that cannot be folded is told and left out; it concerns its own stream alone.
    """
    changed: dict[UUID, S] = {}
    for commit in commits:
        stream = commit.stream
        before = changed.get(stream) or known.get(stream)
        try:
            changed[stream] = projection.fold(before, commit)
        except Exception as error:  # noqa: BLE001 one damaged stream does not stop the others
            log.error(  # noqa: TRY400 a traceback's texts may hold what no log may
                "commit_not_projected",
                projection=projection.NAME,
                stream=str(stream),
                version=commit.version,
                position=commit.position,
                error=type(error).__name__,
            )
    return changed
