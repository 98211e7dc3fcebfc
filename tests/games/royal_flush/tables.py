"""A Royal Flush table to play at, with decks laid in advance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from engine.actions import Action, OpenTable, TakeSeat
from engine.cards import PACK, parse_card
from engine.errors import Refused
from engine.events import Event, TableOpened
from engine.games.royal_flush import RoyalFlush
from engine.games.royal_flush.actions import StartGame
from engine.games.royal_flush.state import State
from engine.games.royal_flush.view import RoyalFlushView
from engine.kernel import HOST
from engine.notation import lines_of_text
from engine.visibility import AUDITOR, OBSERVER, seat_viewer

__all__ = ["GAME", "PLAYER", "Play", "cards", "named", "placed"]

GAME = RoyalFlush()
PLAYER = seat_viewer(0)


def cards(text: str) -> tuple[int, ...]:
    """The cards of their names."""
    return tuple(map(parse_card, text.split()))


class Deck:
    """The shuffler of one deck; what it does not name follows in canonical order."""

    def __init__(self, top: Iterable[int] = ()) -> None:
        self.top = tuple(top)

    def shuffle(self, purpose: str, pile: tuple[int, ...]) -> tuple[int, ...]:
        assert (purpose, pile) == ("GAME", PACK)
        return (*self.top, *(card for card in PACK if card not in self.top))


class Play:
    """A table: ``do`` acts and returns the events, ``refused`` returns the reason."""

    def __init__(self, state: State | None = None, deck: Iterable[int] = ()) -> None:
        self.state = GAME.initial() if state is None else state
        self.deck = Deck(deck)
        self.events: list[Event] = []

    @classmethod
    def opened(cls, deck: Iterable[int] = (), **options: str) -> Play:
        """A table without a player."""
        play = cls(deck=deck)
        play.do(HOST, OpenTable(options))
        return play

    @classmethod
    def seated(cls, deck: Iterable[int] = (), **options: str) -> Play:
        """A table with a player and no game yet."""
        play = cls.opened(deck, **options)
        play.do(0, TakeSeat("ann", 100))
        return play

    @classmethod
    def started(cls, deck: Iterable[int] = (), **options: str) -> Play:
        """A game before its first deal."""
        play = cls.seated(deck, **options)
        play.do(HOST, StartGame())
        return play

    def do(self, actor: int, action: Action) -> tuple[Event, ...]:
        made, self.state = GAME.decide(self.state, actor, action, self.deck)
        self.events += made
        return made

    def refused(self, actor: int, action: Action) -> str:
        """The reason; nothing has changed."""
        before = self.state
        with pytest.raises(Refused) as no:
            GAME.decide(self.state, actor, action, self.deck)
        assert self.state == before
        return no.value.reason

    def seen(self, viewer: int = OBSERVER) -> RoyalFlushView:
        return GAME.view(self.state, viewer)

    def fields(self) -> Mapping[str, Any]:
        """Derived lines and position lines of the server's view."""
        seen = GAME.view(self.state, AUDITOR)
        return dict(GAME.lines(seen)) | dict(GAME.derived(seen))


def placed(text: str, **options: str) -> Play:
    """A table standing in a position; raises PositionError."""
    opened = Play.opened((), **options)
    assert isinstance(opened.events[0], TableOpened)
    return Play(GAME.place(opened.state, lines_of_text(GAME.NUMBERED, text)))


def named(events: Iterable[Event]) -> list[str]:
    """The events' names."""
    return [type(event).__name__ for event in events]
