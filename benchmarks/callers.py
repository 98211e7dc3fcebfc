"""Callers of the benchmarks: of an echo, and of tables of Royal Flush, at full speed or paced."""

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


class Pace:
    """When a caller's calls are due: one every so many seconds; 0: when the last is answered."""

    def __init__(self, every: float, first: float) -> None:
        self._every = every
        self._due = time.perf_counter() + first

    async def turn(self) -> float:
        """Wait for the next call's moment, and return it."""
        now = time.perf_counter()
        if not self._every:
            return now
        due = self._due
        self._due += self._every
        if due > now:
            await asyncio.sleep(due - now)
        return due


async def call_echo(port: int, stop: float, latencies: list[float], pace: Pace) -> None:
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        call = channel.unary_unary("/bench.Echo/Call")
        message = bytes(90)
        while time.perf_counter() < stop:
            start = await pace.turn()
            await call(message)
            latencies.append(time.perf_counter() - start)


async def play(
    port: int,
    token: str,
    stop: float,
    latencies: list[float],
    pace: Pace,
    *,
    apart: bool = False,
) -> None:
    """Games of Royal Flush step by step; every SubmitAction is timed.

    ``apart``: over a connection of its own, as players have it.
    """
    metadata = (("authorization", f"Bearer {token}"),)
    options = (("grpc.use_local_subchannel_pool", int(apart)),)
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}", options) as channel:
        tables = TableServiceStub(channel)

        async def submit(**fields: Any) -> Any:
            request = pb.SubmitActionRequest(request_id=uuid4().hex, table_id=table, **fields)
            return await tables.SubmitAction(request, metadata=metadata)

        made = await tables.CreateTable(
            pb.CreateTableRequest(request_id=uuid4().hex, game="royal_flush"), metadata=metadata
        )
        table = made.table.table_id
        await submit(action={"common": {"take_seat": {"chips": 0}}})
        step = {"royal_flush": {"auto_play": {"scope": "step"}}}
        while time.perf_counter() < stop:
            started = await tables.StartHand(
                pb.StartHandRequest(request_id=uuid4().hex, table_id=table), metadata=metadata
            )
            now = started.state.decision
            while now.hand and time.perf_counter() < stop:
                start = await pace.turn()
                answer = await submit(action=step, hand=now.hand, decision=now.number)
                latencies.append(time.perf_counter() - start)
                now = answer.state.decision


async def load(kind: str, port: int, token: str, tables: int, rate: float) -> None:
    """One client process; prints calls and latencies.  ``rate``: calls a second; 0: all it can."""
    latencies: list[float] = []
    stop = time.perf_counter() + SECONDS

    def caller(number: int) -> Coroutine[Any, Any, None]:
        pace = Pace(tables / rate, number / rate) if rate else Pace(0.0, 0.0)
        if kind == "echo":
            return call_echo(port, stop, latencies, pace)
        return play(port, token, stop, latencies, pace, apart=kind == "apart")

    await asyncio.gather(*map(caller, range(tables)))
    latencies.sort()
    middle = latencies[len(latencies) // 2] * 1000
    late = latencies[int(len(latencies) * 0.99)] * 1000
    print(len(latencies), middle, late, flush=True)
