"""How fast hands of Palace Poker are played, beside no-limit hold'em in PokerKit.

    python benchmarks/palace_poker.py

Six players act at random until their hands end.  An action of ours is: ask what may be done,
decide, evolve; the deal is part of the figure and counts as one action a hand.  An action of
PokerKit's is: ask what may be done, do it; dealing, blinds and settling are left to its
automation.  PokerKit changes its state in place and keeps no events.  Both run in turns, the best
round counts, because only ratios mean something on a machine with neighbours.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import random
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

from engine.actions import OpenTable, TakeSeat
from engine.events import Event
from engine.games.palace_poker import PalacePoker
from engine.games.palace_poker import actions as a
from engine.games.palace_poker.state import State
from engine.kernel import HOST, Cards, Offer, Range
from engine.shuffle import order

ROUNDS = 5
HANDS = 60
SEATS = 6
CHIPS = 2_000
GAME = PalacePoker()


class Shuffles:
    """Orders from a counter: as fast as a service that has its keys."""

    def __init__(self) -> None:
        self.count = 0

    def shuffle(self, purpose: str, pile: tuple[int, ...]) -> tuple[int, ...]:
        del purpose
        self.count += 1
        return order(self.count.to_bytes(32, "little"), pile)


def choose(rng: random.Random, offers: tuple[Offer, ...]) -> Any:
    """One of the offers, with a value for each of its limits; folds are rare."""
    offer = offers[rng.randrange(len(offers))]
    if offer.action is a.Fold and rng.random() < 0.8:
        offer = offers[0]
    values: dict[str, Any] = {}
    for limit in offer.limits:
        if isinstance(limit, Range):
            values[limit.field] = limit.low
        elif isinstance(limit, Cards):
            values[limit.field] = limit.cards[: limit.low]
    return offer.action(**values)


def table() -> State:
    shuffles = Shuffles()
    _, state = GAME.decide(GAME.initial(), HOST, OpenTable({"max_seats": str(SEATS)}), shuffles)
    for seat in range(SEATS):
        _, state = GAME.decide(state, seat, TakeSeat(f"p{seat}", CHIPS), shuffles)
    return state


def play_ours(seed: int, log: list[Event] | None = None) -> tuple[int, float]:
    """Actions of some hands, and the seconds spent in the game, not in choosing."""
    rng = random.Random(seed)
    shuffles = Shuffles()
    shuffles.count = seed << 64
    opened = table()
    count, spent = 0, 0.0
    clock = time.perf_counter
    for _ in range(HANDS):
        state, seat, action = opened, HOST, a.StartHand()
        while True:
            start = clock()
            events, state = GAME.decide(state, seat, action, shuffles)
            acting = GAME.to_act(state)
            offers = GAME.legal_actions(state, acting[0]) if acting else ()
            spent += clock() - start
            count += 1
            if log is not None:
                log.extend(events)
            if not acting:
                break
            seat, action = acting[0], choose(rng, offers)
    return count, spent


def play_pokerkit(pokerkit: ModuleType, seed: int) -> tuple[int, float]:
    """The same of no-limit hold'em: who folds, calls or bets the least is drawn at random."""
    rng = random.Random(seed)
    automations = tuple(pokerkit.Automation)
    count, spent = 0, 0.0
    clock = time.perf_counter
    for _ in range(HANDS):
        start = clock()
        state = pokerkit.NoLimitTexasHoldem.create_state(
            automations, True, 0, (5, 10), 10, (CHIPS,) * SEATS, SEATS
        )
        spent += clock() - start
        while state.status:
            start = clock()
            can_fold = state.can_fold()
            can_call = state.can_check_or_call()
            can_raise = state.can_complete_bet_or_raise_to()
            least = state.min_completion_betting_or_raising_to_amount
            spent += clock() - start
            dice = rng.random()
            start = clock()
            if can_fold and dice < 0.1:
                state.fold()
            elif can_raise and dice > 0.8:
                state.complete_bet_or_raise_to(least)
            elif can_call:
                state.check_or_call()
            spent += clock() - start
            count += 1
    return count, spent


def fold_rate() -> float:
    """Nanoseconds to fold one event of recorded hands."""
    log: list[Event] = []
    play_ours(1, log)
    best = float("inf")
    for _ in range(ROUNDS):
        state = table()
        evolve = GAME.evolve
        start = time.perf_counter()
        for event in log:
            state = evolve(state, event)
        best = min(best, time.perf_counter() - start)
    return best / len(log) * 1e9


def main() -> None:
    contestants: dict[str, Callable[[int], tuple[int, float]]] = {"Palace Poker, here": play_ours}
    try:
        pokerkit = importlib.import_module("pokerkit")
    except ImportError:
        print("pokerkit: not installed")
    else:
        name = f"no-limit hold'em, PokerKit {importlib.metadata.version('pokerkit')}"
        contestants[name] = lambda seed: play_pokerkit(pokerkit, seed)
    best = dict.fromkeys(contestants, 0.0)
    for seed in range(ROUNDS):
        for name, play in contestants.items():
            count, spent = play(seed)
            best[name] = max(best[name], count / spent)
    first = best["Palace Poker, here"]
    print(f"{SEATS} players, {ROUNDS} rounds of {HANDS} hands, best round")
    for name, rate in best.items():
        print(f"  {name:40} {rate:10,.0f} actions/s  first is {first / rate:6.1f}×")
    print(f"  {'folding recorded events':40} {fold_rate():10,.0f} ns/event")


if __name__ == "__main__":
    main()
