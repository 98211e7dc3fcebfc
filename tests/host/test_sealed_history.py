"""What lies in the database tells nothing it should not, and outlives the master key."""

from __future__ import annotations

import os
from typing import Any
from uuid import uuid4

import grpc
import psycopg

from engine.actions import LeaveSeat, OpenTable, TakeSeat
from engine.games.pontoon.actions import StartDeal
from engine.games.royal_flush.actions import AutoPlay, DealPiles
from engine.house import Table
from service.host.commands import Command, Digester
from service.host.recorder import Opener, Recorder
from service.pb import replay_service_pb2
from service.pb import table_service_pb2 as pb
from service.store.commit import salt_of, unpack_body
from service.vault import EpochKeys, MasterKey
from service.world import RealWorld, SteppedWorld
from tests.parlour.actions import Swap
from tests.service import harness
from tests.service.harness import ALL_GAMES, CODEC, failing, run, running
from tests.service.pontoon import PontoonTable
from tests.service.surfaces import replayed


def test_a_digest_is_no_oracle_for_the_card_in_an_action():
    """Without the key of the service the digests of all 52 cards are as good as random."""
    world = RealWorld()
    digests = set()
    for key in (os.urandom(32), os.urandom(32)):
        digest_of = Digester(MasterKey(key, world))
        for card in range(1, 53):
            wire = CODEC.action_to_wire(Swap((card,))).SerializeToString(deterministic=True)
            digests.add(digest_of(b"submit", wire))
            assert digest_of(b"submit", wire) == digest_of(b"submit", wire)
    assert len(digests) == 104


def test_two_attempts_at_one_command_never_share_a_key():
    """A bank event that moves the places, or anything else that differs: another salt."""
    world = SteppedWorld(seed=b"attempts")
    recorder = Recorder(CODEC, MasterKey(bytes(32), world), world)
    stream = uuid4()
    keys = EpochKeys.draw(stream, 1, world)
    command = Command.of_process(world, stream, 0, "start", "StartHand")
    table = Table.empty(ALL_GAMES["royal_flush"])
    game = ALL_GAMES["royal_flush"]

    class Sorted:
        def shuffle(self, purpose: str, pile: tuple[int, ...]) -> tuple[int, ...]:
            del purpose
            return pile

    state = game.initial()

    _, state = game.decide(state, -1, OpenTable(), Sorted())
    _, state = game.decide(state, 0, TakeSeat("ann", 1), Sorted())
    events, _ = game.decide(state, -1, game.START(), Sorted())
    bodies = [
        recorder.write(
            stream, table, keys, command, events, seat=-1, action=b"x", hand=1, recorded_at=1
        ).body
        for _ in range(2)
    ]
    assert salt_of(bodies[0]) != salt_of(bodies[1])
    sealed = [
        slot.ciphertext
        for body in bodies
        for event in unpack_body(body)
        for slot in event.slots
        if slot.ciphertext
    ]
    assert len(sealed) == len(set(sealed)) == 2


async def _played(client: Any) -> str:
    """A table with one finished game and one that runs."""
    made = await client.create("royal_flush")
    table = made.table.table_id
    await client.act(table, 0, TakeSeat("", 5))
    state = (await client.start(table)).state
    await client.act(table, 0, AutoPlay("game"), state)
    return str(table)


def test_closed_epochs_are_read_without_the_master_key(dsn, monkeypatch):
    """Losing the key voids what runs and nothing else (design 5.5)."""

    async def scenario():
        async with running(dsn) as service:
            ann = service.client("ann")
            closed = await _played(ann)
            await ann.act(closed, 0, LeaveSeat())
            await ann.call(
                ann.tables.CloseTable, pb.CloseTableRequest(request_id="c", table_id=closed)
            )
            running_table = await _played(ann)
            state = (await ann.start(running_table)).state
            await ann.act(running_table, 0, DealPiles(), state)
            hand = replay_service_pb2.ReplayHandRequest(table_id=closed, hand=1)
            call = ann.replay.ReplayHand(hand, metadata=ann.metadata)
            before = [step.state.text async for step in call]
        monkeypatch.setattr(harness, "MASTER", os.urandom(32))
        with psycopg.connect(dsn) as db:
            assert db.execute("SELECT count(*) FROM kartejo.snapshot").fetchone()
        async with running(dsn) as service:
            ann = service.client("ann")
            call = ann.replay.ReplayHand(hand, metadata=ann.metadata)
            assert [step.state.text async for step in call] == before
            assert (await ann.get(closed)).table.closed
            lost = await failing(ann.get(running_table))
            assert lost.code is grpc.StatusCode.DATA_LOSS
            assert "epoch" not in lost.message

    run(scenario())


def test_an_opener_says_which_epoch_it_lacks(dsn, monkeypatch):
    """And takes the secret from the commit that closes it, once it is checked."""

    async def scenario():
        async with running(dsn) as service:
            table = await _played(service.client("ann"))
            host = service.server.host
            (live,) = [each for each in host.tables.hot() if str(each.stream) == table]
            commits = await service.store.read(live.stream)
        world = RealWorld()
        recorder = Recorder(CODEC, MasterKey(os.urandom(32), world), world)
        opener = Opener(recorder, live.stream)
        opener.skim(commits[0])
        closing = [opener.reveal(1, commit) for commit in commits]
        assert sum(closing) == 1
        assert opener.open(commits[1]).events[0].player == live.table.state.player.name

    run(scenario())


def test_an_epoch_that_was_told_in_the_next_one_is_read_without_the_master_key(dsn, monkeypatch):
    """Pontoon's secrets are told with the next shuffle (pontoon 4.4): they are found there."""

    async def scenario():
        async with running(dsn) as service:
            table = await PontoonTable.open(
                service, options={"shuffle_each_deal": "true", "max_deals": "3"}
            )
            await table.begin()
            for _ in range(3):
                await table.do(StartDeal())
                await table.play_out()
            for seat in range(3):
                await table.aside(seat, LeaveSeat())
            client = table.players[1]
            before = [await replayed(client, table.id, hand) for hand in (1, 2, 3)]
            assert all(before)
        monkeypatch.setattr(harness, "MASTER", os.urandom(32))
        async with running(dsn) as service:
            client = service.client("p1")
            after = [await replayed(client, table.id, hand) for hand in (1, 2, 3)]
            assert after == before

    run(scenario())
