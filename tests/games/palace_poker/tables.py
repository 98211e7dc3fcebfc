"""A Palace Poker table to play at, with decks laid in advance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from engine.actions import Action, OpenTable, TakeSeat
from engine.cards import parse_card
from engine.errors import Refused
from engine.events import Event
from engine.games.palace_poker import PalacePoker
from engine.games.palace_poker.actions import StartHand
from engine.games.palace_poker.state import State
from engine.games.palace_poker.view import PalacePokerView
from engine.kernel import HOST
from engine.notation import lines_of_text
from engine.script import ScriptedShuffler, event_text
from engine.visibility import AUDITOR, OBSERVER, redact, seat_viewer

__all__ = ["GAME", "THREE", "Play", "cards", "named", "placed", "seen_by"]

GAME = PalacePoker()

THREE = """
    phase TURN
    hand 1
    stacks 0=100 1=100 2=100
    dealer 2
    paid 0=5 1=5 2=5
    banner 0 9c
    banner 1 8d
    banner 2 7h
    palace 0 Ah Ad 4s
    palace 1 Kc Kh 3s
    palace 2 Qc Qd 2s
    turn 0
"""
"""Three players after the deal; lines of a test replace those of the same key."""


def cards(text: str) -> tuple[int, ...]:
    """The cards of their names."""
    return tuple(map(parse_card, text.split()))


class Play:
    """A table: ``do`` acts and returns the events as text, ``refused`` returns the reason."""

    def __init__(self, state: State | None = None, decks: Iterable[str] = ()) -> None:
        self.state = GAME.initial() if state is None else state
        self.shuffler = ScriptedShuffler([cards(deck) for deck in decks])
        self.events: tuple[Event, ...] = ()

    @classmethod
    def seated(cls, stacks: Mapping[int, int], decks: Iterable[str] = (), **options: str) -> Play:
        """A table with players and no hand; ``dealer`` is a start fact."""
        play = cls(decks=decks)
        start = {name: options.pop(name) for name in ("dealer",) if name in options}
        play.do(HOST, OpenTable(options, start))
        for seat, chips in stacks.items():
            play.do(seat, TakeSeat(f"p{seat}", chips))
        return play

    @classmethod
    def started(cls, stacks: Mapping[int, int], decks: Iterable[str] = (), **options: str) -> Play:
        """A hand before its first turn."""
        play = cls.seated(stacks, decks, **options)
        play.do(HOST, StartHand())
        return play

    def do(self, actor: int, action: Action) -> list[str]:
        self.events, self.state = GAME.decide(self.state, actor, action, self.shuffler)
        return [event_text(event) for event in self.events]

    def refused(self, actor: int, action: Action) -> str:
        """The reason; nothing has changed."""
        before = self.state
        with pytest.raises(Refused) as no:
            GAME.decide(self.state, actor, action, self.shuffler)
        assert self.state == before
        return no.value.reason

    def seen(self, viewer: int = AUDITOR) -> PalacePokerView:
        return GAME.view(self.state, viewer)

    def line(self, key: str, viewer: int = AUDITOR) -> str:
        """A line of the position, empty if it is left out."""
        return dict(GAME.lines(self.seen(viewer))).get(key, "")

    def offered(self, seat: int) -> dict[str, list[Any]]:
        """Names of the offered actions, with their limits."""
        found: dict[str, list[Any]] = {}
        for offer in GAME.legal_actions(self.state, seat):
            found.setdefault(offer.action.__name__, []).append(offer.limits)
        return found


def placed(text: str, base: str = THREE, decks: Iterable[str] = (), **options: str) -> Play:
    """A table standing in a position: the base with other lines; a lone ``-`` takes one away."""
    lines = dict(lines_of_text(GAME.NUMBERED, base)) if base else {}
    for key, value in lines_of_text(GAME.NUMBERED, text):
        lines[key] = value
    kept = [(key, value) for key, value in lines.items() if value != "-"]
    opened = Play.seated({}, **options)
    return Play(GAME.place(opened.state, kept), decks)


def named(events: Iterable[Event | str]) -> list[str]:
    """The events' names."""
    return [e.split()[0] if isinstance(e, str) else type(e).__name__ for e in events]


def seen_by(play: Play, seat: int | None, kind: type[Event]) -> list[str]:
    """The last events of a kind as a seat, or an observer, was sent them."""
    viewer = OBSERVER if seat is None else seat_viewer(seat)
    return [event_text(redact(e, viewer)) for e in play.events if isinstance(e, kind)]
