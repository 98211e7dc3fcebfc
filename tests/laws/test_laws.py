"""The games that keep the laws."""

from __future__ import annotations

import secrets

import pytest

from engine.games.palace_poker import PalacePoker
from engine.games.palace_poker import events as palace
from engine.games.pontoon import Pontoon
from engine.games.pontoon import bank_events as bank
from engine.games.pontoon import events as pontoon
from engine.games.royal_casino import RoyalCasino
from engine.games.royal_casino import events as casino
from engine.games.royal_flush import RoyalFlush
from tests.games.pontoon.tables import options as pontoon_options
from tests.laws.laws import Laws
from tests.parlour import Parlour


class TestPalacePoker(Laws):
    game = PalacePoker()
    announces = (palace.BattleResolved,)


class TestRoyalCasino(Laws):
    game = RoyalCasino()
    announces = (casino.CardTrailed, casino.CardsCaptured)
    hidden_cards_bind = True


class TestPontoon(Laws):
    game = Pontoon()
    announces = (
        pontoon.BankerPontoonRevealed,
        pontoon.PontoonDeclared,
        pontoon.CardTwisted,
        pontoon.HandStuck,
        pontoon.HandBusted,
        pontoon.FiveCardTrickMade,
        pontoon.BankerStayed,
        pontoon.BankerCardDrawn,
        pontoon.BankerBusted,
        pontoon.HandRevealed,
        pontoon.HandSettled,
        pontoon.BankFellShort,
        bank.ShootBetSettled,
        bank.BankPassed,
        bank.BankVacated,
        bank.BankSaleVoided,
    )
    hidden_cards_bind = True
    options = staticmethod(pontoon_options)


class TestRoyalFlush(Laws):
    game = RoyalFlush()


class TestParlour(Laws):
    game = Parlour()


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    "kept", [TestPalacePoker, TestRoyalCasino, TestPontoon, TestRoyalFlush, TestParlour]
)
def test_laws_hold_on_walks_nobody_has_seen(kept: type[Laws]) -> None:
    """Three hundred fresh walks a law; a failure names its seed."""
    laws = [getattr(kept, name) for name in dir(kept)]
    laws = [law for law in laws if hasattr(law, "hypothesis")]
    assert len(laws) > 9
    for law in laws:
        for _ in range(300):
            seed = secrets.randbits(32)
            try:
                law.hypothesis.inner_test(kept(), seed, 80)
            except AssertionError as broken:
                raise AssertionError(f"{law.__name__} does not hold for seed {seed}") from broken
