"""Amounts over gRPC at and beyond each bound, and the ends of 64 bits."""

from __future__ import annotations

import pytest

from engine.actions import AddChips, TakeSeat
from engine.games.palace_poker import actions as a
from tests.service.harness import decoded, failing, run, running, unmoved
from tests.service.palace import STRUCTURE, PalaceTable

LEAST, MOST = -(2**63), 2**63 - 1


def offered(state, name):
    """Ranges of the first offer of a name that has an amount, and its target."""
    for offer in state.offers:
        if offer.action == name:
            limits = {limit.field: limit.range for limit in offer.limits}
            target = limits["target"].low if "target" in limits else None
            return target, limits["amount"].low, limits["amount"].high
    raise AssertionError(f"no {name} on offer")


async def asked(table):
    """The state of the player who is to act, as he sees it."""
    state = await table.state()
    (seat,) = state.decision.seats
    return (await table.players[seat].get(table.id)).state


@pytest.mark.parametrize("structure", ["limit", "no_limit"])
def test_a_bet_from_its_least_to_its_most(dsn, structure):
    """What is offered is accepted at both ends; one beyond is refused with its own word."""

    async def scenario():
        async with running(dsn) as service:
            for pick in ("low", "high", "zero", "none"):
                table = await PalaceTable.open(
                    service, (300, 500, 400), {"betting_structure": structure}
                )
                await table.start()
                target, low, high = offered(await asked(table), "bet")
                beyond = {
                    low - 1: "BET_TOO_SMALL",
                    high + 1: "BET_TOO_LARGE",
                    MOST: "INSUFFICIENT_CHIPS",
                    -1: "BAD_PARAMETER",
                    LEAST: "BAD_PARAMETER",
                }
                async with unmoved(service, table.host, table.id):
                    for amount, reason in beyond.items():
                        refused = await failing(table.do(a.Bet(target, amount)))
                        fixed = structure == "limit" and amount > 0
                        assert refused.reason == ("AMOUNT_NOT_ALLOWED" if fixed else reason)
                amount = {"low": low, "high": high, "zero": 0, "none": None}[pick]
                done = await table.do(a.Bet(target, amount))
                assert decoded(done.events)[0].paid == (high if pick == "high" else low)

    run(scenario())


def test_targets_beyond_the_table(dsn):
    """INVALID_TARGET for whatever is no opponent, up to the ends of the integer."""

    async def scenario():
        async with running(dsn) as service:
            table = await PalaceTable.open(service)
            state = await table.start()
            (seat,) = state.decision.seats
            async with unmoved(service, table.host, table.id):
                for target in (None, seat, 5, 9, 10, 2**31 - 1, -1, -(2**31)):
                    refused = await failing(table.do(a.Bet(target)))
                    assert refused.reason in {"INVALID_TARGET", "BAD_PARAMETER"}, target

    run(scenario())


@pytest.mark.parametrize("pick", ["low", "high", "zero"])
def test_a_raise_from_its_least_to_its_most(dsn, pick):
    """6.9.3: the offered ends are accepted, one beyond is refused."""

    async def scenario():
        async with running(dsn) as service:
            table = await PalaceTable.open(service, (500, 400, 300), STRUCTURE)
            await table.start()
            target, _, _ = offered(await asked(table), "bet")
            await table.do(a.Bet(target))
            _, low, high = offered(await asked(table), "raise")
            assert low < high
            beyond = {
                low - 1: "RAISE_TOO_SMALL",
                high + 1: "RAISE_TOO_LARGE",
                MOST: "RAISE_TOO_LARGE",
                -1: "BAD_PARAMETER",
                LEAST: "BAD_PARAMETER",
            }
            async with unmoved(service, table.host, table.id):
                for amount, reason in beyond.items():
                    refused = await failing(table.do(a.Raise(amount)))
                    assert refused.reason == reason, amount
            done = await table.do(a.Raise({"low": low, "high": high, "zero": 0}[pick]))
            assert decoded(done.events)[0].raised == (high if pick == "high" else low)

    run(scenario())


def test_chips_to_the_end_of_64_bits(dsn):
    """One stack may be as high as an integer goes; the chips of the table may not pass it."""

    async def scenario():
        async with running(dsn) as service:
            table = await PalaceTable.open(service, ())
            ann, bob = service.client("ann"), service.client("bob")
            async with unmoved(service, table.host, table.id):
                for chips in (None, 0, -1, LEAST):
                    refused = await failing(ann.act(table.id, 0, TakeSeat("", chips)))
                    assert refused.reason == "BAD_PARAMETER", chips
            await ann.act(table.id, 0, TakeSeat("", MOST - 500))
            async with unmoved(service, table.host, table.id):
                full = await failing(bob.act(table.id, 1, TakeSeat("", 501)))
                assert full.reason == "BAD_PARAMETER"
                for amount in (None, 0, -1, LEAST, MOST, 501):
                    refused = await failing(ann.act(table.id, 0, AddChips(amount)))
                    assert refused.reason in {"BAD_PARAMETER", "BUY_IN_OUT_OF_RANGE"}, amount
            await bob.act(table.id, 1, TakeSeat("", 500))
            table.players.update({0: ann, 1: bob})
            await table.start()
            state = await table.fold_out()
            assert sum(state.view.palace_poker.stacks) == MOST

    run(scenario())


def test_soldiers_that_are_none(dsn):
    """Cards beyond the pack, twice, or somebody else's: each its own word."""

    async def scenario():
        async with running(dsn) as service:
            table = await PalaceTable.open(service)
            await table.start()
            bought = await table.do(a.Buy())
            (card,) = bought.state.view.palace_poker.soldiers[bought.state.decision.seats[0]].cards
            other = card % 52 + 1
            async with unmoved(service, table.host, table.id):
                for cards, reason in (
                    ((0,), "INVALID_CARD"),
                    ((53,), "INVALID_CARD"),
                    ((2**32 - 1,), "INVALID_CARD"),
                    ((card, card), "DUPLICATE_CARD"),
                    ((other,), "NOT_YOUR_SOLDIER"),
                ):
                    refused = await failing(table.do(a.Muster(cards)))
                    assert refused.reason == reason, cards
            await table.do(a.Muster((card,)))

    run(scenario())
