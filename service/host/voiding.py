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

__all__ = ["REASON", "Voiding"]

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
        table = live.table
        game = table.game
        state = table.state
        if running_hand(table):
            state = await self._before_the_hand(live)
        state = game.without_pack(state)
        if state == table.state:
            return ""
        return text_of_lines(game.lines(game.view(state, AUDITOR)))

    async def _before_the_hand(self, live: Live) -> Any:
        """The game as it was before the commit that began the running hand.

        With whatever became of the seats meanwhile.
        """
        before = start = Table.empty(live.table.game)
        meanwhile: list[Event] = []
        steps = self._reading.steps(live.stream, 0, live.table.version)
        async with aclosing(steps) as past:
            async for recorded, after in past:
                if running_hand(after) and running_hand(after) != running_hand(before):
                    start, meanwhile = before, []
                meanwhile += [event for event in recorded.events if _stays(event)]
                before = after
        return _with(start, meanwhile, live)


def _stays(event: Event) -> bool:
    return isinstance(event, _STAYS) and getattr(event, "when", None) != _AFTER_THE_HAND


def _with(start: Table, events: Sequence[Event], live: Live) -> Any:
    for event in events:
        if isinstance(event, SeatLeft):
            _, chips = start.game.players(start.state)[event.seat]
            if chips != event.chips:  # no rule lets anybody leave while his chips are at stake
                raise Corrupt(f"stream {live.stream}: seat {event.seat} left in mid-hand")
        start = apply_all(start, [event])
    return start.state
