"""The public facts in a table's commit.  Sealed values stay sealed: there is no key here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from engine.errors import Corrupt
from engine.events import Event
from engine.kernel import AnyGame
from service.codec import Codec, PrivateValue, StoredForm
from service.store.commit import Commit, unpack_body

__all__ = ["Facts"]


class Facts:
    """Reads events by their classes; of private values it says who may see them, no more."""

    def __init__(self, codec: Codec, games: Mapping[str, AnyGame]) -> None:
        self._codec = codec
        self._games = games
        self._types: dict[frozenset[type[Event]], frozenset[int]] = {}

    def game(self, key: str) -> AnyGame:
        """The game of that id; raises ``Corrupt`` where it is not installed."""
        game = self._games.get(key)
        if game is None:
            raise Corrupt(f"a table of the unknown game {key[:64]!r}")
        return game

    def of(self, commit: Commit, wanted: Iterable[type[Event]]) -> Iterator[Event]:
        """The events of a commit that are of the ``wanted`` classes; others are not decoded.

        Raises ``Corrupt``.
        """
        codec, types = self._codec, self._types_of(frozenset(wanted))
        for form in unpack_body(commit.body, commit.count):
            if form.type in types:
                hidden = tuple(PrivateValue(slot.field, slot.audience, None) for slot in form.slots)
                yield codec.load_event(StoredForm(form.type, form.revision, form.public, hidden))

    def _types_of(self, wanted: frozenset[type[Event]]) -> frozenset[int]:
        """The stored types of classes of events; all commits are asked for few sets of them."""
        found = self._types.get(wanted)
        if found is None:
            found = self._types[wanted] = frozenset(map(self._codec.type_of, wanted))
        return found
