"""Tournaments in memory: loaded by a fold of their streams, kept fresh by whoever moves them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from typing import Final
from uuid import UUID

from engine.errors import Corrupt, Reused, Unknown
from engine.events import EpochOpened, Event
from engine.tournament.all_events import stands_in_stream
from service.codec import Codec, PrivateValue, StoredForm
from service.host.commands import Command
from service.store.commit import Commit, StreamKind, salt_of, unpack_body, verify
from service.store.postgres import Store
from service.tournaments.live import LiveTournament, Recorded
from service.vault import EpochKeys, MasterKey, SlotSealer

__all__ = ["Tournaments"]

PAGE: Final = 500
STRIDE: Final = 16
"""Commits folded in one go; then the loop turns."""

MOST: Final = 256
"""Tournaments kept in memory though nobody looks after them."""


class Tournaments:
    """The tournaments of this process.  Raises ``Unknown``, ``Unavailable``, ``Corrupt``."""

    def __init__(self, store: Store, codec: Codec, master: MasterKey) -> None:
        self.store = store
        self._codec = codec
        self._master = master
        self._hot: dict[UUID, LiveTournament] = {}
        self._loading = asyncio.Lock()

    def peek(self, stream: UUID) -> LiveTournament | None:
        """The tournament if it is in memory."""
        return self._hot.get(stream)

    async def get(self, stream: UUID) -> LiveTournament:
        """The tournament, loaded if need be; raises ``Unknown`` if there is none."""
        live = self._hot.get(stream)
        if live is None:
            async with self._loading:
                live = self._hot.get(stream)
                if live is None:
                    live = LiveTournament(stream)
                    await self.catch_up(live)
                    if not live.version:
                        raise Unknown("no such tournament")
                    self.admit(live)
        return live

    def admit(self, live: LiveTournament) -> LiveTournament:
        """Keep a tournament; returns it, or the one of its stream that was there before it."""
        known = self._hot.setdefault(live.stream, live)
        for old in [*self._hot.values()]:
            if len(self._hot) <= MOST:
                break
            used = old.heard or old.watchers or old.lock.locked()
            if old is not known and not used:
                del self._hot[old.stream]
        return known

    def forget(self, live: LiveTournament) -> None:
        """Let a tournament go whose state in memory may not be what is stored."""
        if self._hot.get(live.stream) is live:
            del self._hot[live.stream]
            live.leave()

    def is_current(self, live: LiveTournament) -> bool:
        """Whether it is still its stream's tournament."""
        return self._hot.get(live.stream) is live

    async def refresh(self, live: LiveTournament, version: int | None = None) -> None:
        """Catch up, to ``version`` at least, while no command runs at it."""
        async with live.lock:
            if version is None or live.version < version:
                await self.catch_up(live)

    async def catch_up(self, live: LiveTournament) -> None:
        """Take over what is stored; whoever calls this holds the lock where others know of it."""
        while True:
            commits = await self.store.read(live.stream, live.version, PAGE)
            for number, commit in enumerate(commits, 1):
                if commit.version > live.version:
                    verify(live.last_hash, commit)
                    live.advance(self.open(live, commit))
                if not number % STRIDE:
                    await asyncio.sleep(0)
            if len(commits) < PAGE:
                return

    def open(self, live: LiveTournament, commit: Commit) -> Recorded:
        """A commit with its events, which continues ``live``; raises ``Corrupt``."""
        if commit.kind != StreamKind.TOURNAMENT:
            raise Unknown("no such tournament")
        forms = unpack_body(commit.body, commit.count)
        sealer = None
        if live.keys is not None and commit.epoch:
            sealer = SlotSealer(live.keys, base=commit.expected, salt=salt_of(commit.body))
        events: list[Event] = []
        for version, (type_, revision, public, slots) in enumerate(forms, commit.expected + 1):
            private: list[PrivateValue] = []
            for field, audience, sealed in slots:
                data = sealer.open(version, field, audience, sealed) if sealer and sealed else None
                private.append(PrivateValue(field, audience, data))
            event = self._codec.load_event(StoredForm(type_, revision, public, tuple(private)))
            if not stands_in_stream(event):
                where = f"stream {commit.stream}, version {version}"
                raise Corrupt(f"{where}: {type(event).__name__} in a tournament")
            events.append(event)
            if isinstance(event, EpochOpened):
                live.keys = self._keys(live.stream, event)
                live.lost = live.keys is None and self._master.has_lost(event.wrapped.value)
        return Recorded(commit, tuple(events))

    def _keys(self, stream: UUID, event: EpochOpened) -> EpochKeys | None:
        """The keys of the epoch, if the master key is at hand; a told epoch needs none."""
        try:
            return EpochKeys.unwrap(
                self._master, stream, event.epoch, event.wrapped.value, event.commitment
            )
        except Corrupt:
            return None

    async def known(self, stream: UUID, command: Command) -> Commit | None:
        """The commit that this command made, if it was accepted.

        Raises ``Reused`` if the id stands for another request.
        """
        commit = await self.store.by_command(stream, command.id)
        if commit is not None and not command.is_of(commit.digest):
            raise Reused("this request_id stands for another request")
        return commit

    async def history(
        self, live: LiveTournament, after_version: int
    ) -> AsyncGenerator[Sequence[Recorded], None]:
        """Stored commits after a version, page by page, up to where ``live`` stands."""
        past = LiveTournament(live.stream)
        past.keys = live.keys
        version = after_version
        while version < live.version:
            commits = await self.store.read(live.stream, version, PAGE, live.version)
            if not commits:
                return
            version = commits[-1].version
            yield [self.open(past, commit) for commit in commits]
