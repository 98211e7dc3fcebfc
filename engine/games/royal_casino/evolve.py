"""How events change a Royal Casino table: one function for each, found by the event's class.

They believe every fact, redacted or not: a fold over what one viewer was sent makes the same
state with other faces hidden.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from engine import events as c
from engine.cards import Card
from engine.games.royal_casino import events as e
from engine.games.royal_casino.groups import Cards, Groups
from engine.games.royal_casino.options import believed_options
from engine.games.royal_casino.state import (
    Build,
    Deal,
    Phase,
    Result,
    Seat,
    State,
    new_deal,
    next_seat,
    running,
    side_count,
    side_of,
)
from engine.games.royal_casino.values import in_order

__all__ = ["evolve"]

T = TypeVar("T")


def _put(row: tuple[T, ...], index: int, value: T) -> tuple[T, ...]:
    return (*row[:index], value, *row[index + 1 :])


def _change(state: State, **changes: Any) -> State:
    """The state with other fields of the deal."""
    return state._replace(deal=running(state)._replace(**changes))


def _with_seat(state: State, seat: int, **changes: Any) -> State:
    who = state.seats[seat]
    if who is None:
        raise AssertionError(f"nobody sits at seat {seat}")
    return state._replace(seats=_put(state.seats, seat, who._replace(**changes)))


def _pay(state: State, seat: int, amount: int) -> State:
    """Chips from the pot to a seat; negative: the other way."""
    who = state.seats[seat]
    chips = amount + (who.chips if who else 0)
    return _with_seat(state, seat, chips=chips)._replace(pot=state.pot - amount)


# --- game and deal ----------------------------------------------------------------------------


def _game_started(state: State, event: e.GameStarted) -> State:
    return state._replace(
        phase=Phase.BETWEEN_DEALS,
        scores=(0,) * len(state.scores),
        deals=0,
        dealer=event.first_dealer,
        overtime=False,
        result=None,
    )


def _stake_posted(state: State, event: e.StakePosted) -> State:
    return _pay(state, event.seat, -event.amount)


def _deal_started(state: State, event: e.DealStarted) -> State:
    deal = new_deal(state.options, next_seat(state.options, event.dealer))
    return state._replace(phase=Phase.PLAYING, deals=event.deal_no, dealer=event.dealer, deal=deal)


def _deck_shuffled(state: State, event: c.DeckShuffled) -> State:
    return _change(state, stock=event.order.value)


def _hand_dealt(state: State, event: e.HandDealt) -> State:
    deal, cards = running(state), event.cards.value
    return _change(
        state,
        hands=_put(deal.hands, event.seat, in_order((*deal.hands[event.seat], *cards))),
        dealt=deal.dealt + cards,
        stock=deal.stock[len(cards) :],
    )


def _table_dealt(state: State, event: e.TableDealt) -> State:
    deal = running(state)
    return _change(
        state,
        loose=in_order(event.cards),
        dealt=deal.dealt + event.cards,
        stock=deal.stock[len(event.cards) :],
    )


def _deck_revealed(state: State, event: e.DeckRevealed) -> State:
    del event
    return state._replace(phase=Phase.BETWEEN_DEALS, deal=None)


# --- plays ------------------------------------------------------------------------------------


def _play(state: State, seat: int, card: Card, *, auto: bool, **changes: Any) -> State:
    """A card left a hand, and the turn passed; a play of one's own clears the time-outs (10.3)."""
    deal = running(state)
    hand = deal.hands[seat]
    # Of a hand that is not shown, any card may be the one.
    at = hand.index(card) if card in hand else 0
    changes["hands"] = _put(deal.hands, seat, hand[:at] + hand[at + 1 :])
    changes["turn"] = next_seat(state.options, seat)
    if auto:
        return _change(state, **changes)
    who = state.seats[seat]
    if who is not None and who.timeouts:
        state = _with_seat(state, seat, timeouts=0)
    return _change(state, own_play=True, **changes)


def _without(loose: Cards, gone: Iterable[Cards]) -> Cards:
    taken = {card for cards in gone for card in cards}
    return tuple(card for card in loose if card not in taken)


def _trailed(state: State, event: e.CardTrailed) -> State:
    loose = in_order((*running(state).loose, event.card))
    return _play(state, event.seat, event.card, auto=event.auto, loose=loose)


def _captured(state: State, event: e.CardsCaptured) -> State:
    deal = running(state)
    side = side_of(state.options, event.seat)
    names = {int(build.id[1:]) for build in event.builds}
    cards = [event.card, *(card for group in event.groups for card in group)]
    cards += [card for build in event.builds for card in build.cards]
    return _play(
        state,
        event.seat,
        event.card,
        auto=event.auto,
        loose=_without(deal.loose, event.groups),
        builds=tuple(build for build in deal.builds if build.number not in names),
        piles=_put(deal.piles, side, in_order((*deal.piles[side], *cards))),
        last=event.seat,
    )


def _built(
    state: State,
    event: e.BuildCreated | e.BuildExtended | e.BuildRaised,
    added: Groups,
    build: Build,
) -> State:
    deal = running(state)
    others = tuple(other for other in deal.builds if other.number != build.number)
    return _play(
        state,
        event.seat,
        event.card,
        auto=False,
        loose=_without(deal.loose, added),
        builds=tuple(sorted((*others, build))),
        built=max(deal.built, build.number),
    )


def _created(state: State, event: e.BuildCreated) -> State:
    build = Build(int(event.id[1:]), event.value, event.seat, event.groups)
    return _built(state, event, event.groups, build)


def _base(deal: Deal, name: str) -> Build:
    return next(build for build in deal.builds if build.number == int(name[1:]))


def _extended(state: State, event: e.BuildExtended) -> State:
    base = _base(running(state), event.id)
    build = base._replace(owner=event.seat, groups=base.groups + event.added_groups)
    return _built(state, event, event.added_groups, build)


def _raised(state: State, event: e.BuildRaised) -> State:
    base = _base(running(state), event.id)
    first = in_order((*base.groups[0], event.card))
    groups = (first, *event.added_groups)
    build = Build(base.number, event.value, event.seat, groups)
    return _built(state, event, event.added_groups, build)


def _sweep_made(state: State, event: e.SweepMade) -> State:
    deal = running(state)
    return _change(state, sweeps=_put(deal.sweeps, event.side, deal.sweeps[event.side] + 1))


def _residue(state: State, event: e.ResidueAwarded) -> State:
    deal = running(state)
    pile = in_order((*deal.piles[event.side], *event.cards))
    return _change(state, loose=(), piles=_put(deal.piles, event.side, pile))


# --- count and end ----------------------------------------------------------------------------


def _scored(state: State, event: e.DealScored) -> State:
    return state._replace(scores=event.after)


def _overtime(state: State, event: e.OvertimeStarted) -> State:
    del event
    return state._replace(overtime=True)


def _deal_ended(state: State, event: e.DealEnded) -> State:
    return state._replace(dealer=event.next_dealer)


def _won(state: State, event: e.GameWon) -> State:
    result = Result((event.side,), event.reason)
    return state._replace(phase=Phase.GAME_OVER, scores=event.scores, result=result)


def _drawn(state: State, event: e.GameDrawn) -> State:
    result = Result(event.sides, event.reason)
    return state._replace(phase=Phase.GAME_OVER, scores=event.scores, result=result)


def _pot_paid(state: State, event: e.PotPaid) -> State:
    return _pay(state, event.seat, event.amount)


# --- the table --------------------------------------------------------------------------------


def _table_opened(state: State, event: c.TableOpened) -> State:
    del state
    options = believed_options(dict(event.options))
    nobody = (None,) * options.players
    return State(Phase.LOBBY, options, nobody, (0,) * side_count(options))


def _seat_taken(state: State, event: c.SeatTaken) -> State:
    return state._replace(seats=_put(state.seats, event.seat, Seat(event.player, event.chips)))


def _seat_left(state: State, event: c.SeatLeft) -> State:
    return state._replace(seats=_put(state.seats, event.seat, None))


def _chips_added(state: State, event: c.ChipsAdded) -> State:
    who = state.seats[event.seat]
    return _with_seat(state, event.seat, chips=event.amount + (who.chips if who else 0))


def _sat_out(state: State, event: c.SatOut) -> State:
    return _with_seat(state, event.seat, out=True)


def _sat_in(state: State, event: c.SatIn) -> State:
    return _with_seat(state, event.seat, out=False)


def _seat_leaving(state: State, event: c.SeatLeaving) -> State:
    return _with_seat(state, event.seat, leaving=True)


def _timed_out(state: State, event: c.TurnTimedOut) -> State:
    who = state.seats[event.seat]
    return _with_seat(state, event.seat, timeouts=1 + (who.timeouts if who else 0))


def _table_closed(state: State, event: c.TableClosed) -> State:
    del event
    return state._replace(phase=Phase.CLOSED)


def _nothing(state: State, event: c.Event) -> State:
    del event
    return state


_HANDLERS: Mapping[type[c.Event], Callable[[State, Any], State]] = {
    e.GameStarted: _game_started,
    e.StakePosted: _stake_posted,
    e.DealStarted: _deal_started,
    e.HandDealt: _hand_dealt,
    e.TableDealt: _table_dealt,
    e.CardTrailed: _trailed,
    e.CardsCaptured: _captured,
    e.BuildCreated: _created,
    e.BuildExtended: _extended,
    e.BuildRaised: _raised,
    e.SweepMade: _sweep_made,
    e.ResidueAwarded: _residue,
    e.DealStopped: _nothing,
    e.DealScored: _scored,
    e.DeckRevealed: _deck_revealed,
    e.OvertimeStarted: _overtime,
    e.DealEnded: _deal_ended,
    e.SideForfeited: _nothing,
    e.GameWon: _won,
    e.GameDrawn: _drawn,
    e.PotPaid: _pot_paid,
    c.TableOpened: _table_opened,
    c.SeatTaken: _seat_taken,
    c.ChipsAdded: _chips_added,
    c.SatOut: _sat_out,
    c.SatIn: _sat_in,
    c.SeatLeaving: _seat_leaving,
    c.SeatLeft: _seat_left,
    c.TurnTimedOut: _timed_out,
    c.DeckShuffled: _deck_shuffled,
    c.TableClosed: _table_closed,
}


def evolve(state: State, event: c.Event) -> State:
    """The state after a fact; believes it."""
    handler = _HANDLERS.get(type(event))
    if handler is None:
        raise AssertionError(f"{type(event).__name__} is no event of this game")
    return handler(state, event)
