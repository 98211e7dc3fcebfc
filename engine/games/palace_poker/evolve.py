"""How events change a Palace Poker table: one function for each, found by the event's class.

They believe every fact, redacted or not: a fold over what one viewer was sent makes the same
state with other faces hidden, as long as the piles keep their sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from engine import events as c
from engine.games.palace_poker import events as e
from engine.games.palace_poker.options import believed_dealer, believed_options
from engine.games.palace_poker.state import (
    Battle,
    Phase,
    Seat,
    State,
    deal_order,
    new_hand,
    running,
)

__all__ = ["evolve"]

T = TypeVar("T")


def _put(row: tuple[T, ...], seat: int, value: T) -> tuple[T, ...]:
    return (*row[:seat], value, *row[seat + 1 :])


def _add(row: tuple[int, ...], seat: int, amount: int) -> tuple[int, ...]:
    return (*row[:seat], row[seat] + amount, *row[seat + 1 :])


def _change(
    state: State,
    phase: Phase | None = None,
    stacks: tuple[int, ...] | None = None,
    **changes: Any,
) -> State:
    """The state with other fields of the hand, and another phase or other stacks."""
    return State(
        state.phase if phase is None else phase,
        state.options,
        state.seats,
        state.stacks if stacks is None else stacks,
        state.dealer,
        state.hand_no,
        running(state)._replace(**changes),
    )


def _pay(state: State, seat: int, amount: int, phase: Phase | None = None, **changes: Any) -> State:
    """Chips from a stack to the pot, and other changes."""
    if not amount:
        return _change(state, phase, **changes)
    hand = running(state)
    return _change(
        state,
        phase,
        _add(state.stacks, seat, -amount),
        paid=_add(hand.paid, seat, amount),
        pot=hand.pot + amount,
        **changes,
    )


# --- the deal ---------------------------------------------------------------------------------


def _hand_started(state: State, event: e.HandStarted) -> State:
    dealt = 0
    for seat, _ in event.seats:
        dealt |= 1 << seat
    state = state._replace(
        phase=Phase.SETUP, hand_no=event.hand, hand=new_hand(len(state.seats), dealt)
    )
    return state if event.dealer is None else _with_dealer(state, event.dealer)


def _with_dealer(state: State, dealer: int) -> State:
    order = deal_order(running(state).dealt, dealer)
    return _change(state, order=order)._replace(dealer=dealer)


def _dealer_chosen(state: State, event: e.DealerChosen) -> State:
    return _with_dealer(state, event.seat)


def _deck_shuffled(state: State, event: c.DeckShuffled) -> State:
    return _change(state, draw=event.order.value, discard=(), rejects=())


def _set_aside(state: State, event: e.DealerCardDrawn | e.BannerRejected) -> State:
    hand = running(state)
    return _change(state, draw=hand.draw[1:], rejects=(*hand.rejects, event.card))


def _ante_posted(state: State, event: e.AntePosted) -> State:
    capped = running(state).capped | event.short << event.seat
    return _pay(state, event.seat, event.amount, capped=capped)


def _banner_dealt(state: State, event: e.BannerDealt) -> State:
    hand = running(state)
    banners = _put(hand.banners, event.seat, event.card)
    return _change(state, draw=hand.draw[1:], banners=banners)


def _palace_card_dealt(state: State, event: e.PalaceCardDealt) -> State:
    hand = running(state)
    palace = (*hand.palaces[event.seat], event.card.value)
    return _change(state, draw=hand.draw[1:], palaces=_put(hand.palaces, event.seat, palace))


# --- turns ------------------------------------------------------------------------------------


def _turn_started(state: State, event: e.TurnStarted) -> State:
    return _change(
        state,
        Phase.TURN,
        turn=event.seat,
        actor=event.seat,
        forced=event.forced,
        turns=running(state).turns + (state.phase is not Phase.SETUP),
        battle=None,
    )


def _stayed(state: State, event: e.Stayed) -> State:
    return _change(state, quiet=running(state).quiet | 1 << event.seat)


def _soldier_bought(state: State, event: e.SoldierBought) -> State:
    hand = running(state)
    soldiers = (*hand.soldiers[event.seat], event.card)
    return _pay(
        state,
        event.seat,
        event.paid,
        Phase.MUSTER,
        draw=hand.draw[1:],
        soldiers=_put(hand.soldiers, event.seat, soldiers),
        quiet=0,
    )


def _soldiers_discarded(state: State, event: e.SoldiersDiscarded) -> State:
    hand = running(state)
    gone = event.cards
    kept = tuple(card for card in hand.soldiers[event.seat] if card not in gone)
    # In a muster the marks stay as they are; a discard of one's own turn sets one (5.11).
    mark = 1 << event.seat if state.phase is Phase.TURN else 0
    return _change(
        state,
        soldiers=_put(hand.soldiers, event.seat, kept),
        discard=tuple(sorted(hand.discard + gone)),
        quiet=hand.quiet | mark,
    )


def _nothing(state: State, event: c.Event) -> State:
    del event
    return state


# --- battles ----------------------------------------------------------------------------------


def _battle_declared(state: State, event: e.BattleDeclared) -> State:
    return _pay(
        state,
        event.attacker,
        event.paid,
        Phase.BATTLE,
        capped=running(state).capped | event.short << event.attacker,
        quiet=0,
        battle=Battle(event.defender, event.to_call, 0, event.excess),
        actor=event.defender,
    )


def _battle_called(state: State, event: e.BattleCalled) -> State:
    capped = running(state).capped | event.short << event.seat
    return _pay(state, event.seat, event.paid, capped=capped, battle=None)


def _battle_raised(state: State, event: e.BattleRaised) -> State:
    hand = running(state)
    battle = hand.battle
    if battle is None:
        raise AssertionError("a raise without a battle")
    return _pay(
        state,
        event.seat,
        event.called + event.raised,
        battle=Battle(battle.defender, event.raised, battle.raises + 1, event.raised),
        actor=hand.turn if event.seat == battle.defender else battle.defender,
    )


def _battle_folded(state: State, event: e.BattleFolded) -> State:
    del event
    return _change(state, battle=None)


def _uncalled_returned(state: State, event: e.UncalledReturned) -> State:
    return _pay(state, event.seat, -event.amount)


def _player_eliminated(state: State, event: e.PlayerEliminated) -> State:
    """5.10.2: what is not captured is discarded."""
    hand = running(state)
    seat = event.seat
    others = ~(1 << seat)
    discard = hand.discard + hand.palaces[seat]
    soldiers, banners = hand.soldiers, hand.banners
    if event.cause is e.Cause.FOLD or event.cause is e.Cause.BATTLE_TIE:
        discard += (*soldiers[seat], banners[seat])
        soldiers = _put(soldiers, seat, ())
        banners = _put(banners, seat, 0)
    return _change(
        state,
        alive=hand.alive & others,
        quiet=hand.quiet & others,
        exits=_put(hand.exits, seat, event.exit),
        palaces=_put(hand.palaces, seat, ()),
        soldiers=soldiers,
        banners=banners,
        discard=tuple(sorted(discard)),
    )


def _cards_captured(state: State, event: e.CardsCaptured) -> State:
    hand = running(state)
    soldiers = _put(hand.soldiers, event.loser, ())
    soldiers = _put(soldiers, event.winner, soldiers[event.winner] + event.cards)
    banners = _put(hand.banners, event.loser, 0)
    return _change(state, Phase.MUSTER, soldiers=soldiers, banners=banners, actor=event.winner)


# --- the end ----------------------------------------------------------------------------------


def _pot_awarded(state: State, event: e.PotAwarded) -> State:
    stacks = state.stacks
    for seat, chips in event.shares:
        stacks = _add(stacks, seat, chips)
    return _change(state, stacks=stacks, pot=running(state).pot - event.amount)


def _hand_ended(state: State, event: e.HandEnded) -> State:
    del event
    return state._replace(phase=Phase.IDLE, hand=None)


# --- the table --------------------------------------------------------------------------------


def _table_opened(state: State, event: c.TableOpened) -> State:
    del state
    options = believed_options(dict(event.options))
    first = believed_dealer(dict(event.start))
    # As if the seat before it had dealt (9.2).
    dealer = None if first is None else (first - 1) % options.max_seats
    nobody = (None,) * options.max_seats
    return State(Phase.IDLE, options, nobody, (0,) * options.max_seats, dealer)


def _seat_taken(state: State, event: c.SeatTaken) -> State:
    return state._replace(
        seats=_put(state.seats, event.seat, Seat(event.player)),
        stacks=_put(state.stacks, event.seat, event.chips),
    )


def _seat_left(state: State, event: c.SeatLeft) -> State:
    return state._replace(
        seats=_put(state.seats, event.seat, None), stacks=_put(state.stacks, event.seat, 0)
    )


def _chips_added(state: State, event: c.ChipsAdded) -> State:
    return state._replace(stacks=_add(state.stacks, event.seat, event.amount))


def _with_seat(state: State, seat: int, change: Callable[[Seat], Seat]) -> State:
    who = state.seats[seat]
    if who is None:
        raise AssertionError(f"nobody sits at seat {seat}")
    return state._replace(seats=_put(state.seats, seat, change(who)))


def _sat_out(state: State, event: c.SatOut) -> State:
    return _with_seat(state, event.seat, lambda who: who._replace(out=True))


def _sat_in(state: State, event: c.SatIn) -> State:
    return _with_seat(state, event.seat, lambda who: who._replace(out=False))


def _seat_leaving(state: State, event: c.SeatLeaving) -> State:
    return _with_seat(state, event.seat, lambda who: who._replace(leaving=True))


def _table_closed(state: State, event: c.TableClosed) -> State:
    del event
    return state._replace(phase=Phase.CLOSED)


_HANDLERS: Mapping[type[c.Event], Callable[[State, Any], State]] = {
    e.HandStarted: _hand_started,
    e.DealerCardDrawn: _set_aside,
    e.DealerChosen: _dealer_chosen,
    e.AntePosted: _ante_posted,
    e.BannerRejected: _set_aside,
    e.BannerDealt: _banner_dealt,
    e.PalaceCardDealt: _palace_card_dealt,
    e.TurnStarted: _turn_started,
    e.Stayed: _stayed,
    e.Folded: _nothing,
    e.SoldierBought: _soldier_bought,
    e.SoldiersDiscarded: _soldiers_discarded,
    e.MusterCompleted: _nothing,
    e.BattleDeclared: _battle_declared,
    e.BattleCalled: _battle_called,
    e.BattleRaised: _battle_raised,
    e.BattleFolded: _battle_folded,
    e.UncalledReturned: _uncalled_returned,
    e.PalaceRevealed: _nothing,
    e.BattleResolved: _nothing,
    e.PlayerEliminated: _player_eliminated,
    e.CardsCaptured: _cards_captured,
    e.HandShown: _nothing,
    e.PotAwarded: _pot_awarded,
    e.HandEnded: _hand_ended,
    c.TableOpened: _table_opened,
    c.SeatTaken: _seat_taken,
    c.ChipsAdded: _chips_added,
    c.SatOut: _sat_out,
    c.SatIn: _sat_in,
    c.SeatLeaving: _seat_leaving,
    c.SeatLeft: _seat_left,
    c.TurnTimedOut: _nothing,
    c.DeckShuffled: _deck_shuffled,
    c.TableClosed: _table_closed,
}


def evolve(state: State, event: c.Event) -> State:
    """The state after a fact; believes it."""
    handler = _HANDLERS.get(type(event))
    if handler is None:
        raise AssertionError(f"{type(event).__name__} is no event of this game")
    return handler(state, event)
