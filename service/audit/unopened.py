"""What must hold of a commit that nothing at hand opens: all that is public about it.

What is sealed may be anything until its epoch is told.  So nothing else may be, or whoever forges a
commit need only see to it that nobody can open it.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from engine.events import (
    DeckStacked,
    EpochClosed,
    EpochOpened,
    EpochVoided,
    Event,
    HouseOpened,
    PacksShared,
    PositionSet,
)
from engine.house import Table, hand_between, running_hand
from engine.kernel import HOST
from engine.managed import is_managed
from engine.occupancy import seated_at
from service.audit.deciding import NOBODY, Differs, Given, epoch_of
from service.host.dealing import turn_of_epoch
from service.store.commit import ActorKind, Commit
from service.vault import EpochKeys

__all__ = ["require_public"]


def require_public(before: Table, commit: Commit, events: Sequence[Event], after: Table) -> None:
    """Raises ``Differs`` where a commit cannot be what it says, whatever is sealed in it."""
    due = epoch_of(before, events)
    if commit.epoch != due:
        # Else it could be said to be of any epoch, so that nobody looks into it.
        raise Differs("epoch", f"epoch {due}", f"epoch {commit.epoch}")
    void = any(isinstance(event, EpochVoided) for event in events)
    hand = running_hand(before) if void else hand_between(before, after)
    if commit.hand != (hand if before.version else 0):
        raise Differs("hand", str(hand), str(commit.hand))
    if not before.version:
        _require_opening(commit, events)
        return
    if not before.house.lab:
        _require_no_lab(events)
        _require_actor(before, commit, after)
    if void:
        _require_void(before, commit, events)
    else:
        _require_turn(before, commit, events)


def _require_opening(commit: Commit, events: Sequence[Event]) -> None:
    house = events[0]
    managed = isinstance(house, HouseOpened) and ("purse", "tournament") in house.options
    # Only tables of tournaments deal packs that others deal too.
    names = [
        type(event).__name__ for event in events if not (managed and isinstance(event, PacksShared))
    ]
    if names != ["HouseOpened", "EpochOpened", "TableOpened"]:
        raise Differs("event", "HouseOpened, EpochOpened, TableOpened", ", ".join(names))
    if not managed and isinstance(house, HouseOpened) and house.host != str(commit.actor):
        raise Differs("house", f"a house of {commit.actor}", house.host)
    kind = ActorKind.PROCESS if managed else ActorKind.HOST
    if commit.actor_kind != kind or commit.seat != HOST:
        expected = f"an actor of kind {kind}"
        raise Differs("actor", expected, f"an actor of kind {commit.actor_kind}")


def _require_no_lab(events: Sequence[Event]) -> None:
    for event in events:
        if isinstance(event, HouseOpened | PacksShared | DeckStacked | PositionSet):
            raise Differs("event", "none of the laboratory", type(event).__name__)


def _require_actor(before: Table, commit: Commit, after: Table) -> None:
    kind, seat = commit.actor_kind, commit.seat
    if kind == ActorKind.PLAYER and seat >= 0:
        owner = seated_at(before).get(seat) or seated_at(after).get(seat)
        if owner != str(commit.actor):
            raise Differs("actor", f"the player of seat {seat}, {owner}", str(commit.actor))
    elif kind != ActorKind.PROCESS and (
        kind != ActorKind.HOST or seat != HOST or is_managed(before.house)
    ):
        expected = "a player at his seat, a host, or the service"
        raise Differs("actor", expected, f"an actor of kind {kind} at seat {seat}")


def _require_void(before: Table, commit: Commit, events: Sequence[Event]) -> None:
    running = any(
        isinstance(event, EpochVoided) and event.epoch == before.house.epoch for event in events
    )
    names = [type(event).__name__ for event in events]
    voids = len(events) - running
    if names != ["EpochVoided"] * voids + ["EpochOpened"] * running:
        raise Differs("void", f"{voids} epochs that are void and the next", ", ".join(names))
    if commit.actor_kind != ActorKind.PROCESS or commit.seat != HOST:
        raise Differs("actor", "the service by itself, where a key is lost", "another")


class _Unknown:
    """Keys of epochs whose secrets do not matter here."""

    def __init__(self, stream: UUID) -> None:
        self._stream = stream

    def keys(self, epoch: int) -> EpochKeys:
        """Some."""
        return EpochKeys(self._stream, epoch, bytes(32))


def _require_turn(before: Table, commit: Commit, events: Sequence[Event]) -> None:
    """Epochs end, and others open, in the very commit in which they are due, and in no other."""
    play = tuple(event for event in events if not isinstance(event, EpochClosed | EpochOpened))
    right, _, _ = turn_of_epoch(
        commit.stream, before, play, commit.seat, _Unknown(commit.stream), NOBODY, Given()
    )
    due, found = (list(map(_told, some[len(play) :])) for some in (right, events))
    if due != found:
        told = [", ".join(some) or "no epoch that ends or opens" for some in (due, found)]
        raise Differs("epoch", *told)


def _told(event: Event) -> str:
    match event:
        case EpochClosed(epoch, secret):
            return f"EpochClosed {epoch} for {secret.audience:#010x}"
        case EpochOpened(epoch):
            return f"EpochOpened {epoch}"
        case _:
            return type(event).__name__
