"""State of a Royal Flush table, and how events change it.

Zones hold *places in the initial deck* (0 = its top card), ``deck`` the face at each place.  So a
fold over redacted events, in which most faces are 0, follows every card, and once the deck is
revealed it knows them all: views follow from the events that their viewer was sent (4.5).
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from engine.cards import to_set
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
from engine.games.royal_flush.options import Options, read_options
from engine.games.royal_flush.target import Target, target

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


_RUNNING = frozenset({Phase.DEAL, Phase.SEARCH, Phase.GATHER})


def initial() -> State:
    """No table."""
    return State(Phase.NONE, read_options({})[0])


def is_running(state: State) -> bool:
    """Whether a game is running (5.1)."""
    return state.phase in _RUNNING


def target_of(state: State) -> Target:
    """The possible hands and the wanted cards now (7.4, 7.5)."""
    return target(state.options.family, to_set(state.claimed))


def _learn(deck: Pile, places: Pile, faces: Pile) -> Pile:
    """The deck with the faces of some places; itself when they were known."""
    if all(deck[place] == face for place, face in zip(places, faces, strict=True)):
        return deck
    known = list(deck)
    for place, face in zip(places, faces, strict=True):
        known[place] = face
    return tuple(known)


def _with_pile(state: State, pile: int, cards: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    return (*state.piles[: pile - 1], cards, *state.piles[pile:])


def _searched(state: State, pile: int) -> State:
    """The search of a pile is over; after the last one come the gathering or the end (5.1)."""
    if pile < len(state.piles):
        return state._replace(next_pile=pile + 1)
    # In round 5 GameWon or GameLost follows at once and sets the phase.
    phase = Phase.GATHER if state.round < 5 else Phase.SEARCH
    return state._replace(next_pile=0, phase=phase)


def evolve(state: State, event: Event) -> State:
    """The state after a fact; believes it."""
    match event:
        case e.CardFound():
            held = state.piles[event.pile - 1]
            deck = _learn(state.deck, held[:1], (event.card,))
            return _searched(state._replace(deck=deck), event.pile)
        case e.CardsDiscarded():
            held = state.piles[event.pile - 1]
            gone = held[: len(event.cards)]
            return state._replace(
                deck=_learn(state.deck, gone, event.cards),
                piles=_with_pile(state, event.pile, held[len(gone) :]),
                discard=state.discard + gone,
            )
        case e.PileTurnedUp() | e.TargetFixed() | TurnTimedOut():
            return state
        case e.CardClaimed():
            return state._replace(claimed=(*state.claimed, event.card))
        case e.PileEmptied():
            return _searched(state, event.pile)
        case e.PilesDealt():
            return state._replace(
                phase=Phase.SEARCH,
                next_pile=1,
                stock=(),
                piles=deal(state.stock, event.sizes, state.options),
            )
        case e.PilesGathered():
            stock, _ = gather(state.piles, state.options.gather_style)
            return state._replace(phase=Phase.DEAL, round=state.round + 1, stock=stock, piles=())
        case e.GameWon():
            return _over(state, Result.WON)._replace(won=state.won + 1)
        case e.GameLost():
            return _over(state, Result.LOST)._replace(lost=state.lost + 1)
        case e.GameAbandoned():
            return _over(state, Result.ABANDONED)._replace(abandoned=state.abandoned + 1)
        case e.DeckRevealed():
            return state._replace(deck=event.deck, revealed=True, next_pile=0)
        case e.GameStarted():
            return State(
                Phase.DEAL,
                state.options,
                state.player,
                round=1,
                won=state.won,
                lost=state.lost,
                abandoned=state.abandoned,
            )
        case DeckShuffled():
            order = event.order.value
            return state._replace(deck=order, stock=tuple(range(len(order))))
        case SeatTaken():
            return state._replace(player=Player(event.player, event.chips))
        case SeatLeft():
            return state._replace(player=None)
        case ChipsAdded():
            player = state.player
            if player is None:
                raise AssertionError("chips were added to an empty seat")
            return state._replace(player=Player(player.name, player.chips + event.amount))
        case TableOpened():
            return State(Phase.LOBBY, read_options(dict(event.options))[0])
        case TableClosed():
            return state._replace(phase=Phase.CLOSED)
        case _:
            raise AssertionError(f"{type(event).__name__} is no event of this game")


def _over(state: State, result: Result) -> State:
    # next_pile stays until the deck is revealed: it tells searched piles from unsearched ones,
    # whose first cards a view between the two events must not show (4.4, 4.5).
    return state._replace(phase=Phase.GAME_OVER, result=result)
