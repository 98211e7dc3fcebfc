"""What a viewer sees of a Royal Casino table (royal_casino 4), and its text (12.0.1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from engine.cards import Card, card_names
from engine.games.royal_casino.events import BuildKind, Item, Reason
from engine.games.royal_casino.groups import Cards, Groups
from engine.games.royal_casino.state import (
    Phase,
    Result,
    State,
    build_id,
    forfeited,
    locks,
    new_deal,
)
from engine.games.royal_casino.values import in_order
from engine.kernel import Lines, View
from engine.visibility import AUDITOR, seat_viewer

__all__ = ["BuildView", "RoyalCasinoView", "defaults", "lines", "view"]

DEALT_IN_HANDS = 48
"""Cards of the pack that are not dealt to the table at the start of a deal."""


class BuildView(NamedTuple):
    """A build: its groups in the order of attachment."""

    id: str
    value: int
    owner: int
    kind: BuildKind
    groups: Groups


class ResultView(NamedTuple):
    """How the game ended: one side won, or several share the pot."""

    sides: tuple[int, ...]
    reason: Reason


@dataclass(frozen=True, slots=True)
class RoyalCasinoView(View):
    """A table as one viewer sees it.  Cards are ids, 0 for a face that is not shown.

    ``players``, ``stacks``, ``timeouts`` and ``hands`` have one item for each seat: an empty name
    for an empty seat.  ``scores``, ``sweeps``, ``locks`` and ``piles`` have one for each side.
    ``deal_no``: deals begun in this game.  ``dealer``: see 12.0.1.  ``locks``: of the running deal.
    ``forfeited``: sides that cannot win any more.  ``dealt``: for the server only.
    """

    phase: Phase
    players: tuple[str, ...]
    stacks: tuple[int, ...]
    pot: int
    timeouts: tuple[int, ...]
    out: tuple[int, ...]
    leaving: tuple[int, ...]
    deal_no: int
    dealer: int | None
    turn: int | None
    scores: tuple[int, ...]
    overtime: bool
    result: ResultView | None
    last: int | None
    sweeps: tuple[int, ...]
    own_play: bool
    hands: tuple[tuple[Card, ...], ...]
    loose: tuple[Card, ...]
    builds: tuple[BuildView, ...]
    built: int
    dealt: tuple[Card, ...]
    stock: tuple[Card, ...]
    piles: tuple[tuple[Card, ...], ...]
    locks: tuple[Item | None, ...]
    forfeited: tuple[int, ...]


def _hidden(cards: Cards) -> Cards:
    return (0,) * len(cards)


def view(state: State, viewer: int) -> RoyalCasinoView:
    """Hands to their seats, stock and piles to the server, all else to everyone (4.3, 4.4)."""
    deal = state.deal or new_deal(state.options, -1)
    server = bool(viewer & AUDITOR)
    seats = list(enumerate(state.seats))
    return RoyalCasinoView(
        phase=state.phase,
        players=tuple(who.player if who else "" for _, who in seats),
        stacks=tuple(who.chips if who else 0 for _, who in seats),
        pot=state.pot,
        timeouts=tuple(who.timeouts if who else 0 for _, who in seats),
        out=tuple(seat for seat, who in seats if who and who.out),
        leaving=tuple(seat for seat, who in seats if who and who.leaving),
        deal_no=state.deals,
        dealer=state.dealer,
        turn=state.deal.turn if state.deal else None,
        scores=state.scores,
        overtime=state.overtime,
        result=_result(state.result),
        last=deal.last,
        sweeps=deal.sweeps,
        own_play=deal.own_play,
        hands=tuple(
            hand if server or viewer & seat_viewer(seat) else _hidden(hand)
            for seat, hand in enumerate(deal.hands)
        ),
        loose=deal.loose,
        builds=tuple(
            BuildView(build_id(b.number), b.value, b.owner, b.kind, b.groups) for b in deal.builds
        ),
        built=deal.built,
        dealt=deal.dealt if server else (),
        stock=deal.stock if server else _hidden(deal.stock),
        piles=deal.piles if server else tuple(map(_hidden, deal.piles)),
        locks=locks(state) if state.deal else (None,) * len(state.scores),
        forfeited=tuple(sorted(forfeited(state))),
    )


def _result(result: Result | None) -> ResultView | None:
    return None if result is None else ResultView(result.sides, result.reason)


# --- position notation ------------------------------------------------------------------------


def _names(cards: Cards) -> str:
    return card_names(cards)


def _numbers(values: Iterable[int]) -> str:
    return " ".join(map(str, values))


def _pairs(values: Iterable[tuple[int, object]]) -> str:
    return " ".join(f"{seat}={value}" for seat, value in values)


def _truth(value: bool) -> str:
    return "yes" if value else "no"


class _Fact(NamedTuple):
    """A line, and what it stands for when it is left out."""

    key: str
    value: str
    default: str = ""


def _result_text(result: ResultView | None) -> str:
    if result is None:
        return ""
    word = "won" if len(result.sides) == 1 else "drawn"
    return f"{word} {','.join(map(str, result.sides))} {result.reason}"


def _build_text(build: BuildView) -> str:
    groups = " ".join(f"[{_names(group)}]" for group in build.groups)
    return f"{build.value}/{build.owner} {groups}"


def _table(seen: RoyalCasinoView) -> Iterator[_Fact]:
    taken = [seat for seat, name in enumerate(seen.players) if name]
    every = [(seat, 0) for seat in range(len(seen.players))]
    named = [seat for seat in taken if seen.players[seat] != f"p{seat}"]
    stacks = _pairs((seat, seen.stacks[seat]) for seat in taken)
    dealer = "" if seen.dealer is None else str(seen.dealer)
    yield _Fact("phase", seen.phase, Phase.PLAYING)
    yield _Fact("names", _pairs((seat, seen.players[seat]) for seat in named))
    yield _Fact("stacks", stacks or "none", _pairs(every))
    yield _Fact("pot", str(seen.pot), "0")
    late = [(seat, times) for seat, times in enumerate(seen.timeouts) if times]
    yield _Fact("timeouts", _pairs(late))
    yield _Fact("out", _numbers(seen.out))
    yield _Fact("leaving", _numbers(seen.leaving))
    yield _Fact("deal", str(seen.deal_no), "1")
    yield _Fact("dealer", dealer)
    yield _Fact("turn", "" if seen.turn is None else str(seen.turn))
    yield _Fact("scores", _numbers(seen.scores), _numbers(0 for _ in seen.scores))
    yield _Fact("overtime", _truth(seen.overtime), "no")
    yield _Fact("result", _result_text(seen.result))
    last = "" if seen.last is None else str(seen.last)
    yield _Fact("last", last, dealer if any(seen.piles) else "")


def _deal(seen: RoyalCasinoView) -> Iterator[_Fact]:
    left = len(seen.stock) + sum(map(len, seen.hands))
    played = seen.phase is Phase.PLAYING and left < DEALT_IN_HANDS
    yield _Fact("sweeps", _numbers(seen.sweeps), _numbers(0 for _ in seen.sweeps))
    yield _Fact("own_play", _truth(seen.own_play), _truth(played))
    for seat, hand in enumerate(seen.hands):
        yield _Fact(f"hand {seat}", _names(hand))
    yield _Fact("loose", _names(seen.loose))
    for build in seen.builds:
        yield _Fact(f"build {build.id}", _build_text(build))
    highest = max((int(build.id[1:]) for build in seen.builds), default=0)
    yield _Fact("built", str(seen.built), str(highest))
    yield _Fact("dealt", _names(seen.dealt), _names(in_order(seen.dealt)))
    yield _Fact("stock", _names(seen.stock))
    for side, pile in enumerate(seen.piles):
        yield _Fact(f"pile {side}", _names(pile))


def _facts(seen: RoyalCasinoView) -> Iterator[_Fact]:
    """All lines in the order of 12.0.1."""
    yield from _table(seen)
    yield from _deal(seen)


def lines(seen: RoyalCasinoView) -> Lines:
    """Position notation of a view, defaults left out."""
    return [(fact.key, fact.value) for fact in _facts(seen) if fact.value != fact.default]


def defaults(seen: RoyalCasinoView) -> Lines:
    """The lines that are left out, with what they stand for: checks may name them (12.0.2)."""
    return [(f.key, f.value or "-") for f in _facts(seen) if f.value == f.default]
