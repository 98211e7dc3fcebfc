"""Token buckets: who asks faster than he may is told when to come back, and others are not."""

from __future__ import annotations

import asyncio
from collections import Counter

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from hypothesis import given
from hypothesis import strategies as st

from engine.actions import AddChips
from engine.errors import Exhausted
from service.host.rates import BURST_SECONDS, Rates
from service.pb import table_service_pb2 as pb
from service.rpc.calls import Speed
from service.world import SteppedWorld
from tests.service.harness import CODEC, failing, run, running
from tests.service.parlour_room import Room

SLOW = Speed(of_caller=2, of_connection=0)
BURST = 2 * BURST_SECONDS
TOO_FAST = "too many calls of one caller: 2 a second, 4 at once"


def test_a_caller_who_is_too_fast_hears_when_to_come_back(dsn):
    """By the headers alone; another caller is served, and he too when the time has passed."""

    async def scenario():
        world = SteppedWorld()
        async with running(dsn, world=world, speed=SLOW) as service:
            ann, bob = service.client("ann"), service.client("bob")
            table = (await ann.create("parlour")).table.table_id
            for _ in range(BURST - 1):
                await ann.get(table)
            failure = await failing(ann.get(table))
            assert (failure.code, failure.message) == (
                grpc.StatusCode.RESOURCE_EXHAUSTED,
                TOO_FAST,
            )
            assert failure.retry_ms == 500
            await bob.get(table)
            world.advance(0.5)
            await ann.get(table)
            assert (await failing(ann.get(table))).retry_ms == 500

    run(scenario())


def test_a_stream_that_is_opened_too_often_is_refused_like_a_call(dsn):
    """WatchTable and Play take a token each when they begin."""

    async def scenario():
        async with running(dsn, world=SteppedWorld(), speed=SLOW) as service:
            ann = service.client("ann")
            table = (await ann.create("parlour")).table.table_id
            for _ in range(BURST - 1):
                await ann.get(table)
            for call in (
                ann.tables.WatchTable(
                    pb.WatchTableRequest(table_id=table), metadata=ann.metadata, timeout=60
                ),
                ann.tables.Play(metadata=ann.metadata, timeout=60),
            ):
                assert (await failing(call.read())).message == TOO_FAST

    run(scenario())


def test_requests_of_a_play_stream_are_read_as_fast_as_they_may_come(dsn):
    """None fails and none is lost: the stream waits."""

    async def scenario():
        world = SteppedWorld()
        async with running(dsn, world=world, speed=SLOW) as service:
            room = await Room.open(service)
            ann = room.players[0]
            play = ann.tables.Play(metadata=ann.metadata, timeout=60)
            action = CODEC.action_to_wire(AddChips(1))
            for number in range(BURST + 4):
                asked = pb.SubmitActionRequest(
                    request_id=f"add {number}", table_id=room.table, seat=0, action=action
                )
                await play.write(pb.PlayRequest(submit=asked))
            told = [await play.read() for _ in range(BURST)]
            more = asyncio.ensure_future(play.read())
            await asyncio.sleep(0.1)
            assert not more.done()
            while len(told) < BURST + 4:
                world.advance(0.5)
                told.append(await (more or play.read()))
                more = None
            assert {answer.WhichOneof("response") for answer in told} == {"submitted"}
            assert {answer.submitted.request_id for answer in told} == {
                f"add {number}" for number in range(BURST + 4)
            }
            play.cancel()

    run(scenario())


def test_a_connection_has_a_rate_of_its_own(dsn):
    """However many callers share it; health checks count, another connection does not."""

    async def scenario():
        speed = Speed(of_caller=0, of_connection=2)
        async with running(dsn, world=SteppedWorld(), speed=speed) as service:
            ann = service.client("ann")
            table = (await ann.create("parlour")).table.table_id
            for _ in range(BURST - 1):
                await ann.get(table)
            assert "of one connection" in (await failing(ann.get(table))).message
            options = [("grpc.use_local_subchannel_pool", 1)]
            async with grpc.aio.insecure_channel(service.address, options) as other:
                check = health_pb2_grpc.HealthStub(other).Check
                request = health_pb2.HealthCheckRequest()
                for _ in range(BURST):
                    await check(request, timeout=60)
                failure = await failing(check(request, timeout=60))
                assert failure.code is grpc.StatusCode.RESOURCE_EXHAUSTED

    run(scenario())


@given(
    rate=st.integers(1, 50),
    steps=st.lists(
        st.tuples(st.integers(0, 3_000), st.sampled_from("abc"), st.integers(1, 40)), max_size=40
    ),
)
def test_a_bucket_gives_what_a_counted_bucket_would(rate, steps):
    """Against the plain model: a number of tokens that grows with time, up to the burst."""
    world = SteppedWorld()
    rates = Rates("one", "calls", rate, world)
    tokens = Counter(dict.fromkeys("abc", rate * BURST_SECONDS * 1000000))  # millionths
    for milliseconds, key, calls in steps:
        world.advance(milliseconds / 1000)
        for each in tokens:
            full = rate * BURST_SECONDS * 1_000_000
            tokens[each] = min(full, tokens[each] + rate * milliseconds * 1_000)
        for _ in range(calls):
            if tokens[key] >= 1_000_000:
                tokens[key] -= 1_000_000
                rates.take(key)
            else:
                with pytest.raises(Exhausted) as told:
                    rates.take(key)
                missing = (1_000_000 - tokens[key]) / rate / 1_000
                assert missing - 0.01 <= told.value.retry_ms < missing + 1.01


def test_only_buckets_that_are_not_full_are_kept():
    """Callers come and go for ever: memory holds those of the last seconds."""
    world = SteppedWorld()
    rates = Rates("one", "calls", 10, world)
    for number in range(10_000):
        rates.take(number)
        world.advance(0.01)
        assert len(rates) <= 11


def test_no_limit_keeps_nothing():
    rates = Rates("one", "calls", 0, SteppedWorld())
    for _ in range(1_000):
        rates.take("ann")
    assert len(rates) == 0


def test_a_negative_rate_is_refused():
    with pytest.raises(ValueError, match="0"):
        Rates("one", "calls", -1, SteppedWorld())
