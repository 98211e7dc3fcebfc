"""Dealing, plays and what follows from them (royal_casino 5, 6.3–6.6, 10.1–10.3)."""

from __future__ import annotations

from engine.cards import PACK, Card
from engine.events import DeckShuffled, SatOut, TurnTimedOut
from engine.games.royal_casino import events as e
from engine.games.royal_casino.checks import (
    Building,
    Capture,
    may_trail,
    twins,
    unmet,
)
from engine.games.royal_casino.ending import automatic_winner, end_deal, win_at_once
from engine.games.royal_casino.events import BuildKind
from engine.games.royal_casino.state import (
    State,
    build_id,
    dealer_of,
    locks,
    next_seat,
    play_order,
    running,
    side_of,
)
from engine.games.royal_casino.values import ORDER, capture_value
from engine.kernel import Shuffler, Steps
from engine.visibility import SERVER, Private, seats_only

__all__ = ["build", "capture", "deal", "play_for_absent", "time_out", "trail"]

BATCH = 4
"""Cards a seat gets at a time, and cards dealt to the table (5.3)."""


# --- dealing ----------------------------------------------------------------------------------


def deal(steps: Steps[State], shuffler: Shuffler) -> None:
    """6.3."""
    state = steps.state
    steps.emit(e.DealStarted(state.deals + 1, dealer_of(state), locks(state), state.overtime))
    order = shuffler.shuffle("DEAL", PACK)
    steps.emit(DeckShuffled("DEAL", Private(order, SERVER)))
    _deal_hands(steps)
    steps.emit(e.TableDealt(running(steps.state).stock[:BATCH]))


def _deal_hands(steps: Steps[State]) -> None:
    """Four cards each, the dealer last (5.3, 5.5)."""
    state = steps.state
    for seat in play_order(state.options, next_seat(state.options, dealer_of(state))):
        cards = running(steps.state).stock[:BATCH]
        steps.emit(e.HandDealt(seat, len(cards), Private(cards, seats_only(seat))))


# --- plays ------------------------------------------------------------------------------------


def trail(steps: Steps[State], card: Card, *, auto: bool = False) -> None:
    """6.6.2."""
    steps.emit(e.CardTrailed(running(steps.state).turn, card, auto))
    _go_on(steps)


def capture(steps: Steps[State], taken: Capture, *, auto: bool = False) -> None:
    """6.4.7, 7.3, 7.6."""
    state = steps.state
    seat = running(state).turn
    builds = tuple(
        e.Captured(build_id(build.number), build.value, build.owner, build.cards)
        for build in taken.builds
    )
    steps.emit(e.CardsCaptured(seat, taken.card, taken.groups, builds, auto))
    if _is_sweep(steps.state):
        steps.emit(e.SweepMade(seat, side_of(state.options, seat)))
    winner = automatic_winner(steps.state, seat)
    if winner is not None:
        win_at_once(steps, winner)
    else:
        _go_on(steps)


def _is_sweep(state: State) -> bool:
    """7.3: after the last card of a deal nobody has to trail."""
    deal, options = running(state), state.options
    is_last = not deal.stock and not any(deal.hands)
    is_bare = not deal.loose and not deal.builds
    return options.sweeps and is_bare and (options.last_play_sweep or not is_last)


def build(steps: Steps[State], built: Building) -> None:
    """6.5.8."""
    deal_ = running(steps.state)
    seat, base, groups = deal_.turn, built.base, built.groups
    if base is None:
        kind = BuildKind.SINGLE if len(groups) == 1 else BuildKind.MULTIPLE
        name = build_id(deal_.built + 1)
        steps.emit(e.BuildCreated(seat, built.card, name, built.value, kind, groups))
    elif base.value == built.value:
        name = build_id(base.number)
        steps.emit(e.BuildExtended(seat, built.card, name, base.value, groups, base.owner))
    else:
        name = build_id(base.number)
        kind = BuildKind.MULTIPLE if groups else BuildKind.SINGLE
        steps.emit(
            e.BuildRaised(seat, built.card, name, base.value, built.value, kind, groups, base.owner)
        )
    _go_on(steps)


def _go_on(steps: Steps[State]) -> None:
    """New hands, or the end of the deal, when the last hand card was played (5.5, 5.7)."""
    deal_ = running(steps.state)
    if any(deal_.hands):
        return
    if deal_.builds:
        raise AssertionError("no build survives a round of hands (5.9)")
    if deal_.stock:
        _deal_hands(steps)
    else:
        end_deal(steps)


# --- automatic plays --------------------------------------------------------------------------


def time_out(steps: Steps[State]) -> None:
    """10.1, 10.3: the automatic play, and too many of them make a seat sit out."""
    seat = running(steps.state).turn
    steps.emit(TurnTimedOut(seat))
    who = steps.state.seats[seat]
    if who is not None and who.timeouts >= steps.state.options.max_timeouts:
        steps.emit(SatOut(seat))
    _play_by_itself(steps)


def play_for_absent(steps: Steps[State]) -> None:
    """Play for seats that sit out or have left for as long as one of them is to act (10.3)."""
    while steps.state.deal is not None:
        who = steps.state.seats[steps.state.deal.turn]
        if who is None or not (who.out or who.leaving):
            return
        _play_by_itself(steps)


def _play_by_itself(steps: Steps[State]) -> None:
    """10.2."""
    deal_ = running(steps.state)
    seat = deal_.turn
    hand = sorted(deal_.hands[seat], key=ORDER.__getitem__)
    for card in hand:
        if may_trail(deal_, seat, card):
            trail(steps, card, auto=True)
            return
    for card in hand:
        equal = twins(deal_.loose, card)
        builds = tuple(b for b in deal_.builds if b.value == capture_value(card))
        numbers = {b.number for b in builds}
        if (equal or builds) and numbers.issuperset(unmet(deal_, seat, card)):
            capture(steps, Capture(card, tuple((each,) for each in equal), builds), auto=True)
            return
    raise AssertionError("5.8: there is always a legal play")
