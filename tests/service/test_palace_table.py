"""Tables of many over gRPC: hands that start by themselves, who takes part, who sees what."""

from __future__ import annotations

import asyncio

import grpc
import pytest

from engine.actions import AddChips, LeaveSeat, SitIn, SitOut, TakeSeat
from engine.games.palace_poker import actions as a
from engine.games.palace_poker import events as e
from service.pb import replay_service_pb2
from service.pb import table_service_pb2 as pb
from tests.service.harness import decoded, failing, names, run, running, unmoved
from tests.service.palace import PalaceTable
from tests.service.test_clocks import until


async def listed(caller):
    """Ids of the tables in the lobby."""
    answer = await caller.call(caller.tables.ListTables, pb.ListTablesRequest())
    return [row.table_id for row in answer.tables]


def palaces(state):
    return [list(row.cards) for row in state.view.palace_poker.palaces]


def test_the_lobby_shows_tables_with_a_free_seat(dsn):
    async def scenario():
        async with running(dsn) as service:
            two = {"max_seats": "2"}
            full = await PalaceTable.open(service, (500, 500), options=two)
            free = await PalaceTable.open(service, (500,), options=two)
            request = pb.ListTablesRequest(with_free_seat=True)

            async def found():
                answer = await free.host.call(free.host.tables.ListTables, request)
                return [row.table_id for row in answer.tables]

            await until(lambda: _is(found, [free.id]))
            request.with_free_seat = False
            await until(lambda: _is(found, [free.id, full.id]))

    run(scenario())


async def _is(ask, wanted):
    return await ask() == wanted


def test_hands_start_by_themselves(dsn):
    """As soon as two have chips, and again after each hand; not once one is alone."""

    async def scenario():
        async with running(dsn) as service:
            house = {"auto_start": "true"}
            table = await PalaceTable.open(service, (500,), house_options=house)
            assert not (await table.state()).decision.hand
            await table.sit(service, "p1", 1)
            for hand in (1, 2, 3):
                state = await table.state()
                while not state.decision.hand:
                    await table.until(state.version)
                    state = await table.state()
                assert state.decision.hand == hand
                assert list(state.view.palace_poker.order) in ([1, 0], [0, 1])
                await table.fold_out()
            await table.players[1].act(table.id, 1, LeaveSeat())
            state = await table.state()
            while state.decision.hand:  # the fourth may have begun before
                await table.until(state.version)
                state = await table.state()
            late = await failing(table.host.start(table.id))
            assert late.reason == "NOT_ENOUGH_PLAYERS"

    run(scenario())


def test_who_sits_out_is_not_dealt_in(dsn):
    """At once between hands; in a hand from the next one on (C4)."""

    async def scenario():
        async with running(dsn) as service:
            table = await PalaceTable.open(service)
            ann = table.players[1]
            assert names((await ann.act(table.id, 1, SitOut())).events) == ["SatOut"]
            again = await failing(ann.act(table.id, 1, SitOut()))
            assert again.reason == "ALREADY_OUT"
            state = await table.start()
            assert sorted(state.view.palace_poker.order) == [0, 2]
            await ann.act(table.id, 1, SitIn())
            assert (await failing(ann.act(table.id, 1, SitIn()))).reason == "NOT_OUT"
            await table.players[2].act(table.id, 2, SitOut())
            assert sorted((await table.state()).view.palace_poker.in_hand) == [0, 2]
            await table.fold_out()
            state = await table.start()
            assert sorted(state.view.palace_poker.order) == [0, 1]

    run(scenario())


def test_who_comes_during_a_hand_waits_for_the_next(dsn):
    """A seat taken in mid-hand: nothing to decide, no cards, then dealt in."""

    async def scenario():
        async with running(dsn) as service:
            table = await PalaceTable.open(service)
            before = await table.start()
            dora = await table.sit(service, "dora", 5)
            state = (await dora.get(table.id)).state
            assert list(state.seats) == [5]
            assert not state.offers
            assert not any(any(palace) for palace in palaces(state))
            assert state.decision.number == before.decision.number, "a newcomer moves no decision"
            refused = await failing(dora.act(table.id, 5, a.Stay(), state))
            assert refused.reason == "NOT_IN_HAND"
            await table.fold_out()
            assert 5 in (await table.start()).view.palace_poker.order
            assert any((palaces((await dora.get(table.id)).state))[5])

    run(scenario())


def test_an_observer_sees_backs_and_decides_nothing(dsn):
    """Live and afterwards; every player sees his own palace and no other."""

    async def scenario():
        async with running(dsn) as service:
            table = await PalaceTable.open(service)
            eve = service.client("eve")
            started = await table.start()
            seen = (await eve.get(table.id)).state
            assert palaces(seen)[:3] == [[0, 0, 0]] * 3
            assert not seen.offers
            assert seen.decision.seats == started.decision.seats
            for seat, player in table.players.items():
                rows = palaces((await player.get(table.id)).state)
                assert [bool(row and row[0]) for row in rows[:3]] == [s == seat for s in range(3)]
            denied = await failing(eve.act(table.id, 1, a.Stay(), seen))
            assert denied.reason == "PERMISSION_DENIED"
            await table.fold_out()
            for message in await eve.watched(table.id):
                for event in decoded(message.events):
                    if isinstance(event, e.PalaceCardDealt):
                        assert event.card.value == 0

    run(scenario())


def test_closing_waits_for_the_hand_and_is_final(dsn):
    """WRONG_PHASE in a hand; then every seat is paid out, and nobody may do anything."""

    async def scenario():
        async with running(dsn) as service:
            table = await PalaceTable.open(service, house_options={"auto_start": "true"})
            state = await table.state()
            while not state.decision.hand:
                await table.until(state.version)
                state = await table.state()
            assert (await failing(table.close())).reason == "WRONG_PHASE"
            await table.fold_out()
            closed = await table.close()
            assert names(closed.events)[:4] == ["SeatLeft"] * 3 + ["TableClosed"]
            assert sum(event.chips for event in decoded(closed.events)[:3]) == 1_500
            async with unmoved(service, table.host, table.id):
                for action in (TakeSeat("", 5), SitOut(), AddChips(5), LeaveSeat()):
                    late = await failing(table.players[0].act(table.id, 0, action))
                    assert late.reason == "TABLE_CLOSED", action
                # The rules have their word for every action, as in process (6.1.3, 6.16.2, 6.16.4).
                for action, reason in (
                    (AddChips(0), "BAD_PARAMETER"),
                    (a.Bet(1, -1), "BAD_PARAMETER"),
                    (a.Discard((53,)), "INVALID_CARD"),
                    (a.Stay(), "TABLE_CLOSED"),
                ):
                    late = await failing(table.players[0].act(table.id, 0, action))
                    assert late.reason == reason, action
                assert (await failing(table.host.start(table.id))).reason == "WRONG_PHASE"
                assert (await failing(table.close())).reason == "WRONG_PHASE"
            while table.id in await listed(table.host):  # the lobby follows the log
                continue

    run(scenario())


def test_a_leaver_returns_under_another_identity(dsn):
    """He is a stranger: no eyes of his old seat, whether he sits elsewhere or there."""

    async def scenario():
        async with running(dsn) as service:
            table = await PalaceTable.open(service)
            await table.start()
            ann = table.players[1]
            mine = palaces((await ann.get(table.id)).state)[1]
            left = await ann.act(table.id, 1, LeaveSeat())
            assert names(left.events)[0] == "SeatLeaving"
            taken = await failing(ann.act(table.id, 4, TakeSeat("", 5)))
            assert taken.reason == "ALREADY_SEATED", "her seat is hers until the hand is over"
            other = service.client("ann again")
            assert (await failing(other.act(table.id, 1, TakeSeat("", 5)))).reason == "SEAT_TAKEN"
            await other.act(table.id, 4, TakeSeat("", 500))
            denied = await failing(other.act(table.id, 1, a.Fold(), await table.state()))
            assert denied.reason == "PERMISSION_DENIED"
            assert not any(any(row) for row in palaces((await other.get(table.id)).state))
            state = await table.fold_out()
            assert not state.view.palace_poker.players[1]
            await other.act(table.id, 4, LeaveSeat())
            await other.act(table.id, 1, TakeSeat("", 500))
            for player, sees in ((other, [0, 0, 0]), (ann, mine)):
                hand = player.replay.ReplayHand(
                    replay_service_pb2.ReplayHandRequest(table_id=table.id, hand=1),
                    metadata=player.metadata,
                )
                steps = [step async for step in hand]
                assert palaces(steps[0].state)[1] == sees
            await table.start()
            assert any(palaces((await other.get(table.id)).state)[1])
            assert not any(any(row) for row in palaces((await ann.get(table.id)).state))

    run(scenario())


def test_other_tables_and_bystanders_make_no_decision_stale(dsn):
    """An action answers a decision, not a version; a second click is stale and does nothing."""

    async def scenario():
        async with running(dsn) as service:
            here = await PalaceTable.open(service)
            there = await PalaceTable.open(service)
            state = await here.start()
            await there.start()
            (seat,) = state.decision.seats
            player = here.players[seat]
            for _ in range(3):
                await there.do(a.Stay())
            dora = await here.sit(service, "dora", 7)
            await dora.act(here.id, 7, AddChips(5))
            await dora.act(here.id, 7, SitOut())
            other = (seat + 1) % 3
            await here.players[other].act(here.id, other, SitOut())
            await player.act(here.id, seat, a.Stay(), state)
            async with unmoved(service, here.host, here.id, there.id):
                twice = await failing(player.act(here.id, seat, a.Stay(), state))
                assert (twice.code, twice.reason) == (grpc.StatusCode.ABORTED, "STALE_DECISION")
                for hand, number in ((1, 99), (2, 2), (0, 0), (2**63 - 1, 1), (-1, -1)):
                    wrong = await failing(
                        player.act(here.id, seat, a.Stay(), hand=hand, decision=number)
                    )
                    assert wrong.reason in {"STALE_DECISION", "MALFORMED"}, (hand, number)

    run(scenario())


def test_many_clicks_at_once_count_once(dsn):
    """Sixteen connections answer one decision: one is accepted, fifteen are stale."""

    async def scenario():
        async with running(dsn) as service:
            table = await PalaceTable.open(service)
            state = await table.start()
            (seat,) = state.decision.seats
            name = f"p{seat}"
            clicks = [service.client(name) for _ in range(16)]

            async def click(client):
                try:
                    return await client.act(table.id, seat, a.Buy(), state)
                except grpc.aio.AioRpcError as error:
                    return error.code()

            answers = await asyncio.gather(*map(click, clicks))
            assert sum(answer is grpc.StatusCode.ABORTED for answer in answers) == 15
            assert len((await table.state()).view.palace_poker.soldiers[seat].cards) == 1

    run(scenario())


@pytest.mark.parametrize(
    "action",
    [a.Stay(), a.Buy(), a.Fold(), a.Bet(1), a.Call(), a.Raise(), a.Muster(), a.Discard((1,))],
)
def test_nobody_acts_for_another_seat(dsn, action):
    """Neither a player, nor the host, nor somebody without a seat; an empty seat has nobody."""

    async def scenario():
        async with running(dsn) as service:
            table = await PalaceTable.open(service)
            state = await table.start()
            (seat,) = state.decision.seats
            other = table.players[(seat + 1) % 3]
            async with unmoved(service, table.host, table.id):
                for caller in (other, table.host, service.client("eve")):
                    denied = await failing(caller.act(table.id, seat, action, state))
                    assert denied.reason == "PERMISSION_DENIED"
                nobody = await failing(other.act(table.id, 8, action, state))
                assert nobody.reason == "NOT_SEATED"
                for outside in (10, 2**31 - 1):
                    beyond = await failing(other.act(table.id, outside, action, state))
                    assert beyond.code is grpc.StatusCode.FAILED_PRECONDITION
                minus = await failing(other.act(table.id, -1, action, state))
                assert minus.code is grpc.StatusCode.INVALID_ARGUMENT

    run(scenario())
