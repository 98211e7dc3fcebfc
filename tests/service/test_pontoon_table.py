"""Pontoon over gRPC: a bank between hands, a pack that outlives deals, trading before watchers."""

from __future__ import annotations

from typing import Any

import pytest

from engine.actions import LeaveSeat, SitOut, TakeSeat
from engine.events import DeckShuffled, EpochClosed, EpochOpened
from engine.games.pontoon import actions as a
from engine.script import run_text
from service.client import Client as CallerOf
from service.client import Endpoint
from service.client.exporting import export_hand
from service.identity import Role
from service.pb import common_pb2
from service.world import SteppedWorld
from tests.service.harness import Client, decoded, failing, names, run, running
from tests.service.pontoon import PontoonTable
from tests.service.surfaces import replayed, state_at
from tests.service.test_accounts import Bank
from tests.service.test_clocks import TURN, since, version_above
from tests.service.test_hidden_cards import truth_of


def house_events(events: list[Any]) -> list[Any]:
    return [e for e in events if isinstance(e, DeckShuffled | EpochOpened | EpochClosed)]


async def all_events(client: Client, table: str) -> list[Any]:
    return [e for message in await client.watched(table) for e in decoded(message.events)]


def test_an_epoch_lasts_from_shuffle_to_shuffle_and_is_told_at_the_next(dsn):
    """4.4, design 5: over when a shuffle is due, told with the shuffle that ends its secrecy."""

    async def scenario():
        async with running(dsn) as service:
            table = await PontoonTable.open(service, house_options={"reveal": "public"})
            await table.begin()
            deals = 0
            while True:
                await table.do(a.StartDeal())
                deals += 1
                state = await table.play_out()
                told = house_events(await all_events(table.host, table.id))
                shuffles = [each for each in told if isinstance(each, DeckShuffled)]
                closed = [each for each in told if isinstance(each, EpochClosed)]
                opened = [each for each in told if isinstance(each, EpochOpened)]
                assert len(closed) == len(shuffles) - 1, "the running pack's secret is never told"
                assert len(opened) == len(shuffles) + state.view.pontoon.reshuffle
                if len(shuffles) > 2 and deals > len(shuffles):
                    break
            for each in closed:
                assert len(each.secret.value) == 32
            # Commitments are public before anything of their epoch is used.
            order = [type(each).__name__ for each in told]
            for place, name in enumerate(order):
                if name == "DeckShuffled":
                    assert order[:place].count("EpochOpened") >= order[: place + 1].count(name)
            # An auditor sees the pack that is over and told, and not the one that runs.
            auditor = service.client("carl", Role.AUDITOR)
            truth = await truth_of(service, table.id)
            running_epoch = max(each.epoch for each in opened)
            secret = {each.epoch for each in opened} - {each.epoch for each in closed}
            assert running_epoch in secret
            for hand in (1, deals):
                steps = await replayed(auditor, table.id, hand, auditor=True)
                shown = [
                    card
                    for step in steps
                    for event in decoded(step.events)
                    if type(event).__name__ == "CardDealt"
                    for card in (event.card.value,)
                ]
                assert all(shown) == (hand == 1)
            assert truth

    run(scenario(), 120)


def test_a_table_goes_on_with_its_pack_after_a_restart(dsn):
    """Snapshots and replay carry an epoch over hands, and one that is over and not yet told."""

    async def scenario():
        async with running(dsn) as service:
            table = await PontoonTable.open(service)
            await table.begin()
            for _ in range(3):
                await table.do(a.StartDeal())
                state = await table.play_out()
        for _ in range(3):
            async with running(dsn) as service:
                again = PontoonTable(table.id, service.client("host"), {})
                for seat in range(3):
                    again.players[seat] = service.client(f"p{seat}")
                before = await again.state()
                assert before.text == state.text
                await again.do(a.StartDeal())
                state = await again.play_out()
                told = house_events(await all_events(again.host, table.id))
                closed = [each.epoch for each in told if isinstance(each, EpochClosed)]
                assert closed == list(range(1, len(closed) + 1))
                shuffles = [each for each in told if isinstance(each, DeckShuffled)]
                assert len(closed) == len(shuffles) - 1

    run(scenario(), 120)


def test_watchers_see_every_step_of_a_trade(dsn):
    """6.13: public, by anybody at any time; the escrow is public too."""

    async def scenario():
        async with running(dsn) as service:
            table = await PontoonTable.open(service)
            await table.begin()
            await table.do(a.StartDeal())
            before = await table.state()
            eve = service.client("eve")
            await table.aside(0, a.OfferBankSale(1, 100))
            await table.aside(2, a.OfferBankPurchase(50))
            assert (await failing(table.aside(2, a.AcceptBankOffer(1)))).reason == "NOT_YOUR_OFFER"
            await table.aside(0, a.DeclineBankOffer(2))
            await table.aside(1, a.AcceptBankOffer(1))
            after = await table.state()
            assert after.decision.number == before.decision.number, "a trade answers nothing"
            seen = [
                e for m in await eve.watched(table.id, before.version) for e in decoded(m.events)
            ]
            assert [type(e).__name__ for e in seen] == [
                "BankOfferMade", "BankOfferMade", "BankOfferDeclined", "BankSaleAgreed",
            ]  # fmt: skip
            assert (seen[0].from_, seen[0].to, seen[0].price) == (0, 1, 100)
            view = (await eve.get(table.id)).state.view.pontoon
            assert (view.sale.buyer, view.sale.price, view.escrow) == (1, 100, 100)
            state = await table.play_out()
            passed = [
                e for m in await eve.watched(table.id, after.version) for e in decoded(m.events)
            ]
            last = [e for e in passed if type(e).__name__ in {"BankSold", "BankSaleVoided"}]
            assert len(last) == 1
            assert not state.view.pontoon.HasField("sale")

    run(scenario())


def test_decisions_between_deals_have_numbers_of_their_own(dsn):
    """A click meant for an interval that is over is late in the next one, too."""

    async def scenario():
        async with running(dsn) as service:
            table = await PontoonTable.open(service)
            state = await table.begin()
            assert state.decision.hand == 0
            assert list(state.decision.seats) == [0]
            first = state.decision.number
            assert first >= 1
            late = state
            seen = {(0, first)}
            for _ in range(4):
                state = (await table.do(a.StartDeal())).state
                assert state.decision.hand >= 1
                state = await table.play_out()
                key = (state.decision.hand, state.decision.number)
                assert key not in seen
                seen.add(key)
                (banker,) = state.decision.seats
                stale = await failing(
                    table.players[banker].act(table.id, banker, a.StartDeal(), late)
                )
                assert stale.reason == "STALE_DECISION"

    run(scenario(), 120)


def test_the_banker_has_one_clock_between_deals(dsn):
    """10.3: trading, seating and the kitty never restart it; then the deal starts by itself."""

    async def scenario():
        world = SteppedWorld()
        async with running(dsn, world=world) as service:
            options = {"shoot": "true", "turn_seconds": str(TURN), "time_bank_seconds": "0"}
            table = await PontoonTable.open(service, options=options)
            state = await table.begin()
            assert state.decision.remaining_ms == TURN * 1000
            world.advance(3)
            await table.aside(0, a.FormKitty(50))
            world.advance(3)
            await table.aside(1, a.OfferBankPurchase(5))
            await table.aside(2, SitOut())
            await service.client("dora").act(table.id, 4, TakeSeat("", 300))
            await table.aside(0, a.AddToKitty(5))
            state = await table.state()
            assert state.decision.remaining_ms == (TURN - 6) * 1000
            version = state.version
            world.advance(TURN - 6 + 0.3)
            await version_above(table.host, table.id, version)
            events = [type(e).__name__ for e in await since(table.host, table.id, version)]
            assert events[:2] == ["TurnTimedOut", "BankOfferLapsed"]
            assert "DealStarted" in events

    run(scenario())


def test_an_auction_over_the_api(dsn):
    """S.10: turns and clocks of bidders; one who goes at another's turn moves no decision."""

    async def scenario():
        async with running(dsn) as service:
            table = await PontoonTable.open(
                service, (1000, 500, 500, 500), options={"shoot": "true"}
            )
            await table.begin()
            opened = await table.do(a.AuctionBank())
            assert names(opened.events) == ["AuctionOpened"]
            state = await table.state()
            assert list(state.decision.seats) == [1]
            mine = (await table.players[1].get(table.id)).state
            bid = {offer.action: offer for offer in mine.offers}["bid_for_bank"]
            assert (bid.limits[0].range.low, bid.limits[0].range.high) == (0, 430)
            await table.aside(3, SitOut())
            assert (await table.state()).decision.number == state.decision.number
            await table.do(a.BidForBank(30))
            wrong = await failing(table.do(a.BidForBank(39)))
            assert wrong.reason == "BID_TOO_LOW"
            sold = await table.do(a.PassBankBid())
            assert names(sold.events) == ["AuctionPassed", "AuctionClosed", "BankPassed"]
            view = (await table.state()).view.pontoon
            assert (view.banker, list(view.stacks)[:2]) == (1, [1030, 470])

    run(scenario())


def test_who_sits_at_a_closed_table_may_leave_it(dsn):
    """6.0: nothing else may be done there; the record ends when the last one goes."""

    async def scenario():
        async with running(dsn) as service:
            table = await PontoonTable.open(
                service,
                options={"max_deals": "1"},
                house_options={"reveal": "public", "auto_start": "true"},
            )
            await table.begin()
            await table.do(a.StartDeal())
            state = await table.play_out()
            assert state.view.pontoon.phase == 9, "CLOSED"
            assert (await table.host.get(table.id)).table.closed
            for action in (SitOut(), a.StartDeal(), TakeSeat("", 5)):
                refused = await failing(table.aside(1, action))
                assert refused.reason == "TABLE_CLOSED"
            for call in (table.begin(), table.close()):
                assert (await failing(call)).reason == "TABLE_CLOSED"
            for seat in range(3):
                assert names((await table.aside(seat, LeaveSeat())).events)[0] == "SeatLeft"
            assert (await failing(table.aside(1, LeaveSeat()))).reason == "NOT_SEATED"
            told = house_events(await all_events(table.host, table.id))
            opened = [each.epoch for each in told if isinstance(each, EpochOpened)]
            closed = [each.epoch for each in told if isinstance(each, EpochClosed)]
            assert opened == closed
            last = (await table.state()).version
            assert (await state_at(table.host, table.id, last)).state.text

    run(scenario())


def test_chips_go_home_to_the_account_in_whatever_action_ends_a_deal(dsn):
    """Design 4: leavers are paid inside others' actions; the bank's price moves no account."""

    async def scenario():
        async with running(dsn) as service:
            bank = Bank(service, service.client("house", Role.HOST))
            for seat, chips in enumerate((1000, 500, 500)):
                await bank.credit(f"p{seat}", chips)
            table = await PontoonTable.open(service, house_options={"purse": "account"})
            await table.begin()
            await table.do(a.StartDeal())
            await table.aside(0, a.OfferBankSale(1, 100))
            await table.aside(1, a.AcceptBankOffer(1))
            await table.aside(2, LeaveSeat())
            assert await bank.balance(subject="p2") == 0
            state = await table.play_out()
            assert state.view.pontoon.players[2] == ""
            left = await bank.balance(subject="p2")
            assert 0 < left < 1000
            assert sum(state.view.pontoon.stacks) == 2000 - left
            assert [await bank.balance(subject=f"p{seat}") for seat in (0, 1)] == [0, 0]

    run(scenario())


def test_a_recorded_deal_is_exported_as_a_script(dsn):
    """hand_script 2.4: with trades that were on offer to nobody, once its epoch is told."""

    async def scenario():
        async with running(dsn) as service:
            table = await PontoonTable.open(service, options={"shuffle_each_deal": "true"})
            await table.begin()
            for _ in range(2):
                await table.do(a.StartDeal())
                banker = (await table.state()).view.pontoon.banker
                buyer = (banker + 1) % 3
                sold = await table.aside(banker, a.OfferBankSale(buyer, 7))
                (made,) = decoded(sold.events)
                await table.aside(buyer, a.AcceptBankOffer(made.offer_id))
                await table.play_out()
            token = service.token("carl", Role.AUDITOR)
            async with CallerOf(Endpoint.parse(service.address), token) as auditor:
                eyes = common_pb2.Viewer(auditor=True)
                text = await export_hand(auditor, table.id, 1, eyes)
                with pytest.raises(ValueError, match="not known"):
                    await export_hand(auditor, table.id, 2, eyes)
            assert "offer_bank_sale to=" in text
            for _, failure in run_text(text, "exported.hand"):
                assert failure is None, str(failure)

    run(scenario())
