"""Following a tournament: every commit of it, or one player's way through it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, contextmanager
from typing import NamedTuple
from uuid import UUID

from engine.errors import Malformed
from service.tournaments.concern import way_of
from service.tournaments.live import LiveTournament, Recorded
from service.tournaments.registry import Tournaments

__all__ = ["TournamentStep", "Watching"]


class TournamentStep(NamedTuple):
    """What a watcher gets: a commit, or the word that nothing is left to send."""

    live: LiveTournament
    recorded: Recorded | None
    is_live: bool


class Watching:
    """Watches of this process's tournaments."""

    def __init__(self, tournaments: Tournaments) -> None:
        self._tournaments = tournaments

    async def commits(
        self, stream: UUID, after_version: int
    ) -> AsyncGenerator[TournamentStep, None]:
        """Every commit after a version, then what comes; one ``is_live`` step in between.

        Raises ``Unknown``; ``Malformed`` if the version is not one that a commit ends at.
        """
        live = await self._require_version(stream, after_version)
        version = after_version
        said_live = False
        while True:
            with _watched(live):
                while not live.gone:
                    recent = live.recent_after(version)
                    if recent is None:
                        async with aclosing(self._tournaments.history(live, version)) as pages:
                            async for page in pages:
                                for recorded in page:
                                    _require_boundary(recorded, version)
                                    version = recorded.commit.version
                                    yield TournamentStep(live, recorded, is_live=False)
                        continue
                    for recorded in recent:
                        version = recorded.commit.version
                        yield TournamentStep(live, recorded, is_live=said_live)
                    if not said_live and version == live.version:
                        said_live = True
                        yield TournamentStep(live, None, is_live=True)
                    await live.news(version)
            live = await self._tournaments.get(stream)

    async def way(
        self, stream: UUID, after_version: int, player: str
    ) -> AsyncGenerator[LiveTournament, None]:
        """The tournament now, and whenever something has changed for a player since.

        Nothing that was overtaken is told.  Raises ``Unknown``, ``Malformed``.
        """
        live = await self._require_version(stream, after_version)
        told: object = None
        while True:
            changed = asyncio.Event()
            with _watched(live), _followed(live, player, changed):
                while not live.gone:
                    changed.clear()
                    now = way_of(live.now.state, player)
                    if now != told:
                        told = now
                        yield live
                    await changed.wait()
            live = await self._tournaments.get(stream)

    async def _require_version(self, stream: UUID, after_version: int) -> LiveTournament:
        live = await self._tournaments.get(stream)
        if after_version > live.version:  # seen at another process, which was faster
            await self._tournaments.refresh(live)
        if not 0 <= after_version <= live.version:
            raise Malformed("after_version", f"expected 0 to {live.version}")
        return live


def _require_boundary(recorded: Recorded, version: int) -> None:
    if recorded.commit.expected < version:
        raise Malformed("after_version", "expected the version of an answer or a message")


@contextmanager
def _watched(live: LiveTournament) -> Iterator[None]:
    live.watchers += 1
    try:
        yield
    finally:
        live.watchers -= 1


@contextmanager
def _followed(live: LiveTournament, player: str, changed: asyncio.Event) -> Iterator[None]:
    live.followers.setdefault(player, set()).add(changed)
    try:
        yield
    finally:
        live.followers[player].discard(changed)
        if not live.followers[player]:
            del live.followers[player]
