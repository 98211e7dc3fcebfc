"""Reading a Parlour position."""

from __future__ import annotations

from collections.abc import Sequence

from engine.cards import PACK, parse_card
from engine.kernel import PositionError
from engine.visibility import EVERYONE, SERVER, seats_only
from tests.parlour.state import Phase, Player, Slot, State

_KEYS = "phase players stacks out leaving button hand order turn peeked folded pot house draw aside"


def _pairs(text: str) -> dict[int, str]:
    return {int(seat): value for seat, _, value in (w.partition("=") for w in text.split())}


def _slot(text: str) -> Slot:
    name, _, who = text.partition("/")
    if who == "*":
        return Slot(parse_card(name), EVERYONE)
    seats = () if who in {"", "-"} else tuple(map(int, who.split(".")))
    return Slot(parse_card(name), seats_only(*seats))


def place(state: State, given: Sequence[tuple[str, str]]) -> State:
    """The table of ``state`` in the given position; raises ``PositionError``."""
    found = dict(given)
    if len(found) != len(given):
        raise PositionError("a key occurs twice")
    for key in found:
        if key not in (*_KEYS.split(), "discard") and not key.startswith("cards "):
            raise PositionError(f"unknown key {key!r}")
    try:
        new = _read(state, found)
    except (ValueError, IndexError, KeyError) as error:
        raise PositionError(f"this is no position of Parlour: {error}") from error
    hands = [slot.card for hand in new.hands for slot in hand]
    slots = [slot.card for slot in (*new.house, *new.discard)]
    cards = sorted([*hands, *slots, *new.draw, *new.aside])
    if cards != (list(PACK) if new.phase is Phase.TURNS else []):
        raise PositionError("not each of the 52 cards once, in a hand, or none, between hands")
    return new


def _read(state: State, found: dict[str, str]) -> State:
    def numbers(key: str) -> tuple[int, ...]:
        return tuple(map(int, found.get(key, "").split()))

    def cards(key: str) -> tuple[int, ...]:
        return tuple(map(parse_card, found.get(key, "").split()))

    def slots(key: str) -> tuple[Slot, ...]:
        return tuple(map(_slot, found.get(key, "").split()))

    stacks = _pairs(found.get("stacks", ""))
    names = _pairs(found.get("players", ""))
    out, leaving = numbers("out"), numbers("leaving")
    players = [
        Player(names.get(seat, f"p{seat}"), int(stacks[seat]), seat in out, seat in leaving)
        if seat in stacks
        else None
        for seat in range(state.options.seats)
    ]
    order = numbers("order")
    return State(
        Phase(found["phase"]),
        state.options,
        tuple(players),
        button=int(found.get("button", "0")),
        hand_no=int(found.get("hand", "0")),
        order=order,
        turn=int(found.get("turn", "0")),
        peeked=found.get("peeked", "no") == "yes",
        folded=frozenset(numbers("folded")),
        pot=int(found.get("pot", "0")),
        hands=tuple(slots(f"cards {seat}") for seat in order),
        house=tuple(Slot(card, SERVER) for card in cards("house")),
        draw=cards("draw"),
        aside=cards("aside"),
        discard=slots("discard"),
    )
