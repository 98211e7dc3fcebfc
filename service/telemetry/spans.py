"""Spans: named stretches of one call's time, for whoever traces calls.

The service marks them and does not know who listens; without a tracer they are nothing.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Final, Protocol

__all__ = ["Span", "Spans", "no_spans"]


class Span(Protocol):
    """A stretch that has begun."""

    def fail(self, reason: str) -> None:
        """Say that it did not come to what it was for; ``reason`` is a word, never a text."""


class Spans(Protocol):
    """Makes spans; those begun inside of another belong to it."""

    def __call__(self, name: str, **facts: str | int) -> AbstractContextManager[Span]:
        """A span for the time of a block.  ``facts`` are words and numbers that a log may hold."""


class _Nothing:
    def fail(self, reason: str) -> None:
        """Nobody listens."""


_NOTHING: Final = nullcontext(_Nothing())


def no_spans(name: str, **facts: str | int) -> AbstractContextManager[Span]:  # noqa: ARG001
    """Spans that nobody looks at."""
    return _NOTHING
