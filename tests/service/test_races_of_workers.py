"""Two workers on one database: the store decides their races, and callers may change sides."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import grpc
import pytest

from engine.actions import AddChips
from service.identity import LAB_ISSUER, KeyRing, Tokens
from service.pb import table_service_pb2 as pb
from service.world import RealWorld
from tests.faults.load import AGAIN
from tests.parlour.actions import Keep
from tests.service.harness import Client, Running, decoded, run, running
from tests.service.parlour_room import CHIPS, Room, view_of
from tests.service.test_clocks import version_above

REQUESTS = 40


@asynccontextmanager
async def two_workers(dsn: str, **store: Any) -> AsyncGenerator[tuple[Running, Running], None]:
    """With the same keys, as ``serve --workers 2`` has them: a token holds on both."""
    world = RealWorld()
    tokens = Tokens(KeyRing.draw(world), world, lab_ring=KeyRing.draw(world, LAB_ISSUER))
    async with (
        running(dsn, tokens=tokens, **store) as here,
        running(dsn, tokens=tokens, **store) as there,
    ):
        yield here, there


async def insist(client: Client, room: Room, seat: int, amount: int, request: str) -> Any:
    """The verdict on a request, which is sent again while it has none."""
    while True:
        try:
            return await client.act(room.table, seat, AddChips(amount), request_id=request)
        except grpc.aio.AioRpcError as error:
            if error.code() not in AGAIN:
                raise


@pytest.mark.parametrize("notifications", [True, False])
def test_a_table_that_is_hammered_from_both_sides(dsn: str, notifications: bool) -> None:
    """Every request goes to both workers at once, several at a time from both seats.

    Each has one effect and one answer; watchers on either side see every version once, the same.
    """

    async def scenario() -> None:
        async with two_workers(dsn, notifications=notifications) as sides:
            room = await Room.open(sides[0])
            start = (await room.state(0)).version
            seats = [[side.client(subject) for side in sides] for subject in ("ann", "bob")]
            watches = [
                asyncio.ensure_future(
                    side.client("eve").watched(room.table, 0, start + 2 * REQUESTS)
                )
                for side in sides
            ]

            async def hammer(seat: int, numbers: range) -> dict[int, Any]:
                told = {}
                for number in numbers:
                    request = f"{seat} {number}"
                    both = await asyncio.gather(
                        *(insist(side, room, seat, number + 1, request) for side in seats[seat])
                    )
                    assert both[0].events == both[1].events
                    assert both[0].state.version == both[1].state.version
                    assert [event.amount for event in decoded(both[0].events)] == [number + 1]
                    told[both[0].events[0].version] = both[0].events[0]
                return told

            parts = await asyncio.gather(
                *(hammer(seat, range(n, REQUESTS, 4)) for seat in (0, 1) for n in range(4))
            )
            told = {version: event for part in parts for version, event in part.items()}
            assert sorted(told) == list(range(start + 1, start + 2 * REQUESTS + 1))
            stacks = view_of(await room.state(0)).stacks
            assert list(stacks) == [CHIPS + REQUESTS * (REQUESTS + 1) // 2] * 2
            for messages in await asyncio.gather(*watches):
                events = [event for message in messages for event in message.events]
                assert [event.version for event in events] == list(
                    range(1, start + 2 * REQUESTS + 1)
                )
                assert {event.version: event for event in events[start:]} == told

    run(scenario())


def test_one_id_for_two_requests_is_one_of_them_wherever_they_arrive(dsn: str) -> None:
    """At the same moment on both workers: one is done, the other is told so, whoever it was."""

    async def scenario() -> None:
        async with two_workers(dsn) as sides:
            room = await Room.open(sides[0])
            ann = [side.client("ann") for side in sides]
            won = 0
            for number in range(12):
                tries = [
                    side.act(room.table, 0, AddChips(amount), request_id=f"same {number}")
                    for side, amount in zip(ann, (1, 1000), strict=True)
                ]
                outcomes = await asyncio.gather(*tries, return_exceptions=True)
                errors = [one for one in outcomes if isinstance(one, grpc.aio.AioRpcError)]
                assert [error.code() for error in errors] == [grpc.StatusCode.ALREADY_EXISTS]
                (answer,) = [one for one in outcomes if one not in errors]
                won += decoded(answer.events)[0].amount
            # Whoever was told that he came second need not have been shown the first one yet.
            for side in ann:
                state = await version_above(side, room.table, answer.state.version - 1)
                assert view_of(state).stacks[0] == CHIPS + won

    run(scenario())


def test_a_caller_changes_sides_in_mid_hand(dsn: str) -> None:
    """Whoever loses his worker asks another one: the watch goes on by version, and the request
    whose answer was lost is answered as it was the first time.
    """
    dice = random.Random(5)

    async def scenario() -> None:
        async with two_workers(dsn) as sides:
            room = await Room.open(sides[0], rounds=3)
            players = [[side.client(subject) for side in sides] for subject in ("ann", "bob")]
            watchers = [side.client("bob") for side in sides]
            seen: list[pb.TableEvent] = []
            for _ in range(3):
                state = await room.start()
                while state.decision.hand:
                    (seat,) = state.decision.seats
                    side = dice.randrange(2)
                    here, there = players[seat][side], players[seat][1 - side]
                    same = {"request_id": uuid4().hex}
                    first = await here.act(room.table, seat, Keep(), state, **same)
                    last = seen[-1].version if seen else 0
                    version = first.state.version
                    messages = await watchers[1 - side].watched(room.table, last, version)
                    seen += [event for message in messages for event in message.events]
                    again = await there.act(room.table, seat, Keep(), state, **same)
                    assert again.events == first.events
                    assert again.state.version == version
                    assert again.state.view == first.state.view
                    state = first.state
            whole = await watchers[0].watched(room.table)
            assert seen == [event for message in whole for event in message.events]

    run(scenario())
