"""From the start of a hand to its first turn (palace_poker 5.2–5.6, 6.2)."""

from __future__ import annotations

from engine.cards import PACK, rank_of, suit_of
from engine.events import DeckShuffled
from engine.games.palace_poker import events as e
from engine.games.palace_poker.state import State, eligible, next_seat, running, seats_of
from engine.kernel import Shuffler, Steps
from engine.visibility import SERVER, Private, seats_only

__all__ = ["deal", "shuffle"]

GROUP = 4
"""Players that get different banner suits (5.5.1)."""

PALACE = 3
"""Palace cards of a player."""


def shuffle(
    steps: Steps[State], shuffler: Shuffler, purpose: str, pile: tuple[int, ...] = PACK
) -> None:
    """Shuffle a pile, given in canonical order, to the draw pile (4.3)."""
    order = shuffler.shuffle(purpose, pile)
    steps.emit(DeckShuffled(purpose, Private(order, SERVER)))


def deal(steps: Steps[State], shuffler: Shuffler) -> None:
    """Everything of ``start_hand`` but its tests."""
    state = steps.state
    mask = eligible(state)
    dealer = None if state.dealer is None else next_seat(mask, state.dealer)
    stacks = tuple((seat, state.stacks[seat]) for seat in seats_of(mask))
    steps.emit(e.HandStarted(state.hand_no + 1, dealer, stacks))
    if dealer is None:
        _draw_for_dealer(steps, shuffler)
    _post_antes(steps)
    _deal_banners(steps, shuffler)
    _deal_palaces(steps, shuffler)
    steps.emit(e.TurnStarted(running(steps.state).order[0], forced=False))


def _draw_for_dealer(steps: Steps[State], shuffler: Shuffler) -> None:
    """5.3: the single highest card deals, the tied draw on."""
    shuffle(steps, shuffler, "DEALER_DRAW")
    contestants = list(seats_of(running(steps.state).dealt))
    draw = 0
    while len(contestants) > 1:
        if len(running(steps.state).draw) < len(contestants):
            shuffle(steps, shuffler, "DEALER_DRAW")
        draw += 1
        ranks: dict[int, int] = {}
        for seat in contestants:
            card = running(steps.state).draw[0]
            ranks[seat] = rank_of(card)
            steps.emit(e.DealerCardDrawn(seat, card, draw))
        best = max(ranks.values())
        contestants = [seat for seat in contestants if ranks[seat] == best]
    steps.emit(e.DealerChosen(contestants[0]))


def _post_antes(steps: Steps[State]) -> None:
    """5.4."""
    ante = steps.state.options.ante
    for seat in running(steps.state).order:
        amount = min(ante, steps.state.stacks[seat])
        steps.emit(e.AntePosted(seat, amount, short=amount < ante))


def _deal_banners(steps: Steps[State], shuffler: Shuffler) -> None:
    """5.5."""
    shuffle(steps, shuffler, "BANNER")
    suits: set[int] = set()
    for place, seat in enumerate(running(steps.state).order):
        if place % GROUP == 0:
            suits.clear()
        while True:
            hand = running(steps.state)
            if not hand.draw:
                rejects = tuple(sorted(hand.rejects))
                shuffle(steps, shuffler, "BANNER_RESHUFFLE", rejects)
                continue
            card = hand.draw[0]
            if suit_of(card) not in suits:
                break
            steps.emit(e.BannerRejected(seat, card))
        suits.add(suit_of(card))
        steps.emit(e.BannerDealt(seat, card))


def _deal_palaces(steps: Steps[State], shuffler: Shuffler) -> None:
    """5.6.1."""
    hand = running(steps.state)
    shuffle(steps, shuffler, "PALACE", tuple(sorted(hand.draw + hand.rejects)))
    order = hand.order
    draw = running(steps.state).draw
    for index in range(PALACE):
        for place, seat in enumerate(order):
            card = draw[index * len(order) + place]
            steps.emit(e.PalaceCardDealt(seat, index, Private(card, seats_only(seat))))
