"""What ends a deal and a game, and who is paid (royal_casino 7.6, 7.7, 8, 9, 10.4–10.6)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.events import SeatLeft
from engine.games.royal_casino import events as e
from engine.games.royal_casino.events import Item, Reason, Stop
from engine.games.royal_casino.scoring import CARD_OF, Count, count
from engine.games.royal_casino.state import (
    State,
    dealer_of,
    following_dealer,
    forfeited,
    locks,
    next_seat,
    play_order,
    running,
    seats_of_side,
    side_of,
    sides,
)
from engine.kernel import Steps

__all__ = ["automatic_winner", "end_deal", "forfeit_if_alone", "stop_deal"]

PACK_SIZE = 52


# --- before the count (7.6, 10.5) -------------------------------------------------------------


def automatic_winner(state: State, seat: int) -> int | None:
    """The first side, from the seat's on, whose lock item is its own already (``instant``)."""
    if not state.options.instant:
        return None
    locked, out = locks(state), forfeited(state)
    for side in _sides_from(state, seat):
        lock = locked[side]
        if lock is not None and side not in out and _is_certain(state, side, lock):
            return side
    return None


def _is_certain(state: State, side: int, lock: Item) -> bool:
    piles = running(state).piles
    if lock is not Item.MOST_CARDS:
        return CARD_OF[lock] in piles[side]
    open_cards = PACK_SIZE - sum(map(len, piles))
    rivals = [len(pile) for other, pile in enumerate(piles) if other != side]
    return len(piles[side]) > max(rivals) + open_cards


def _sides_from(state: State, seat: int) -> list[int]:
    """The sides in the order in which a seat of theirs comes in play order."""
    order = play_order(state.options, seat)
    return list(dict.fromkeys(side_of(state.options, each) for each in order))


def stop_deal(steps: Steps[State], reason: Stop) -> None:
    """End the deal uncounted, and show the deck."""
    steps.emit(e.DealStopped(reason))
    _reveal(steps)


def _reveal(steps: Steps[State]) -> None:
    deal = running(steps.state)
    steps.emit(e.DeckRevealed(deal.dealt + deal.stock))


def win_at_once(steps: Steps[State], side: int) -> None:
    """7.6: the lock item lifts the side to the target; nothing else is counted."""
    stop_deal(steps, Stop.AUTOMATIC)
    scores = list(steps.state.scores)
    scores[side] = steps.state.options.target
    _win(steps, side, Reason.AUTOMATIC, scores)


def forfeit_if_alone(steps: Steps[State]) -> bool:
    """If one side is left it wins at once (10.5); whether it did."""
    out = forfeited(steps.state)
    left = [side for side in sides(steps.state) if side not in out]
    if len(left) != 1:
        return False
    if steps.state.deal is not None:
        stop_deal(steps, Stop.FORFEIT)
    _win(steps, left[0], Reason.FORFEIT, steps.state.scores)
    return True


# --- the count (7.7, 9, 10.6) -----------------------------------------------------------------


def end_deal(steps: Steps[State]) -> None:
    """The last card was played: residue, count, and what follows (5.7)."""
    deal = running(steps.state)
    if deal.loose:
        if deal.last is None:
            raise AssertionError("every deal has a capture (5.10)")
        side = side_of(steps.state.options, deal.last)
        steps.emit(e.ResidueAwarded(deal.last, side, deal.loose))
        winner = automatic_winner(steps.state, deal.last)
        if winner is not None:
            win_at_once(steps, winner)
            return
    before = steps.state
    deal = running(before)
    out = forfeited(before)
    counted = count(before.options, deal.piles, deal.sweeps, before.scores, locks(before), out)
    steps.emit(
        e.DealScored(
            counted.items,
            before.scores,
            counted.after,
            counted.counts,
            counted.spades,
            deal.sweeps,
        )
    )
    _reveal(steps)
    _decide(steps, counted, [side for side in sides(before) if side not in out])
    if steps.state.result is None and not _ended(steps, own_play=deal.own_play):
        steps.emit(e.DealEnded(following_dealer(before.options, dealer_of(before))))


def _best(scores: Sequence[int], contenders: Iterable[int]) -> list[int]:
    """The contenders with the highest score."""
    named = list(contenders)
    highest = max(scores[side] for side in named)
    return [side for side in named if scores[side] == highest]


def _decide(steps: Steps[State], counted: Count, contenders: list[int]) -> None:
    """7.7: a winner, overtime, or neither."""
    state = steps.state
    scores = state.scores
    automatic = [side for side in counted.automatic if side in contenders]
    if state.options.sequential:
        if counted.first is not None:
            won_by = Reason.AUTOMATIC if counted.first in automatic else Reason.TARGET
            _win(steps, counted.first, won_by, scores)
        return
    best = _best(scores, contenders)
    if state.overtime:
        if len(best) == 1:
            _win(steps, best[0], Reason.OVERTIME, scores)
    elif len(automatic) == 1:
        _win(steps, automatic[0], Reason.AUTOMATIC, scores)
    elif automatic:
        steps.emit(e.OvertimeStarted(scores))
    elif scores[best[0]] >= state.options.target:
        if len(best) == 1:
            _win(steps, best[0], Reason.TARGET, scores)
        else:
            steps.emit(e.OvertimeStarted(scores))


def _ended(steps: Steps[State], *, own_play: bool) -> bool:
    """9.4, 10.6: the deal cap, or everybody is gone."""
    state = steps.state
    gone = all(who is not None and (who.out or who.leaving) for who in state.seats)
    if state.deals >= state.options.max_deals:
        reason = Reason.DEAL_CAP
    elif gone and not own_play:
        reason = Reason.ABANDONED
    else:
        return False
    out = forfeited(state)
    best = _best(state.scores, (side for side in sides(state) if side not in out))
    if len(best) == 1:
        _win(steps, best[0], reason, state.scores)
    else:
        steps.emit(e.GameDrawn(tuple(best), reason, state.scores))
        _settle(steps, best)
    return True


# --- payment (8, 10.4) ------------------------------------------------------------------------


def _win(steps: Steps[State], side: int, reason: Reason, scores: Sequence[int]) -> None:
    seats = seats_of_side(steps.state.options, side)
    steps.emit(e.GameWon(side, seats, reason, tuple(scores)))
    _settle(steps, [side])


def _settle(steps: Steps[State], winners: list[int]) -> None:
    """The pot to the winning sides, then the seats that have left are free (8.2–8.4, 10.4)."""
    state = steps.state
    order = list(play_order(state.options, next_seat(state.options, dealer_of(state))))
    first_of = _sides_from(state, order[0])
    paid: dict[int, int] = {}
    for side, part in _shares(state.pot, [side for side in first_of if side in winners]):
        staying = [seat for seat in order if side_of(state.options, seat) == side]
        staying = [seat for seat in staying if (who := state.seats[seat]) and not who.leaving]
        paid.update(_shares(part, staying))
    for seat in order:
        if paid.get(seat):
            steps.emit(e.PotPaid(seat, paid[seat]))
    for seat, who in enumerate(steps.state.seats):
        if who is not None and who.leaving:
            steps.emit(SeatLeft(seat, who.chips))


def _shares(amount: int, among: list[int]) -> list[tuple[int, int]]:
    """Equal parts, what does not divide one each to the first.

    >>> _shares(15, [0, 2])
    [(0, 8), (2, 7)]
    """
    each, odd = divmod(amount, len(among))
    return [(one, each + (place < odd)) for place, one in enumerate(among)]
