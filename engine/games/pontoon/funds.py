"""Who may play and bank, and what they can afford (pontoon 5.4, 9.1, 10.1, 10.2, S.1)."""

from __future__ import annotations

from engine.games.pontoon.state import Punter, State, punter_of, turn_begins

__all__ = [
    "all_chips",
    "bank_need",
    "can_bank",
    "counted",
    "cover_need",
    "free",
    "is_active",
    "opponents",
    "others",
    "playable",
    "room",
    "with_escrow",
]


def is_active(state: State, seat: int) -> bool:
    """Seated, not sitting out, not leaving (5.4)."""
    who = state.seats[seat] if 0 <= seat < len(state.seats) else None
    return who is not None and not who.out and not who.leaving


def playable(state: State, seat: int, stacks: tuple[int, ...] | None = None) -> bool:
    """Active, and able to take part in a deal (5.4)."""
    options = state.options
    need = 2 * options.min_bet if options.full_cover else 1
    return is_active(state, seat) and (stacks or state.stacks)[seat] >= need


def _counts(state: State, seat: int, stacks: tuple[int, ...]) -> bool:
    """Playable, or the present banker, active, whatever his stack (9.1)."""
    if seat == state.banker:
        return is_active(state, seat)
    return playable(state, seat, stacks)


def counted(state: State) -> int:
    """How many players there are to play with (9.1)."""
    return sum(_counts(state, seat, state.stacks) for seat in range(len(state.seats)))


def opponents(state: State, banker: int) -> list[int]:
    """The punters of a deal that starts now, in turn order (5.2, 5.4)."""
    seats = range(len(state.seats))
    first = turn_begins(state.options, banker)
    order = [*seats[first:], *seats[:first]]
    return [seat for seat in order if seat != banker and playable(state, seat)]


def others(state: State, seat: int, stacks: tuple[int, ...] | None = None) -> int:
    """``others(p)`` of 9.1."""
    held = stacks or state.stacks
    return sum(_counts(state, other, held) for other in range(len(state.seats)) if other != seat)


def cover_need(state: State, seat: int, stacks: tuple[int, ...] | None = None) -> int:
    """Chips that a banker needs to deal (9.1)."""
    least = state.options.min_bet
    return 2 * least * others(state, seat, stacks) if state.options.full_cover else least


def bank_need(state: State, seat: int, stacks: tuple[int, ...] | None = None) -> int:
    """Chips that a player needs to become banker (9.1)."""
    kitty = state.options.min_bet if state.options.shoot else 0
    return cover_need(state, seat, stacks) + kitty


def can_bank(state: State, seat: int, stacks: tuple[int, ...] | None = None) -> bool:
    """Whether a player is eligible as banker (9.1)."""
    return (
        is_active(state, seat)
        and others(state, seat, stacks) >= 1
        and (stacks or state.stacks)[seat] >= bank_need(state, seat, stacks)
    )


def with_escrow(state: State) -> tuple[int, ...]:
    """The stacks, the escrow of an agreed sale counted to its buyer's (9.5)."""
    sale = state.sale
    if sale is None:
        return state.stacks
    return tuple(
        chips + sale.price if seat == sale.buyer else chips
        for seat, chips in enumerate(state.stacks)
    )


def room(state: State) -> int:
    """What is left of the kitty for shoot bets (S.1)."""
    return state.kitty - (state.deal.shot if state.deal else 0)


def free(state: State, seat: int) -> int:
    """Chips that a player may spend on something else than stakes (10.1, 10.2)."""
    stack = state.stacks[seat]
    options = state.options
    punter: Punter | None = punter_of(state.deal, seat) if state.deal else None
    if punter is None:
        return stack
    if not punter.bet:
        reserve = 2 * options.min_bet if options.full_cover else min(options.min_bet, stack)
        return stack - reserve
    return stack - punter.staked if options.full_cover else stack


def all_chips(state: State) -> int:
    """The chips of the table, in all its zones (4.2)."""
    deal = state.deal
    placed = deal.staked + deal.shot if deal else 0
    escrow = state.sale.price if state.sale else 0
    return sum(state.stacks) + placed + escrow + state.kitty
