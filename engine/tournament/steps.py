"""How a decision is made: facts are believed as they are emitted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from engine.events import Event, LotDrawn
from engine.tournament.state import Tournament

__all__ = ["Draw", "Steps"]

Evolve = Callable[[Tournament, Event], Tournament]


class Draw(Protocol):
    """Supplies the only randomness there is: shuffles of an epoch of the tournament's stream."""

    def order(self, purpose: str, count: int) -> tuple[int, ...]:
        """The numbers from 0 to count - 1 in an order drawn by lot."""
        ...


class Steps:
    """Evolves while it emits, so that a decision always works on the state after its own facts."""

    __slots__ = ("_evolve", "events", "state")

    def __init__(
        self, evolve: Callable[[Tournament, Event], Tournament], state: Tournament
    ) -> None:
        self._evolve = evolve
        self.state = state
        self.events: list[Event] = []

    def emit(self, event: Event) -> None:
        """Add a fact and believe it."""
        self.events.append(event)
        self.state = self._evolve(self.state, event)

    def mark(self) -> tuple[int, Tournament]:
        """Where :meth:`back_to` comes back to."""
        return len(self.events), self.state

    def back_to(self, mark: tuple[int, Tournament]) -> None:
        """Forget what was emitted since, none of it a lot: those are drawn once."""
        count, self.state = mark
        if any(isinstance(event, LotDrawn) for event in self.events[count:]):
            raise AssertionError("lots that were drawn are forgotten")
        del self.events[count:]

    def draw(self, draw: Draw, purpose: str, count: int) -> tuple[int, ...]:
        """Draw lots and put them on record; one or none are in the order they are in."""
        if count < 2:
            return tuple(range(count))
        order = draw.order(purpose, count)
        self.emit(LotDrawn(purpose, order))
        return order

    def result(self) -> tuple[tuple[Event, ...], Tournament]:
        """What ``decide`` returns."""
        return tuple(self.events), self.state
