"""Whether a Royal Casino position can arise (royal_casino 12.0.3)."""

from __future__ import annotations

from engine.games.royal_casino.state import (
    Build,
    Deal,
    Phase,
    State,
    dealer_of,
    forfeited,
    is_running,
    next_seat,
    play_order,
    running,
    sides,
)
from engine.games.royal_casino.values import capture_value, group_value
from engine.games.royal_casino.view import DEALT_IN_HANDS
from engine.kernel import PositionError
from engine.options import MAX_AMOUNT

__all__ = ["check_deal", "check_table"]

MOST_LOOSE = 16
"""Loose cards there can be at once (5.10)."""
MOST_BUILDS = 12
"""Builds there can be at once: three for each of four seats (6.8.6)."""


def _refuse_if(broken: object, why: str) -> None:
    if broken:
        raise PositionError(why)


def check_table(state: State) -> None:
    """Seats, chips and the game, with or without a deal; raises ``PositionError``."""
    seated = [who for who in state.seats if who is not None]
    names = [who.player for who in seated]
    _refuse_if(len(set(names)) != len(names), "names: one name at two seats")
    chips = state.pot + sum(who.chips for who in seated)
    _refuse_if(chips > MAX_AMOUNT, f"stacks: stacks and pot are at most {MAX_AMOUNT}")
    _refuse_if(
        state.phase is Phase.CLOSED and seated, "stacks: nobody sits at a closed table (6.2.1)"
    )
    if is_running(state):
        _refuse_if(None in state.seats, f"stacks: all seats are taken in {state.phase}")
        _refuse_if(state.dealer is None, f"dealer: there is one in {state.phase}")
        _refuse_if(state.result, f"result: the game is not over in {state.phase}")
        left = len(sides(state)) - len(forfeited(state))
        _refuse_if(left < 2, "leaving: the only side left has won at once (10.5)")
        return
    _refuse_if(
        any(who.leaving for who in seated), f"leaving: seats are free at once in {state.phase}"
    )
    _refuse_if(state.pot, f"pot: it was paid out before {state.phase}")
    if state.phase is Phase.LOBBY:
        _refuse_if(
            state.dealer is not None or state.result or any(state.scores) or state.overtime,
            "phase: before the first game there is no dealer, score or result",
        )
    if state.phase is Phase.GAME_OVER:
        _refuse_if(state.dealer is None, "dealer: there was one in the game that is over")
        _refuse_if(state.result is None, "result: the game that is over has one")


def check_deal(state: State) -> None:
    """A running deal; raises ``PositionError``."""
    deal = running(state)
    _refuse_if(not state.deals, "deal: a running deal is counted")
    _check_hands(state, deal)
    _refuse_if(
        len(deal.stock) % (4 * len(state.seats)),
        "stock: not a multiple of four cards for each seat",
    )
    _refuse_if(len(deal.loose) > MOST_LOOSE, f"loose: more than {MOST_LOOSE} cards (5.10)")
    _refuse_if(len(deal.builds) > MOST_BUILDS, f"build: more than {MOST_BUILDS} (6.8.6)")
    for build in deal.builds:
        _check_build(deal, build)
    highest = max((build.number for build in deal.builds), default=0)
    _refuse_if(deal.built < highest, f"built: b{highest} is on the table")
    _refuse_if(deal.last is not None and not any(deal.piles), "last: nothing was captured")
    untouched = len(deal.stock) + sum(map(len, deal.hands)) == DEALT_IN_HANDS
    _refuse_if(deal.own_play and untouched, "own_play: no card was played yet")
    who = state.seats[deal.turn]
    _refuse_if(
        who is not None and (who.out or who.leaving),
        "turn: the seat is not there, its card would have been played at once (10.3)",
    )


def _check_hands(state: State, deal: Deal) -> None:
    """Who has acted in this lap of the table has one card less."""
    size = len(deal.hands[deal.turn])
    _refuse_if(not 1 <= size <= 4, f"hand {deal.turn}: expected one to four cards")
    expected = size - 1
    for seat in play_order(state.options, next_seat(state.options, dealer_of(state))):
        if seat == deal.turn:
            expected = size
        _refuse_if(
            len(deal.hands[seat]) != expected,
            f"hand {seat}: expected {expected} cards with seat {deal.turn} to act",
        )


def _check_build(deal: Deal, build: Build) -> None:
    key = f"build b{build.number}"
    for group in build.groups:
        _refuse_if(group_value(group) != build.value, f"{key}: a group is not worth its value")
    _refuse_if(len(build.cards) < 2, f"{key}: a build has two cards or more (2.1)")
    _refuse_if(
        all(capture_value(card) != build.value for card in deal.hands[build.owner]),
        f"hand {build.owner}: the owner of b{build.number} holds a card of its value (6.5.7)",
    )
