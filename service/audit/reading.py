"""The events in a commit as far as they can be read, and how two of them differ, in words."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Final

from engine.errors import Corrupt, Malformed
from engine.events import (
    DeckStacked,
    EpochOpened,
    EpochVoided,
    Event,
    HouseOpened,
    PacksShared,
    PositionSet,
    TableOpened,
    TimeBankUsed,
)
from engine.visibility import Private
from service.audit.chain import Link
from service.audit.secrets import Secrets
from service.codec import Codec, PrivateValue, StoredForm
from service.store.commit import Commit, StoredEvent, salt_of
from service.vault import SlotSealer

__all__ = ["Reader"]

INPUTS: Final = (
    HouseOpened,
    PacksShared,
    EpochOpened,
    EpochVoided,
    TimeBankUsed,
    DeckStacked,
    PositionSet,
)
"""Facts that do not all follow from what was before; see ``Decider``."""


class Reader:
    """Reads the commits of one stream with the secrets that are known."""

    def __init__(self, codec: Codec, secrets: Secrets) -> None:
        self._codec = codec
        self._secrets = secrets
        self._inputs = frozenset(codec.type_of(kind) for kind in INPUTS)
        self._opened = codec.type_of(TableOpened)

    def opening(self, link: Link) -> TableOpened | None:
        """The fact that opens a table, where its first commit has it."""
        for form in link.forms or ():
            if form.type == self._opened:
                try:
                    event = self._codec.load_event(
                        StoredForm(form.type, form.revision, form.public, ())
                    )
                except Corrupt:
                    return None
                return event if isinstance(event, TableOpened) else None
        return None

    def inputs(self, link: Link) -> list[Event]:
        """The facts of a commit that did not follow from others; raises ``Corrupt``."""
        return [
            self._event(link.commit, number, form, known=True)
            for number, form in enumerate(link.forms or (), 1)
            if form.type in self._inputs
        ]

    def events(self, link: Link, *, known: bool) -> tuple[Event, ...]:
        """All events of a commit, private values hidden where no key is ``known``.

        Raises ``Corrupt``.
        """
        if link.forms is None:
            raise Corrupt("the body is not in the stored format")
        return tuple(
            self._event(link.commit, number, form, known=known)
            for number, form in enumerate(link.forms, 1)
        )

    def _event(self, commit: Commit, number: int, form: StoredEvent, *, known: bool) -> Event:
        sealed = any(slot.ciphertext for slot in form.slots)
        private: list[PrivateValue] = []
        sealer = self._sealer(commit) if sealed and known else None
        for slot in form.slots:
            if not slot.ciphertext:
                private.append(PrivateValue(slot.field, slot.audience, None))
            elif sealer is None:
                # Nobody's eyes: a value that is not shown.
                private.append(PrivateValue(slot.field, 0, None))
            else:
                plain = sealer.open(
                    commit.expected + number, slot.field, slot.audience, slot.ciphertext
                )
                private.append(PrivateValue(slot.field, slot.audience, plain))
        try:
            return self._codec.load_event(
                StoredForm(form.type, form.revision, form.public, tuple(private))
            )
        except Malformed as error:
            raise Corrupt(f"event type {form.type}: {error}") from None

    def _sealer(self, commit: Commit) -> SlotSealer:
        keys = self._secrets.keys(commit.epoch)
        return SlotSealer(keys, base=commit.expected, salt=salt_of(commit.body))

    # --- differences --------------------------------------------------------------------------

    def name(self, form: StoredEvent) -> str:
        """What an event is called."""
        try:
            return self._codec.event_kind(form.type).__name__
        except Corrupt:
            return f"event type {form.type}"

    def difference(
        self, commit: Commit, number: int, expected: StoredEvent, found: StoredEvent
    ) -> tuple[str, str]:
        """What an event should be and what it is, private values by their audiences only."""
        due = self._event(commit, number, expected, known=True)
        try:
            there = self._event(commit, number, found, known=True)
        except Corrupt as error:
            return self.name(expected), f"{self.name(found)}; {error}"
        if type(due) is not type(there):
            return type(due).__name__, type(there).__name__
        if due == there:
            return type(due).__name__, "the same in other bytes"
        return _parts(due, there), _parts(there, due)


def _parts(event: Event, other: Event) -> str:
    """The fields of an event in which another differs."""
    told = []
    for field in fields(event):  # type: ignore[arg-type]  # every event is a dataclass
        mine, theirs = getattr(event, field.name), getattr(other, field.name)
        if mine != theirs:
            told.append(f"{field.name}={_shown(mine, theirs)}")
    return f"{type(event).__name__} {' '.join(told)}"


def _shown(mine: Any, theirs: Any) -> str:
    if isinstance(mine, Private) and isinstance(theirs, Private):
        if mine.audience != theirs.audience:
            return f"(for {mine.audience:#010x})"
        return "(another hidden value)"
    return repr(mine)
