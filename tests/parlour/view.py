"""What a viewer sees of a Parlour table, and its text."""

from __future__ import annotations

from dataclasses import dataclass

from engine.cards import Card, card_name
from engine.kernel import Lines, View
from engine.visibility import EVERYONE, MAX_SEATS
from tests.parlour.state import Phase, Slot, State

Faces = tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class ParlourView(View):
    """``players`` and ``stacks`` by seat, an empty name for an empty seat; ``hands`` in turn
    order.  ``known`` and ``discard_known`` are audience masks, one for each card of the hands
    (hand after hand) and of the discard."""

    phase: Phase
    players: tuple[str, ...]
    stacks: tuple[int, ...]
    out: tuple[int, ...]
    leaving: tuple[int, ...]
    button: int
    hand_no: int
    order: tuple[int, ...]
    turn: int
    peeked: bool
    folded: tuple[int, ...]
    pot: int
    hands: tuple[Faces, ...]
    known: tuple[int, ...]
    house: Faces
    draw: Faces
    aside: Faces
    discard: Faces
    discard_known: tuple[int, ...]
    acting: int


def _faces(slots: tuple[Slot, ...], viewer: int) -> Faces:
    return tuple(slot.card if slot.audience & viewer else 0 for slot in slots)


def view(state: State, viewer: int) -> ParlourView:
    """A card shows if the viewer is in its audience; the pack to the server alone."""
    pack_audience = 1 << 31
    seated = [(seat, player) for seat, player in enumerate(state.players) if player]

    def pack(cards: Faces) -> Faces:
        return cards if pack_audience & viewer else (0,) * len(cards)

    return ParlourView(
        phase=state.phase,
        players=tuple(p.name if p else "" for p in state.players),
        stacks=tuple(p.chips if p else 0 for p in state.players),
        out=tuple(seat for seat, player in seated if player.out),
        leaving=tuple(seat for seat, player in seated if player.leaving),
        button=state.button,
        hand_no=state.hand_no,
        order=state.order,
        turn=state.turn,
        peeked=state.peeked,
        folded=tuple(sorted(state.folded)),
        pot=state.pot,
        hands=tuple(_faces(hand, viewer) for hand in state.hands),
        known=tuple(slot.audience for hand in state.hands for slot in hand),
        house=_faces(state.house, viewer),
        draw=pack(state.draw),
        aside=pack(state.aside),
        discard=_faces(state.discard, viewer),
        discard_known=tuple(slot.audience for slot in state.discard),
        acting=state.acting if state.phase is Phase.TURNS else -1,
    )


def _slot(card: Card, audience: int) -> str:
    if audience == EVERYONE:
        return f"{card_name(card)}/*"
    seats = [str(seat) for seat in range(MAX_SEATS) if audience >> seat & 1]
    return f"{card_name(card)}/{'.'.join(seats) or '-'}"


def lines(seen: ParlourView) -> Lines:
    """Position notation: each card of a hand or the discard with the seats that know it."""
    out: Lines = [("phase", seen.phase)]

    def put(key: str, value: object) -> None:
        if text := str(value):
            out.append((key, text))

    def numbers(values: tuple[int, ...]) -> str:
        return " ".join(map(str, values))

    def names(cards: Faces) -> str:
        return " ".join(map(card_name, cards))

    taken = [seat for seat, name in enumerate(seen.players) if name]
    put("players", " ".join(f"{seat}={seen.players[seat]}" for seat in taken))
    put("stacks", " ".join(f"{seat}={seen.stacks[seat]}" for seat in taken))
    put("out", numbers(seen.out))
    put("leaving", numbers(seen.leaving))
    put("button", seen.button or "")
    put("hand", seen.hand_no or "")
    put("order", numbers(seen.order))
    put("turn", seen.turn or "")
    put("peeked", "yes" if seen.peeked else "")
    put("folded", numbers(seen.folded))
    put("pot", seen.pot or "")
    put("house", names(seen.house))
    masks = iter(seen.known)
    for seat, hand in zip(seen.order, seen.hands, strict=True):
        put(f"cards {seat}", " ".join(_slot(card, next(masks)) for card in hand))
    put("draw", names(seen.draw))
    put("aside", names(seen.aside))
    put("discard", " ".join(map(_slot, seen.discard, seen.discard_known)))
    return out
