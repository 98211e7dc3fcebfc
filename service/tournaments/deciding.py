"""Deciding: from what is asked of a tournament to the events of a commit, the house's too."""

from __future__ import annotations

from hashlib import sha256
from uuid import UUID

from engine.actions import Action
from engine.errors import Corrupt, Refused
from engine.events import EpochClosed, EpochVoided, Event
from engine.tournament.actions import CancelTournament
from engine.tournament.decider import decide
from engine.tournament.housed import Housed, house_after, is_over, with_events
from engine.visibility import EVERYONE, Private
from service.host.commands import process_command_id, stream_of
from service.host.voiding import REASON
from service.vault import EpochKeys, EpochShuffler
from service.vault.framing import pack

__all__ = ["OPENING", "RULES", "decided", "packs_id", "table_stream"]

RULES = 1
"""Revision of the rules of tournaments."""

_PACKS = b"kartejo/v1/packs"

OPENING = "1 open"
"""The step by which a table is opened that a tournament has drawn."""


class _Lots:
    """Lots of the tournament: shuffles of its epoch."""

    def __init__(self, keys: EpochKeys, drawn: int) -> None:
        self._shuffler = EpochShuffler(keys, (), drawn)

    def order(self, purpose: str, count: int) -> tuple[int, ...]:
        """See ``Draw``."""
        return self._shuffler.lots(purpose, count)


class _NoLots:
    """Where nothing can be drawn any more."""

    def order(self, purpose: str, count: int) -> tuple[int, ...]:
        """Refuses."""
        raise Refused("ALREADY_OVER", purpose=purpose, count=count)


def decided(
    before: Housed,
    keys: EpochKeys | None,
    actor: str | None,
    action: Action,
    *,
    lost: bool = False,
) -> tuple[tuple[Event, ...], Housed]:
    """The events of an action, and the tournament after them.

    Raises ``Refused``, and ``Corrupt`` where nothing opens its epoch.  If its master key is
    ``lost`` for good no lot can be drawn any more: it can be cancelled, and nothing else.

    The epoch is told to everybody in the commit with which the tournament has its end.
    """
    epoch = before.house.epoch
    if keys is None and epoch and not (lost and isinstance(action, CancelTournament)):
        raise Corrupt("nothing opens the epoch of the tournament")
    lots = _Lots(keys, before.house.shuffles) if keys else _NoLots()
    events, state = decide(before.state, actor, action, lots)
    after = Housed(state, house_after(before.house, events))  # ``decide`` has folded its facts
    if not epoch or not is_over(state):
        return events, after
    end = (
        EpochVoided(epoch, REASON, "")
        if keys is None
        else EpochClosed(epoch, Private(keys.reveal(), EVERYONE))
    )
    return (*events, end), with_events(after, [end])


def packs_id(tournament: UUID, word: str) -> UUID:
    """What stands for the packs of a tournament's tables that deal the same ones."""
    return stream_of(sha256(pack(_PACKS, tournament.bytes, word.encode())).digest()[:16])


def table_stream(tournament: UUID, drawn: int) -> UUID:
    """The stream of the table that the event of version ``drawn`` has drawn."""
    return stream_of(process_command_id(tournament, drawn, OPENING))
