"""A Pontoon table to play at, with decks laid in advance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random
from typing import Any

import pytest

from engine.actions import Action, OpenTable, TakeSeat
from engine.cards import parse_card
from engine.errors import Refused
from engine.events import Event
from engine.games.pontoon import Pontoon
from engine.games.pontoon.actions import StartGame
from engine.games.pontoon.state import State
from engine.games.pontoon.view import PontoonView
from engine.kernel import HOST
from engine.notation import lines_of_text
from engine.script import ScriptedShuffler, event_text
from engine.visibility import AUDITOR, OBSERVER, redact, seat_viewer

__all__ = ["GAME", "PLAYING", "Play", "cards", "named", "options", "placed", "seen_by"]

GAME = Pontoon()

PLAYING = """
    phase PLAYER_TURNS
    deal 1
    stacks 0=1000 1=400 2=400
    banker 0
    bank_hand Kd 9h
    hands 1 1[8c 7c]
    hands 2 1[Qc 5s]
    bets 1=20 2=40
"""
"""Two punters who have bet; lines of a test replace those of the same key."""


def options(rng: Random) -> dict[str, str]:
    """Every option, drawn so that they go together (3, 3.1)."""
    low = rng.choice((1, 2, 5, 10))
    seats = rng.randint(2, 8)
    start = rng.randint(2, min(seats, 4))
    fixed = rng.randrange(6) == 0
    nominated = fixed or rng.randrange(3) == 0
    found = {
        "shoot": rng.choice(("true", "true", "false")),
        "min_bet": str(low),
        "max_bet": str(low * rng.choice((1, 2, 10))),
        "max_seats": str(seats),
        "min_players_to_start": str(start),
        "min_players_to_continue": str(rng.randint(2, start)),
        "first_banker": "nominated" if nominated else "cut",
        "stick_min": rng.choice(("15", "16")),
        "split_rule": rng.choice(("any_pair", "any_pair", "aces_only")),
        "split_pontoon": rng.choice(("true", "false")),
        "soft_21_draw": rng.choice(("true", "false")),
        "cover_mode": rng.choice(("full_cover", "table_stakes")),
        "bank_sale": "off"
        if fixed
        else rng.choice(("any_time", "any_time", "between_deals", "off")),
        "bank_passes_on_tied_pontoon": rng.choice(("true", "false")),
        "bank_passes": "never" if fixed else "by_rule",
        "shuffle_each_deal": rng.choice(("true", "false", "false")),
        "reveal_losers": rng.choice(("true", "false")),
        "max_deals": rng.choice(("0", "0", "0", "2", "7")),
    }
    if nominated:
        found["nominated_seat"] = str(rng.randrange(seats))
    return found


def cards(text: str) -> tuple[int, ...]:
    """The cards of their names."""
    return tuple(map(parse_card, text.replace("|", " ").split()))


class Play:
    """A table: ``do`` acts and returns the events as text, ``refused`` returns the reason."""

    def __init__(self, state: State | None = None, decks: Iterable[str] = ()) -> None:
        self.state = GAME.initial() if state is None else state
        self.shuffler = ScriptedShuffler([cards(deck) for deck in decks])
        self.events: tuple[Event, ...] = ()

    @classmethod
    def seated(cls, stacks: Mapping[int, int], decks: Iterable[str] = (), **options: str) -> Play:
        """A table with players that waits for the host."""
        play = cls(decks=decks)
        play.do(HOST, OpenTable({"min_players_to_start": "2", **options}))
        for seat, chips in stacks.items():
            play.do(seat, TakeSeat(f"p{seat}", chips))
        return play

    @classmethod
    def banked(
        cls, stacks: Mapping[int, int], decks: Iterable[str] = (), bank: int = 0, **options: str
    ) -> Play:
        """A table with a banker, before its first deal."""
        nominated = {"first_banker": "nominated", "nominated_seat": str(bank)}
        play = cls.seated(stacks, decks, **nominated, **options)
        play.do(HOST, StartGame())
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

    def seen(self, viewer: int = AUDITOR) -> PontoonView:
        return GAME.view(self.state, viewer)

    def line(self, key: str, viewer: int = AUDITOR) -> str:
        """A line of the position, or a derived one, empty if it is left out."""
        view = self.seen(viewer)
        return {**dict(GAME.derived(view)), **dict(GAME.lines(view))}.get(key, "")

    def offered(self, seat: int) -> dict[str, Any]:
        """Names of the offered actions, with their limits."""
        return {offer.action.__name__: offer for offer in GAME.legal_actions(self.state, seat)}


def placed(text: str, base: str = PLAYING, decks: Iterable[str] = (), **options: str) -> Play:
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
