"""Reading a Pontoon position (pontoon 12.0): what its lines say.

What must hold between them is tested in ``arising``.  Options are no part of a position, so a
position is not held against options that would not have let it arise.  A line that is left out
contradicts no phase: where its default would, and one value alone makes sense, it has that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.cards import PACK
from engine.games.pontoon.arising import check_auction, check_deal, check_table
from engine.games.pontoon.funds import is_active
from engine.games.pontoon.reading import Reading
from engine.games.pontoon.state import (
    Auction,
    BankOffer,
    Deal,
    Hand,
    Phase,
    Punter,
    Sale,
    Seat,
    State,
    to_act,
    turn_begins,
)
from engine.kernel import PositionError

__all__ = ["place"]

_PHASES: Final = frozenset(Phase) - {Phase.NONE}
_DEALS: Final = frozenset(
    {Phase.BETTING, Phase.SHOOT_BETTING, Phase.PLAYER_TURNS, Phase.BANKER_TURN}
)
_OF_A_DEAL: Final = ("out_next", "sale", "bank_hand", "hands", "bets", "bought", "shoot", "closed")


def place(state: State, given: Sequence[tuple[str, str]]) -> State:
    """The table of ``state`` in the given position; raises :class:`PositionError`."""
    seats = state.options.max_seats
    lines = Reading(given, seats)
    name = lines.text("phase") or Phase.WAITING
    if name not in _PHASES:
        raise PositionError(f"phase: {name!r} is none of {', '.join(sorted(_PHASES))}")
    phase = Phase(name)
    if phase not in _DEALS and (key := lines.has(*_OF_A_DEAL)):
        raise PositionError(f"{key}: no deal is running in {phase}")
    if phase is not Phase.AUCTION and (key := lines.has("bidders", "bid")):
        raise PositionError(f"{key}: no auction is running in {phase}")
    stacks = lines.amounts("stacks")
    new = State(
        phase=phase,
        options=state.options,
        seats=_seats(lines, stacks, seats),
        stacks=tuple(stacks.get(seat, 0) for seat in range(seats)),
        deals=lines.number("deal"),
        banker=lines.seat_or_none("banker"),
        kitty=lines.number("kitty"),
        reshuffle=lines.truth("reshuffle"),
        vacated=frozenset(lines.seats("vacated")),
        auction_used=lines.truth("auction_used"),
        offers_made=lines.number("offers_made"),
        offers=_offers(lines),
        sale=_sale(lines),
    )
    new = new._replace(offers_made=max([new.offers_made, *(o.offer_id for o in new.offers)]))
    if phase in _DEALS:
        # Without a number it is the first deal.
        deals = new.deals if lines.has("deal") else 1
        new = new._replace(deals=deals, deal=_deal(new, lines))
    elif phase is Phase.AUCTION:
        new = new._replace(auction=_auction(new, lines), auction_used=True)
    new = new._replace(stock=_stock(new, lines))
    check_table(new)
    if new.deal is not None:
        check_deal(new, new.deal)
    if new.auction is not None:
        check_auction(new, new.auction)
    turn = lines.seat_or_none("turn")
    if turn is not None and turn != to_act(new):
        raise PositionError(f"turn: in this position it is {to_act(new)}")
    return new


def _seats(lines: Reading, stacks: dict[int, int], count: int) -> tuple[Seat | None, ...]:
    names = lines.by_seat("players", str)
    marks = {key: lines.seats(key) for key in ("out", "out_next", "leaving")}
    for key, named in (("players", tuple(names)), *marks.items()):
        for seat in named:
            if seat not in stacks:
                raise PositionError(f"{key}: nobody sits at seat {seat} (stacks)")
    return tuple(
        Seat(
            names.get(seat, f"p{seat}"),
            seat in marks["out"],
            seat in marks["out_next"],
            seat in marks["leaving"],
        )
        if seat in stacks
        else None
        for seat in range(count)
    )


def _offers(lines: Reading) -> tuple[BankOffer, ...]:
    found: list[BankOffer] = []
    for number in lines.numbered("offer"):
        key = f"offer {number}"
        sender, receiver, price = lines.numbers(key, 3)
        found.append(BankOffer(lines.whole(key, number), sender, receiver, price))
    return tuple(sorted(found))


def _sale(lines: Reading) -> Sale | None:
    return Sale(*lines.numbers("sale", 2)) if lines.text("sale") else None


def _deal(state: State, lines: Reading) -> Deal:
    """The running deal: its punters in turn order, whatever the order of the lines."""
    banker = state.banker
    if banker is None:
        raise PositionError("banker: a running deal has one")
    bets = lines.amounts("bets")
    bought, shoot = lines.by_label("bought"), lines.by_label("shoot")
    closed = lines.labels("closed")
    # The banker's turn comes when no hand is open any more (6.10).
    all_closed = state.phase is Phase.BANKER_TURN and not lines.has("closed")
    punters: list[Punter] = []
    first = turn_begins(state.options, banker)
    for seat in sorted(map(int, lines.numbered("hands")), key=lambda at: (at < first, at)):
        bet = bets.pop(seat, 0)
        hands = tuple(
            _hand(
                hand, bet, bought.pop((seat, hand.number), ()), shoot.pop((seat, hand.number), ())
            )
            for hand in lines.hands(str(seat))
        )
        hands = tuple(
            hand._replace(closed=(all_closed and hand.is_open) or (seat, hand.number) in closed)
            for hand in hands
        )
        punters.append(Punter(seat, bet, hands))
    labels = {(punter.seat, hand.number) for punter in punters for hand in punter.hands}
    for key, named in (("bought", set(bought)), ("shoot", set(shoot)), ("closed", closed - labels)):
        if named:
            raise PositionError(f"{key}: there is no hand {min(named)}")
    if bets:
        raise PositionError(f"bets: seat {min(bets)} has no hand")
    deal = Deal(tuple(punters), lines.cards("bank_hand"), state.phase is Phase.BANKER_TURN)
    return deal._replace(shooter=_shooter(state, deal, lines))


def _hand(hand: Hand, bet: int, bought: tuple[int, ...], shoot: tuple[int, ...]) -> Hand:
    if len(shoot) > 1:
        raise PositionError(f"shoot: hand {hand.number} has one shoot bet")
    if hand.bust:
        if bought or shoot:
            raise PositionError(f"hands: hand {hand.number} has bust and holds no chips")
        return hand
    return hand._replace(stake=bet + sum(bought), bought=bought, shoot=sum(shoot))


def _shooter(state: State, deal: Deal, lines: Reading) -> int:
    """The place of the punter who is to decide on a shoot bet; by default who comes next."""
    if state.phase is Phase.BETTING:
        return 0
    if state.phase is not Phase.SHOOT_BETTING:
        return len(deal.punters) if state.options.shoot else 0
    turn = lines.seat_or_none("turn")
    if turn is None:
        shot = [at for at, punter in enumerate(deal.punters) if punter.hands[0].shoot]
        return max(shot, default=-1) + 1
    places = [at for at, punter in enumerate(deal.punters) if punter.seat == turn]
    if not places:
        raise PositionError("turn: not a punter of the deal")
    return places[0]


def _auction(state: State, lines: Reading) -> Auction:
    bidders = lines.seats("bidders")
    if not lines.has("bidders"):
        # Nobody has passed (S.10).
        seats = range(len(state.seats))
        bidders = tuple(seat for seat in seats if seat != state.banker and is_active(state, seat))
    if state.banker is not None:
        banker = state.banker
        bidders = tuple(sorted(bidders, key=lambda at: (at < banker, at)))
    bid, bidder = lines.numbers("bid", 2) if lines.text("bid") else (-1, -1)
    turn = lines.seat_or_none("turn")
    if turn is None:
        after = bidders[bidders.index(bidder) + 1 :] if bidder in bidders else bidders
        turn = next((seat for seat in (*after, *bidders) if seat != bidder), -1)
    return Auction(bidders, turn, bid, bidder)


def _stock(state: State, lines: Reading) -> tuple[int, ...]:
    """The stock: the cards named, then those that lie nowhere else (12.0)."""
    named = lines.cards("stock")
    deal = state.deal or Deal(())
    held = [card for punter in deal.punters for hand in punter.hands for card in hand.cards]
    lying = [*named, *deal.bank, *held]
    if len(set(lying)) != len(lying):
        raise PositionError("a card lies in two places")
    return named + tuple(card for card in PACK if card not in lying)
