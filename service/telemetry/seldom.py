"""A log that a flood cannot fill: of each event a few lines at once, then one now and then.

What was left out is told as ``unsaid`` by the next line of its event.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from time import monotonic
from typing import Any, Final

import structlog

from service.telemetry.recorders import Tally

__all__ = ["Seldom"]

AT_ONCE: Final = 20
AGAIN_SECONDS: Final = 5.0
"""Lines of one event after a silence, and the time that brings one more."""

MOST: Final = 500
"""Events that are kept apart.  A library's text may hold anything: beyond, they are one."""


class _Event:
    """``full_at``: when all its lines may be said again."""

    __slots__ = ("full_at", "unsaid")

    def __init__(self) -> None:
        self.full_at = 0.0
        self.unsaid = 0


class Seldom:
    """Lets ``at_once`` lines of an event through, then one every ``again`` seconds.

    A processor for structlog; :meth:`allows` is a filter for handlers of the standard module.
    ``lines``: our own events, those that were left out too, by level.
    """

    def __init__(
        self,
        at_once: int = AT_ONCE,
        again: float = AGAIN_SECONDS,
        now: Callable[[], float] = monotonic,
    ) -> None:
        self._again = again
        self._most = at_once * again
        self._now = now
        self._events: dict[str, _Event] = {}
        self.lines = Tally("event", "level")

    def __call__(
        self, _logger: Any, level: str, event: structlog.typing.EventDict
    ) -> structlog.typing.EventDict:
        """The event; raises ``structlog.DropEvent`` for one too many."""
        name = str(event["event"])
        self.lines.add(name, level)
        unsaid = self._unsaid(name)
        if unsaid is None:
            raise structlog.DropEvent
        if unsaid:
            event["unsaid"] = unsaid
        return event

    def allows(self, record: logging.LogRecord) -> bool:
        """Whether a library's line is to be said.  Its event is the text without its values."""
        return self._unsaid(f"{record.name} {record.msg}") is not None

    def _unsaid(self, name: str) -> int | None:
        """How many were left out since the last line; None if this one is left out too."""
        event = self._of(name)
        now = self._now()
        full_at = max(now, event.full_at) + self._again
        if full_at - now > self._most:
            event.unsaid += 1
            return None
        event.full_at = full_at
        unsaid, event.unsaid = event.unsaid, 0
        return unsaid

    def _of(self, name: str) -> _Event:
        found = self._events.get(name)
        if found is None:
            if len(self._events) >= MOST:
                name = ""
            found = self._events.setdefault(name, _Event())
        return found
