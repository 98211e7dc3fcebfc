"""A master key that is lost for good voids what ran, by the written rule, and nothing else."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any
from uuid import UUID, uuid4

import grpc
import pytest

from engine.actions import LeaveSeat, SitOut, TakeSeat
from engine.events import EpochOpened, EpochVoided
from engine.games.palace_poker import actions as palace
from engine.games.pontoon import actions as pontoon
from engine.games.royal_casino import actions as casino
from engine.games.royal_flush.actions import AutoPlay, DealPiles
from service.identity import Role
from service.pb import account_service_pb2 as accounts
from service.pb import replay_service_pb2 as replay
from service.vault import MasterKey
from service.world import RealWorld
from tests.service.harness import MASTER, Running, failing, run, running
from tests.service.palace import PalaceTable
from tests.service.pontoon import PontoonTable
from tests.service.surfaces import replayed
from tests.service.test_hidden_cards import truth_of


def another_key() -> MasterKey:
    """A new key of a store whose old one nobody has."""
    world = RealWorld()
    old, new = MasterKey(MASTER, world), MasterKey(os.urandom(32), world)
    new.recover([(new.id, None), (old.id, None)])
    assert new.lost == {old.id}
    return new


def chips(table: Any) -> dict[int, int]:
    return {seat.seat: seat.chips for seat in table.seats}


async def shown(client: Any, table: str) -> Any:
    return await client.get(table)


async def void_of(service: Running, table: str) -> list[Any]:
    """The facts of the commit that made an epoch void."""
    commits = await service.store.read(UUID(table), 0, 10_000)
    facts = await truth_of(service, table)
    for commit in commits:
        made = [facts[version] for version in range(commit.expected + 1, commit.version + 1)]
        if any(isinstance(fact, EpochVoided) for fact in made):
            return [commit, *made]
    return []


async def stored(service: Running, table: str) -> list[Any]:
    return await service.store.read(UUID(table), 0, 10_000)


async def palace_hand(service: Running) -> tuple[str, Any, dict[int, int]]:
    """In mid-hand, after a battle was declared; somebody sat down, somebody wants to leave."""
    table = await PalaceTable.open(service, (500, 400, 300), options={"max_seats": "5"})
    await table.start()
    await table.fold_out()
    before = chips((await table.host.get(table.id)).table)
    await table.start()
    state = await table.do(palace.Stay())
    (seat,) = state.state.decision.seats
    await table.sit(service, "late", 3, 50)
    await table.players[seat].act(table.id, seat, LeaveSeat())
    during = chips((await table.host.get(table.id)).table)
    assert any(during[each] < before[each] for each in before), "antes were paid"
    return table.id, table.host, {**before, 3: 50}


async def pontoon_deal(service: Running) -> tuple[str, Any, dict[int, int]]:
    """In the second deal of a pack, a bet placed."""
    table = await PontoonTable.open(service, (5000, 500, 500))
    await table.begin()
    await table.do(pontoon.StartDeal())
    await table.play_out()
    before = chips((await table.host.get(table.id)).table)
    await table.do(pontoon.StartDeal())
    await table.do(pontoon.PlaceBet(20))
    during = chips((await table.host.get(table.id)).table)
    assert sum(during.values()) < sum(before.values()), "bets lie on the table"
    return table.id, table.host, before


async def casino_deal(service: Running) -> tuple[str, Any, dict[int, int]]:
    """In the first deal of a game with stakes."""
    host = service.client("host")
    made = await host.create("royal_casino", options={"players": "2", "stake": "5"})
    table = made.table.table_id
    players = [service.client(f"p{seat}") for seat in (0, 1)]
    for seat, player in enumerate(players):
        await player.act(table, seat, TakeSeat("", 100))
    await host.start(table)
    before = chips((await host.get(table)).table)
    state = (await host.start(table)).state
    (seat,) = state.decision.seats
    mine = (await players[seat].get(table)).state
    for card in [c for row in mine.view.royal_casino.hands for c in row.cards if c]:
        with suppress(grpc.aio.AioRpcError):  # one that takes another must take it
            await players[seat].act(table, seat, casino.TrailCard(card), state)
            break
    return table, host, before


async def flush_game(service: Running) -> tuple[str, Any, dict[int, int]]:
    """In the second game of a solitaire."""
    ann = service.client("ann")
    table = (await ann.create("royal_flush")).table.table_id
    await ann.act(table, 0, TakeSeat("", 5))
    state = (await ann.start(table)).state
    await ann.act(table, 0, AutoPlay("game"), state)
    before = chips((await ann.get(table)).table)
    state = (await ann.start(table)).state
    await ann.act(table, 0, DealPiles(), state)
    return table, ann, before


@pytest.mark.parametrize("scene", [palace_hand, pontoon_deal, casino_deal, flush_game])
def test_a_running_hand_is_void_and_its_table_goes_on(dsn, scene):
    """Chips are where they were before it; history is untouched; the next hand has its own number.

    Hands that were finished in a told epoch replay as before.
    """

    async def scenario():
        async with running(dsn) as service:
            table, host, wanted = await scene(service)
            before = await stored(service, table)
            asked = await host.get(table)
            hand = asked.table.hand
            steps = await replayed(host, table, 1)
        async with running(dsn, master=another_key()) as service:
            host = service.client("ann" if scene is flush_game else "host")
            state = await host.get(table)
            assert chips(state.table) == wanted
            assert state.table.hand == 0
            after = await stored(service, table)
            assert after[: len(before)] == before
            commit, voided, opened = await void_of(service, table)
            assert commit.hand == hand
            assert isinstance(voided, EpochVoided)
            assert isinstance(opened, EpochOpened)
            assert (voided.reason, voided.epoch + 1) == ("KEY_LOST", opened.epoch)
            assert state.table.epoch.epoch == opened.epoch
            await goes_on(service, table, host, hand)
            index = await host.call(host.replay.ListHands, replay.ListHandsRequest(table_id=table))
            assert [row.over for row in index.hands[:hand]] == [True] * hand
            if scene in {palace_hand, flush_game}:
                assert await replayed(host, table, 1) == steps
            for number in range(1, hand + 1):
                assert await replayed(host, table, number)
            assert len(await stored(service, table)) > len(after)
        # And once more from the record: with the new key, and what it made since.
        async with running(dsn, master=MasterKey(os.urandom(32), RealWorld())) as service:
            host = service.client("ann" if scene is flush_game else "host")
            told = await failing(host.get(table))
            assert told.code.name == "DATA_LOSS"

    run(scenario())


async def goes_on(service: Running, table: str, host: Any, hand: int) -> None:
    """The next hand begins, with another number and cards that their owners see."""
    state = (await host.get(table)).state
    if state.view.WhichOneof("view") == "pontoon":
        (seat,) = state.decision.seats
        banker = service.client(f"p{seat}")
        await banker.act(table, seat, pontoon.StartDeal(), state)
    else:
        await host.start(table)
    made = await host.get(table)
    assert made.table.hand == hand + 1
    shuffles = [
        event.event.house.shuffle_committed
        for message in await host.watched(table)
        for event in message.events
        if event.event.house.HasField("shuffle_committed")
    ]
    assert len(shuffles[-1].root) == 32


def test_between_hands_nothing_but_the_epoch_changes(dsn):
    """Also where a pack would have gone on: it is shuffled."""

    async def scenario():
        async with running(dsn) as service:
            quiet = await PalaceTable.open(service)
            pack = await PontoonTable.open(service, (5000, 500, 500))
            await pack.begin()
            await pack.do(pontoon.StartDeal())
            await pack.play_out()
            before = {one: await one_of(service, one) for one in (quiet.id, pack.id)}
        async with running(dsn, master=another_key()) as service:
            for table, told in before.items():
                now = await one_of(service, table)
                assert chips(now.table) == chips(told.table)
                position = (await void_of(service, table))[1].position
                assert bool(position) == (table == pack.id)
            await goes_on(service, quiet.id, service.client("host"), 0)
            await goes_on(service, pack.id, service.client("host"), 1)

    run(scenario())


async def one_of(service: Running, table: str) -> Any:
    return await service.client("host").get(table)


def test_services_that_start_together_void_a_table_once(dsn):
    """And a closed table with nobody at it not at all."""

    async def scenario():
        async with running(dsn) as service:
            table, _, wanted = await palace_hand(service)
            closed = await PalaceTable.open(service, ())
            await closed.close()
        master = another_key()
        async with running(dsn, master=master) as one, running(dsn, master=master) as other:
            import asyncio

            answers = await asyncio.gather(
                *(service.client("host").get(table) for service in (one, other))
            )
            assert [chips(answer.table) for answer in answers] == [wanted, wanted]
            facts = await truth_of(one, table)
            assert sum(isinstance(fact, EpochVoided) for fact in facts.values()) == 1
            assert (await one.client("host").get(closed.id)).table.closed
            assert not await void_of(one, closed.id)

    run(scenario())


def test_accounts_and_their_chips_are_not_touched(dsn):
    """purse=account: what lies on the table and on the account is what it was before the hand."""

    async def scenario():
        async with running(dsn) as service:
            house = {"purse": "account"}
            cashier = service.client("cashier", Role.HOST, Role.ADMIN)
            for name in ("p0", "p1"):
                await service.client(name).call(
                    service.client(name).accounts.GetAccount, accounts.GetAccountRequest()
                )
                await cashier.call(
                    cashier.accounts.CreditAccount,
                    accounts.CreditAccountRequest(
                        request_id=uuid4().hex, owner={"subject": name}, amount=1000
                    ),
                )
            table = await PalaceTable.open(service, (500, 400), house_options=house)
            await table.start()
        async with running(dsn, master=another_key()) as service:
            host = service.client("host")
            assert chips((await host.get(table.id)).table) == {0: 500, 1: 400}
            for seat, rest in ((0, 500), (1, 600)):
                player = service.client(f"p{seat}")
                await player.act(table.id, seat, LeaveSeat())
                answer = await player.call(player.accounts.GetAccount, accounts.GetAccountRequest())
                assert answer.account.balance == rest + (500 if seat == 0 else 400)

    run(scenario())


def test_who_wanted_to_sit_out_after_the_deal_is_asked_again(dsn):
    """Pontoon's wish for the end of the deal ends with the deal; others' sitting out stands."""

    async def scenario():
        async with running(dsn) as service:
            table = await PontoonTable.open(service, (5000, 500, 500, 500))
            await table.begin()
            await table.aside(3, SitOut())
            await table.do(pontoon.StartDeal())
            await table.aside(1, SitOut())
        async with running(dsn, master=another_key()) as service:
            view = (await one_of(service, table.id)).state.text
            lines = dict(line.split(": ", 1) for line in view.splitlines() if ": " in line)
            assert lines.get("out", "") == "3" or "3" in view
            await goes_on(service, table.id, service.client("host"), 1)
            seats = (await replayed(service.client("p1"), table.id, 2))[-1].events
            started = [
                event.event.pontoon.deal_started
                for event in seats
                if event.event.pontoon.HasField("deal_started")
            ]
            assert list(started[0].punters) == [1, 2]

    run(scenario())
