"""What a viewer sees of a Royal Flush table (royal_flush 4), and its text (12.0)."""

from __future__ import annotations

from dataclasses import dataclass

from engine.cards import Card, card_names
from engine.games.royal_flush.state import Phase, Result, State, is_running, target_of
from engine.kernel import Lines, View
from engine.visibility import AUDITOR

__all__ = ["DEFAULTS", "RoyalFlushView", "derived", "lines", "view"]

Cards = tuple[Card, ...]

DEFAULTS = {"stacks": "0=0", "tally": "0 0 0", "players": "0=p0"}


@dataclass(frozen=True, slots=True)
class RoyalFlushView(View):
    """A table as one viewer sees it.  Cards are ids, 0 for a face that is not shown.

    ``player`` is empty and ``chips`` 0 while nobody sits there.  ``piles``: pile 1 first, each in
    search order.  ``fixed``: the one possible hand, empty while there are several.
    """

    phase: Phase
    player: str
    chips: int
    round: int
    next_pile: int
    stock: Cards
    piles: tuple[Cards, ...]
    claimed: Cards
    discard: Cards
    deck: Cards
    result: Result | None
    won: int
    lost: int
    abandoned: int
    game_no: int
    possible: int
    fixed: Cards
    wanted: Cards
    in_play: int
    win_certain: bool


def _faces(state: State, places: tuple[int, ...]) -> Cards:
    return tuple(map(state.deck.__getitem__, places))


def _shown_piles(state: State, open_faces: bool) -> tuple[Cards, ...]:
    """A searched pile shows its found card, the others nothing while the game runs (12.0.5)."""
    piles: list[Cards] = []
    for number, pile in enumerate(state.piles, 1):
        searched = state.next_pile == 0 or number < state.next_pile
        shown = pile if open_faces else pile[:1] if searched else ()
        piles.append(_faces(state, shown) + (0,) * (len(pile) - len(shown)))
    return tuple(piles)


def view(state: State, viewer: int) -> RoyalFlushView:
    """Players and observers see the same (4.2); everything once the deck is revealed (4.5)."""
    open_faces = state.revealed or bool(viewer & AUDITOR)
    running = is_running(state)
    sought = target_of(state)
    in_play = len(state.stock) + sum(map(len, state.piles))
    return RoyalFlushView(
        phase=state.phase,
        player=state.player.name if state.player else "",
        chips=state.player.chips if state.player else 0,
        round=state.round,
        next_pile=state.next_pile if state.phase is Phase.SEARCH else 0,
        stock=_faces(state, state.stock) if open_faces else (0,) * len(state.stock),
        piles=_shown_piles(state, open_faces),
        claimed=state.claimed,
        discard=_faces(state, state.discard),
        deck=state.deck if open_faces else (),
        result=state.result,
        won=state.won,
        lost=state.lost,
        abandoned=state.abandoned,
        game_no=state.won + state.lost + state.abandoned + running,
        possible=sought.possible,
        fixed=sought.wanted if sought.possible == 1 else (),
        wanted=sought.wanted,
        in_play=in_play,
        win_certain=running and in_play == state.options.size,
    )


def _names(cards: Cards) -> str:
    return card_names(cards)


def lines(seen: RoyalFlushView) -> Lines:
    """Position notation of a view, defaults left out, in the order of 12.0.3."""
    out: Lines = [("phase", seen.phase)]

    def put(key: str, value: str) -> None:
        if value and value != DEFAULTS.get(key):
            out.append((key, value))

    put("players", f"0={seen.player}" if seen.player else "")
    put("stacks", f"0={seen.chips}" if seen.player else "none")
    put("round", str(seen.round or ""))
    put("next", str(seen.next_pile or ""))
    put("stock", _names(seen.stock))
    out.extend((f"pile {number}", _names(pile)) for number, pile in enumerate(seen.piles, 1))
    put("claimed", _names(seen.claimed))
    put("discard", _names(seen.discard))
    put("deck", _names(seen.deck))
    put("result", str(seen.result or ""))
    put("tally", f"{seen.won} {seen.lost} {seen.abandoned}")
    return out


def derived(seen: RoyalFlushView) -> Lines:
    """The lines that checks may name besides (12.0.4)."""
    return [
        ("game", str(seen.game_no)),
        ("possible", str(seen.possible)),
        ("fixed", _names(seen.fixed) or "none"),
        ("wanted", _names(seen.wanted)),
        ("in_play", str(seen.in_play)),
        ("win_certain", "yes" if seen.win_certain else "no"),
    ]
