"""OddsService: exact odds of the games, within bounds that are stated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final, TypeVar

from engine.errors import Malformed
from engine.games.palace_poker import odds as palace
from engine.games.pontoon.bank_odds import Punter, bank
from engine.games.pontoon.odds import next_card
from engine.games.pontoon.options import read_options as pontoon_options
from engine.games.royal_casino.odds import count_unseen
from engine.games.royal_flush.odds import chance
from engine.games.royal_flush.options import Options
from engine.games.royal_flush.options import read_options as royal_flush_options
from engine.games.royal_flush.simulation import MOST_DEALS as DEALS_OF_SEED
from engine.games.royal_flush.simulation import simulate
from engine.odds import Progress
from service.identity import Principal
from service.pb import odds_service_pb2 as pb
from service.pb.odds_service_pb2_grpc import OddsServiceServicer
from service.rpc.calls import Calls
from service.rpc.reckoning import Reckoning

__all__ = ["Odds"]

MOST_BATTLES: Final = 50_000_000
MOST_STEPS: Final = 10_000_000
MOST_DEALS: Final = 5_000_000
"""A second or two each."""
DEALS_AT_A_TIME: Final = 16_384
MOST_SEED: Final = 200
MOST_KNOWN: Final = 1_000
MOST_LISTED: Final = 52
"""Cards in a list: more cannot all be different."""

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Odds(OddsServiceServicer):
    """The servicer."""

    calls: Calls
    reckoning: Reckoning
    known: dict[Options, Fraction] = field(default_factory=dict)
    """Chances of Royal Flush that were asked for before; the thread alone touches it."""

    async def _work(self, context: Any, work: Callable[[Progress], Answer]) -> Answer:
        """The answer of a sum that is worked out beside the loop, in its turn."""

        async def turn(caller: Principal) -> Answer:
            return await self.reckoning.make(caller.id, work)

        return await self.calls.unary(context, turn)

    async def GetRoyalFlushOdds(
        self, request: pb.GetRoyalFlushOddsRequest, context: Any
    ) -> pb.GetRoyalFlushOddsResponse:
        def work(tell: Progress) -> pb.GetRoyalFlushOddsResponse:
            options, _ = royal_flush_options(request.options)
            if options not in self.known:
                if len(self.known) >= MOST_KNOWN:
                    self.known.clear()
                self.known[options] = chance(options, tell)
            return pb.GetRoyalFlushOddsResponse(win=_fraction(self.known[options]))

        return await self._work(context, work)

    async def SimulateRoyalFlush(
        self, request: pb.SimulateRoyalFlushRequest, context: Any
    ) -> pb.SimulateRoyalFlushResponse:
        def work(tell: Progress) -> pb.SimulateRoyalFlushResponse:
            options, _ = royal_flush_options(request.options)
            if not 1 <= request.deals <= MOST_DEALS:
                raise Malformed("deals", f"expected 1 to {MOST_DEALS:,}")
            if not 0 <= request.first <= DEALS_OF_SEED - request.deals:
                raise Malformed("first", f"expected 0 to {DEALS_OF_SEED - request.deals:,}")
            if len(request.seed) > MOST_SEED:
                raise Malformed("seed", f"expected at most {MOST_SEED} characters")
            won = 0
            for done in range(0, request.deals, DEALS_AT_A_TIME):
                tell(done / request.deals)
                deals = min(DEALS_AT_A_TIME, request.deals - done)
                won += simulate([options], request.seed, request.first + done, deals)[0]
            return pb.SimulateRoyalFlushResponse(won=won)

        return await self._work(context, work)

    async def GetBattleOdds(
        self, request: pb.GetBattleOddsRequest, context: Any
    ) -> pb.GetBattleOddsResponse:
        def work(tell: Progress) -> pb.GetBattleOddsResponse:
            found = palace.equity(
                _side("ours", request.ours),
                _side("theirs", request.theirs),
                _cards("gone", request.gone),
                ace_low=not request.ace_high,
                most=MOST_BATTLES,
                progress=tell,
            )
            return pb.GetBattleOddsResponse(won=found.won, tied=found.tied, lost=found.lost)

        return await self._work(context, work)

    async def GetPontoonOdds(
        self, request: pb.GetPontoonOddsRequest, context: Any
    ) -> pb.GetPontoonOddsResponse:
        def work(_: Progress) -> pb.GetPontoonOddsResponse:
            options, _texts = pontoon_options(request.options)
            found = next_card(
                _cards("hand", request.hand),
                _cards("gone", request.gone),
                options,
                split=request.split,
            )
            return pb.GetPontoonOddsResponse(
                strength=found.now,
                cards=found.left,
                after=[pb.CardsOfStrength(strength=s, cards=n) for s, n in found.after],
                bust=_fraction(found.bust),
                better=_fraction(found.better),
            )

        return await self._work(context, work)

    async def GetBankOdds(
        self, request: pb.GetBankOddsRequest, context: Any
    ) -> pb.GetBankOddsResponse:
        def work(tell: Progress) -> pb.GetBankOddsResponse:
            options, _ = pontoon_options(request.options)
            found = bank(
                _cards("bank", request.bank),
                [_punter(f"punters[{n}]", each) for n, each in enumerate(request.punters)],
                _cards("gone", request.gone),
                options,
                most=MOST_STEPS,
                progress=tell,
            )
            return pb.GetBankOddsResponse(
                stay=_fraction(found.stay),
                draw=None if found.draw is None else _fraction(found.draw),
                bust=None if found.bust is None else _fraction(found.bust),
            )

        return await self._work(context, work)

    async def CountUnseenCards(
        self, request: pb.CountUnseenCardsRequest, context: Any
    ) -> pb.CountUnseenCardsResponse:
        def work(_: Progress) -> pb.CountUnseenCardsResponse:
            found = count_unseen(
                _cards("hand", request.hand),
                _cards("table", request.table),
                _cards("gone", request.gone),
            )
            return pb.CountUnseenCardsResponse(
                cards=found.cards,
                values=found.values,
                spades=found.spades,
                scoring=[item.name for item in found.scoring],
            )

        return await self._work(context, work)


def _fraction(value: Fraction) -> pb.Fraction:
    return pb.Fraction(
        numerator=str(value.numerator), denominator=str(value.denominator), value=float(value)
    )


def _cards(name: str, cards: Any) -> tuple[int, ...]:
    """A list of cards, which is looked at further where it is used."""
    if len(cards) > MOST_LISTED:
        raise Malformed(name, f"{len(cards)} cards; a pack has {MOST_LISTED}")
    return tuple(cards)


def _side(name: str, side: pb.Combatant) -> palace.Side:
    soldiers = _cards(f"{name}.soldiers", side.soldiers)
    return palace.Side(side.banner, soldiers, _cards(f"{name}.palace", side.palace))


def _punter(name: str, hand: pb.PunterHand) -> Punter:
    return Punter(_cards(name, hand.cards), hand.stake, hand.pontoon, hand.split)
