"""Callers of the benchmarks: of an echo, and of tables of Royal Flush, at full speed or paced.

All of them connect, open their tables and play into a hand before the clock starts: what is
measured is calls, not what comes before the first one.  Each is at another place of its hand, as
players are: where all hands end together, 64 calls that start the next ones come at once.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from typing import Any
from uuid import uuid4

import grpc

from service.pb import table_service_pb2 as pb
from service.pb.table_service_pb2_grpc import TableServiceStub

SECONDS = 4.0
"""How long they call."""

HAND_STEPS = 25
"""Actions of a hand that is played step by step."""


class Pace:
    """When one caller's calls are due, and how long each took from its own moment on.

    One every so many seconds, the first of them ``first`` seconds after all callers are ``ready``;
    every 0 seconds: when the last is answered.
    """

    def __init__(self, ready: asyncio.Barrier, every: float, first: float) -> None:
        self._ready = ready
        self._every = every
        self._first = first
        self.latencies: list[float] = []

    async def begin(self) -> None:
        """Wait for the other callers; the time begins."""
        await self._ready.wait()
        now = time.perf_counter()
        self._due = now + self._first
        self._end = now + SECONDS

    @property
    def is_over(self) -> bool:
        return time.perf_counter() >= self._end

    async def call(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Wait for the next call's moment; the call's answer, timed."""
        due = time.perf_counter()
        if self._every:
            late = due - self._due
            due = self._due
            self._due += self._every
            if late < 0:
                await asyncio.sleep(-late)
        answer = await work
        self.latencies.append(time.perf_counter() - due)
        return answer


async def call_echo(port: int, pace: Pace) -> None:
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        echo = channel.unary_unary("/bench.Echo/Call")

        async def call() -> Any:
            return await echo(bytes(90))

        await call()
        await pace.begin()
        while not pace.is_over:
            await pace.call(call())


async def play(port: int, token: str, pace: Pace, *, apart: bool, place: float = 0.0) -> None:
    """Games of Royal Flush step by step; every SubmitAction is timed.

    ``apart``: over a connection of its own, as players have it; ``place``: how far the first hand
    is when the clock starts, as a part of it.
    """
    metadata = (("authorization", f"Bearer {token}"),)
    options = (("grpc.use_local_subchannel_pool", int(apart)),)
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}", options) as channel:
        tables = TableServiceStub(channel)

        async def submit(**fields: Any) -> Any:
            request = pb.SubmitActionRequest(request_id=uuid4().hex, table_id=table, **fields)
            return await tables.SubmitAction(request, metadata=metadata)

        def step() -> Any:
            go_on = {"royal_flush": {"auto_play": {"scope": "step"}}}
            return submit(action=go_on, hand=now.hand, decision=now.number)

        async def start() -> Any:
            request = pb.StartHandRequest(request_id=uuid4().hex, table_id=table)
            return (await tables.StartHand(request, metadata=metadata)).state.decision

        made = await tables.CreateTable(
            pb.CreateTableRequest(request_id=uuid4().hex, game="royal_flush"), metadata=metadata
        )
        table = made.table.table_id
        await submit(action={"common": {"take_seat": {"chips": 0}}})
        now = await start()
        for _ in range(int(place * HAND_STEPS)):
            now = (await step()).state.decision
            if not now.hand:  # it may end before its last step
                now = await start()
        await pace.begin()
        while not pace.is_over:
            if not now.hand:
                now = await start()
            now = (await pace.call(step())).state.decision


async def load(kind: str, port: int, token: str, tables: int, rate: float) -> None:
    """One client process; prints calls and latencies.  ``rate``: calls a second; 0: all it can."""
    ready = asyncio.Barrier(tables)
    every, apart = (tables / rate, 1 / rate) if rate else (0.0, 0.0)
    paces = [Pace(ready, every, number * apart) for number in range(tables)]
    if kind == "echo":
        await asyncio.gather(*[call_echo(port, pace) for pace in paces])
    else:
        players = [
            play(port, token, pace, apart=kind == "apart", place=number / tables)
            for number, pace in enumerate(paces)
        ]
        await asyncio.gather(*players)
    latencies = sorted(each for pace in paces for each in pace.latencies)
    middle = latencies[len(latencies) // 2] * 1000
    late = latencies[int(len(latencies) * 0.99)] * 1000
    print(len(latencies), middle, late, flush=True)
