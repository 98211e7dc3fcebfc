"""Where a script is played: the seam between the runner and an engine or a service.

The methods are coroutines because a stage may have to wait for a service; :class:`LocalStage`,
which decides in process, never does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from engine.actions import Action, HostAction, OpenTable, TakeSeat
from engine.errors import KartejoError, Refused
from engine.events import Event
from engine.kernel import HOST, AnyGame, Lines, Lists
from engine.script.patterns import action_name, default_player
from engine.visibility import redact

__all__ = [
    "LocalStage",
    "NoShuffle",
    "NotOffered",
    "Opening",
    "Plays",
    "ScriptedShuffler",
    "Stage",
]


class NoShuffle(KartejoError):
    """A shuffle that the script does not supply, or not of these cards.

    ``deck``: index of the ``deck:`` line that does not fit, or the number of lines there were.
    """

    reason = "NO_SHUFFLE"

    def __init__(self, deck: int, message: str) -> None:
        self.deck = deck
        super().__init__(message)


class NotOffered(KartejoError):
    """A check that this game knows nothing of."""

    reason = "NOT_OFFERED"


class Plays(NamedTuple):
    """The legal plays of a seat: how many of each kind, such as ``captures``, and their texts.

    ``truncated``: there are more than are listed.
    """

    counts: Mapping[str, int]
    texts: tuple[str, ...]
    truncated: bool


@dataclass(frozen=True, slots=True)
class Opening:
    """What the header of a script asks of a stage.

    ``has_table``: open a table with ``options`` and ``start``, seat (seat, chips) under the names
    ``p<seat>``, let the host do ``actions``; or, when ``given`` is not empty, set the position.
    ``decks``: the results of the shuffles, each continued in canonical order.
    """

    has_table: bool = True
    options: Mapping[str, str] = field(default_factory=dict[str, str])
    start: Mapping[str, str] = field(default_factory=dict[str, str])
    seats: tuple[tuple[int, int], ...] = ()
    actions: tuple[HostAction, ...] = ()
    decks: tuple[tuple[int, ...], ...] = ()
    given: tuple[tuple[str, str], ...] = ()


class Stage(Protocol):
    """Plays one script.  Viewers are audience masks; AUDITOR is the server's own view."""

    async def open(self, opening: Opening) -> None:
        """Do what the header says.  Raises ``Refused``, ``PositionError``, ``NoShuffle``."""
        ...

    async def act(self, actor: int, action: Action) -> tuple[Event, ...]:
        """The events of an accepted action, as the server sees them.

        Raises ``Refused``, ``NoShuffle``.
        """
        ...

    async def events(self, viewer: int) -> tuple[Event, ...]:
        """The events of the last accepted action as they were sent to a viewer."""
        ...

    async def lines(self, viewer: int) -> Lines:
        """The position a viewer sees, defaults left out; nothing before there is a table."""
        ...

    async def derived(self, viewer: int) -> Lines:
        """The lines that follow from those."""
        ...

    async def legal(self, seat: int) -> tuple[str, ...]:
        """The names of the actions a seat is offered."""
        ...

    async def plays(self, seat: int, limit: int) -> Plays:
        """The legal plays of a seat, ``limit`` listed at most.

        Raises ``NotOffered`` when the game does not list them.
        """
        ...


class ScriptedShuffler:
    """Shuffles with the results of ``deck:`` lines, in the order in which they are needed (2.2)."""

    def __init__(self, decks: Sequence[tuple[int, ...]] = ()) -> None:
        self._decks = tuple(decks)
        self.used = 0

    def shuffle(self, purpose: str, pile: tuple[int, ...]) -> tuple[int, ...]:
        """The cards of the next deck, then those it does not name; raises ``NoShuffle``."""
        index = self.used
        if index == len(self._decks):
            raise NoShuffle(index, f"no deck: line is left for the shuffle {purpose}")
        named = self._decks[index]
        if not set(named) <= set(pile):
            raise NoShuffle(index, f"the shuffle {purpose} has not all of these cards")
        self.used += 1
        return named + tuple(card for card in sorted(pile) if card not in named)


class LocalStage:
    """Plays a script with the engine in process."""

    def __init__(self, game: AnyGame) -> None:
        self._game = game
        self._state: Any = game.initial()
        self._events: tuple[Event, ...] = ()
        self._shuffler = ScriptedShuffler()
        self._has_table = False

    async def open(self, opening: Opening) -> None:
        """See :class:`Stage`."""
        self._shuffler = ScriptedShuffler(opening.decks)
        if not opening.has_table:
            return
        self._do(HOST, OpenTable(opening.options, opening.start))
        if opening.given:
            self._state = self._game.place(self._state, opening.given)
        for seat, chips in opening.seats:
            self._do(seat, TakeSeat(default_player(seat), chips))
        for action in opening.actions:
            self._do(HOST, action)
        self._events = ()

    async def act(self, actor: int, action: Action) -> tuple[Event, ...]:
        """See :class:`Stage`."""
        used = self._shuffler.used
        try:
            self._do(actor, action)
        except Refused:
            self._events = ()
            self._shuffler.used = used
            raise
        return self._events

    def _do(self, actor: int, action: Action) -> None:
        decided = self._game.decide(self._state, actor, action, self._shuffler)
        self._events, self._state = decided
        self._has_table = True

    async def events(self, viewer: int) -> tuple[Event, ...]:
        """See :class:`Stage`."""
        return tuple(redact(event, viewer) for event in self._events)

    async def lines(self, viewer: int) -> Lines:
        """See :class:`Stage`."""
        if not self._has_table:
            return []
        return self._game.lines(self._game.view(self._state, viewer))

    async def derived(self, viewer: int) -> Lines:
        """See :class:`Stage`."""
        if not self._has_table:
            return []
        return self._game.derived(self._game.view(self._state, viewer))

    async def legal(self, seat: int) -> tuple[str, ...]:
        """See :class:`Stage`."""
        offers = self._game.legal_actions(self._state, seat)
        return tuple(action_name(offer.action) for offer in offers)

    async def plays(self, seat: int, limit: int) -> Plays:
        """See :class:`Stage`."""
        game: object = self._game
        if not isinstance(game, Lists):
            raise NotOffered(f"{self._game.key} does not list its plays")
        try:
            found = game.listing(self._state, seat, limit)
        except Refused as refused:
            raise NotOffered(f"{self._game.key} does not list its plays") from refused
        return Plays(dict(found.counts), tuple(play.text for play in found.plays), found.truncated)
