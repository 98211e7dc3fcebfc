"""Reading a Royal Casino position (royal_casino 12.0.1, 12.0.3): what its lines say.

What must hold between them is tested in ``arising``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, TypeVar

from engine.cards import PACK, parse_card
from engine.games.royal_casino.arising import check_deal, check_table
from engine.games.royal_casino.events import Reason
from engine.games.royal_casino.groups import Cards
from engine.games.royal_casino.options import Options
from engine.games.royal_casino.state import (
    Build,
    Deal,
    Phase,
    Result,
    Seat,
    State,
    side_count,
)
from engine.games.royal_casino.values import in_order
from engine.games.royal_casino.view import DEALT_IN_HANDS
from engine.kernel import PositionError
from engine.options import MAX_AMOUNT

__all__ = ["place"]

T = TypeVar("T")

_TABLE_KEYS: Final = (
    "phase",
    "names",
    "stacks",
    "pot",
    "timeouts",
    "out",
    "leaving",
    "deal",
    "dealer",
    "scores",
    "overtime",
    "result",
)
_DEAL_KEYS: Final = (
    "turn",
    "last",
    "sweeps",
    "own_play",
    "loose",
    "built",
    "dealt",
    "stock",
    "rest",
)
_NOTHING: Final = frozenset({"", "none", "-"})
_TRUTH: Final = {"yes": True, "true": True, "no": False, "false": False}
_PHASES: Final = frozenset(Phase) - {Phase.NONE}


class _Lines:
    """The lines of a position by key: known keys only, each once."""

    def __init__(self, given: Sequence[tuple[str, str]], options: Options) -> None:
        self.options = options
        self._found: dict[str, str] = {}
        for key, value in given:
            self._check_key(key)
            if key in self._found:
                raise PositionError(f"key {key!r} occurs twice")
            self._found[key] = value.strip()

    def _check_key(self, key: str) -> None:
        word, _, number = key.partition(" ")
        match word:
            case "hand":
                self.seat(key, number)
            case "pile":
                self.whole(key, number, side_count(self.options) - 1)
            case "build":
                if not re.fullmatch(r"b[1-9][0-9]?", number):
                    raise PositionError(f"{key}: {number!r} is no build such as b1")
            case _:
                if key not in _TABLE_KEYS and key not in _DEAL_KEYS:
                    raise PositionError(f"unknown key {key!r}")

    def text(self, key: str, default: str = "") -> str:
        """The value of a line, ``default`` if it is left out or says none."""
        value = self._found.get(key, "")
        return default if value in _NOTHING else value

    def has(self, key: str) -> bool:
        """Whether there is such a line, even one that says none."""
        return key in self._found

    def of_deal(self) -> list[str]:
        """The keys with a value that only a running deal has; false and 0 say nothing."""
        idle = {"own_play": _TRUTH.keys() - {"yes", "true"}, "built": {"0"}}
        zeros = " ".join("0" * side_count(self.options))
        return [
            key
            for key, value in self._found.items()
            if key not in _TABLE_KEYS
            and value not in _NOTHING
            and value not in idle.get(key, set())
            and not (key == "sweeps" and value == zeros)
        ]

    def whole(self, key: str, text: str, high: int = MAX_AMOUNT) -> int:
        """An integer from 0 on."""
        if not re.fullmatch(r"[0-9]{1,19}", text) or int(text) > high:
            raise PositionError(f"{key}: {text!r} is no integer 0 to {high}")
        return int(text)

    def number(self, key: str, default: int = 0, high: int = MAX_AMOUNT) -> int:
        """The integer of a line."""
        return self.whole(key, self.text(key, str(default)), high)

    def seat(self, key: str, text: str) -> int:
        """A seat of the table."""
        return self.whole(key, text, self.options.players - 1)

    def seat_or_none(self, key: str) -> int | None:
        """The seat of a line, None if it is left out."""
        text = self.text(key)
        return self.seat(key, text) if text else None

    def seats(self, key: str) -> frozenset[int]:
        """The seats of a line."""
        named = [self.seat(key, word) for word in self.text(key).split()]
        if len(set(named)) != len(named):
            raise PositionError(f"{key}: a seat is named twice")
        return frozenset(named)

    def truth(self, key: str, *, default: bool) -> bool:
        """``yes`` or ``no``."""
        text = self.text(key)
        if text and text not in _TRUTH:
            raise PositionError(f"{key}: expected yes or no")
        return _TRUTH.get(text, default)

    def by_seat(self, key: str, read: Callable[[str], T]) -> dict[int, T]:
        """``seat=value`` pairs."""
        found: dict[int, T] = {}
        for word in self.text(key).split():
            name, equals, value = word.partition("=")
            seat = self.seat(key, name)
            if not equals or not value or seat in found:
                raise PositionError(f"{key}: {word!r} is not seat=value, each seat once")
            found[seat] = read(value)
        return found

    def per_side(self, key: str) -> tuple[int, ...]:
        """One number for each side, all 0 if the line is left out."""
        count = side_count(self.options)
        words = self.text(key).split() or ["0"] * count
        if len(words) != count:
            raise PositionError(f"{key}: expected {count} numbers, one for each side")
        return tuple(self.whole(key, word, 10**6) for word in words)

    def cards(self, key: str) -> Cards:
        """Cards, as they stand."""
        return _cards(key, self.text(key))

    def builds(self) -> tuple[Build, ...]:
        """The lines ``build bN``."""
        keys = [key for key in self._found if key.startswith("build ") and self.text(key)]
        return tuple(sorted(self._build(key, self.text(key)) for key in keys))

    def _build(self, key: str, text: str) -> Build:
        found = re.fullmatch(r"([0-9]+)/([0-9]+)((?:\s*\[[^][]+\])+)", text)
        if found is None:
            raise PositionError(f"{key}: expected value/owner [group] [group] …")
        groups = re.findall(r"\[([^][]+)\]", found[3])
        return Build(
            number=int(key.removeprefix("build b")),
            value=self.whole(key, found[1], 14),
            owner=self.seat(key, found[2]),
            groups=tuple(in_order(_cards(key, group)) for group in groups),
        )


def _cards(key: str, text: str) -> Cards:
    try:
        return tuple(parse_card(name) for name in text.split())
    except ValueError as error:
        raise PositionError(f"{key}: {error}") from None


def place(state: State, given: Sequence[tuple[str, str]]) -> State:
    """The table of ``state`` in the given position; raises :class:`PositionError`."""
    lines = _Lines(given, state.options)
    name = lines.text("phase", Phase.PLAYING)
    if name not in _PHASES:
        raise PositionError(f"phase: {name!r} is none of {', '.join(sorted(_PHASES))}")
    new = State(
        phase=Phase(name),
        options=state.options,
        seats=_seats(lines),
        scores=lines.per_side("scores"),
        pot=lines.number("pot"),
        deals=lines.number("deal", 1, 10**6),
        dealer=lines.seat_or_none("dealer"),
        overtime=lines.truth("overtime", default=False),
        result=_result(lines),
    )
    check_table(new)
    if new.phase is not Phase.PLAYING:
        surplus = lines.of_deal()
        if surplus:
            raise PositionError(f"{surplus[0]}: no deal is running in {name}")
        return new
    new = new._replace(deal=_deal(new, lines))
    check_deal(new)
    return new


def _seats(lines: _Lines) -> tuple[Seat | None, ...]:
    every = range(lines.options.players)
    if lines.text("stacks"):
        chips: Mapping[int, int] = lines.by_seat("stacks", lambda text: lines.whole("stacks", text))
    else:
        chips = {} if lines.has("stacks") else dict.fromkeys(every, 0)
    names = lines.by_seat("names", str)
    late = lines.by_seat("timeouts", lambda text: lines.whole("timeouts", text, 10**6))
    out, leaving = lines.seats("out"), lines.seats("leaving")
    for key, named in (("names", names), ("timeouts", late), ("out", out), ("leaving", leaving)):
        for seat in named:
            if seat not in chips:
                raise PositionError(f"{key}: nobody sits at seat {seat} (stacks)")
    return tuple(
        Seat(names.get(s, f"p{s}"), chips[s], late.get(s, 0), s in out, s in leaving)
        if s in chips
        else None
        for s in every
    )


def _result(lines: _Lines) -> Result | None:
    words = lines.text("result").split()
    if not words:
        return None
    if len(words) != 3 or words[0] not in {"won", "drawn"} or words[2] not in set(Reason):
        raise PositionError("result: expected won SIDE REASON or drawn SIDE,SIDE… REASON")
    high = side_count(lines.options) - 1
    sides = tuple(lines.whole("result", side, high) for side in words[1].split(","))
    if sorted(set(sides)) != list(sides) or (len(sides) == 1) != (words[0] == "won"):
        raise PositionError("result: one side wins, several different ones draw")
    return Result(sides, Reason(words[2]))


# --- the cards --------------------------------------------------------------------------------


class _Zones(NamedTuple):
    """Stock, piles by side: what the line ``rest`` completes."""

    stock: Cards
    piles: tuple[Cards, ...]


def _deal(state: State, lines: _Lines) -> Deal:
    turn = lines.seat_or_none("turn")
    if turn is None:
        raise PositionError("turn: expected the seat to act")
    hands = tuple(in_order(lines.cards(f"hand {seat}")) for seat in range(len(state.seats)))
    loose, builds = in_order(lines.cards("loose")), lines.builds()
    elsewhere = [*loose, *(card for hand in hands for card in hand)]
    elsewhere += [card for build in builds for card in build.cards]
    zones = _zones(lines, elsewhere)
    outside = in_order(set(PACK) - set(zones.stock))
    dealt = lines.cards("dealt") or outside
    if in_order(dealt) != outside:
        raise PositionError("dealt: not the cards outside the stock")
    last = lines.seat_or_none("last")
    if last is None and any(zones.piles):
        last = state.dealer
    played = len(zones.stock) + sum(map(len, hands)) < DEALT_IN_HANDS
    highest = max((build.number for build in builds), default=0)
    return Deal(
        turn=turn,
        hands=hands,
        piles=zones.piles,
        sweeps=lines.per_side("sweeps"),
        loose=loose,
        builds=builds,
        built=lines.number("built", highest, 99),
        last=last,
        own_play=lines.truth("own_play", default=played),
        dealt=dealt,
        stock=zones.stock,
    )


def _zones(lines: _Lines, elsewhere: Sequence[int]) -> _Zones:
    """Stock and piles, the cards that no line names among them (12.0.3)."""
    count = side_count(lines.options)
    stock = lines.cards("stock")
    piles = [list(lines.cards(f"pile {side}")) for side in range(count)]
    named = Counter([*elsewhere, *stock, *(card for pile in piles for card in pile)])
    twice = [card for card, times in named.items() if times > 1]
    if twice:
        raise PositionError("a card lies in two places")
    rest = in_order(set(PACK) - set(named))
    under, shares = _rest(lines, len(rest), count) if rest else (0, None)
    stock += rest[:under]
    left = list(rest[under:])
    if shares is None:
        for index, card in enumerate(left):
            piles[index % count].append(card)
    else:
        for pile, share in zip(piles, shares, strict=True):
            pile.extend(left[:share])
            del left[:share]
    return _Zones(stock, tuple(map(in_order, piles)))


def _rest(lines: _Lines, size: int, count: int) -> tuple[int, list[int] | None]:
    """How many unnamed cards go under the stock, and how many to each pile (None: in turn)."""
    entries: dict[str, str] = {}
    for word in lines.text("rest").split():
        name, equals, text = word.partition("=")
        if not equals or name not in {"stock", "piles"} or name in entries:
            raise PositionError("rest: expected stock=K piles=A,B")
        entries[name] = text
    under = 0 if lines.text("stock") else 4 * lines.options.players
    if "stock" in entries:
        under = lines.whole("rest", entries["stock"])
    shares: list[int] | None = None
    if "piles" in entries:
        shares = [lines.whole("rest", word) for word in entries["piles"].split(",")]
        if len(shares) != count or under + sum(shares) != size:
            raise PositionError(f"rest: {size} cards are left for the stock and {count} piles")
    elif under > size:
        raise PositionError(f"rest: only {size} cards are left for the stock")
    return under, shares
