"""How events change a Pontoon table: one function for each, found by the event's class.

They believe every fact, redacted or not: a fold over what one viewer was sent makes the same
state with other faces hidden.  Those of the bank are in ``evolve_bank``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine import events as c
from engine.cards import PACK
from engine.games.pontoon import events as e
from engine.games.pontoon.changes import add, put, with_hand, with_punters
from engine.games.pontoon.evolve_bank import BANK_HANDLERS
from engine.games.pontoon.options import believed_options
from engine.games.pontoon.state import Deal, Hand, Phase, Punter, Seat, State, running

__all__ = ["evolve"]


# --- cards and bets ---------------------------------------------------------------------------


def _deck_shuffled(state: State, event: c.DeckShuffled) -> State:
    # Cards cut for the bank go back at once; only a deal's order is kept (9.1, 9.4).
    if event.purpose != "DEAL":
        return state
    return state._replace(stock=event.order.value, reshuffle=False)


def _deal_started(state: State, event: e.DealStarted) -> State:
    return state._replace(
        phase=Phase.BETTING,
        deals=event.deal,
        vacated=frozenset(),
        auction_used=False,
        deal=Deal(tuple(Punter(seat) for seat in event.punters)),
    )


def _card_dealt(state: State, event: e.CardDealt) -> State:
    card = event.card.value
    if event.hand is None:
        deal = running(state)
        dealt = Deal(deal.punters, (*deal.bank, card), deal.bank_up, deal.shooter)
        return state._replace(stock=state.stock[1:], deal=dealt)
    return _with_card(state, event.to, event.hand, card)


def _with_card(state: State, seat: int, number: int, card: int) -> State:
    """The top card of the stock joins a hand."""

    def take(hand: Hand) -> Hand:
        return hand._replace(cards=(*hand.cards, card))

    return with_hand(state, seat, number, take, stock=state.stock[1:])


def _bet_placed(state: State, event: e.BetPlaced) -> State:
    punters = tuple(
        Punter(event.seat, event.amount, (punter.hands[0]._replace(stake=event.amount),))
        if punter.seat == event.seat
        else punter
        for punter in running(state).punters
    )
    shoots = state.options.shoot and all(punter.bet for punter in punters)
    return with_punters(
        state,
        punters,
        phase=Phase.SHOOT_BETTING if shoots else Phase.BETTING,
        stacks=add(state.stacks, event.seat, -event.amount),
    )


def _banker_hand_seen(state: State, event: e.BankerHandSeen) -> State:
    deal = running(state)._replace(bank=event.cards.value)
    return state._replace(phase=Phase.PLAYER_TURNS, deal=deal)


def _banker_pontoon_revealed(state: State, event: e.BankerPontoonRevealed) -> State:
    deal = running(state)._replace(bank=event.cards, bank_up=True)
    return state._replace(deal=deal, reshuffle=True)


# --- the punters' turns -----------------------------------------------------------------------


def _pontoon_declared(state: State, event: e.PontoonDeclared) -> State:
    def declare(hand: Hand) -> Hand:
        return hand._replace(cards=put(hand.cards, event.place - 1, event.ace), closed=True)

    return with_hand(state, event.seat, event.hand, declare, reshuffle=True)


def _hand_split(state: State, event: e.HandSplit) -> State:
    stays, moves = event.cards
    new = Hand(event.new_hand, (moves,), event.stake)
    punters: list[Punter] = []
    for punter in running(state).punters:
        hands: list[Hand] = []
        for hand in punter.hands:
            if (punter.seat, hand.number) == (event.seat, event.hand):
                hands += [hand._replace(cards=(stays,)), new]
            else:
                hands.append(hand)
        punters.append(Punter(punter.seat, punter.bet, tuple(hands)))
    stacks = add(state.stacks, event.seat, -event.stake)
    return with_punters(state, tuple(punters), stacks=stacks)


def _card_bought(state: State, event: e.CardBought) -> State:
    def buy(hand: Hand) -> Hand:
        return hand._replace(
            cards=(*hand.cards, event.card.value),
            stake=hand.stake + event.amount,
            bought=(*hand.bought, event.amount),
        )

    stacks = add(state.stacks, event.seat, -event.amount)
    return with_hand(state, event.seat, event.hand, buy, stacks=stacks, stock=state.stock[1:])


def _card_twisted(state: State, event: e.CardTwisted) -> State:
    return _with_card(state, event.seat, event.hand, event.card)


def _hand_stuck(state: State, event: e.HandStuck) -> State:
    return with_hand(state, event.seat, event.hand, lambda hand: hand._replace(closed=True))


def _hand_busted(state: State, event: e.HandBusted) -> State:
    def bust(hand: Hand) -> Hand:
        return hand._replace(cards=event.cards, bust=True)

    return with_hand(state, event.seat, event.hand, bust)


def _stake_collected(state: State, event: e.StakeCollected) -> State:
    def collect(hand: Hand) -> Hand:
        return hand._replace(stake=0, bought=())

    state = with_hand(state, event.seat, event.hand, collect)
    return _to_banker(state, event.amount)


def _to_banker(state: State, amount: int) -> State:
    if state.banker is None:
        raise AssertionError("a deal without a banker")
    return state._replace(stacks=add(state.stacks, state.banker, amount))


def _cards_returned(state: State, event: e.CardsReturned) -> State:
    stock = state.stock + event.cards.value
    if event.hand is None:
        return state._replace(stock=stock, deal=running(state)._replace(bank=()))
    return with_hand(
        state, event.seat, event.hand, lambda hand: hand._replace(cards=()), stock=stock
    )


# --- the banker's turn and the settlement -----------------------------------------------------


def _banker_hand_revealed(state: State, event: e.BankerHandRevealed) -> State:
    deal = running(state)._replace(bank=event.cards, bank_up=True)
    return state._replace(phase=Phase.BANKER_TURN, deal=deal)


def _banker_card_drawn(state: State, event: e.BankerCardDrawn) -> State:
    deal = running(state)
    return state._replace(stock=state.stock[1:], deal=deal._replace(bank=(*deal.bank, event.card)))


def _hand_settled(state: State, event: e.HandSettled) -> State:
    """8: ``net`` moves between punter and banker, the stake home or, lost, within ``net``."""
    state = with_hand(state, event.seat, event.hand, lambda hand: hand._replace(stake=0))
    # What a loser nets counts his stake, which had left his stack already.
    state = state._replace(stacks=add(state.stacks, event.seat, event.stake + event.net))
    return _to_banker(state, -event.net)


def _deal_ended(state: State, event: e.DealEnded) -> State:
    """9.2: sit-outs that were announced take effect."""
    del event
    seats = tuple(
        who._replace(out=True, out_next=False) if who is not None and who.out_next else who
        for who in state.seats
    )
    return state._replace(
        phase=Phase.BETWEEN_DEALS,
        seats=seats,
        deal=None,
        reshuffle=state.reshuffle or state.options.shuffle_each_deal,
    )


def _nothing(state: State, event: c.Event) -> State:
    del event
    return state


# --- the table --------------------------------------------------------------------------------


def _table_opened(state: State, event: c.TableOpened) -> State:
    del state
    options = believed_options(dict(event.options))
    nobody = (None,) * options.max_seats
    return State(Phase.WAITING, options, nobody, (0,) * options.max_seats, PACK)


def _seat_taken(state: State, event: c.SeatTaken) -> State:
    return state._replace(
        seats=put(state.seats, event.seat, Seat(event.player)),
        stacks=put(state.stacks, event.seat, event.chips),
    )


def _seat_left(state: State, event: c.SeatLeft) -> State:
    """Who leaves is forgotten (9.6)."""
    return state._replace(
        seats=put(state.seats, event.seat, None),
        stacks=put(state.stacks, event.seat, 0),
        vacated=state.vacated - {event.seat},
    )


def _chips_added(state: State, event: c.ChipsAdded) -> State:
    return state._replace(stacks=add(state.stacks, event.seat, event.amount))


def _with_seat(state: State, seat: int, change: Callable[[Seat], Seat]) -> State:
    who = state.seats[seat]
    if who is None:
        raise AssertionError(f"nobody sits at seat {seat}")
    return state._replace(seats=put(state.seats, seat, change(who)))


def _sat_out(state: State, event: c.SatOut) -> State:
    later = event.when == "DEAL_END"
    return _with_seat(state, event.seat, lambda who: who._replace(out=not later, out_next=later))


def _sat_in(state: State, event: c.SatIn) -> State:
    return _with_seat(state, event.seat, lambda who: who._replace(out=False, out_next=False))


def _seat_leaving(state: State, event: c.SeatLeaving) -> State:
    return _with_seat(state, event.seat, lambda who: who._replace(leaving=True))


def _table_closed(state: State, event: c.TableClosed) -> State:
    """9.7: no banker, so the interval is over too (9.6)."""
    del event
    return state._replace(phase=Phase.CLOSED, banker=None, vacated=frozenset(), auction_used=False)


_HANDLERS: Mapping[type[c.Event], Callable[[State, Any], State]] = {
    e.DealStarted: _deal_started,
    e.CardDealt: _card_dealt,
    e.BetPlaced: _bet_placed,
    e.BankerHandSeen: _banker_hand_seen,
    e.BankerPontoonRevealed: _banker_pontoon_revealed,
    e.PontoonDeclared: _pontoon_declared,
    e.HandSplit: _hand_split,
    e.CardBought: _card_bought,
    e.CardTwisted: _card_twisted,
    e.HandStuck: _hand_stuck,
    e.FiveCardTrickMade: _nothing,
    e.HandBusted: _hand_busted,
    e.StakeCollected: _stake_collected,
    e.CardsReturned: _cards_returned,
    e.BankerHandRevealed: _banker_hand_revealed,
    e.BankerCardDrawn: _banker_card_drawn,
    e.BankerStayed: _nothing,
    e.BankerBusted: _nothing,
    e.BankerFiveCardTrickMade: _nothing,
    e.HandRevealed: _nothing,
    e.HandSettled: _hand_settled,
    e.BankFellShort: _nothing,
    e.DealEnded: _deal_ended,
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
    **BANK_HANDLERS,
}


def evolve(state: State, event: c.Event) -> State:
    """The state after a fact; believes it."""
    handler = _HANDLERS.get(type(event))
    if handler is None:
        raise AssertionError(f"{type(event).__name__} is no event of this game")
    return handler(state, event)
