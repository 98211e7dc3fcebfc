"""Bots at tables of Palace Poker, a ring of them among the others.

Those of the ring sit down where they find each other, leave each other alone while others are in
the hand, and among themselves pay what they have to whoever's turn it is to be given.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from random import Random
from typing import Final, NamedTuple

from engine.actions import Action, OpenTable, TakeSeat
from engine.games.palace_poker import PalacePoker
from engine.games.palace_poker import actions as a
from engine.games.palace_poker.view import PalacePokerView
from engine.house import Table, apply_all
from engine.kernel import HOST
from engine.transfers import Tally
from engine.visibility import OBSERVER, seat_viewer
from service.bots.bot import Bot, Look
from service.bots.palace_poker import sensible_palace_poker
from service.projections.pair_sums import NOTHING, Pair, PairSums, added_up, of_hand
from service.rpc.messages import _offer
from tests.laws.walks import Shuffles

SEATS: Final = 6
STACK: Final = 1_000
HANDS: Final = 5
"""At each table."""

GAME: Final = PalacePoker()
Sums = dict[Pair, PairSums]


class Crowd(NamedTuple):
    """Players by id, and those of them who are a ring."""

    players: Sequence[str]
    ring: frozenset[str]

    def seating(self, random: Random, together: float) -> list[str]:
        """Who sits at a table; with that chance some of the ring meet there."""
        honest = [player for player in self.players if player not in self.ring]
        if not self.ring or random.random() >= together:
            return random.sample(self.players, SEATS)
        met = random.sample(sorted(self.ring), random.choice((2, 3)))
        seats = [*met, *random.sample(honest, SEATS - len(met))]
        random.shuffle(seats)
        return seats


def accomplice(honest: Bot, seats: dict[int, str], ring: frozenset[str], random: Random) -> Bot:
    """A bot that knows who else is of the ring, and plays like an honest one without them."""

    def choose(look: Look) -> Action:
        view = look.view
        assert isinstance(view, PalacePokerView)
        mates = [seat for seat in view.in_hand if seats[seat] in ring and seat != look.seat]
        offers = {offer.action for offer in look.offers}
        if not mates or "muster" in offers:
            return honest(look)
        given = min([look.seat, *mates])
        alone = len(mates) + 1 == len(view.in_hand)
        if view.battle is not None:
            other = view.turn if look.seat == view.battle.defender else view.battle.defender
            if other not in mates:
                return honest(look)
            if look.seat == given:
                return a.Call()
            return a.Fold()
        if not alone:
            chosen = honest(look)
            if isinstance(chosen, a.Bet) and chosen.target in mates and not view.forced:
                return a.Stay()
            return chosen
        if look.seat == given:
            return honest(look) if view.forced else a.Stay()
        for offer in look.offers:
            if offer.action == "bet":
                limits = {limit.field: limit.range for limit in offer.limits}
                if limits["target"].low == given:
                    return a.Bet(given, limits["amount"].high)
        return honest(look)

    return choose


def decided(table: Table, seat: int, action: Action, shuffles: Shuffles) -> tuple[Table, tuple]:
    events, _ = GAME.decide(table.state, seat, action, shuffles)
    return apply_all(table, events, seat), events


def played(crowd: Crowd, hands: int, seed: int, together: float = 0.0) -> Sums:
    """What some hands add to each pair of a crowd."""
    random = Random(seed)
    sums: defaultdict[Pair, PairSums] = defaultdict(lambda: NOTHING)
    left = hands
    while left > 0:
        names = crowd.seating(random, together)
        left -= sit(names, crowd.ring, random, min(left, HANDS), sums)
    return dict(sums)


def sit(names: Sequence[str], ring: frozenset[str], random: Random, hands: int, sums: Sums) -> int:
    """Play hands at one table; how many it came to."""
    shuffles = Shuffles(random.getrandbits(32))
    options = {"betting_structure": "no_limit", "max_seats": str(SEATS)}
    table, _ = decided(Table.empty(GAME), HOST, OpenTable(options, {"dealer": "0"}), shuffles)
    seats = dict(enumerate(names))
    bots = {}
    for seat, name in seats.items():
        table, _ = decided(table, seat, TakeSeat(name, STACK), shuffles)
        bots[seat] = sensible_palace_poker(random)
        if name in ring:
            bots[seat] = accomplice(bots[seat], seats, ring, random)
    for number in range(hands):
        if not GAME.can_start(table.state):
            return max(1, number)
        table, events = decided(table, HOST, a.StartHand(), shuffles)
        tally, made = Tally().follow(GAME.moved(events[0]), seats)
        dealt = [seats[seat] for seat in GAME.dealt_in(events[0]) or ()]
        while GAME.hand(table.state):
            (seat,) = GAME.to_act(table.state)
            offers = [_offer(offer) for offer in GAME.legal_actions(table.state, seat)]
            view = GAME.view(table.state, OBSERVER | seat_viewer(seat))
            action = bots[seat](Look(GAME, seat, view, offers, options))
            table, events = decided(table, seat, action, shuffles)
            for event in events:
                tally, more = tally.follow(GAME.moved(event), seats)
                made += more
        moves: dict[Pair, int] = {}
        for payer, payee, chips in made:
            pair = (payer, payee) if payer < payee else (payee, payer)
            moves[pair] = moves.get(pair, 0) + (chips if payer < payee else -chips)
        for pair, each in of_hand(dealt, moves).items():
            sums[pair] = added_up(sums[pair], each)
    return hands
