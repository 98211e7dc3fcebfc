"""Recorded hands as the replay shows them, from a service or from an export."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from engine.errors import Unknown
from engine.events import Event, HouseEvent
from engine.games import GAMES
from engine.kernel import View
from engine.script import event_text
from service.cli.console import moment
from service.cli.loop import run_async
from service.cli.options import Where
from service.client.records import get_table, hands, steps
from service.pb import common_pb2
from service.pb import replay_service_pb2 as pb

__all__ = ["HandRow", "ServiceTape", "Step", "Tape", "hand_at", "told"]


class HandRow(NamedTuple):
    """A hand: its number, the versions around it, when it began and ended (ISO 8601)."""

    hand: int
    first_version: int
    last_version: int
    start: str
    end: str


class Step(NamedTuple):
    """A commit of a hand.  ``view`` is None for a game that is not installed here."""

    version: int
    seat: int
    action: str
    events: list[str]
    text: str
    view: View | None
    recorded: str


class Tape(Protocol):
    """A recorded table.  Raises the errors of Kartejo."""

    game: str

    def hands(self) -> Sequence[HandRow]:
        """All hands, oldest first."""

    def steps(self, hand: int) -> Sequence[Step]:
        """The steps of a hand; raises ``Unknown`` if it was not played."""


def told(events: Sequence[Event]) -> list[str]:
    """The events of a game as scripts write them; those of the house by their names."""
    return [
        type(event).__name__ if isinstance(event, HouseEvent) else event_text(event)
        for event in events
    ]


def hand_at(tape: Tape, version: int) -> int:
    """The hand that holds a version, or begins next after it; raises ``Unknown``."""
    for row in tape.hands():
        if version <= row.last_version:
            return row.hand
    raise Unknown(f"no hand of this table stands at version {version} or after it")


class ServiceTape:
    """A table of a running service, as a viewer may see it."""

    def __init__(self, where: Where, table: str, eyes: common_pb2.Viewer) -> None:
        self._where = where
        self._table = table
        self._eyes = eyes
        self._hands: list[HandRow] | None = None
        self.game = ""

    def hands(self) -> Sequence[HandRow]:
        """See ``Tape``."""
        if self._hands is None:
            self._hands = run_async(self._read_hands())
        return self._hands

    def steps(self, hand: int) -> Sequence[Step]:
        """See ``Tape``."""
        return run_async(self._read_steps(hand))

    async def _read_hands(self) -> list[HandRow]:
        async with self._where.client() as client:
            return [
                HandRow(
                    row.hand,
                    row.first_version,
                    row.last_version,
                    moment(row.start_time),
                    moment(row.end_time),
                )
                for row in await hands(client, self._table)
            ]

    async def _read_steps(self, hand: int) -> list[Step]:
        async with self._where.client() as client:
            self.game = (await get_table(client, self._table)).table.game
            codec = client.codec
            return [
                _step(codec, self.game, message)
                async for message in steps(client, self._table, hand, self._eyes)
            ]


def _step(codec: Any, game: str, message: pb.ReplayHandResponse) -> Step:
    state = message.state
    return Step(
        version=state.version,
        seat=message.seat,
        action=message.action,
        events=told([codec.event_from_wire(each.event) for each in message.events]),
        text=state.text,
        view=codec.view_from_wire(state.view) if game in GAMES else None,
        recorded=moment(message.record_time),
    )
