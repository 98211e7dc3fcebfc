"""A Royal Casino table to play at, with decks laid in advance, and positions drawn at random."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random

import pytest

from engine.actions import Action, OpenTable, TakeSeat
from engine.cards import PACK, card_name, parse_card
from engine.errors import Refused
from engine.events import Event
from engine.games.royal_casino import RoyalCasino
from engine.games.royal_casino.actions import StartDeal, StartGame
from engine.games.royal_casino.state import State, next_seat, play_order
from engine.games.royal_casino.values import capture_value, in_order, low_value
from engine.games.royal_casino.view import RoyalCasinoView
from engine.kernel import HOST
from engine.notation import lines_of_text
from engine.script import ScriptedShuffler, event_text
from engine.visibility import AUDITOR

__all__ = ["GAME", "Play", "cards", "drawn_options", "drawn_position", "opened", "placed"]

GAME = RoyalCasino()


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
        """A table with players in the lobby."""
        play = cls(decks=decks)
        play.do(HOST, OpenTable(options))
        for seat, chips in stacks.items():
            play.do(seat, TakeSeat(f"p{seat}", chips))
        return play

    @classmethod
    def dealt(cls, players: int, decks: Iterable[str] = ("",), **options: str) -> Play:
        """The first deal of a game, dealt by seat 0."""
        stacks = dict.fromkeys(range(players), 100)
        play = cls.seated(stacks, decks, players=str(players), **options)
        play.do(HOST, StartGame(0))
        play.do(HOST, StartDeal())
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

    def seen(self, viewer: int = AUDITOR) -> RoyalCasinoView:
        return GAME.view(self.state, viewer)

    def line(self, key: str, viewer: int = AUDITOR) -> str:
        """A line of the position, empty if it is left out."""
        return dict(GAME.lines(self.seen(viewer))).get(key, "")


def opened(**options: str) -> State:
    """An empty table."""
    return Play.seated({}, **options).state


def placed(text: str, decks: Iterable[str] = (), **options: str) -> Play:
    """A table standing in a position."""
    return Play(GAME.place(opened(**options), lines_of_text(GAME.NUMBERED, text)), decks)


# --- positions at random ----------------------------------------------------------------------


def drawn_options(rng: Random) -> dict[str, str]:
    """The options that say what is legal, at random."""
    return {
        "players": rng.choice("2344"),
        "direction": rng.choice(("clockwise", "counter_clockwise")),
        "equal_card_rule": rng.choice(("must_take_equal", "no_trail_only")),
        "raise_own_build": rng.choice(("true", "false")),
        "partner_builds": rng.choice(("forbidden", "allowed")),
    }


def drawn_position(rng: Random, most_loose: int = 16) -> State:
    """A possible position with hands, loose cards and builds of everybody."""
    state = opened(**drawn_options(rng))
    seats = len(state.seats)
    pack = list(PACK)
    if rng.randrange(2):  # small cards make many groups
        pack.sort(key=lambda card: low_value(card) + rng.randrange(8))
    else:
        rng.shuffle(pack)

    def take(count: int) -> list[int]:
        found = pack[:count]
        del pack[:count]
        return found

    dealer, turn, size = rng.randrange(seats), rng.randrange(seats), rng.randint(1, 4)
    first = next_seat(state.options, dealer)
    hands: dict[int, list[int]] = {}
    for seat in play_order(state.options, first):
        late = list(play_order(state.options, first))
        acted = late.index(seat) < late.index(turn)
        hands[seat] = take(size - acted)
    loose = take(rng.randint(0, most_loose))
    lines = [f"dealer {dealer}", f"turn {turn}"]
    lines += [f"hand {seat} {_names(hand)}" for seat, hand in hands.items()]
    lines.append(f"loose {_names(loose)}")
    for number in range(1, rng.randint(1, 6)):
        build = _drawn_build(rng, pack, hands)
        if build:
            lines.append(f"build b{number} {build}")
    stock = 4 * seats * rng.randint(0, len(pack) // (4 * seats))
    lines.append(f"stock {_names(take(stock))}")
    lines.append(f"pile 0 {_names(pack)}")
    return GAME.place(state, lines_of_text(GAME.NUMBERED, "\n".join(lines)))


def _drawn_build(rng: Random, pack: list[int], hands: Mapping[int, list[int]]) -> str:
    """``value/owner [group] …`` out of the pack; empty where none could be found."""
    owner = rng.choice([seat for seat, hand in hands.items() if hand] or [-1])
    if owner < 0:
        return ""
    value = capture_value(rng.choice(hands[owner]))
    groups: list[list[int]] = []
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        group: list[int] = []
        for card in rng.sample(pack, len(pack)):
            if sum(map(low_value, group)) + low_value(card) <= value:
                group.append(card)
        if len(group) > 1 and sum(map(low_value, group)) == value:
            groups.append(group)
            for card in group:
                pack.remove(card)
    told = " ".join(f"[{_names(group)}]" for group in groups)
    return f"{value}/{owner} {told}" if groups else ""


def _names(found: Iterable[int]) -> str:
    return " ".join(map(card_name, in_order(found)))
