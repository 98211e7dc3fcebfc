"""No event costs more with more players: counted in bytecodes and cells, not in time."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from types import FrameType
from typing import Any

from engine.actions import Action
from engine.tournament import actions as a
from engine.tournament.decider import decide
from engine.tournament.orders import MoveSeat, StartHand, orders_about
from engine.tournament.state import Tournament
from engine.tournament.structure import Payouts
from tests.tournament.hall import Hall, InOrder, bets, structure

FEW, MANY = 104, 5_000
"""Both fill their tables of eight."""


def bytecodes(work: Callable[[], object]) -> int:
    """How many bytecodes some work takes."""
    count = 0

    def trace(frame: FrameType, event: str, arg: object) -> Any:
        nonlocal count
        frame.f_trace_opcodes = True
        frame.f_trace_lines = False
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def cells(before: object, after: object) -> int:
    """How many places of tuples, and words of integers, are new in ``after``."""
    if before is after:
        return 0
    if isinstance(after, int):
        return 1 + after.bit_length() // 64
    if is_dataclass(after) and type(before) is type(after):
        names = [field.name for field in fields(after)]
        return sum(cells(getattr(before, name), getattr(after, name)) for name in names)
    if isinstance(after, tuple):
        others = before if isinstance(before, tuple) else ()
        others = (*others, *(None,) * (len(after) - len(others)))
        return len(after) + sum(map(cells, others, after))
    return 1


def hall(players: int) -> Hall:
    """A tournament whose tables all deal."""
    made = structure(
        levels=(bets(minutes=10), bets(40)), late_levels=1, payouts=(Payouts(2, (10_000,)),)
    )
    hall = Hall(check=lambda state: None)
    hall.ask(a.CreateTournament(made))
    hall.register(*(f"p{number}" for number in range(players)))
    return hall


def costs(players: int) -> dict[str, tuple[int, int]]:
    """What each kind of step costs in a field of so many: bytecodes, new cells."""
    found: dict[str, tuple[int, int]] = {}
    one = hall(players)

    def measure(name: str, action: Action, player: str | None = None) -> None:
        before: Tournament = one.state
        taken = bytecodes(lambda: decide(before, player, action, InOrder()))
        known = len(one.events)
        one.ask(action, player)
        about = bytecodes(lambda: list(orders_about(one.state, one.events[known:])))
        found[name] = taken + about, cells(before, one.state)

    measure("unregister", a.Unregister(), "p7")
    measure("register", a.Register(), "p7")
    one.ask(a.StartTournament())
    measure("table ready", a.TableReady(3))
    one.settle()
    last = max(order.table for order in one.orders(StartHand))
    results = tuple(a.SeatResult(at, 1_000, 1_000) for at in range(8))
    measure("hand", a.HandEnded(last, 1, results, 2))
    lost = (a.SeatResult(0, 1_000, 3_000), a.SeatResult(1, 1_000, 0), a.SeatResult(2, 1_000, 0))
    measure("two out", a.HandEnded(last, 2, (*lost, *results[3:]), 2))
    gone = one.state.tables[last].seats[1].entry
    measure("seat left", a.SeatTakenAway(gone))
    one.settle()
    measure("hand that moves a player", a.HandEnded(1, 1, results, 2))
    (move,) = one.orders(MoveSeat)
    measure("seat moved", a.SeatMoved(move.sitting.entry))
    measure("late entry", a.Register(), "late")
    measure("disqualified", a.Disqualify("p5", "why not"))
    return found


def test_no_step_costs_more_in_a_field_of_thousands():
    """Trees have a level more, integers some words: nothing else grows."""
    few, many = costs(FEW), costs(MANY)
    for name, (taken, new) in many.items():
        assert taken < 1.25 * few[name][0], name
        assert new < few[name][1] + 250, name


def test_what_counts_costs_can_tell():
    """Work that grows with the field is seen, and so is a copy of all of it."""
    assert bytecodes(lambda: [n + 1 for n in range(5_000)]) > 5_000
    long = tuple(range(1_000, 6_000))
    assert cells(long, (*long[:-1], -1)) > 5_000
