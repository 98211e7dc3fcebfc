"""What all laws share: a game, its walks, what a viewer receives of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from random import Random
from typing import Any, ClassVar

from hypothesis import HealthCheck, Phase, currently_in_test_context, note, settings
from hypothesis import strategies as st

from engine.events import Event
from engine.fields import FieldKind, describe
from engine.house import Table, decision
from engine.kernel import AnyGame
from engine.visibility import AUDITOR, OBSERVER, Private, redact, seat_viewer
from tests.laws.walks import Attempt, Options, walk

__all__ = ["LENGTHS", "SEEDS", "Walks", "cards_in", "faces", "law", "received", "transcript"]

SEEDS = st.integers(0, 2**32 - 1)
LENGTHS = st.integers(1, 60)

_CHECKS = (HealthCheck.too_slow, HealthCheck.differing_executors)
_PHASES = (Phase.explicit, Phase.generate, Phase.shrink)


def law(examples: int) -> settings:
    """Settings of one law: the same walks every time, however long they take."""
    return settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        phases=_PHASES,
        suppress_health_check=_CHECKS,
    )


def cards_in(value: object) -> Iterator[int]:
    """The faces in a value, hidden ones left out."""
    if isinstance(value, tuple):
        for item in value:
            yield from cards_in(item)
    elif isinstance(value, int) and value:
        yield value


def faces(record: Event) -> Iterator[int]:
    """The cards whose faces an event, redacted or not, shows."""
    for field in describe(type(record)):
        if field.kind in {FieldKind.CARD, FieldKind.CARDS, FieldKind.GROUPS}:
            yield from cards_in(_bare(getattr(record, field.name)))


def _bare(value: Any) -> object:
    return value.value if isinstance(value, Private) else value


def _in_full(event: Event) -> object:
    """An event with what it shows: the text of a private value leaves its value out."""
    values = (getattr(event, field.name) for field in fields(event))
    shown = [tuple(each) if isinstance(each, Private) else each for each in values]
    return type(event).__name__, shown


def received(one: Attempt, viewer: int) -> str:
    """Everything a viewer receives of an attempt and may ask for after it."""
    game, state = one.after.game, one.after.state
    seats = [seat for seat in range(game.seats(state)) if seat_viewer(seat) & viewer]
    told: list[object] = [_in_full(redact(event, viewer)) for event in one.events]
    if one.reason and one.actor in seats:
        told += [one.reason, one.detail]
    seen = game.view(state, viewer)
    told += [seen, game.lines(seen), game.derived(seen), decision(one.after)]
    told += [game.legal_actions(state, seat) for seat in seats]
    return repr(told)


def transcript(tried: list[Attempt]) -> str:
    """All that a table's life makes, as text."""
    return "\n".join(received(one, AUDITOR) + one.reason + one.detail for one in tried)


class Walks:
    """A game, and walks over its tables."""

    game: ClassVar[AnyGame]

    announces: ClassVar[tuple[type[Event], ...]] = ()
    """Events whose public fields tell what hidden cards decided, such as who won a battle."""

    options: ClassVar[Options | None] = None
    """Draws options that go together, where those drawn one by one mostly do not."""

    hidden_cards_bind: ClassVar[bool] = False
    """Whether what a player may do depends on cards that others do not see."""

    def viewers(self, table: Table) -> list[int]:
        """Each seat alone, each as the service makes it, an observer, an auditor."""
        seats = [seat_viewer(seat) for seat in range(table.game.seats(table.state))]
        return [*seats, *(seat | OBSERVER for seat in seats), OBSERVER, AUDITOR]

    def walk(self, seed: int, length: int) -> list[Attempt]:
        """The walk of a seed; its beginning does not depend on its length."""
        tried = walk(Random(seed), self.game, length, self.options)
        for one in tried if currently_in_test_context() else ():
            note(f"{one.actor}: {one.action} {one.reason}")
        return tried

    def accepted(self, seed: int, length: int) -> list[Attempt]:
        """The accepted attempts of a walk."""
        return [one for one in self.walk(seed, length) if not one.reason]
