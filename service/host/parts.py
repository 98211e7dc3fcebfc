"""A table's part of what is stored together: decided, written, and taken over once it is stored."""

from __future__ import annotations

from functools import partial
from typing import Final, NamedTuple

from engine.errors import Exhausted
from engine.events import Event
from engine.house import Table, hand_between
from service.host.commands import Command
from service.host.dealing import committed, turn_of_epoch
from service.host.live import Live
from service.host.recorder import Recorded, Recorder
from service.store.commit import Commit
from service.vault import EpochKeys
from service.world import World

__all__ = ["Part", "Writing"]

MOST: Final = 2**31 - 1
"""Hands and versions of a table: as many as the store has numbers for."""


class Part(NamedTuple):
    """A commit that a table is to continue with, not chained yet, and the table after it.

    ``fresh``: keys of the epoch that it opens, if it does.
    """

    live: Live
    commit: Commit
    events: tuple[Event, ...]
    after: Table
    fresh: EpochKeys | None
    action: bytes

    def take_over(self, stored: Commit) -> Recorded:
        """Move the table on; whoever calls this holds its lock."""
        recorded = Recorded(
            stored, self.events, self.live.opener.seated, partial(bytes, self.action)
        )
        self.live.opener.follow(self.after, self.fresh)
        self.live.advance(recorded, self.after)
        return recorded


class Writing:
    """Writes the parts of tables."""

    def __init__(self, world: World, recorder: Recorder) -> None:
        self._world = world
        self._recorder = recorder

    def part(
        self, live: Live, command: Command, events: tuple[Event, ...], seat: int, action: bytes
    ) -> Part:
        """What a table stores of events that were decided at it as it stands.

        Raises ``Exhausted`` where its numbers are used up, ``MissingKeys``.
        """
        before = live.table
        keys = live.opener.keys(before.house.epoch)
        live.opener.hold(before.house)
        events = committed(keys, before.house, events)
        events, after, fresh = turn_of_epoch(
            live.stream, before, events, seat, live.opener, self._recorder.master, self._world
        )
        hand = hand_between(before, after)
        # A position of the laboratory may claim more hands than any table will see.
        if hand > MOST or after.version > MOST:
            raise Exhausted("this table has come to the end of its numbers")
        commit = self._recorder.write(
            live.stream,
            before,
            keys,
            command,
            events,
            seat=seat,
            action=action,
            hand=hand,
            recorded_at=live.time_of_next(self._world.now()),
        )
        return Part(live, commit, events, after, fresh, action)
