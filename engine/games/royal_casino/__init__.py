"""Royal Casino, a fishing game with builds.  Rule specification: royal_casino."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from engine.actions import Action, HostAction
from engine.events import Event
from engine.games.royal_casino import actions, events, offers, position, rules, seating, state
from engine.games.royal_casino import evolve as folding
from engine.games.royal_casino import listing as listings
from engine.games.royal_casino import view as views
from engine.games.royal_casino.options import OPTIONS
from engine.games.royal_casino.state import Phase, State, side_of
from engine.kernel import (
    Game,
    Lines,
    Listing,
    Lots,
    Offer,
    PositionError,
    Shuffler,
    Steps,
    View,
)
from engine.options import Option
from engine.transfers import POT, Move, Moved, PotBegun

__all__ = ["RoyalCasino"]

_CARD_KEYS = frozenset({"hand", "loose", "dealt", "stock", "pile"})
_BEFORE_A_GAME = frozenset({Phase.LOBBY, Phase.GAME_OVER})


class RoyalCasino(Game[State]):
    """The contract of the kernel, kept by the modules beside this one."""

    key: ClassVar[str] = "royal_casino"
    NUMBER: ClassVar[int] = 200
    RULES: ClassVar[int] = 1
    TITLE: ClassVar[str] = "Royal Casino"
    SUMMARY: ClassVar[str] = (
        "Each hand card captures cards of its value from the table, or builds them up for a later "
        "capture; points for most cards, spades, aces, two special cards and sweeps."
    )
    OPTIONS: ClassVar[tuple[Option, ...]] = OPTIONS
    START_FACTS: ClassVar[tuple[Option, ...]] = ()
    ACTIONS: ClassVar[tuple[type[Action], ...]] = actions.ACTIONS
    EVENTS: ClassVar[tuple[type[Event], ...]] = events.EVENTS
    VIEW: ClassVar[type[View]] = views.RoyalCasinoView
    NUMBERED: ClassVar[frozenset[str]] = frozenset({"hand", "build", "pile"})
    START: ClassVar[type[HostAction]] = actions.StartDeal
    CARD_ZONES: ClassVar[tuple[str, ...]] = ("hands", "loose", "stock", "piles", "builds.groups")
    CHIP_ZONES: ClassVar[tuple[str, ...]] = ("pot",)
    HAND_BEGINS: ClassVar[frozenset[type[Event]]] = frozenset({events.DealStarted})
    SEATS_OPTION: ClassVar[str] = "players"
    # Each deal shows its deck once, whether it was played out or stopped.
    HAND_ENDS: ClassVar[frozenset[type[Event]]] = frozenset({events.DeckRevealed})
    MOVES_CHIPS: ClassVar[frozenset[type[Event]]] = frozenset(
        {events.GameStarted, events.StakePosted, events.PotPaid}
    )
    DECIDES: ClassVar[frozenset[type[Event]]] = frozenset(
        {
            events.CardTrailed,
            events.CardsCaptured,
            events.BuildCreated,
            events.BuildExtended,
            events.BuildRaised,
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

    def view(self, state: State, viewer: int) -> views.RoyalCasinoView:
        return views.view(state, viewer)

    def legal_actions(self, state: State, seat: int) -> tuple[Offer, ...]:
        return offers.legal_actions(state, seat)

    def listing(self, state: State, seat: int, limit: int) -> Listing:
        """All legal plays one by one (royal_casino 6.8)."""
        return listings.listing(state, seat, limit)

    def to_act(self, state: State) -> tuple[int, ...]:
        return (state.deal.turn,) if state.deal else ()

    def hand(self, state: State) -> int:
        return state.deals if state.deal else 0

    def moved(self, event: Event) -> tuple[Move, ...]:
        match event:
            case events.GameStarted():
                return (PotBegun(),)
            case events.StakePosted():
                return (Moved(event.seat, POT, event.amount),)
            case events.PotPaid():
                return (Moved(POT, event.seat, event.amount),)
            case _:
                return ()

    def seats(self, state: State) -> int:
        return len(state.seats)

    def players(self, state: State) -> Mapping[int, tuple[str, int]]:
        return {seat: (who.player, who.chips) for seat, who in enumerate(state.seats) if who}

    def scores(self, state: State) -> Mapping[int, int]:
        """Those of the side of each seat."""
        return {seat: state.scores[side_of(state.options, seat)] for seat in self.players(state)}

    def rests(self, state: State) -> Mapping[int, int]:
        """1 for those who have won the game alone, with their partner."""
        won = state.result.sides if state.result and len(state.result.sides) == 1 else ()
        return {seat: int(side_of(state.options, seat) in won) for seat in self.players(state)}

    def is_game_over(self, state: State) -> bool:
        return state.phase is Phase.GAME_OVER

    def dealer(self, state: State) -> int:
        return -1 if state.dealer is None else state.dealer

    def can_start(self, state: State) -> bool:
        if state.phase in _BEFORE_A_GAME:
            return not seating.start_obstacle(state)
        return state.phase is Phase.BETWEEN_DEALS

    def next_start(self, state: State, lots: Lots) -> HostAction:
        """Between games a game is started; its first dealer is drawn where nothing names him."""
        if state.phase not in _BEFORE_A_GAME:
            return actions.StartDeal()
        if seating.start_obstacle(state) or seating.known_dealer(state) is not None:
            return actions.StartGame()
        return actions.StartGame(lots.draw("FIRST_DEALER", len(state.seats)))

    def is_closed(self, state: State) -> bool:
        return state.phase is Phase.CLOSED

    def epoch_is_over(self, state: State) -> bool:
        return state.deal is None

    def lines(self, view: View) -> Lines:
        return views.lines(_own(view))

    def derived(self, view: View) -> Lines:
        return views.defaults(_own(view))

    def defaults(self) -> Mapping[str, str]:
        return {}

    def line_matches(self, found: Mapping[str, str], key: str, expected: str) -> bool | None:
        """Cards and groups in any order; a build that is not there is ``-`` (12.0.2)."""
        word = key.partition(" ")[0]
        if word == "build":
            return _groups(found.get(key, "")) == _groups(expected)
        if word in _CARD_KEYS and key in found:
            return _cards(found[key]) == _cards(expected)
        return None

    def place(self, state: State, lines: Sequence[tuple[str, str]]) -> State:
        return position.place(state, lines)

    def script_start(
        self, entries: Mapping[str, str]
    ) -> tuple[Mapping[str, str], tuple[HostAction, ...]]:
        for name in entries:
            if name != "dealer":
                raise PositionError(f"start: has no entry {name!r} in royal_casino")
        dealer = entries.get("dealer", "none")
        if dealer in {"none", "-"}:
            return {}, (actions.StartGame(),)
        if not re.fullmatch(r"[0-9]", dealer):
            raise PositionError(f"start: dealer={dealer} is no seat")
        return {}, (actions.StartGame(int(dealer)),)


def _own(view: View) -> views.RoyalCasinoView:
    if not isinstance(view, views.RoyalCasinoView):
        raise TypeError(f"{type(view).__name__} is no view of Royal Casino")
    return view


def _cards(text: str) -> list[str]:
    return [] if text in {"-", "none"} else sorted(text.split())


def _groups(text: str) -> tuple[str, list[list[str]]]:
    """What stands before the groups of a build, and the groups, all in one order."""
    if text in {"-", "none"}:
        return "", []
    groups = re.findall(r"\[([^][]*)\]", text)
    rest = re.sub(r"\s*\[[^][]*\]", "", text)
    return rest, sorted(sorted(group.split()) for group in groups)
