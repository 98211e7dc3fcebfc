"""Reading a Royal Flush position (royal_flush 12.0.3, 12.0.6)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from engine.cards import PACK, parse_card
from engine.games.royal_flush.state import Phase, Player, Result, State, target_of
from engine.kernel import PositionError
from engine.options import MAX_AMOUNT

__all__ = ["place"]

_KEYS = (
    "phase",
    "players",
    "stacks",
    "round",
    "next",
    "stock",
    "claimed",
    "discard",
    "deck",
    "result",
    "tally",
)
_RUNNING = (Phase.DEAL, Phase.SEARCH, Phase.GATHER)
_FINISHED = (Phase.GAME_OVER, Phase.CLOSED)


def _whole(key: str, text: str, low: int, high: int) -> int:
    if not re.fullmatch(r"\d{1,19}", text, re.ASCII) or not low <= int(text) <= high:
        raise PositionError(f"{key}: {text!r} is no integer {low} to {high}")
    return int(text)


def _cards(key: str, text: str) -> tuple[int, ...]:
    if text in {"", "none", "-"}:
        return ()
    try:
        return tuple(parse_card(name) for name in text.split())
    except ValueError as error:
        raise PositionError(f"{key}: {error}") from None


def _collect(given: Sequence[tuple[str, str]]) -> dict[str, str]:
    """The lines by key: known keys only, each once."""
    found: dict[str, str] = {}
    for key, value in given:
        if key not in _KEYS and not re.fullmatch(r"pile [1-5]", key):
            raise PositionError(f"unknown key {key!r}")
        if key in found:
            raise PositionError(f"key {key!r} occurs twice")
        found[key] = value.strip()
    return found


def _player(found: dict[str, str]) -> Player | None:
    stacks = found.get("stacks", "0=0")
    players = found.get("players")
    if stacks == "none":
        if players is not None:
            raise PositionError("players: the seat is empty (stacks none)")
        return None
    if not stacks.startswith("0="):
        raise PositionError(f"stacks: {stacks!r} is not 0=chips or none")
    name = "p0"
    if players is not None:
        if not re.fullmatch(r"0=\S+", players):
            raise PositionError(f"players: {players!r} is not 0=name")
        name = players[2:]
    return Player(name, _whole("stacks", stacks[2:], 0, MAX_AMOUNT))


def place(state: State, given: Sequence[tuple[str, str]]) -> State:
    """The table of ``state`` in the given position; raises :class:`PositionError`."""
    found = _collect(given)
    try:
        phase = Phase(found.get("phase", ""))
    except ValueError:
        phase = Phase.NONE
    if phase is Phase.NONE:
        known = ", ".join(p for p in Phase if p is not Phase.NONE)
        raise PositionError(f"phase: {found.get('phase', '')!r} is none of {known}")
    new = State(phase, state.options, _player(found))
    tally = found.get("tally", "")
    result = found.get("result", "none")
    if result not in {"none", *Result}:
        raise PositionError(f"result: {result!r} is none of won, lost, abandoned")
    new = new._replace(result=None if result == "none" else Result(result))
    new = _with_tally(new, tally)
    if phase is Phase.LOBBY or (phase is Phase.CLOSED and "round" not in found):
        return _before_any_game(new, found)
    new = new._replace(
        round=_whole("round", found.get("round", ""), 1, 5),
        claimed=_cards("claimed", found.get("claimed", "")),
    )
    new = _with_zones(new, found)
    _check_player(new)
    _check_search(new)
    _check_claims(new)
    _check_result(new)
    return new


def _with_tally(state: State, text: str) -> State:
    counts = [0, 0, 0]
    finished = list(Result)
    if text:
        words = text.split()
        if len(words) != 3:
            raise PositionError(f"tally: {text!r} is not three numbers")
        counts = [_whole("tally", word, 0, MAX_AMOUNT) for word in words]
    elif state.result is not None:  # a finished game is the only one (12.0.6)
        counts[finished.index(state.result)] = 1
    if state.result is not None and not counts[finished.index(state.result)]:
        raise PositionError(f"tally: a game that was {state.result} is not counted")
    return state._replace(won=counts[0], lost=counts[1], abandoned=counts[2])


def _before_any_game(state: State, found: dict[str, str]) -> State:
    """Before the first game all zones are empty (4.1)."""
    surplus = sorted(found.keys() - {"phase", "players", "stacks"})
    empty = {"", "none", "-", "0 0 0"}
    for key in surplus:
        if found[key] not in empty or key.startswith("pile"):
            raise PositionError(f"{key}: nothing of a game can stand there in {state.phase}")
    _check_player(state)
    return state


def _with_zones(state: State, found: dict[str, str]) -> State:
    """Stock, piles and discard as places in the deck; unnamed cards were discarded first."""
    deck = _cards("deck", found.get("deck", "")) or PACK
    if tuple(sorted(deck)) != PACK:
        raise PositionError("deck: not each of the 52 cards once")
    stock = _cards("stock", found.get("stock", ""))
    named = {int(key[5:]): _cards(key, found[key]) for key in found if key.startswith("pile ")}
    discard = _cards("discard", found.get("discard", ""))
    counts = Counter([*stock, *discard, *(card for pile in named.values() for card in pile)])
    twice = [card for card, count in counts.items() if count > 1]
    if twice:
        raise PositionError("a card lies in two places")
    rest = tuple(card for card in PACK if card not in counts)
    on_table = 6 - state.round
    if any(number > on_table for number in named):
        raise PositionError(f"pile {max(named)}: round {state.round} has {on_table} piles")
    has_piles = state.phase in {Phase.SEARCH, Phase.GATHER} or (
        state.phase in _FINISHED and not stock
    )
    if state.phase is Phase.DEAL and named:
        raise PositionError("pile: there are no piles before the deal")
    if stock and (has_piles or named):
        raise PositionError("stock: it was dealt into the piles")
    spot = {card: index for index, card in enumerate(deck)}
    piles = tuple(
        tuple(spot[card] for card in named.get(number, ())) for number in range(1, on_table + 1)
    )
    next_pile = 0
    if state.phase is Phase.SEARCH:
        next_pile = _whole("next", found.get("next", ""), 1, on_table)
    elif found.get("next", "none") != "none":
        raise PositionError(f"next: there is no next pile in {state.phase}")
    return state._replace(
        deck=deck,
        stock=tuple(spot[card] for card in stock),
        piles=piles if has_piles else (),
        discard=tuple(spot[card] for card in (*rest, *discard)),
        next_pile=next_pile,
        revealed=state.phase in _FINISHED,
    )


def _check_player(state: State) -> None:
    if state.phase in _RUNNING and state.player is None:
        raise PositionError("stacks: a running game needs a player")
    if state.phase is Phase.CLOSED and state.player is not None:
        raise PositionError("stacks: nobody sits at a closed table")


def _check_search(state: State) -> None:
    """A searched pile begins with a claimed card (7.7)."""
    if state.phase not in {Phase.SEARCH, Phase.GATHER}:
        return
    searched = state.piles if state.phase is Phase.GATHER else state.piles[: state.next_pile - 1]
    for number, pile in enumerate(searched, 1):
        if pile and state.deck[pile[0]] not in state.claimed:
            raise PositionError(f"pile {number}: it was searched, its first card is not claimed")
    if state.phase is Phase.GATHER and state.round == 5:
        raise PositionError("phase: the last pile is not gathered")


def _check_claims(state: State) -> None:
    if len(set(state.claimed)) != len(state.claimed):
        raise PositionError("claimed: a card is named twice")
    sought = target_of(state)
    if not sought.possible:
        raise PositionError("claimed: no hand of the family holds these cards")
    if state.round > 1 and not state.claimed:
        raise PositionError("claimed: after round 1 at least one card is")
    # A stock in round 1 was never dealt, whether the game goes on or was given up there.
    if state.round == 1 and (state.phase is Phase.DEAL or state.stock):
        if state.claimed:
            raise PositionError("claimed: nothing is before the first deal")
        if state.stock != tuple(range(52)):
            raise PositionError("stock: before the first deal it is the whole deck in its order")
    if any(state.deck[place] in sought.wanted for place in state.discard):
        raise PositionError("discard: a wanted card lies in it (7.8)")


def _check_result(state: State) -> None:
    """9.1, 7.11."""
    if (state.result is not None) != (state.phase in _FINISHED):
        raise PositionError("result: a finished game has one, a running game none")
    if state.result in {Result.WON, Result.LOST}:
        left = len(state.piles[0]) if state.piles else 0
        if state.round != 5 or not left:
            raise PositionError(f"result: a game is {state.result} with the last pile of round 5")
        if (left == state.options.size) != (state.result is Result.WON):
            raise PositionError(f"result: {left} cards are left, {state.options.size} are the hand")
        if state.deck[state.piles[0][0]] not in state.claimed:
            raise PositionError("pile 1: it was searched, its first card is not claimed")
