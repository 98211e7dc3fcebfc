"""What is stored on a stream after a projection's rows: folded when it is asked for.

So whoever has just done something finds it, however far the projection lags.
"""

from __future__ import annotations

import asyncio
from typing import Final, TypeVar
from uuid import UUID

from service.projections.projection import Projection
from service.store.postgres import Store

__all__ = ["after"]

PAGE: Final = 100

S = TypeVar("S")


async def after(
    store: Store, projection: Projection[S], stream: UUID, known: S | None, version: int
) -> S | None:
    """What is known of a stream as it is stored now, from what was known at ``version``.

    None where nothing is stored.  Raises ``Corrupt`` and ``Unavailable``.
    """
    while True:
        commits = await store.read(stream, version, PAGE)
        for commit in commits:
            known = projection.fold(known, commit)
            version = commit.version
        if len(commits) < PAGE:
            return known
        await asyncio.sleep(0)
