"""Whether a Pontoon position can arise: lines that contradict the phase or one another (12.0)."""

from __future__ import annotations

from engine.games.pontoon.funds import all_chips, is_active, room
from engine.games.pontoon.state import (
    FIVE,
    Auction,
    Deal,
    Hand,
    Phase,
    Punter,
    State,
    active_hand,
    takes_part,
    to_act,
)
from engine.games.pontoon.totals import is_bust
from engine.kernel import PositionError
from engine.options import MAX_AMOUNT

__all__ = ["check_auction", "check_deal", "check_table"]

_MOST_OFFERS = 2**31 - 1
"""As many as a table's record has numbers for."""

_BANKED = frozenset(Phase) - {Phase.NONE, Phase.WAITING, Phase.CLOSED}


def _refuse_if(broken: object, why: str) -> None:
    if broken:
        raise PositionError(why)


def check_table(state: State) -> None:
    """Seats, bank, chips and offers; raises ``PositionError``."""
    names = [who.player for who in state.seats if who is not None]
    _refuse_if(len(set(names)) != len(names), "players: one name at two seats (6.14)")
    _refuse_if(all_chips(state) > MAX_AMOUNT, f"stacks: a table has at most {MAX_AMOUNT} chips")
    banker = state.banker
    if state.phase in _BANKED:
        _refuse_if(banker is None, f"banker: there is one in {state.phase}")
    _refuse_if(state.phase is Phase.CLOSED and banker is not None, "banker: none any more (9.7)")
    if banker is not None:
        _refuse_if(state.seats[banker] is None, f"banker: nobody sits at seat {banker} (stacks)")
        deals = state.deal is not None
        _refuse_if(not deals and not is_active(state, banker), "banker: he is not active (9.6)")
    _refuse_if(state.kitty and banker is None, "kitty: it is the banker's (S.11)")
    _refuse_if(state.kitty and not state.options.shoot, "kitty: this table has none")
    for seat in state.vacated:
        _refuse_if(state.seats[seat] is None, f"vacated: nobody sits at seat {seat} (9.6)")
    _refuse_if(banker is None and state.vacated, "vacated: no interval without a banker (9.6)")
    _refuse_if(banker is None and state.auction_used, "auction_used: no banker (9.6)")
    buyer = state.sale.buyer if state.sale else None
    for seat, who in enumerate(state.seats):
        if who is None:
            continue
        plays = takes_part(state, seat)
        bound = plays or seat == buyer
        _refuse_if(who.leaving and not bound, f"leaving: seat {seat} would be free at once (10.5)")
        _refuse_if(who.out_next and not plays, f"out_next: seat {seat} would be out at once (6.14)")
        _refuse_if(who.out and (plays or who.out_next), f"out: seat {seat} is in the deal (6.14)")
    if buyer is not None:
        _refuse_if(
            buyer >= len(state.seats) or state.seats[buyer] is None or buyer == banker,
            "sale: the buyer is another player",
        )
    _check_offers(state)


def _check_offers(state: State) -> None:
    """6.13."""
    offers = state.offers
    _refuse_if(state.offers_made > _MOST_OFFERS, f"offers_made: at most {_MOST_OFFERS}")
    _refuse_if(offers and state.phase not in _BANKED - {Phase.AUCTION}, "offer: none is open now")
    _refuse_if(offers and state.sale is not None, "offer: a sale is agreed (6.13d)")
    pairs = {(offer.from_, offer.to) for offer in offers}
    _refuse_if(len(pairs) != len(offers), "offer: two of one sender to one receiver (6.13a)")
    for offer in offers:
        key = f"offer {offer.offer_id}"
        parties = {offer.from_, offer.to}
        _refuse_if(len(parties) != 2 or state.banker not in parties, f"{key}: not with the banker")
        for seat in parties:
            who = state.seats[seat] if seat < len(state.seats) else None
            _refuse_if(who is None, f"{key}: nobody sits at seat {seat} (stacks)")
        _refuse_if(not offer.offer_id, f"{key}: offers count from 1")


def check_deal(state: State, deal: Deal) -> None:
    """A running deal; raises ``PositionError``."""
    phase = state.phase
    _refuse_if(not state.deals, "deal: a running deal has a number (6.1)")
    _refuse_if(state.vacated, "vacated: a deal ends the interval (9.6)")
    _refuse_if(state.auction_used, "auction_used: a deal ends the interval (9.6)")
    _refuse_if(not deal.punters, "hands: a deal has a punter")
    _refuse_if(room(state) < 0, "shoot: more than the kitty (S.1)")
    for punter in deal.punters:
        _refuse_if(punter.seat == state.banker, f"hands {punter.seat}: he is the banker")
        _refuse_if(
            state.seats[punter.seat] is None,
            f"hands {punter.seat}: nobody sits at seat {punter.seat} (stacks)",
        )
        _check_punter(state, punter)
    early = phase in {Phase.BETTING, Phase.SHOOT_BETTING}
    bank = len(deal.bank)
    _refuse_if(early and bank != 1, f"bank_hand: one card in {phase}")
    _refuse_if(phase is Phase.PLAYER_TURNS and bank != 2, f"bank_hand: two cards in {phase}")
    _refuse_if(
        phase is Phase.BANKER_TURN and (not 2 <= bank < FIVE or is_bust(deal.bank)),
        "bank_hand: two to four cards, not bust, while the banker draws",
    )
    _check_turn(state, deal)


def _check_punter(state: State, punter: Punter) -> None:
    """A punter's bets and hands (6.2, 6.5–6.9)."""
    phase, seat = state.phase, punter.seat
    key = f"hands {seat}"
    numbers = [hand.number for hand in punter.hands]
    _refuse_if(
        sorted(numbers) != list(range(1, len(numbers) + 1)) or numbers[0] != 1,
        f"{key}: hands count from 1, which is played first (6.5)",
    )
    if phase in {Phase.BETTING, Phase.SHOOT_BETTING}:
        hand = punter.hands[0]
        _refuse_if(
            len(numbers) > 1 or len(hand.cards) != 1 or hand.bought or hand.closed,
            f"{key}: one hand of one card in {phase}",
        )
        _refuse_if(hand.shoot and phase is Phase.BETTING, f"shoot {seat}.1: not before S.4")
    if phase is Phase.BETTING:
        _refuse_if(
            not punter.bet and not state.stacks[seat], f"stacks: seat {seat} is to bet (5.4)"
        )
        return
    _refuse_if(not punter.bet, f"bets: seat {seat} has bet in {phase}")
    if phase is not Phase.SHOOT_BETTING:
        for hand in punter.hands:
            _check_hand(punter, hand)


def _check_hand(punter: Punter, hand: Hand) -> None:
    """A hand in play (6.5–6.9)."""
    name = f"{punter.seat}.{hand.number}"
    if hand.bust:
        _refuse_if(hand.closed, f"closed: {name} has bust, it is closed by itself")
        return
    cards = len(hand.cards)
    _refuse_if(not 2 <= cards <= FIVE or is_bust(hand.cards), f"hands: {name} has no such cards")
    _refuse_if(len(hand.bought) > cards - 2, f"bought {name}: more prices than cards")
    _refuse_if(hand.closed and cards == FIVE, f"closed: {name} is closed by itself (6.9)")
    most = 2 * punter.bet
    for price in hand.bought:
        _refuse_if(not punter.bet <= price <= most, f"bought {name}: no such price (6.6)")
        most = price


def _check_turn(state: State, deal: Deal) -> None:
    """Who is to act (5.1, 5.3, 10.5)."""
    phase = state.phase
    waiting = [bool(punter.bet) for punter in deal.punters]
    if phase is Phase.BETTING:
        _refuse_if(all(waiting), "bets: a punter is still to bet in BETTING")
        _refuse_if(waiting != sorted(waiting, reverse=True), "bets: they are in turn order (6.2)")
    if phase is Phase.SHOOT_BETTING:
        _refuse_if(not state.options.shoot, "phase: this table has no shoot bets")
        _refuse_if(deal.shooter >= len(deal.punters), "turn: somebody is to decide (S.4)")
        later = deal.punters[deal.shooter :]
        _refuse_if(
            any(punter.hands[0].shoot for punter in later), "shoot: bets are in turn order (S.4)"
        )
    found = active_hand(deal)
    if phase is Phase.PLAYER_TURNS:
        _refuse_if(found is None, "closed: a hand is open in PLAYER_TURNS (5.1)")
    if phase is Phase.BANKER_TURN:
        _refuse_if(found is not None, "closed: no hand is open in BANKER_TURN (5.1)")
        live = any(not hand.bust for punter in deal.punters for hand in punter.hands)
        _refuse_if(not live, "hands: all have bust, the deal is over (6.10)")

    turn = to_act(state)
    who = state.seats[turn] if turn is not None else None
    _refuse_if(who is not None and who.leaving, "leaving: the rules act for him (10.5)")


def check_auction(state: State, auction: Auction) -> None:
    """A running auction (S.10); raises ``PositionError``."""
    _refuse_if(not state.options.shoot, "phase: this table has no auctions")
    _refuse_if(state.kitty, "kitty: it is dry in an auction (S.9)")
    bidders = auction.bidders
    for seat in bidders:
        _refuse_if(
            seat == state.banker or not is_active(state, seat), f"bidders: seat {seat} cannot bid"
        )
    _refuse_if(
        auction.bidder >= 0 and auction.bidder not in bidders, "bid: its bidder has not passed"
    )
    _refuse_if(
        auction.turn not in bidders or auction.turn == auction.bidder,
        "turn: a bidder who has not the highest bid",
    )
    if auction.bidder >= 0:
        chips = state.stacks[auction.bidder]
        _refuse_if(auction.bid > chips, "bid: more than the bidder has")
