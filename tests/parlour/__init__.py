"""Parlour: a small card game for tests, with every kind of secret a table can hold.

Two to four seats pay an ante and get a hidden hand each; a house card lies face down.  In turn
they keep, swap a card (face down, or face up by an option), pay to look at one card of somebody
else, or fold.  At the showdown the highest sum of ranks wins the pot, cards of the house card's
suit counting twice.  The draw pile is short: the discard is shuffled to a new one in mid-hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from engine.actions import Action, HostAction
from engine.events import Event
from engine.kernel import Game, Lines, Offer, Shuffler, Steps, View
from engine.options import Option
from engine.transfers import POT, Move, Moved, PotBegun
from tests.parlour import actions, events, position, rules, state
from tests.parlour import view as views
from tests.parlour.state import Phase, State

__all__ = ["Parlour"]


class Parlour(Game[State]):
    """The contract of the kernel, kept by the modules beside this one."""

    key: ClassVar[str] = "parlour"
    NUMBER: ClassVar[int] = 900
    RULES: ClassVar[int] = 1
    TITLE: ClassVar[str] = "Parlour"
    SUMMARY: ClassVar[str] = "Hidden hands, a look at one card of another, one pot."
    OPTIONS: ClassVar[tuple[Option, ...]] = state.OPTIONS
    START_FACTS: ClassVar[tuple[Option, ...]] = state.START_FACTS
    ACTIONS: ClassVar[tuple[type[Action], ...]] = actions.ACTIONS
    EVENTS: ClassVar[tuple[type[Event], ...]] = events.EVENTS
    VIEW: ClassVar[type[View]] = views.ParlourView
    NUMBERED: ClassVar[frozenset[str]] = frozenset({"cards"})
    START: ClassVar[type[HostAction]] = actions.StartHand
    CARD_ZONES: ClassVar[tuple[str, ...]] = ("hands", "house", "draw", "aside", "discard")
    CHIP_ZONES: ClassVar[tuple[str, ...]] = ("pot",)
    HAND_BEGINS: ClassVar[frozenset[type[Event]]] = frozenset({events.HandStarted})
    HAND_ENDS: ClassVar[frozenset[type[Event]]] = frozenset({events.HandEnded})
    MOVES_CHIPS: ClassVar[frozenset[type[Event]]] = frozenset(
        {events.HandStarted, events.AntePaid, events.CardShown, events.PotAwarded}
    )
    DECIDES: ClassVar[frozenset[type[Event]]] = frozenset(
        {events.Kept, events.CardDiscarded, events.CardShown, events.Folded}
    )

    def initial(self) -> State:
        return state.initial()

    def decide(
        self, state: State, actor: int, action: Action, shuffler: Shuffler
    ) -> tuple[tuple[Event, ...], State]:
        return rules.decide(Steps(self, state), actor, action, shuffler)

    def evolve(self, state: State, event: Event) -> State:
        return _evolve(state, event)

    def view(self, state: State, viewer: int) -> views.ParlourView:
        return views.view(state, viewer)

    def legal_actions(self, state: State, seat: int) -> tuple[Offer, ...]:
        return rules.legal_actions(state, seat)

    def to_act(self, state: State) -> tuple[int, ...]:
        return (state.acting,) if state.phase is Phase.TURNS else ()

    def hand(self, state: State) -> int:
        return state.hand_no if state.phase is Phase.TURNS else 0

    def moved(self, event: Event) -> tuple[Move, ...]:
        match event:
            case events.HandStarted():
                return (PotBegun(),)
            case events.AntePaid():
                return (Moved(event.seat, POT, event.amount),)
            case events.CardShown():
                return (Moved(event.seat, POT, event.price),)
            case events.PotAwarded():
                return (Moved(POT, event.seat, event.amount),)
            case _:
                return ()

    def seats(self, state: State) -> int:
        return len(state.players)

    def players(self, state: State) -> Mapping[int, tuple[str, int]]:
        return {s: (p.name, p.chips) for s, p in enumerate(state.players) if p}

    def can_start(self, state: State) -> bool:
        return state.phase is Phase.LOBBY and len(rules.ready(state)) > 1

    def is_closed(self, state: State) -> bool:
        return state.phase is Phase.CLOSED

    def epoch_is_over(self, state: State) -> bool:
        return state.phase is not Phase.TURNS

    def lines(self, view: View) -> Lines:
        assert isinstance(view, views.ParlourView)
        return views.lines(view)

    def derived(self, view: View) -> Lines:
        assert isinstance(view, views.ParlourView)
        return [("acting", str(view.acting))]

    def defaults(self) -> Mapping[str, str]:
        return {"button": "0", "hand": "0", "turn": "0", "peeked": "no", "pot": "0"}

    def place(self, state: State, lines: Sequence[tuple[str, str]]) -> State:
        return position.place(state, lines)

    def script_start(
        self, entries: Mapping[str, str]
    ) -> tuple[Mapping[str, str], tuple[HostAction, ...]]:
        return entries, (actions.StartHand(),)


_evolve = state.evolve
