"""Palace Poker, a game of single battles for one pot.  Rule specification: palace_poker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from engine.actions import Action, HostAction
from engine.events import Event
from engine.games.palace_poker import actions, events, position, rules, state
from engine.games.palace_poker import evolve as folding
from engine.games.palace_poker import view as views
from engine.games.palace_poker.options import OPTIONS, START_FACTS, believed_options
from engine.games.palace_poker.state import Phase, State
from engine.kernel import Game, Lines, Offer, PositionError, Shuffler, Steps, View
from engine.options import Option
from engine.transfers import POT, Move, Moved, PotBegun

__all__ = ["PalacePoker"]

_ACTING = frozenset({Phase.TURN, Phase.MUSTER, Phase.BATTLE})


class PalacePoker(Game[State]):
    """The contract of the kernel, kept by the modules beside this one."""

    key: ClassVar[str] = "palace_poker"
    NUMBER: ClassVar[int] = 100
    RULES: ClassVar[int] = 1
    TITLE: ClassVar[str] = "Palace Poker"
    SUMMARY: ClassVar[str] = (
        "A banner in the open, three palace cards in hand, soldiers to buy: every bet attacks one "
        "opponent, the loser is out, and the last one standing takes the pot."
    )
    OPTIONS: ClassVar[tuple[Option, ...]] = OPTIONS
    START_FACTS: ClassVar[tuple[Option, ...]] = START_FACTS
    ACTIONS: ClassVar[tuple[type[Action], ...]] = actions.ACTIONS
    EVENTS: ClassVar[tuple[type[Event], ...]] = events.EVENTS
    VIEW: ClassVar[type[View]] = views.PalacePokerView
    NUMBERED: ClassVar[frozenset[str]] = frozenset({"banner", "palace", "soldiers", "price"})
    START: ClassVar[type[HostAction]] = actions.StartHand
    CARD_ZONES: ClassVar[tuple[str, ...]] = (
        "banners",
        "palaces",
        "soldiers",
        "draw",
        "discard",
        "rejects",
    )
    CHIP_ZONES: ClassVar[tuple[str, ...]] = ("pot",)
    HAND_BEGINS: ClassVar[frozenset[type[Event]]] = frozenset({events.HandStarted})
    HAND_ENDS: ClassVar[frozenset[type[Event]]] = frozenset({events.HandEnded})
    MOVES_CHIPS: ClassVar[frozenset[type[Event]]] = HAND_BEGINS | HAND_ENDS
    SEATS_OPTION: ClassVar[str] = "max_seats"
    CHANGEABLE: ClassVar[frozenset[str]] = frozenset(
        {"small_bet", "big_bet", "ante", "max_raises", "max_turns"}
    )
    # A muster that throws cards away counts twice: the number of a decision may skip one.
    DECIDES: ClassVar[frozenset[type[Event]]] = frozenset(
        {
            events.Stayed,
            events.SoldiersDiscarded,
            events.SoldierBought,
            events.MusterCompleted,
            events.BattleDeclared,
            events.BattleCalled,
            events.BattleRaised,
            events.BattleFolded,
            events.Folded,
        }
    )

    def initial(self) -> State:
        return state.initial()

    def decide(
        self, state: State, actor: int, action: Action, shuffler: Shuffler
    ) -> tuple[tuple[Event, ...], State]:
        return rules.decide(Steps(self, state), actor, action, shuffler)

    def evolve(self, state: State, event: Event) -> State:
        return folding.evolve(state, event)

    def view(self, state: State, viewer: int) -> views.PalacePokerView:
        return views.view(state, viewer)

    def legal_actions(self, state: State, seat: int) -> tuple[Offer, ...]:
        return rules.legal_actions(state, seat)

    def to_act(self, state: State) -> tuple[int, ...]:
        return (state.hand.actor,) if state.hand and state.phase in _ACTING else ()

    def hand(self, state: State) -> int:
        return state.hand_no if state.hand else 0

    def dealt_in(self, event: Event) -> tuple[int, ...] | None:
        if not isinstance(event, events.HandStarted):
            return None
        return tuple(seat for seat, _ in event.seats)

    def moved(self, event: Event) -> tuple[Move, ...]:
        """A hand as a whole: stacks go into a pot when it begins, and what is left comes back."""
        match event:
            case events.HandStarted():
                return (PotBegun(), *(Moved(seat, POT, stack) for seat, stack in event.seats))
            case events.HandEnded():
                return tuple(Moved(POT, seat, stack) for seat, stack in event.stacks)
            case _:
                return ()

    def seats(self, state: State) -> int:
        return len(state.seats)

    def players(self, state: State) -> Mapping[int, tuple[str, int]]:
        return {
            seat: (who.player, state.stacks[seat]) for seat, who in enumerate(state.seats) if who
        }

    def dealer(self, state: State) -> int:
        return -1 if state.dealer is None else state.dealer

    def can_start(self, state: State) -> bool:
        return state.phase is Phase.IDLE and _eligible(state).bit_count() > 1

    def is_closed(self, state: State) -> bool:
        return state.phase is Phase.CLOSED

    def epoch_is_over(self, state: State) -> bool:
        return state.hand is None

    def with_options(self, state: State, options: Mapping[str, str]) -> State:
        return state._replace(options=believed_options(options))

    def lines(self, view: View) -> Lines:
        return views.lines(_own(view))

    def derived(self, view: View) -> Lines:
        return views.derived(_own(view))

    def defaults(self) -> Mapping[str, str]:
        return {}

    def line_matches(self, found: Mapping[str, str], key: str, expected: str) -> bool | None:
        """A line that is left out is ``none``, or what it stands for (palace_poker 12.0)."""
        if key in found:
            return None
        stands_for = views.DEFAULTS.get(key)
        if key == "actor" and "turn" in found:
            stands_for = found["turn"].split()[0]
        return True if expected == stands_for else None

    def place(self, state: State, lines: Sequence[tuple[str, str]]) -> State:
        return position.place(state, lines)

    def script_start(
        self, entries: Mapping[str, str]
    ) -> tuple[Mapping[str, str], tuple[HostAction, ...]]:
        for name in entries:
            if name != "dealer":
                raise PositionError(f"start: has no entry {name!r} in palace_poker")
        return entries, ()


_eligible = state.eligible


def _own(view: View) -> views.PalacePokerView:
    if not isinstance(view, views.PalacePokerView):
        raise TypeError(f"{type(view).__name__} is no view of Palace Poker")
    return view
