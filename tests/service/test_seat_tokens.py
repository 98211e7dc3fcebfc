"""Tokens for one seat: what is that seat's, and nothing else that their principal may."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from engine.actions import AddChips, LeaveSeat, TakeSeat
from engine.games.royal_flush.actions import AutoPlay
from service.identity import Role
from service.pb import replay_service_pb2 as old
from service.pb import table_service_pb2 as pb
from tests.parlour.actions import Swap
from tests.service.harness import Client, failing, run, running, unmoved
from tests.service.parlour_room import Room, view_of
from tests.service.surfaces import everything, replayed, state_at
from tests.service.test_accounts import HOUSE, Bank
from tests.service.test_hidden_cards import check, play_hands, seats_held, truth_of
from tests.service.test_refused_actions import told

DENIED = ("PERMISSION_DENIED", "PERMISSION_DENIED", "")


def close(client: Client, table: str) -> Any:
    request = pb.CloseTableRequest(request_id=uuid4().hex, table_id=table)
    return client.call(client.tables.CloseTable, request)


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_a_seats_token_shows_that_seat_on_every_surface(dsn, seat):
    """Its principal sat at seat 0 and sits at seat 2 now: one of them, or neither."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service, ("ann", "bob"), seats=3, draw_pile=1)
            ann, table = room.players[0], room.table
            await play_hands(room, {0: [], 1: []})
            await room.play_out()
            await ann.act(table, 0, LeaveSeat())
            await ann.act(table, 2, TakeSeat("", 50))
            room.players.append(ann)
            state = await room.start()
            while state.decision.seats != [2]:
                await room.turn()
                state = (await ann.get(table)).state
            bot = service.client("ann", table=table, seat=seat)
            view = view_of(state)
            swap = Swap((view.hands[view.order.index(2)][0],))
            acted = await ann.act(table, 2, swap, state)
            truth = await truth_of(service, table)
            player = truth[min(v for v, e in truth.items() if hasattr(e, "player"))].player
            held = seats_held(truth, player)
            limited = {version: seats & {seat} for version, seats in held.items()}
            whole, _ = check(await everything(ann, table), truth, held)
            found = await everything(bot, table)
            if seat == 2:
                again = {"request_id": acted.request_id}
                found["SubmitAction"] = [await bot.act(table, 2, swap, state, **again)]
            shown, hidden = check(found, truth, limited)
            assert (shown > 0) == (seat != 1)
            assert hidden > 20
            assert shown < whole
            names = [
                {step.action for step in await replayed(client, table, 3) if step.seat == 2}
                for client in (ann, bot)
            ]
            assert "swap" in names[0]
            assert ("swap" in names[1]) == (seat == 2)

    run(scenario())


def test_a_seats_token_does_not_do_the_hosts_work(dsn):
    """Its principal is the host of the table; the token is good for the seat alone."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            async with unmoved(service, room.host, room.table):
                for seat in (0, 1):
                    bot = service.client("ann", table=room.table, seat=seat)
                    for call in (bot.start(room.table), close(bot, room.table)):
                        assert told(await failing(call)) == DENIED
            await service.client("ann", table=room.table).start(room.table)

    run(scenario())


def test_the_player_of_a_solitaire_starts_it_with_his_seats_token(dsn):
    """There the start is the player's; closing the table stays the host's."""

    async def scenario():
        async with running(dsn) as service:
            ann = service.client("ann")
            table = (await ann.create("royal_flush")).table.table_id
            await ann.act(table, 0, TakeSeat("", 5))
            bot = service.client("ann", table=table, seat=0)
            other = service.client("ann", table=table, seat=1)
            assert told(await failing(other.start(table))) == DENIED
            state = (await bot.start(table)).state
            await bot.act(table, 0, AutoPlay("game"), state)
            assert told(await failing(close(bot, table))) == DENIED

    run(scenario())


def test_a_tables_token_has_no_account(dsn):
    """It brings no chips to its seat, and its refusal tells nothing of the balance."""

    async def scenario():
        async with running(dsn) as service:
            bank = Bank(service, service.client("house", Role.HOST))
            await bank.credit("ann", 100)
            ann = service.client("ann")
            table = (await ann.create("royal_flush", house_options=HOUSE)).table.table_id
            bots = [service.client("ann", table=table, seat=seat) for seat in (0, None)]
            for bot in bots:
                assert told(await failing(Bank(service, bot).balance())) == DENIED
                for chips in (50, 101):
                    assert told(await failing(bot.act(table, 0, TakeSeat("", chips)))) == DENIED
            await ann.act(table, 0, TakeSeat("", 50))
            for bot in bots:
                assert told(await failing(bot.act(table, 0, AddChips(1)))) == DENIED
            state = (await bots[0].start(table)).state
            await bots[0].act(table, 0, AutoPlay("game"), state)
            await bots[0].act(table, 0, LeaveSeat())
            free = (await ann.create("royal_flush")).table.table_id
            await service.client("ann", table=free, seat=0).act(free, 0, TakeSeat("", 5))

    run(scenario())


def test_who_played_at_a_table_is_not_its_auditor(dsn):
    """Not of hands that are over, and not when he has left; his own eyes are his."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service, ("ann", "bob"))
            await room.start()
            state = await room.play_out()
            ann = service.client("ann", Role.PLAYER, Role.AUDITOR)
            for leave in (True, False):
                for viewer in ({"seat": 0}, {"seat": 1}, {"auditor": True}):
                    replay = old.ReplayHandRequest(table_id=room.table, hand=1, viewer=viewer)
                    call = ann.replay.ReplayHand(replay, metadata=ann.metadata, timeout=60)
                    assert told(await failing(call.read())) == DENIED
                    at = state_at(ann, room.table, state.version, **viewer)
                    assert told(await failing(at)) == DENIED
                for viewer in ({}, {"observer": True}):
                    assert await replayed(ann, room.table, 1, **viewer)
                if leave:
                    await ann.act(room.table, 0, LeaveSeat())
            carl = service.client("carl", Role.AUDITOR)
            assert await replayed(carl, room.table, 1, auditor=True)

    run(scenario())
