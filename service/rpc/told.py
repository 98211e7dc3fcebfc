"""What callers are told of a table after a commit, as bytes: made once for all who see the same.

Of every commit there is one answer and one message of news for each way of seeing it: whoever
took no seat sees what every stranger sees.  The time that is left for a decision is as of the
sending; a message that many get is made anew when it is older than ``FRESH_SECONDS``.
"""

from __future__ import annotations

from math import inf
from typing import Final, NamedTuple

from engine.events import SeatTaken
from engine.house import Table
from engine.occupancy import viewers
from engine.visibility import OBSERVER
from service.codec.wire import part_of
from service.host import eyes
from service.host.executor import Outcome
from service.host.host import Host, Step
from service.host.live import Live
from service.host.recorder import Recorded
from service.identity import Principal
from service.pb import table_service_pb2
from service.rpc.messages import Messages, StateParts, timestamp

__all__ = ["Telling", "Viewer"]

FRESH_SECONDS: Final = 0.02

Masks = tuple[int, ...]

_STRANGER: Final[Masks] = ()
"""Stands for the eyes of an observer at every event of a commit."""

_TAKEN: Final = "taken"

_answer: Final = table_service_pb2.SubmitActionResponse.DESCRIPTOR.fields_by_name
_news: Final = table_service_pb2.WatchTableResponse.DESCRIPTOR.fields_by_name

put_answer_request_id: Final = part_of(_answer["request_id"].number)
put_answer_events: Final = part_of(_answer["events"].number)
put_answer_state: Final = part_of(_answer["state"].number)
put_news_events: Final = part_of(_news["events"].number)
put_news_state: Final = part_of(_news["state"].number)


class Viewer(NamedTuple):
    """A caller, and his id as a table's seats have it."""

    caller: Principal
    player: str

    @classmethod
    def of(cls, caller: Principal) -> Viewer:
        """The viewer that a caller is."""
        return cls(caller, str(caller.id))


class _Made(NamedTuple):
    """A message and until when (the world's monotonic second) it may be sent."""

    data: bytes
    until: float


class Telling:
    """Makes answers and news."""

    def __init__(self, host: Host, messages: Messages) -> None:
        self._host = host
        self._messages = messages
        self._clock = host.world

    def answer(self, request_id: str, viewer: Viewer, live: Live, outcome: Outcome) -> bytes:
        """The answer to a command: SubmitAction's, which StartHand's and CloseTable's are like."""
        recorded, table = outcome
        masks = self._masks(viewer, live, recorded)
        events = [put_answer_events(each) for each in self._events(live, recorded, masks)]
        state, _ = self._state(live, table, _after(masks))
        named = put_answer_request_id(request_id.encode())
        return b"".join((named, *events, put_answer_state(state)))

    def news(self, viewer: Viewer, live: Live, step: Step) -> bytes:
        """WatchTable's message of a commit, or the one that says that nothing is left to send.

        A state goes with the newest commit only: behind an older one, more is coming.
        """
        newest = live.table
        if step.recorded is None:
            state, _ = self._with_state(live, self._host.viewer(viewer.caller, newest))
            return self._message(live, newest.version, is_live=True) + state
        recorded = step.recorded
        version = recorded.commit.version
        masks = self._masks(viewer, live, recorded)
        mask = _after(masks) if step.live and version == newest.version else 0
        key = (masks, mask, step.live)
        told = live.told(version)
        made: _Made | None = told.get(key)
        if made is None or made.until < self._clock.monotonic():
            made = told[key] = self._news(live, recorded, masks, mask, is_live=step.live)
        return made.data

    def _news(
        self, live: Live, recorded: Recorded, masks: Masks, mask: int, *, is_live: bool
    ) -> _Made:
        """``mask``: whose state goes with it; 0: nobody's."""
        commit = recorded.commit
        head = self._message(live, commit.version, is_live=is_live, at=commit.recorded_at)
        events = [put_news_events(each) for each in self._events(live, recorded, masks)]
        state, until = self._with_state(live, mask) if mask else (b"", inf)
        return _Made(b"".join((head, *events, state)), until)

    @staticmethod
    def _message(live: Live, version: int, *, is_live: bool, at: int | None = None) -> bytes:
        return table_service_pb2.WatchTableResponse(
            table_id=live.table_id,
            version=version,
            live=is_live,
            record_time=None if at is None else timestamp(at),
        ).SerializeToString()

    def _with_state(self, live: Live, mask: int) -> tuple[bytes, float]:
        state, until = self._state(live, live.table, mask)
        return put_news_state(state), until

    def _masks(self, viewer: Viewer, live: Live, recorded: Recorded) -> Masks:
        """Whose eyes a viewer has at each event of a commit."""
        if viewer.player not in recorded.seated.values():
            told = live.told(recorded.commit.version)
            taken: frozenset[str] | None = told.get(_TAKEN)
            if taken is None:
                seats = [event for event in recorded.events if isinstance(event, SeatTaken)]
                taken = told[_TAKEN] = frozenset([event.player for event in seats])
            if viewer.player not in taken:
                return _STRANGER
        seen = viewers(recorded.seated, recorded.events, viewer.player)
        return tuple([eyes.limit(viewer.caller, mask) for mask in seen])

    def _events(self, live: Live, recorded: Recorded, masks: Masks) -> list[bytes]:
        """The events of a commit, each as it may be seen at its version."""
        told = live.told(recorded.commit.version)
        key = ("events", masks)
        events: list[bytes] | None = told.get(key)
        if events is None:
            every = masks or (OBSERVER,) * len(recorded.events)
            events = told[key] = self._messages.event_parts(recorded, every)
        return events

    def _state(self, live: Live, table: Table, mask: int) -> tuple[bytes, float]:
        """A table as a viewer mask sees it, and until when that may be sent."""
        told = live.told(table.version)
        key = ("state", mask)
        parts: StateParts | None = told.get(key)
        if parts is None:
            parts = told[key] = self._messages.state_parts(live, table, mask)
        if parts.decision is None or table.version != live.table.version:
            return parts.whole(0), inf
        left = self._host.clocks.remaining_ms(live)
        return parts.whole(left), self._clock.monotonic() + FRESH_SECONDS if left else inf


def _after(masks: Masks) -> int:
    """The eyes after a commit: as at its last event."""
    return masks[-1] if masks else OBSERVER
