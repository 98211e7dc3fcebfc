"""OddsService over gRPC: answers, bounds, lines, and work that ends with its call."""

from __future__ import annotations

import asyncio
from typing import Any

import grpc
import pytest

from engine.cards import parse_card
from service.pb import odds_service_pb2 as pb
from service.rpc.reckoning import Reckoning
from tests.service.harness import failing, run, running
from tests.service.test_refused_actions import told


def cards(text: str) -> list[int]:
    return [0 if name == "??" else parse_card(name) for name in text.split()]


THREE = {"target_mode": "named_cards", "named_cards": "2c,3c,4c"}
HIDDEN = pb.PunterHand(cards=[0, 0], stake=10)


def test_every_question_has_its_answer(dsn):
    """The numbers of the engine, as whole fractions."""

    async def scenario():
        async with running(dsn) as service:
            ann = service.client("ann")
            odds = ann.odds
            flush = await ann.call(
                odds.GetRoyalFlushOdds, pb.GetRoyalFlushOddsRequest(options=THREE), 60
            )
            assert (flush.win.numerator, flush.win.denominator) == ("21633", "22100")
            assert flush.win.value == 21633 / 22100
            again = await ann.call(
                odds.GetRoyalFlushOdds, pb.GetRoyalFlushOddsRequest(options=THREE)
            )
            assert again == flush

            parts = [
                await ann.call(
                    odds.SimulateRoyalFlush,
                    pb.SimulateRoyalFlushRequest(options=THREE, seed="s", first=at, deals=n),
                )
                for at, n in ((0, 40_000), (0, 30_000), (30_000, 10_000))
            ]
            assert parts[0].won == parts[1].won + parts[2].won

            battle = await ann.call(
                odds.GetBattleOdds,
                pb.GetBattleOddsRequest(
                    ours=pb.Combatant(banner=parse_card("Kc"), palace=cards("2c 7h 7s")),
                    theirs=pb.Combatant(banner=parse_card("9d")),
                ),
            )
            assert (battle.won, battle.tied, battle.lost) == (13_423, 0, 2_792)

            hand = await ann.call(
                odds.GetPontoonOdds, pb.GetPontoonOddsRequest(hand=cards("Kc 4d"))
            )
            assert (hand.strength, hand.cards, hand.bust.numerator) == (14, 50, "23")
            assert (hand.after[0].strength, hand.after[0].cards) == (0, 23)

            bank = await ann.call(
                odds.GetBankOdds, pb.GetBankOddsRequest(bank=cards("9c 6d"), punters=[HIDDEN])
            )
            assert bank.stay.value < bank.draw.value < 0 < bank.bust.value
            five = pb.PunterHand(cards=cards("Td 5d"), stake=10)
            soft = pb.GetBankOddsRequest(
                bank=cards("Ac 9c Ad"), punters=[five], options={"soft_21_draw": "false"}
            )
            stay = await ann.call(odds.GetBankOdds, soft)
            assert stay.stay.numerator == "10"
            assert not stay.HasField("draw")

            count = await ann.call(
                odds.CountUnseenCards, pb.CountUnseenCardsRequest(hand=cards("As Td"))
            )
            assert (count.cards, count.spades, list(count.values)[12]) == (50, 12, 3)
            assert "BIG_CASINO" not in count.scoring

    run(scenario(), 120)


REFUSED = [
    ("GetRoyalFlushOdds", pb.GetRoyalFlushOddsRequest(options={"x": "y"}), "INVALID_OPTIONS"),
    ("SimulateRoyalFlush", pb.SimulateRoyalFlushRequest(), "expected 1 to 5,000,000"),
    ("SimulateRoyalFlush", pb.SimulateRoyalFlushRequest(deals=5_000_001), "expected 1 to 5,0"),
    ("SimulateRoyalFlush", pb.SimulateRoyalFlushRequest(deals=1, first=-1), "expected 0 to"),
    ("SimulateRoyalFlush", pb.SimulateRoyalFlushRequest(deals=1, first=1 << 62), "expected 0 to"),
    ("SimulateRoyalFlush", pb.SimulateRoyalFlushRequest(deals=1, seed="x" * 201), "at most 200"),
    ("GetBattleOdds", pb.GetBattleOddsRequest(), "0 is no card"),
    (
        "GetBattleOdds",
        pb.GetBattleOddsRequest(ours=pb.Combatant(banner=1), theirs=pb.Combatant(banner=14)),
        "317,814,000 battles; at most 50,000,000",
    ),
    (
        "GetBattleOdds",
        pb.GetBattleOddsRequest(
            ours=pb.Combatant(banner=1, soldiers=[1]), theirs=pb.Combatant(banner=14)
        ),
        "2c is in ours.banner too",
    ),
    (
        "GetBattleOdds",
        pb.GetBattleOddsRequest(
            ours=pb.Combatant(banner=1), theirs=pb.Combatant(banner=14), gone=[1] * 53
        ),
        "a pack has 52",
    ),
    ("GetPontoonOdds", pb.GetPontoonOddsRequest(hand=[9, 9]), "twice in it"),
    ("GetPontoonOdds", pb.GetPontoonOddsRequest(hand=[9, 4_000_000_000]), "is no card"),
    ("GetPontoonOdds", pb.GetPontoonOddsRequest(), "expected 2 to 4 cards"),
    ("GetBankOdds", pb.GetBankOddsRequest(bank=[8, 18]), "0 live hands"),
    (
        "GetBankOdds",
        pb.GetBankOddsRequest(bank=[1, 14], punters=[HIDDEN] * 7),
        "steps or more; at most 10,000,000",
    ),
    ("CountUnseenCards", pb.CountUnseenCardsRequest(hand=[0]), "0 is no card"),
]


def test_what_cannot_be_or_takes_too_long_is_refused_before_it_is_begun(dsn):
    """INVALID_ARGUMENT with the bound; options as at a table."""

    async def scenario():
        async with running(dsn) as service:
            ann = service.client("ann")
            for name, request, why in REFUSED:
                failure = await failing(ann.call(getattr(ann.odds, name), request))
                if why == "INVALID_OPTIONS":
                    assert told(failure)[:2] == ("FAILED_PRECONDITION", why)
                else:
                    assert told(failure)[0] == "INVALID_ARGUMENT", (name, why)
                    assert why in failure.message, failure.message

    run(scenario())


def wait_for_the_end(heard: list[float], tell: Any) -> None:
    """Work without an end of its own."""
    while True:
        heard.append(0)
        tell(0.0)


async def until(condition: Any) -> None:
    while not condition():  # noqa: ASYNC110 - of another thread; nothing tells of it
        await asyncio.sleep(0.01)


def test_work_ends_with_its_call_and_leaves_its_place(dsn):
    """A caller has one sum at a time; who goes away or runs out of time leaves the thread."""

    async def scenario():
        async with running(dsn) as service:
            ann = service.client("ann")
            every = pb.SimulateRoyalFlushRequest(deals=5_000_000)
            slow = asyncio.ensure_future(ann.call(ann.odds.SimulateRoyalFlush, every, 60))
            line = service.server.reckoning.line
            await until(lambda: line.taken == 1)
            failure = await failing(ann.call(ann.odds.SimulateRoyalFlush, every))
            assert told(failure)[0] == "RESOURCE_EXHAUSTED"
            slow.cancel()
            await asyncio.gather(slow, return_exceptions=True)
            await until(lambda: line.taken == 0)
            short = await failing(ann.call(ann.odds.SimulateRoyalFlush, every, 0.05))
            assert short.code is grpc.StatusCode.DEADLINE_EXCEEDED
            await until(lambda: line.taken == 0)
            one = pb.SimulateRoyalFlushRequest(options=THREE, deals=1)
            assert (await ann.call(ann.odds.SimulateRoyalFlush, one)).won <= 1

    run(scenario())


def test_the_loop_goes_on_while_a_sum_is_worked_out():
    """The sum runs on a thread; it hears of the end of its call, and of the end of the service."""

    async def scenario():
        reckoning = Reckoning()
        heard: list[float] = []
        caller: Any = "ann"
        sum_ = asyncio.ensure_future(
            reckoning.make(caller, lambda tell: wait_for_the_end(heard, tell))
        )
        await until(lambda: heard)
        sum_.cancel()
        await asyncio.gather(sum_, return_exceptions=True)
        assert await reckoning.make(caller, lambda _: 7) == 7
        count = len(heard)
        await asyncio.sleep(0.05)
        assert len(heard) == count
        left = asyncio.ensure_future(
            reckoning.make(caller, lambda tell: wait_for_the_end(heard, tell))
        )
        await until(lambda: len(heard) > count)
        reckoning.close()
        (ended,) = await asyncio.gather(left, return_exceptions=True)
        assert isinstance(ended, Exception)
        with pytest.raises(RuntimeError):
            await reckoning.make(caller, lambda _: 7)

    run(scenario())
