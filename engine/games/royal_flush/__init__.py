"""Royal Flush, a solitaire.  Rule specification: royal_flush."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from engine.actions import Action, HostAction
from engine.cards import PACK
from engine.events import Event
from engine.games.royal_flush import actions, events, position, rules, state
from engine.games.royal_flush import view as views
from engine.games.royal_flush.options import OPTIONS, believed_options
from engine.games.royal_flush.state import Phase, Result, State
from engine.kernel import Game, Lines, Offer, PositionError, Shuffler, Steps, View
from engine.options import Option

__all__ = ["RoyalFlush"]


class RoyalFlush(Game[State]):
    """The contract of the kernel, kept by the modules beside this one."""

    key: ClassVar[str] = "royal_flush"
    NUMBER: ClassVar[int] = 400
    RULES: ClassVar[int] = 1
    TITLE: ClassVar[str] = "Royal Flush"
    SUMMARY: ClassVar[str] = (
        "A solitaire: five piles are searched, gathered and dealt again as four, three, two "
        "and one. The game is won when only the royal flush is left."
    )
    OPTIONS: ClassVar[tuple[Option, ...]] = OPTIONS
    START_FACTS: ClassVar[tuple[Option, ...]] = ()
    ACTIONS: ClassVar[tuple[type[Action], ...]] = actions.ACTIONS
    EVENTS: ClassVar[tuple[type[Event], ...]] = events.EVENTS
    VIEW: ClassVar[type[View]] = views.RoyalFlushView
    NUMBERED: ClassVar[frozenset[str]] = frozenset({"pile"})
    START: ClassVar[type[HostAction]] = actions.StartGame
    CARD_ZONES: ClassVar[tuple[str, ...]] = ("stock", "piles", "discard")
    HAND_BEGINS: ClassVar[frozenset[type[Event]]] = frozenset({events.GameStarted})
    HAND_ENDS: ClassVar[frozenset[type[Event]]] = frozenset(
        {events.GameWon, events.GameLost, events.GameAbandoned}
    )
    CHANGEABLE: ClassVar[frozenset[str]] = frozenset(
        {"target_mode", "target_suit", "target_rank", "target_pair_rank", "named_cards"}
    )
    DECIDES: ClassVar[frozenset[type[Event]]] = frozenset(
        {events.PilesDealt, events.CardFound, events.PileEmptied, events.PilesGathered}
    )

    def initial(self) -> State:
        return state.initial()

    def decide(
        self, state: State, actor: int, action: Action, shuffler: Shuffler
    ) -> tuple[tuple[Event, ...], State]:
        return rules.decide(Steps(self, state), actor, action, shuffler)

    evolve = staticmethod(state.evolve)  # pyright: ignore[reportAssignmentType]  # one call less

    def view(self, state: State, viewer: int) -> views.RoyalFlushView:
        return views.view(state, viewer)

    def legal_actions(self, state: State, seat: int) -> tuple[Offer, ...]:
        return rules.legal_actions(state, seat)

    def to_act(self, state: State) -> tuple[int, ...]:
        return (0,) if _is_running(state) else ()

    def hand(self, state: State) -> int:
        return state.won + state.lost + state.abandoned + 1 if _is_running(state) else 0

    def seats(self, state: State) -> int:
        del state
        return 1

    def players(self, state: State) -> Mapping[int, tuple[str, int]]:
        return {0: (state.player.name, state.player.chips)} if state.player else {}

    def scores(self, state: State) -> Mapping[int, int]:
        """Games won."""
        return {0: state.won} if state.player else {}

    def rests(self, state: State) -> Mapping[int, int]:
        """Cards left that were not sought (7.11)."""
        left = len(PACK) - len(state.discard) - state.options.size
        return {0: 0 if state.result is Result.WON else max(0, left)}

    def with_options(self, state: State, options: Mapping[str, str]) -> State:
        return state._replace(options=believed_options(options))

    def can_start(self, state: State) -> bool:
        return state.phase in {Phase.LOBBY, Phase.GAME_OVER} and state.player is not None

    def is_closed(self, state: State) -> bool:
        return state.phase is Phase.CLOSED

    def epoch_is_over(self, state: State) -> bool:
        return not _is_running(state)

    def lines(self, view: View) -> Lines:
        return views.lines(_own(view))

    def derived(self, view: View) -> Lines:
        return views.derived(_own(view))

    def defaults(self) -> Mapping[str, str]:
        return views.DEFAULTS

    def place(self, state: State, lines: Sequence[tuple[str, str]]) -> State:
        return position.place(state, lines)

    def script_start(
        self, entries: Mapping[str, str]
    ) -> tuple[Mapping[str, str], tuple[HostAction, ...]]:
        if entries:
            raise PositionError("start: has no entries in royal_flush")
        return {}, (actions.StartGame(),)


_is_running = state.is_running


def _own(view: View) -> views.RoyalFlushView:
    if not isinstance(view, views.RoyalFlushView):
        raise TypeError(f"{type(view).__name__} is no view of Royal Flush")
    return view
