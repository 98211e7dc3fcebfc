"""What a process was told: every acknowledged action, and what every watcher saw, by table."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import Any, Final, NamedTuple

from engine.events import COMMON_EVENTS, HOUSE_EVENTS, Event
from engine.fields import describe
from engine.games import GAMES
from service.codec import snake_case
from service.pb import table_service_pb2 as pb

__all__ = ["UNTOLD", "Acknowledged", "Journal", "Seen", "Sequence", "fingerprint"]


def _private(kinds: Iterable[type[Event]]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for kind in kinds:
        yield (
            snake_case(kind.__name__),
            tuple(info.word for info in describe(kind) if info.private),
        )


UNTOLD: Final = -1
"""The fingerprint of events that an answer does not name: those that open a table."""

_PRIVATE: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "common": dict(_private(COMMON_EVENTS)),
    "house": dict(_private(HOUSE_EVENTS)),
    **{key: dict(_private(game.EVENTS)) for key, game in GAMES.items()},
}
"""By family and name of an event: its fields that not everybody gets to see."""


def fingerprint(events: Iterable[pb.TableEvent]) -> int:
    """56 bits for the events of a commit, the same whoever got them.

    Private fields are taken out of ``events`` for it: what differs between viewers is only there.
    """
    found = blake2b(digest_size=7)
    for each in events:
        family = each.event.WhichOneof("family") or ""
        inner: Any = getattr(each.event, family)
        name = inner.WhichOneof("event")
        fact = getattr(inner, name)
        for field in _PRIVATE[family][name]:
            fact.ClearField(field)
        found.update(each.SerializeToString(deterministic=True))
    return int.from_bytes(found.digest(), "big")


class Acknowledged(NamedTuple):
    """An answer: to which request (its number in the process), and the commit that it told of.

    ``count``: events of the commit; ``version``: that of the table after them; ``actor``: whose
    request it was, a seat, or -1 for the host; ``mark``: their fingerprint, or ``UNTOLD``.
    """

    request: int
    actor: int
    version: int
    count: int  # type: ignore[assignment]  # the store's word; tuple.count is not used
    mark: int


class Seen(NamedTuple):
    """A commit as it was sent to a watcher, or as it is stored."""

    version: int
    count: int  # type: ignore[assignment]
    mark: int


class Sequence:
    """Commits in the order in which they came, in little memory."""

    def __init__(self, commits: Iterable[Seen] = ()) -> None:
        self._numbers = array("q")
        for each in commits:
            self.add(each)

    def add(self, seen: Seen) -> None:
        """The next one."""
        self._numbers.extend(seen)

    def __len__(self) -> int:
        return len(self._numbers) // 3

    def __iter__(self) -> Iterator[Seen]:
        numbers = iter(self._numbers)
        return (Seen(*each) for each in zip(numbers, numbers, numbers, strict=True))

    @property
    def last_version(self) -> int:
        """Version after the newest; 0 before the first."""
        return self._numbers[-3] if self._numbers else 0


class Journal:
    """What was told of one table.

    ``unknown``: requests that nobody answered for good, and whose they were; each was stored once,
    or not at all.
    """

    def __init__(self, game: str, table: str) -> None:
        self.game = game
        self.table = table
        self._answers = array("q")
        self.unknown: dict[int, int] = {}
        self.watchers: list[Sequence] = []

    def acknowledge(self, answer: Acknowledged) -> None:
        """Somebody was told that his action is stored."""
        self._answers.extend(answer)

    def join(self, other: Journal) -> None:
        """Take over what another process was told of the same table."""
        self._answers.extend(other._answers)
        self.unknown |= other.unknown

    def answers(self) -> Iterator[Acknowledged]:
        """All of them, in the order in which they came."""
        numbers = iter(self._answers)
        return (Acknowledged(*each) for each in zip(*[numbers] * 5, strict=True))

    def __len__(self) -> int:
        return len(self._answers) // 5
