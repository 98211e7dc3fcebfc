"""Epochs whose key is lost: voided by a written rule, so that their tables go on (design 5.5).

The rule.  A running hand did not happen: every seat has the chips again that it had before, and
what was brought to the table meanwhile.  Scores, the bank and the dealer stand as they stood then.
Who said that he would leave, or sit out, when that hand is over stays.  Between hands nothing
changes, but that a pack which would have gone on is shuffled.  A new epoch opens in the same
commit.  What was recorded stays as it is; what was sealed in it stays sealed for ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from typing import Any, Final

import structlog

from engine.errors import Conflict, Corrupt
from engine.events import (
    ChipsAdded,
    EpochVoided,
    Event,
    SatIn,
    SatOut,
    SeatLeft,
    SeatTaken,
)
from engine.house import Table, apply_all, running_hand
from engine.kernel import AnyGame
from engine.notation import text_of_lines
from engine.visibility import AUDITOR
from service.host.commands import Command
from service.host.dealing import epoch_opened
from service.host.live import Live
from service.host.reading import Reading
from service.host.recorder import Recorder
from service.store.commit import chained
from service.store.postgres import Store
from service.vault import EpochKeys
from service.world import World

__all__ = ["REASON", "HandSoFar", "Voiding"]

log = structlog.get_logger(__name__)

REASON: Final = "KEY_LOST"

_STAYS: Final = (SeatTaken, SeatLeft, ChipsAdded, SatOut, SatIn)
"""What is true of a seat though the hand did not happen."""

_AFTER_THE_HAND: Final = "DEAL_END"
"""``SatOut.when`` of a wish that ends with the hand."""


class Voiding:
    """Voids what can never be opened again at tables that come into memory."""

    def __init__(self, world: World, store: Store, reading: Reading, recorder: Recorder) -> None:
        self._world = world
        self._store = store
        self._reading = reading
        self._recorder = recorder

    def is_wanted(self, live: Live) -> bool:
        """Whether an epoch of a table, open or not told yet, is under a key that is lost."""
        return any(map(live.opener.is_lost, live.opener.unopened(live.table)))

    async def void(self, live: Live) -> None:
        """Store that these epochs are void; the table is to be loaded again.

        Another process that does the same at the same time does no harm: one of them does it.
        """
        table = live.table
        house = table.house
        lost = [epoch for epoch in live.opener.unopened(table) if live.opener.is_lost(epoch)]
        events: list[Event] = []
        for epoch in lost:
            position = await self._position(live) if epoch == house.epoch else ""
            events.append(EpochVoided(epoch, REASON, position))
        if house.epoch in lost:
            keys = EpochKeys.draw(live.stream, house.epoch + 1, self._world)
            events.append(epoch_opened(keys, self._recorder.master))
        else:
            keys = live.opener.keys(house.epoch)
        command = Command.of_process(
            self._world, live.stream, table.version, f"void {REASON}", EpochVoided.__name__
        )
        commit = self._recorder.write(
            live.stream,
            table,
            keys,
            command,
            events,
            seat=-1,
            action=b"",
            hand=running_hand(table),
            recorded_at=live.time_of_next(self._world.now()),
        )
        try:
            await self._store.append(chained([(live.last_hash, commit)]))
        except Conflict:
            return
        log.warning("epoch_voided", stream=str(live.stream), epochs=lost, hand=running_hand(table))

    async def _position(self, live: Live) -> str:
        """Where the game stands once its hand did not happen; raises ``Corrupt``."""
        hand = HandSoFar(live.table.game)
        if running_hand(live.table):
            before = Table.empty(live.table.game)
            steps = self._reading.steps(live.stream, 0, live.table.version)
            async with aclosing(steps) as past:
                async for recorded, after in past:
                    hand.take(before, recorded.events, after)
                    before = after
        return hand.voided(live.table)


class HandSoFar:
    """The table before the commit that began the running hand, and what stays of the hand."""

    def __init__(self, game: AnyGame) -> None:
        self._start = Table.empty(game)
        self._meanwhile: list[Event] = []

    def take(self, before: Table, events: Sequence[Event], after: Table) -> None:
        """A commit that leads from one table to the other."""
        if running_hand(after) and running_hand(after) != running_hand(before):
            self._start, self._meanwhile = before, []
        self._meanwhile += [event for event in events if _stays(event)]

    def voided(self, table: Table) -> str:
        """Where the game stands once its running hand, if any, did not happen.

        Empty: where it stands now.  Raises ``Corrupt``.
        """
        game, state = table.game, table.state
        if running_hand(table):
            state = self._before_the_hand()
        state = game.without_pack(state)
        if state == table.state:
            return ""
        return text_of_lines(game.lines(game.view(state, AUDITOR)))

    def _before_the_hand(self) -> Any:
        """The game as it was before the hand, with whatever became of the seats meanwhile."""
        start = self._start
        for event in self._meanwhile:
            if isinstance(event, SeatLeft):
                _, chips = start.game.players(start.state)[event.seat]
                if chips != event.chips:  # no rule lets anybody leave while his chips are at stake
                    raise Corrupt(f"seat {event.seat} left in mid-hand")
            start = apply_all(start, [event])
        return start.state


def _stays(event: Event) -> bool:
    return isinstance(event, _STAYS) and getattr(event, "when", None) != _AFTER_THE_HAND
