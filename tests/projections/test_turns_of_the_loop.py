"""While a projection folds what has come, everything else goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from types import SimpleNamespace
from typing import Any
from uuid import UUID

from service.projections.projection import PIECE, Projection
from service.projections.runner import BATCH
from service.store.commit import StreamKind

STREAMS = [UUID(int=number) for number in range(3)]


class Counted(Projection[int]):
    """Counts the commits of each stream, and the turns that the loop had between two of them."""

    NAME = "counted"
    REVISION = 1
    KIND = StreamKind.TABLE

    def __init__(self) -> None:
        self.turns = 0
        self.within: dict[int, int] = {}
        self.saved: dict[UUID, int] = {}

    def fold(self, known: int | None, commit: Any) -> int:
        self.within[self.turns] = self.within.get(self.turns, 0) + 1
        return (known or 0) + commit.count

    async def load(self, db: Any, build: int, streams: Sequence[UUID]) -> dict[UUID, int]:
        return {STREAMS[0]: 1_000} if STREAMS[0] in streams else {}

    async def save(self, db: Any, build: int, changed: Iterable[int]) -> None:
        self.saved = dict(zip(STREAMS, changed, strict=True))

    async def clear(self, db: Any, build: int, limit: int) -> int:
        return 0


def commits(number: int) -> list[Any]:
    of = [STREAMS[each % 3] for each in range(number)]
    return [SimpleNamespace(kind=StreamKind.TABLE, stream=stream, count=1) for stream in of]


def counted(number: int) -> Counted:
    """What became of so many commits at a time."""
    projection = Counted()

    async def count() -> None:
        while True:
            projection.turns += 1
            await asyncio.sleep(0)

    async def scenario() -> None:
        counting = asyncio.create_task(count())
        await projection.advance(None, 1, commits(number))  # type: ignore[arg-type]
        counting.cancel()

    asyncio.run(scenario())
    return projection


def test_the_loop_turns_while_many_commits_are_folded() -> None:
    projection = counted(10 * PIECE)
    assert sum(projection.saved.values()) == 1_000 + 10 * PIECE
    assert projection.saved[STREAMS[0]] > 1_000, "what was stored before is gone on from"
    assert max(projection.within.values()) == PIECE


def test_a_whole_batch_takes_few_turns() -> None:
    """Its transaction has five seconds, and turns of a fifth of a second are too long for nobody.

    One that does not come to its end begins again with as many commits, for ever.
    """
    assert len(counted(BATCH).within) <= 20
