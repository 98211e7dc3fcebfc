"""What goes on with a token ends with it, and a caller shows one token."""

from __future__ import annotations

import asyncio
from uuid import uuid4

import grpc
import pytest

from engine.actions import AddChips
from service.pb import table_service_pb2 as pb
from service.world import SteppedWorld
from tests.service.harness import CODEC, failing, run, running, unmoved
from tests.service.parlour_room import Room
from tests.service.surfaces import read_out
from tests.service.test_clocks import until
from tests.service.test_refused_actions import told

EXPIRED = ("UNAUTHENTICATED", "TOKEN_EXPIRED", "")


def add_chips(table: str) -> pb.PlayRequest:
    return pb.PlayRequest(
        submit=pb.SubmitActionRequest(
            request_id=uuid4().hex,
            table_id=table,
            seat=0,
            action=CODEC.action_to_wire(AddChips(1)),
        )
    )


def test_streams_end_when_their_token_does(dsn):
    """By the service's clock, with its leeway; nothing has to happen at the table."""

    async def scenario():
        world = SteppedWorld()
        async with running(dsn, world=world) as service:
            room = await Room.open(service)
            short = service.client("ann", lifetime=60)
            streams = [
                short.tables.WatchTable(
                    pb.WatchTableRequest(table_id=room.table), metadata=short.metadata, timeout=60
                ),
                short.tables.Play(metadata=short.metadata, timeout=60),
            ]
            await streams[1].write(pb.PlayRequest(watch={"table_id": room.table}))
            for stream in streams:
                await stream.read()
            endings = [asyncio.ensure_future(failing(read_out(stream))) for stream in streams]
            world.advance(64)
            await short.get(room.table)
            assert not any(ending.done() for ending in endings)
            world.advance(1)
            for failure in await asyncio.gather(*endings):
                assert told(failure) == EXPIRED

    run(scenario())


@pytest.mark.parametrize("asked", [True, False])
def test_nothing_passes_after_the_end_even_if_no_timer_noticed_it(dsn, asked):
    """The time of day jumps: no request is taken and no news is sent."""

    async def scenario():
        world = SteppedWorld()
        async with running(dsn, world=world) as service:
            room = await Room.open(service)
            short = service.client("ann", lifetime=60)
            play = short.tables.Play(metadata=short.metadata, timeout=60)
            version = (await short.get(room.table)).state.version
            await play.write(
                pb.PlayRequest(watch={"table_id": room.table, "after_version": version})
            )
            assert (await play.read()).news.live
            world.set_now(world.now() + 66_000_000)
            if asked:
                async with unmoved(service, room.host, room.table):
                    await play.write(add_chips(room.table))
                    assert told(await failing(play.read())) == EXPIRED
            else:
                await room.host.act(room.table, 0, AddChips(1))
                assert told(await failing(play.read())) == EXPIRED

    run(scenario())


@pytest.mark.parametrize("seconds", [64, 65])
def test_a_message_that_comes_after_its_token_is_refused(dsn, seconds):
    """The token is verified with the headers; what follows them has to come in its time."""

    async def scenario():
        world = SteppedWorld()
        async with running(dsn, world=world) as service:
            room = await Room.open(service)
            short = service.client("ann", lifetime=60)
            channel = grpc.aio.insecure_channel(service.address)
            service.keep(channel)
            call = channel.stream_unary("/kartejo.v1.TableService/GetTable")
            slow = call(metadata=short.metadata, timeout=60)
            places = service.server.door.unary

            async def admitted() -> bool:
                return places.taken == 1

            await until(admitted)
            world.advance(seconds)
            await slow.write(pb.GetTableRequest(table_id=room.table).SerializeToString())
            await slow.done_writing()
            if seconds < 65:
                assert pb.GetTableResponse.FromString(await slow).table.table_id == room.table
            else:
                assert told(await failing(slow)) == EXPIRED

    run(scenario())


def test_a_caller_with_two_tokens_is_none(dsn):
    """Neither the first nor the last is taken, be they equal."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            one, other = service.client("ann").metadata, service.client("bob").metadata
            nobody = service.with_token(None)
            for both in (one + other, one + one, (*one, ("authorization", ""))):
                nobody.metadata = both
                for call in (nobody.get(room.table), nobody.watched(room.table)):
                    malformed = ("UNAUTHENTICATED", "TOKEN_MALFORMED", "")
                    assert told(await failing(call)) == malformed

    run(scenario())
