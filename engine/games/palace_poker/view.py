"""What a viewer sees of a Palace Poker table (palace_poker 4), and its text (12.0)."""

from __future__ import annotations

from dataclasses import dataclass

from engine.cards import Card, card_names
from engine.games.palace_poker.state import (
    Battle,
    Hand,
    Phase,
    State,
    new_hand,
    price,
    seats_of,
)
from engine.kernel import Lines, View
from engine.visibility import AUDITOR, seat_viewer

__all__ = ["DEFAULTS", "PalacePokerView", "derived", "lines", "view"]

DEFAULTS = {"phase": "IDLE", "hand": "0", "turns": "0"}
"""What a line that is left out stands for, besides ``none``; ``actor`` stands for T."""


@dataclass(frozen=True, slots=True)
class PalacePokerView(View):
    """A table as one viewer sees it.  Cards are ids, 0 for a face that is not shown.

    ``players``, ``stacks``, ``paid``, ``exits``, ``banners``, ``palaces``, ``soldiers`` and
    ``prices`` have one item for each seat: an empty name for an empty seat, 0 or no cards where
    there is nothing.  ``order``: dealt-in seats in deal order.  ``turn``: T of the specification.
    ``to_call`` of the battle is what the actor owes.  ``rejects``: see 5.5.2.
    """

    phase: Phase
    hand_no: int
    players: tuple[str, ...]
    stacks: tuple[int, ...]
    out: tuple[int, ...]
    leaving: tuple[int, ...]
    dealer: int | None
    order: tuple[int, ...]
    in_hand: tuple[int, ...]
    capped: tuple[int, ...]
    quiet: tuple[int, ...]
    paid: tuple[int, ...]
    exits: tuple[int, ...]
    banners: tuple[Card, ...]
    palaces: tuple[tuple[Card, ...], ...]
    soldiers: tuple[tuple[Card, ...], ...]
    prices: tuple[int, ...]
    pot: int
    turns: int
    turn: int | None
    forced: bool
    actor: int | None
    battle: Battle | None
    draw: tuple[Card, ...]
    discard: tuple[Card, ...]
    rejects: tuple[Card, ...]


def _palace(hand: Hand, seat: int, viewer: int) -> tuple[int, ...]:
    palace = hand.palaces[seat]
    return palace if viewer & (AUDITOR | seat_viewer(seat)) else (0,) * len(palace)


def view(state: State, viewer: int) -> PalacePokerView:
    """Palaces to their owners, the piles to the server, all else to everyone (4.2)."""
    seats = range(len(state.seats))
    is_running = state.hand is not None
    hand = state.hand or new_hand(len(seats), 0)
    all_open = viewer & AUDITOR
    alive = seats_of(hand.alive)
    return PalacePokerView(
        phase=state.phase,
        hand_no=state.hand_no,
        players=tuple(who.player if who else "" for who in state.seats),
        stacks=state.stacks,
        out=tuple(seat for seat in seats if (who := state.seats[seat]) and who.out),
        leaving=tuple(seat for seat in seats if (who := state.seats[seat]) and who.leaving),
        dealer=state.dealer,
        order=hand.order,
        in_hand=alive,
        capped=seats_of(hand.capped),
        quiet=seats_of(hand.quiet),
        paid=hand.paid,
        exits=hand.exits,
        banners=hand.banners,
        palaces=tuple(_palace(hand, seat, viewer) for seat in seats),
        soldiers=hand.soldiers,
        prices=tuple(price(state, hand, s) if hand.alive >> s & 1 else 0 for s in seats),
        pot=hand.pot,
        turns=hand.turns,
        turn=hand.turn if hand.turn >= 0 else None,
        forced=hand.forced,
        actor=hand.actor if is_running and hand.actor >= 0 else None,
        battle=hand.battle,
        draw=hand.draw if all_open else (0,) * len(hand.draw),
        discard=hand.discard if all_open else (0,) * len(hand.discard),
        rejects=hand.rejects,
    )


def _names(cards: tuple[int, ...]) -> str:
    return card_names(cards)


def _numbers(values: tuple[int, ...]) -> str:
    return " ".join(map(str, values))


def _without_tail(draw: tuple[int, ...]) -> tuple[int, ...]:
    """The pile without its longest tail in canonical order; a hidden pile has none (12.0)."""
    if not any(draw):
        return draw
    end = len(draw) - 1
    while end > 0 and draw[end - 1] < draw[end]:
        end -= 1
    return draw[:end]


def _battle(battle: Battle) -> str:
    return " ".join(f"{name}={value}" for name, value in battle._asdict().items())


def lines(seen: PalacePokerView) -> Lines:
    """Position notation of a view, defaults left out, in the order of 12.0."""
    out: Lines = []

    def put(key: str, value: str) -> None:
        if value and value != DEFAULTS.get(key):
            out.append((key, value))

    taken = [seat for seat, name in enumerate(seen.players) if name]
    named = [seat for seat in taken if seen.players[seat] != f"p{seat}"]
    put("phase", seen.phase)
    put("hand", str(seen.hand_no))
    put("players", " ".join(f"{seat}={seen.players[seat]}" for seat in named))
    put("stacks", " ".join(f"{seat}={seen.stacks[seat]}" for seat in taken))
    put("out", _numbers(seen.out))
    put("leaving", _numbers(seen.leaving))
    put("dealer", "" if seen.dealer is None else str(seen.dealer))
    star = dict.fromkeys(seen.capped, "*")
    dealt = sorted(seen.order)
    put("paid", " ".join(f"{seat}={seen.paid[seat]}{star.get(seat, '')}" for seat in dealt))
    put("exits", " ".join(f"{s}={seen.exits[s]}" for s in dealt if seen.exits[s]))
    for seat in dealt:
        put(f"banner {seat}", _names(seen.banners[seat : seat + 1]) if seen.banners[seat] else "")
    for seat in dealt:
        put(f"palace {seat}", _names(seen.palaces[seat]))
    for seat in dealt:
        put(f"soldiers {seat}", _names(seen.soldiers[seat]))
    put("quiet", _numbers(seen.quiet))
    put("turns", str(seen.turns))
    if seen.turn is not None:
        put("turn", f"{seen.turn} forced" if seen.forced else str(seen.turn))
    if seen.actor is not None and seen.actor != seen.turn:
        put("actor", str(seen.actor))
    put("battle", _battle(seen.battle) if seen.battle else "")
    put("draw", _names(_without_tail(seen.draw)))
    put("discard", _names(seen.discard))
    return out


def derived(seen: PalacePokerView) -> Lines:
    """Lines that follow from the others; checks may name them."""
    found: Lines = [("pot", str(seen.pot))]
    found += [(f"price {seat}", str(seen.prices[seat])) for seat in seen.in_hand]
    return found
