"""A sensible player of Palace Poker: weighs its palace, the prices and the suits excluded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Final, NamedTuple

from engine.actions import Action
from engine.cards import Card
from engine.games.palace_poker import actions as a
from engine.games.palace_poker.state import Battle
from engine.games.palace_poker.view import PalacePokerView
from service.bots.look import Bot, Look
from service.bots.palace_odds import Odds
from service.pb import common_pb2

__all__ = ["sensible_palace_poker"]

ATTACK_FROM: Final = 0.62
"""The chance of winning from which an attack is worth its price; less where the pot is large."""

RAISE_FROM: Final = 0.8
ENOUGH_SOLDIERS: Final = 4
SPREAD: Final = 0.06
"""Nobody should read a hand off the first attack: thresholds move by up to this."""

COMES_WITH: Final = 0.25
"""The share of weak hands that an attack rules out; a raise rules out as many again."""


def sensible_palace_poker(random: Random) -> Bot:
    """Attacks whom it beats, buys while a card is worth its price, folds what it cannot hold."""
    return lambda look: _Mind(look, random).choose()


class _Bet(NamedTuple):
    """An attack on offer."""

    target: int
    low: int
    high: int


class _Mind:
    """One decision."""

    def __init__(self, look: Look, random: Random) -> None:
        view = look.view
        if not isinstance(view, PalacePokerView):
            raise TypeError(f"{type(view).__name__} is no view of Palace Poker")
        self._view = view
        self._seat = look.seat
        self._random = random
        self._offers = {offer.action: offer for offer in look.offers}
        self._bets = list(_bets(look.offers))
        self._soldiers = view.soldiers[look.seat]
        self._odds = Odds(view, look.seat, random, look.options.get("ace_low_straight") != "false")
        self._small_bet = view.prices[look.seat] // (len(self._soldiers) + 1)

    def choose(self) -> Action:
        if "muster" in self._offers:
            return a.Muster(self._to_throw_away())
        if self._view.battle is not None:
            return self._answer(self._view.battle)
        if self._view.forced:
            return self._forced()
        return self._attack() or self._buy() or self._lighten() or a.Stay()

    # --- turns --------------------------------------------------------------------------------

    def _attack(self) -> Action | None:
        """The attack with the best chance, if it is worth it."""
        if not self._bets:
            return None
        chances = self._odds.all(self._soldiers)
        best = max(self._bets, key=lambda bet: (chances[bet.target], -bet.target))
        chance = chances[best.target]
        # The pot is what all this is for: where it dwarfs the price, a smaller chance will do.
        cheap = 0.12 * min(1.0, self._view.pot / (12.0 * max(1, best.low)))
        wanted = ATTACK_FROM - cheap + self._random.uniform(-SPREAD, SPREAD)
        return self._bet(best, chance) if chance >= wanted else None

    def _bet(self, bet: _Bet, chance: float) -> Action:
        """At the price; with a strong hand and no limit, up to a third of the room beyond it."""
        if chance < RAISE_FROM or bet.high == bet.low:
            return a.Bet(bet.target, bet.low)
        room = min(bet.high - bet.low, self._view.pot)
        return a.Bet(bet.target, bet.low + int(room * self._random.uniform(0, 1 / 3)))

    def _forced(self) -> Action:
        """Bet or fold (5.12): there is one opponent, and the pot goes to the winner."""
        (bet,) = self._bets
        chance = self._odds.win(self._soldiers, bet.target)
        return a.Fold() if chance * (self._view.pot + bet.low) < bet.low else self._bet(bet, chance)

    def _buy(self) -> Action | None:
        """A card, if what it adds to the chances is worth more of the pot than it costs."""
        if "buy" not in self._offers or len(self._soldiers) >= ENOUGH_SOLDIERS:
            return None
        unseen = self._odds.unseen
        drawn = self._random.sample(unseen, min(len(unseen), 16))
        now = self._odds.mean(self._soldiers)
        # The card may be thrown away again: it never makes matters worse.
        gains = [max(0.0, self._odds.mean((*self._soldiers, card)) - now) for card in drawn]
        gain = sum(gains) / len(gains) if gains else 0.0
        cost = self._small_bet * (1.0 + 0.5 * len(self._soldiers))
        return a.Buy() if gain * (self._view.pot + self._small_bet) > 0.5 * cost else None

    def _lighten(self) -> Action | None:
        """Throw away a soldier that only makes battles dearer."""
        useless = self._useless(self._soldiers, at_most=0.0)
        return None if useless is None or "discard" not in self._offers else a.Discard((useless,))

    # --- soldiers -----------------------------------------------------------------------------

    def _useless(self, held: Sequence[Card], at_most: float) -> Card | None:
        """The soldier whose loss costs least, if that is no more than ``at_most``."""
        if not held:
            return None
        now = self._odds.mean(held)
        losses = [(now - self._odds.mean(_without(held, card)), card) for card in held]
        loss, card = min(losses)
        return card if loss <= at_most else None

    def _to_throw_away(self) -> tuple[Card, ...]:
        """What is over the limit, and what makes battles dearer than it makes them likelier."""
        held = tuple(self._soldiers)
        thrown: list[Card] = []
        least = self._offers["muster"].limits[0].cards.low
        while (card := self._useless(held, 1.0 if len(thrown) < least else 0.01)) is not None:
            thrown.append(card)
            held = _without(held, card)
        return tuple(thrown)

    # --- battles ------------------------------------------------------------------------------

    def _answer(self, battle: Battle) -> Action:
        """Call what is worth calling, raise with a hand that few beat, fold the rest."""
        view = self._view
        attacker = view.turn
        attacked = self._seat == battle.defender
        if attacker is None:
            raise AssertionError("a battle without an attacker")
        other = attacker if attacked else battle.defender
        came_with = COMES_WITH * (min(battle.raises, 2) + 1) if attacked or battle.raises else 0.0
        chance = self._odds.win(self._soldiers, other, came_with)
        if self._wants_raise(battle, chance):
            return self._raise(chance)
        # Who wins has one rival less, and the loser's soldiers: somewhat more than an equal share.
        left = len(view.in_hand) - 1
        share = min(1.0, 1.25 / left)
        worth = chance * share * (view.pot + battle.to_call)
        return a.Call() if worth >= min(battle.to_call, view.stacks[self._seat]) else a.Fold()

    def _wants_raise(self, battle: Battle, chance: float) -> bool:
        if "raise" not in self._offers or battle.raises >= 4:
            return False
        return chance >= RAISE_FROM + 0.04 * battle.raises + self._random.uniform(-SPREAD, SPREAD)

    def _raise(self, chance: float) -> Action:
        limit = self._offers["raise"].limits[0].range
        room = min(limit.high - limit.low, self._view.pot)
        more = int(room * self._random.uniform(0, chance / 2)) if room > 0 else 0
        return a.Raise(limit.low + more)


def _without(held: Sequence[Card], card: Card) -> tuple[Card, ...]:
    return tuple(each for each in held if each != card)


def _bets(offers: Sequence[common_pb2.Offer]) -> Iterator[_Bet]:
    for offer in offers:
        if offer.action == "bet":
            limits = {limit.field: limit.range for limit in offer.limits}
            amount = limits["amount"]
            yield _Bet(limits["target"].low, amount.low, amount.high)
