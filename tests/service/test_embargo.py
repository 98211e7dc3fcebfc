"""Two tables on the same packs: nothing of them is told before both have played them."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

from engine.actions import LeaveSeat, ReleaseEmbargo, TakeSeat
from engine.events import DeckShuffled, EpochClosed
from engine.games.pontoon.actions import StartDeal
from engine.games.royal_flush.actions import AutoPlay, StartGame
from service.identity import Role
from service.pb import lab_service_pb2 as lab
from service.pb import replay_service_pb2 as replay
from service.pb import table_service_pb2 as pb
from service.vault import commitment_to
from tests.service.harness import Running, failing, run, running
from tests.service.palace import PalaceTable
from tests.service.pontoon import PontoonTable
from tests.service.surfaces import replayed
from tests.service.test_hidden_cards import truth_of

EMBARGO = {"embargo": "true", "reveal": "public"}


async def release(client: Any, table: str, request_id: str = "") -> Any:
    request = pb.ReleaseEmbargoRequest(request_id=request_id or uuid4().hex, table_id=table)
    return await client.call(client.tables.ReleaseEmbargo, request)


async def told(service: Running, table: str) -> list[int]:
    """Epochs of a table whose secret was told."""
    facts = sorted((await truth_of(service, table)).items())
    return [fact.epoch for _, fact in facts if isinstance(fact, EpochClosed)]


async def hidden(client: Any, table: str, hand: int) -> bool:
    """Whether an auditor sees no card of a hand that was never shown."""
    steps = await replayed(client, table, hand, auditor=True)
    orders = [
        event.event.common.deck_shuffled.order
        for step in steps
        for event in step.events
        if event.event.common.HasField("deck_shuffled")
    ]
    assert orders
    return not any(card for order in orders for card in order)


def test_two_tables_with_the_same_packs_are_told_of_once_both_are_done(dsn):
    """Auditors, proofs and the public wait for the host's word at each table, not for the clock."""

    async def scenario():
        async with running(dsn) as service:
            tables = [await PalaceTable.open(service, house_options=EMBARGO) for _ in range(2)]
            auditor = service.client("olga", Role.AUDITOR)
            for table in tables:
                for _ in range(3):
                    await table.start()
                    await table.fold_out()
                assert await told(service, table.id) == []
                for hand in (1, 2, 3):
                    assert await hidden(auditor, table.id, hand)
                request = replay.GetCardProofsRequest(table_id=table.id, hand=1, card=1)
                early = await failing(auditor.call(auditor.replay.GetCardProofs, request))
                assert early.reason == "EPOCH_OPEN"
            for table in tables:
                answer = await release(table.host, table.id, "round 1")
                kinds = [each.event.house.WhichOneof("event") for each in answer.events]
                assert kinds == ["embargo_released", *["epoch_closed"] * 3]
                secrets = [each.event.house.epoch_closed.secret for each in answer.events[1:]]
                assert [len(secret) for secret in secrets] == [32] * 3
                assert await told(service, table.id) == [1, 2, 3]
                assert not await hidden(auditor, table.id, 2)
                again = await release(table.host, table.id, "round 1")
                assert again.state.version == answer.state.version
                late = await failing(release(table.host, table.id))
                assert late.reason == "NOTHING_WITHHELD"

    run(scenario())


def test_stacked_packs_are_the_same_at_both_tables_and_stay_secret(dsn):
    """The laboratory deals one pack twice: the first table that is done tells nothing of it."""

    async def scenario():
        async with running(dsn) as service:
            teacher = service.lab()
            pack = [*range(27, 53), *range(1, 27)]
            orders, tables = [], []
            for _ in range(2):
                opened = await teacher.call(
                    teacher.lab.OpenLabTable,
                    lab.OpenLabTableRequest(
                        request_id=uuid4().hex, game="royal_flush", house_options=EMBARGO
                    ),
                )
                table = opened.table_id

                await teacher.lab_act(table, 0, TakeSeat("ann", 5))
                await teacher.call(
                    teacher.lab.StackDeck,
                    lab.StackDeckRequest(request_id=uuid4().hex, table_id=table, cards=pack),
                )
                await teacher.lab_act(table, -1, StartGame())
                await teacher.lab_act(table, 0, AutoPlay("game"))
                orders += [
                    list(fact.order.value)
                    for fact in (await truth_of(service, table)).values()
                    if isinstance(fact, DeckShuffled)
                ]
                assert await told(service, table) == []
                tables.append(table)
            assert orders == [pack, pack]
            for table in tables:
                await teacher.lab_act(table, -1, ReleaseEmbargo())
                assert await told(service, table) == [1]

    run(scenario())


def test_an_embargo_outlives_its_table_and_is_the_hosts_to_release(dsn):
    """A closed table that everybody has left still waits; nobody else can release it."""

    async def scenario():
        async with running(dsn) as service:
            table = await PalaceTable.open(service, house_options=EMBARGO)
            await table.start()
            await table.fold_out()
            denied = await failing(release(table.players[0], table.id))
            assert denied.code.name == "PERMISSION_DENIED"
            assert (await failing(release(table.host, str(uuid4())))).code.name == "NOT_FOUND"
            await table.close()
            assert await told(service, table.id) == []
            await release(table.host, table.id)
            assert await told(service, table.id) == [1, 2]
            assert (await table.host.get(table.id)).table.epoch.epoch == 0
            assert (await failing(release(table.host, table.id))).reason == "NOTHING_WITHHELD"
            free = await PalaceTable.open(service)
            assert (await failing(release(free.host, free.id))).reason == "NO_EMBARGO"

    run(scenario())


def test_what_the_game_keeps_secret_is_not_told_by_a_release(dsn):
    """Pontoon: the pack of the last shuffle waits for the next one, embargo or not (4.4)."""

    async def scenario():
        async with running(dsn) as service:
            table = await PontoonTable.open(
                service, options={"shuffle_each_deal": "true"}, house_options=EMBARGO
            )
            await table.begin()
            for _ in range(2):
                await table.do(StartDeal())
                await table.play_out()
            assert await told(service, table.id) == []
            await release(table.host, table.id)
            assert await told(service, table.id) == []
            await table.do(StartDeal())
            before = await told(service, table.id)
            assert before
            await table.play_out()
            for seat in range(3):
                await table.aside(seat, LeaveSeat())

    run(scenario())


def test_kept_epochs_outlive_a_restart(dsn):
    """Five epochs are withheld; another process, from a snapshot, tells the secrets of all."""

    async def scenario():
        async with running(dsn) as service:
            table = await PalaceTable.open(service, house_options=EMBARGO)
            for _ in range(5):
                await table.start()
                await table.fold_out()
        async with running(dsn) as service:
            host = service.client("host")
            answer = await release(host, table.id)
            found = [each.event.house.epoch_closed for each in answer.events[1:]]
            assert [each.epoch for each in found] == [1, 2, 3, 4, 5]
            opened = {
                event.event.house.epoch_opened.epoch: event.event.house.epoch_opened.commitment
                for message in await host.watched(table.id)
                for event in message.events
                if event.event.house.HasField("epoch_opened")
            }

            for each in found:
                assert commitment_to(UUID(table.id), each.epoch, each.secret) == opened[each.epoch]
            hands = await replayed(host, table.id, 1)
            assert hands

    run(scenario())
