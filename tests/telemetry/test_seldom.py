"""A flood of one event leaves room for the others, and is told in numbers."""

from __future__ import annotations

import logging
from typing import Any

import pytest
import structlog

from service.telemetry.seldom import MOST, Seldom


class Log:
    """What a processor lets through, and a clock to move."""

    def __init__(self, at_once: int = 3, again: float = 5.0) -> None:
        self.time = 1_000.0
        self._seldom = Seldom(at_once, again, lambda: self.time)
        self.lines = self._seldom.lines

    def says(self, event: str, **fields: Any) -> dict[str, Any] | None:
        try:
            return dict(self._seldom(None, "error", {"event": event, **fields}))
        except structlog.DropEvent:
            return None


def test_of_a_flood_the_first_lines_are_said_and_then_one_now_and_then() -> None:
    log = Log()
    said = [log.says("corrupt", number=number) for number in range(1_000)]
    assert said[:3] == [{"event": "corrupt", "number": number} for number in range(3)]
    assert said[3:] == [None] * 997
    assert log.lines.counts == {("corrupt", "error"): 1_000}
    log.time += 4.9
    assert log.says("corrupt") is None
    log.time += 0.2
    assert log.says("corrupt") == {"event": "corrupt", "unsaid": 998}
    assert log.says("corrupt") is None


def test_a_library_that_floods_is_cut_short_too() -> None:
    """Whatever values it puts into its text; others of its lines are said."""
    seldom = Seldom(3, 5.0, lambda: 0.0)

    def allowed(text: str, *values: int) -> bool:
        record = logging.LogRecord("a.library", logging.WARNING, "", 0, text, values, None)
        return seldom.allows(record)

    assert [allowed("peer %d is slow", number) for number in range(5)] == [True] * 3 + [False] * 2
    assert allowed("peer %d is gone", 1)


def test_a_flood_of_one_event_hides_no_other() -> None:
    log = Log()
    for _ in range(100):
        log.says("corrupt")
    assert log.says("database_gone") == {"event": "database_gone"}


@pytest.mark.parametrize(("seconds", "lines"), [(0, 0), (5, 1), (10, 2), (15, 3), (86_400, 3)])
def test_a_silence_brings_lines_back_up_to_their_number(seconds: float, lines: int) -> None:
    log = Log()
    for _ in range(10):
        log.says("corrupt")
    log.time += seconds
    assert sum(log.says("corrupt") is not None for _ in range(10)) == lines


def test_events_of_any_number_are_kept_in_bounded_memory() -> None:
    """A library may log what it likes: what comes beyond is limited together."""
    log = Log()
    said = [log.says(f"text {number}") for number in range(MOST + 50)]
    assert None not in said[:MOST]
    assert sum(line is not None for line in said[MOST:]) == 3
    assert len(log._seldom._events) == MOST + 1
