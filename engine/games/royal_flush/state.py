"""State of a Royal Flush table, and how events change it.

Zones hold *places in the initial deck* (0 = its top card), ``deck`` the face at each place.  So a
fold over redacted events, in which most faces are 0, follows every card, and once the deck is
revealed it knows them all: views follow from the events that their viewer was sent (4.5).
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, Final, NamedTuple

from engine.events import (
    ChipsAdded,
    DeckShuffled,
    Event,
    SeatLeft,
    SeatTaken,
    TableClosed,
    TableOpened,
    TurnTimedOut,
)
from engine.games.royal_flush import events as e
from engine.games.royal_flush.layout import deal, gather
from engine.games.royal_flush.options import Options, believed_options
from engine.games.royal_flush.target import Target, target
from engine.records import quick_copies

__all__ = ["Phase", "Player", "Result", "State", "evolve", "initial", "is_running", "target_of"]


class Phase(StrEnum):
    """Phases (5.1); NONE: there is no table yet."""

    NONE = "NONE"
    LOBBY = "LOBBY"
    DEAL = "DEAL"
    SEARCH = "SEARCH"
    GATHER = "GATHER"
    GAME_OVER = "GAME_OVER"
    CLOSED = "CLOSED"


class Result(StrEnum):
    """How a game ended (9.1)."""

    WON = "won"
    LOST = "lost"
    ABANDONED = "abandoned"


Pile = tuple[int, ...]


class Player(NamedTuple):
    """Who holds seat 0, and his chips."""

    name: str
    chips: int


@quick_copies
class State(NamedTuple):
    """A table.  ``next_pile`` and ``round`` are 0 where there is none."""

    phase: Phase
    options: Options
    player: Player | None = None
    round: int = 0
    next_pile: int = 0
    stock: tuple[int, ...] = ()
    piles: tuple[tuple[int, ...], ...] = ()
    claimed: tuple[int, ...] = ()
    discard: tuple[int, ...] = ()
    deck: tuple[int, ...] = ()
    revealed: bool = False
    result: Result | None = None
    won: int = 0
    lost: int = 0
    abandoned: int = 0


# A tuple: its members are compared by identity first, those of a set are hashed in Python.
_RUNNING = (Phase.SEARCH, Phase.DEAL, Phase.GATHER)


def initial() -> State:
    """No table."""
    return State(Phase.NONE, believed_options({}))


def is_running(state: State) -> bool:
    """Whether a game is running (5.1)."""
    return state.phase in _RUNNING


def target_of(state: State) -> Target:
    """The possible hands and the wanted cards now (7.4, 7.5)."""
    return target(state.options.family, state.claimed)


def _learn(deck: Pile, places: Pile, faces: Pile) -> Pile:
    """The deck with the faces of some places; itself when they were known, as the server's are."""
    if tuple([deck[place] for place in places]) == faces:
        return deck
    known = list(deck)
    for place, face in zip(places, faces, strict=True):
        known[place] = face
    return tuple(known)


def _after_search(state: State, pile: int) -> tuple[int, Phase]:
    """Next pile and phase; after the last one come the gathering or the end (5.1)."""
    if pile < len(state.piles):
        return pile + 1, Phase.SEARCH
    # In round 5 GameWon or GameLost follows at once and sets the phase.
    return 0, Phase.GATHER if state.round < 5 else Phase.SEARCH


def _found(state: State, event: e.CardFound) -> State:
    place = state.piles[event.pile - 1][0]
    deck = _learn(state.deck, (place,), (event.card,))
    next_pile, phase = _after_search(state, event.pile)
    return state._replace(deck=deck, next_pile=next_pile, phase=phase)


def _discarded(state: State, event: e.CardsDiscarded) -> State:
    piles, index, count = state.piles, event.pile - 1, len(event.cards)
    held = piles[index]
    gone = held[:count]
    return state._replace(
        deck=_learn(state.deck, gone, event.cards),
        piles=(*piles[:index], held[count:], *piles[index + 1 :]),
        discard=state.discard + gone,
    )


def _claimed(state: State, event: e.CardClaimed) -> State:
    return state._replace(claimed=(*state.claimed, event.card))


def _emptied(state: State, event: e.PileEmptied) -> State:
    next_pile, phase = _after_search(state, event.pile)
    return state._replace(next_pile=next_pile, phase=phase)


def _dealt(state: State, event: e.PilesDealt) -> State:
    piles = deal(state.stock, event.sizes, state.options)
    return state._replace(phase=Phase.SEARCH, next_pile=1, stock=(), piles=piles)


def _gathered(state: State, event: e.PilesGathered) -> State:
    del event
    stock, _ = gather(state.piles, state.options.gather_style)
    return state._replace(phase=Phase.DEAL, round=state.round + 1, stock=stock, piles=())


# next_pile stays until the deck is revealed: it tells searched piles from unsearched ones, whose
# first cards a view between the two events must not show (4.4, 4.5).
def _won(state: State, event: e.GameWon) -> State:
    del event
    return state._replace(phase=Phase.GAME_OVER, result=Result.WON, won=state.won + 1)


def _lost(state: State, event: e.GameLost) -> State:
    del event
    return state._replace(phase=Phase.GAME_OVER, result=Result.LOST, lost=state.lost + 1)


def _abandoned(state: State, event: e.GameAbandoned) -> State:
    del event
    count = state.abandoned + 1
    return state._replace(phase=Phase.GAME_OVER, result=Result.ABANDONED, abandoned=count)


def _revealed(state: State, event: e.DeckRevealed) -> State:
    return state._replace(deck=event.deck, revealed=True, next_pile=0)


def _started(state: State, event: e.GameStarted) -> State:
    del event
    new = State(Phase.DEAL, state.options, state.player, round=1)
    return new._replace(won=state.won, lost=state.lost, abandoned=state.abandoned)


def _shuffled(state: State, event: DeckShuffled) -> State:
    order = event.order.value
    return state._replace(deck=order, stock=tuple(range(len(order))))


def _taken(state: State, event: SeatTaken) -> State:
    return state._replace(player=Player(event.player, event.chips))


def _left(state: State, event: SeatLeft) -> State:
    del event
    return state._replace(player=None)


def _added(state: State, event: ChipsAdded) -> State:
    player = state.player
    if player is None:
        raise AssertionError("chips were added to an empty seat")
    return state._replace(player=Player(player.name, player.chips + event.amount))


def _opened(state: State, event: TableOpened) -> State:
    del state
    return State(Phase.LOBBY, believed_options(dict(event.options)))


def _closed(state: State, event: TableClosed) -> State:
    del event
    return state._replace(phase=Phase.CLOSED)


def _unchanged(state: State, event: Event) -> State:
    del event
    return state


# By class and not by match: an event in the last of twenty cases costs more than its work.
_EVOLVE: Final[dict[type[Event], Callable[[State, Any], State]]] = {
    e.GameStarted: _started,
    e.TargetFixed: _unchanged,
    e.PilesDealt: _dealt,
    e.PileTurnedUp: _unchanged,
    e.CardsDiscarded: _discarded,
    e.CardFound: _found,
    e.CardClaimed: _claimed,
    e.PileEmptied: _emptied,
    e.PilesGathered: _gathered,
    e.GameWon: _won,
    e.GameLost: _lost,
    e.GameAbandoned: _abandoned,
    e.DeckRevealed: _revealed,
    TableOpened: _opened,
    SeatTaken: _taken,
    ChipsAdded: _added,
    SeatLeft: _left,
    TurnTimedOut: _unchanged,
    DeckShuffled: _shuffled,
    TableClosed: _closed,
}


def evolve(state: State, event: Event) -> State:
    """The state after a fact; believes it."""
    change = _EVOLVE.get(type(event))
    if change is None:
        raise AssertionError(f"{type(event).__name__} is no event of this game")
    return change(state, event)
