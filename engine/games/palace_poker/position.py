"""Reading a Palace Poker position (palace_poker 12.0): what its lines say.

What must hold between them is tested in ``arising``.  Options are no part of a position, so a
position is not held against options that would not have let it arise.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from engine.cards import PACK, parse_card
from engine.games.palace_poker.arising import check_hand, check_table
from engine.games.palace_poker.state import (
    Battle,
    Cards,
    Phase,
    Seat,
    State,
    deal_order,
    new_hand,
)
from engine.kernel import PositionError
from engine.options import MAX_AMOUNT

__all__ = ["place"]

T = TypeVar("T")

_TABLE_KEYS: Final = ("phase", "hand", "players", "stacks", "out", "leaving", "dealer")
_HAND_KEYS: Final = (
    "paid",
    "exits",
    "quiet",
    "turns",
    "turn",
    "actor",
    "battle",
    "draw",
    "discard",
)
_CARD_KEYS: Final = ("banner", "palace", "soldiers")
_NOTHING: Final = frozenset({"", "none", "-"})
_PHASES: Final = frozenset(Phase) - {Phase.NONE, Phase.SETUP}
_RUNNING: Final = frozenset({Phase.TURN, Phase.MUSTER, Phase.BATTLE})


class _Lines:
    """The lines of a position by key: known keys only, each once; without those that say none."""

    def __init__(self, given: Sequence[tuple[str, str]], seats: int) -> None:
        self._seats = seats
        self._found: dict[str, str] = {}
        known = {*_TABLE_KEYS, *_HAND_KEYS}
        seen: set[str] = set()
        for key, value in given:
            word, _, number = key.partition(" ")
            if word in _CARD_KEYS:
                self.seat(key, number)
            elif key not in known:
                raise PositionError(f"unknown key {key!r}")
            if key in seen:
                raise PositionError(f"key {key!r} occurs twice")
            seen.add(key)
            if value.strip() not in _NOTHING:
                self._found[key] = value.strip()

    def of_hand(self) -> list[str]:
        """The keys that only a running hand has."""
        return [key for key in self._found if key not in _TABLE_KEYS]

    def seat(self, key: str, text: str) -> int:
        """A seat of the table."""
        return self.whole(key, text, self._seats - 1)

    def whole(self, key: str, text: str, high: int = MAX_AMOUNT) -> int:
        """An integer from 0 on."""
        if not re.fullmatch(r"[0-9]{1,19}", text) or int(text) > high:
            raise PositionError(f"{key}: {text!r} is no integer 0 to {high}")
        return int(text)

    def number(self, key: str) -> int:
        """The integer of a line, 0 if it is left out."""
        return self.whole(key, self._found.get(key, "0"))

    def text(self, key: str) -> str:
        """The value of a line, empty if it is left out."""
        return self._found.get(key, "")

    def seat_or_none(self, key: str) -> int | None:
        """The seat of a line, None if it is left out."""
        return self.seat(key, self._found[key]) if key in self._found else None

    def mask(self, key: str) -> int:
        """Seats, as a mask."""
        found = 0
        for word in self.text(key).split():
            bit = 1 << self.seat(key, word)
            if found & bit:
                raise PositionError(f"{key}: seat {word} is named twice")
            found |= bit
        return found

    def by_seat(self, key: str, read: Callable[[str], T]) -> dict[int, T]:
        """``S=value`` pairs."""
        found: dict[int, T] = {}
        for word in self.text(key).split():
            name, equals, value = word.partition("=")
            seat = self.seat(key, name)
            if not equals or seat in found:
                raise PositionError(f"{key}: {word!r} is not seat=value, each seat once")
            found[seat] = read(value)
        return found

    def amounts(self, key: str) -> dict[int, int]:
        """``S=number`` pairs."""
        return self.by_seat(key, lambda text: self.whole(key, text))

    def cards(self, key: str) -> Cards:
        """Cards, as they stand."""
        try:
            return tuple(parse_card(name) for name in self.text(key).split())
        except ValueError as error:
            raise PositionError(f"{key}: {error}") from None

    def cards_of(self, word: str) -> dict[int, Cards]:
        """The lines ``word S``: cards by seat."""
        keys = [key for key in self._found if key.startswith(f"{word} ")]
        return {self.seat(key, key.partition(" ")[2]): self.cards(key) for key in keys}


def place(state: State, given: Sequence[tuple[str, str]]) -> State:
    """The table of ``state`` in the given position; raises :class:`PositionError`."""
    seats = state.options.max_seats
    lines = _Lines(given, seats)
    name = lines.text("phase") or Phase.IDLE
    if name not in _PHASES:
        raise PositionError(f"phase: {name!r} is none of {', '.join(sorted(_PHASES))}")
    stacks = lines.amounts("stacks")
    names = lines.by_seat("players", str)
    out, leaving = lines.mask("out"), lines.mask("leaving")
    for key, named in (("players", names), ("out", _bits(out)), ("leaving", _bits(leaving))):
        for seat in named:
            if seat not in stacks:
                raise PositionError(f"{key}: nobody sits at seat {seat} (stacks)")
    new = State(
        Phase(name),
        state.options,
        tuple(
            Seat(names.get(s, f"p{s}"), bool(out >> s & 1), bool(leaving >> s & 1))
            if s in stacks
            else None
            for s in range(seats)
        ),
        _row(stacks, seats, 0),
        lines.seat_or_none("dealer"),
        lines.number("hand"),
    )
    if new.phase in _RUNNING:
        new = _with_hand(new, lines)
    elif lines.of_hand():
        raise PositionError(f"{lines.of_hand()[0]}: no hand is running in {name}")
    check_table(new)
    if new.hand is not None:
        check_hand(new, new.hand)
    return new


def _bits(mask: int) -> list[int]:
    return [seat for seat in range(mask.bit_length()) if mask >> seat & 1]


def _row(found: dict[int, T], seats: int, nothing: T) -> tuple[T, ...]:
    return tuple(found.get(seat, nothing) for seat in range(seats))


def _with_hand(state: State, lines: _Lines) -> State:
    """The running hand; cards that no line names lie under those of ``draw``."""
    seats = len(state.seats)
    marked = lines.by_seat("paid", str)
    paid = {seat: lines.whole("paid", text.removesuffix("*")) for seat, text in marked.items()}
    capped = sum(1 << seat for seat, text in marked.items() if text.endswith("*"))
    exits = lines.amounts("exits")
    dealt = sum(1 << seat for seat in paid)
    alive = dealt & ~sum(1 << seat for seat in exits)
    if state.dealer is None:
        raise PositionError("dealer: a running hand has one")
    turn, forced = _turn(lines)
    actor = lines.seat_or_none("actor")
    banners = {seat: _one(seat, cards) for seat, cards in lines.cards_of("banner").items()}
    palaces = lines.cards_of("palace")
    soldiers = lines.cards_of("soldiers")
    draw, discard = lines.cards("draw"), lines.cards("discard")
    named = [*banners.values(), *draw, *discard]
    named += [card for row in (palaces, soldiers) for cards in row.values() for card in cards]
    if len(set(named)) != len(named):
        raise PositionError("a card lies in two places")
    rest = tuple(card for card in PACK if card not in named)
    hand = new_hand(seats, dealt)._replace(
        order=deal_order(dealt, state.dealer),
        alive=alive,
        capped=capped,
        quiet=lines.mask("quiet"),
        paid=_row(paid, seats, 0),
        exits=_row(exits, seats, 0),
        banners=_row(banners, seats, 0),
        palaces=_row(palaces, seats, ()),
        soldiers=_row(soldiers, seats, ()),
        pot=sum(paid.values()),
        turn=turn,
        forced=forced,
        actor=turn if actor is None else actor,
        turns=lines.number("turns"),
        battle=_battle(lines),
        draw=draw + rest,
        discard=tuple(sorted(discard)),
    )
    return state._replace(hand=hand)


def _one(seat: int, cards: Cards) -> int:
    if len(cards) != 1:
        raise PositionError(f"banner {seat}: expected one card")
    return cards[0]


def _turn(lines: _Lines) -> tuple[int, bool]:
    words = lines.text("turn").split()
    if not words or words[1:] not in ([], ["forced"]):
        raise PositionError("turn: expected a seat, and the word forced in a forced turn")
    return lines.seat("turn", words[0]), len(words) > 1


def _battle(lines: _Lines) -> Battle | None:
    text = lines.text("battle")
    if not text:
        return None
    pairs = [word.partition("=") for word in text.split()]
    values = {name: lines.whole("battle", value) for name, _, value in pairs}
    if values.keys() != set(Battle._fields) or len(pairs) != len(values):
        expected = " ".join(f"{name}=N" for name in Battle._fields)
        raise PositionError(f"battle: expected {expected}")
    return Battle(**values)
