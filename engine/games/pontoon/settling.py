"""The settlement of a deal (pontoon 8, 10.2, S.8)."""

from __future__ import annotations

from enum import Enum, auto
from typing import NamedTuple

from engine.games.pontoon import bank_events as b
from engine.games.pontoon import events as e
from engine.games.pontoon.state import Hand, State, running
from engine.games.pontoon.totals import PONTOON, TRICK, strength
from engine.kernel import Steps

__all__ = ["Banker", "settle"]


class Banker(Enum):
    """How the banker ended: 8.1, 8.2, 8.3, 8.4."""

    PONTOON = auto()
    STAYED = auto()
    TRICK = auto()
    BUST = auto()


class _Row(NamedTuple):
    """A live hand and what it is worth."""

    seat: int
    hand: Hand
    strength: int


def settle(steps: Steps[State], banker: Banker) -> frozenset[tuple[int, int]]:
    """Two passes over the live hands (8.5); the hands that were turned up, as (seat, number)."""
    state = steps.state
    deal = running(state)
    rows = [
        _Row(punter.seat, hand, strength(hand.cards, len(punter.hands) > 1, state.options))
        for punter in deal.punters
        for hand in punter.hands
        if not hand.bust
    ]
    to_beat = strength(deal.bank, False, state.options)
    losers = [row for row in rows if banker is not Banker.BUST and row.strength <= to_beat]
    winners = [row for row in rows if row not in losers]
    revealed: set[tuple[int, int]] = set()
    double = banker in {Banker.PONTOON, Banker.TRICK}
    for row in losers:
        tied = state.options.tied_pontoon_passes and row.strength == PONTOON
        if state.options.reveal_losers or tied:
            revealed.add(_reveal(steps, row))
        _lose(steps, row, double)
        _settle_shoot(steps, row, -row.hand.shoot)
    for row in winners:
        revealed.add(_reveal(steps, row))
        _win(steps, row)
        _settle_shoot(steps, row, row.hand.shoot)
    return frozenset(revealed)


def _reveal(steps: Steps[State], row: _Row) -> tuple[int, int]:
    steps.emit(e.HandRevealed(row.seat, row.hand.number, row.hand.cards))
    return row.seat, row.hand.number


def _lose(steps: Steps[State], row: _Row, double: bool) -> None:
    """8.1–8.3; a double loss takes what there is (10.2)."""
    stake = row.hand.stake
    more = min(stake, steps.state.stacks[row.seat]) if double else 0
    times = 2 if double else 1
    steps.emit(
        e.HandSettled(
            row.seat,
            row.hand.number,
            e.Outcome.LOST,
            stake,
            times,
            stake * times,
            -(stake + more),
        )
    )


def _win(steps: Steps[State], row: _Row) -> None:
    """8.2–8.4; the bank pays until it is dry (10.2)."""
    state = steps.state
    stake = row.hand.stake
    times = 2 if row.strength >= TRICK else 1
    owed = stake * times
    bank = state.stacks[state.banker] if state.banker is not None else 0
    paid = min(owed, bank)
    number = row.hand.number
    steps.emit(e.HandSettled(row.seat, number, e.Outcome.WON, stake, times, owed, paid))
    if paid < owed:
        steps.emit(e.BankFellShort(row.seat, number, owed, paid))


def _settle_shoot(steps: Steps[State], row: _Row, net: int) -> None:
    if net:
        kitty = steps.state.kitty - net
        steps.emit(b.ShootBetSettled(row.seat, row.hand.number, net, kitty))
