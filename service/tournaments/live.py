"""A tournament in memory: where it stands, its newest commits, who waits for news of it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple
from uuid import UUID

from engine.errors import Corrupt
from engine.events import Event
from engine.tournament import events as e
from engine.tournament.formats import format_of
from engine.tournament.housed import Housed, with_events
from service.store.commit import Commit, genesis
from service.tournaments.concern import concerned
from service.tournaments.deciding import table_stream
from service.vault import EpochKeys

__all__ = ["LiveTournament", "Recorded"]

RECENT: Final = 256
"""Commits kept for watchers that are nearly up to date; older ones are read."""


class Recorded(NamedTuple):
    """A stored commit of a tournament, with its events in full."""

    commit: Commit
    events: tuple[Event, ...]


class LiveTournament:
    """One tournament.  ``lock`` is held while a command is decided and stored.

    ``keys`` are those of its epoch, None once that is told; ``lost``: nobody has them any more.
    ``streams``: its tables by number;
    ``numbers``: the same the other way round.  ``packs``: tables that deal the same ones, by the
    word for them.  ``clock_since``: when the running clock began, in
    microseconds.  ``heard`` are told of the events of every commit, once the tournament stands
    behind them.  ``watchers``: how many streams follow it; ``followers``: what wakes those that
    follow one player's way, by player.  ``gone``: another object stands for it now.
    """

    def __init__(self, stream: UUID) -> None:
        self.stream = stream
        self.tournament_id = str(stream)
        self.now = Housed()
        self.keys: EpochKeys | None = None
        self.lost = False
        self.last_hash = genesis(stream)
        self.created_at = 0
        self.recorded_at = 0
        self.clock_since = 0
        self.streams: dict[int, UUID] = {}
        self.packs: dict[str, list[int]] = {}
        self.numbers: dict[UUID, int] = {}
        self.lock = asyncio.Lock()
        self.recent: deque[Recorded] = deque(maxlen=RECENT)
        self.heard: list[Callable[[Sequence[Event]], None]] = []
        self.watchers = 0
        self.followers: dict[str, set[asyncio.Event]] = {}
        self.gone = False
        self._waiting: set[asyncio.Future[None]] = set()

    @property
    def version(self) -> int:
        """The version it stands at."""
        return self.now.state.version

    def advance(self, recorded: Recorded, after: Housed | None = None) -> None:
        """Take over a stored commit; ``after`` is what it leads to."""
        commit, events = recorded
        was, before = self.now.state, self.version
        self.now = after or with_events(self.now, events)
        if self.version != commit.version:
            raise Corrupt(f"stream {self.stream}: a commit does not continue its tournament")
        for version, event in enumerate(events, before + 1):
            if isinstance(event, e.TableDrawn):
                stream = table_stream(self.stream, version)
                self.streams[event.table] = stream
                self.numbers[stream] = event.table
                state = self.now.state
                word = format_of(state.structure).deal(state, event.table).packs
                if word:
                    self.packs.setdefault(word, []).append(event.table)
        clock = self.now.state.clock
        if clock is not None and clock.since > before:
            self.clock_since = commit.recorded_at
        if not self.now.house.epoch:
            self.keys, self.lost = None, False
        self.created_at = self.created_at or commit.recorded_at
        self.recorded_at = commit.recorded_at
        self.last_hash = commit.hash
        self.recent.append(recorded)
        for hear in self.heard:
            hear(events)
        if self.followers:
            players = concerned(was, self.now.state, events)
            self._wake(self.followers if players is None else players)
        self._wake_waiting()

    def leave(self) -> None:
        """Let whoever follows it know that it is no longer the one."""
        self.gone = True
        self._wake(self.followers)
        self._wake_waiting()

    def _wake(self, players: Iterable[str]) -> None:
        for player in players:
            for follower in self.followers.get(player, ()):
                follower.set()

    def _wake_waiting(self) -> None:
        for waiter in self._waiting:
            if not waiter.done():
                waiter.set_result(None)

    def clock_left_ms(self, now: int) -> int | None:
        """What the running clock has to go at a time in microseconds; None: none runs."""
        clock = self.now.state.clock
        if clock is None:
            return None
        if self.now.state.paused:
            return clock.milliseconds
        gone = max(0, now - self.clock_since) // 1000
        return max(0, clock.milliseconds - gone)

    async def news(self, after_version: int) -> None:
        """Return when the tournament has gone past ``after_version``, or is ``gone``."""
        while self.version <= after_version and not self.gone:
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.add(waiter)
            try:
                await waiter
            finally:
                self._waiting.discard(waiter)

    def recent_after(self, version: int) -> list[Recorded] | None:
        """Commits after ``version``, if memory still holds the one that continues there."""
        if version == self.version:
            return []
        found = [each for each in self.recent if each.commit.version > version]
        return found if found and found[0].commit.expected == version else None
