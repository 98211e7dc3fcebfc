"""The fault plan: a party of all four games goes on, whatever happens to those who serve it.

Nothing here looks at how; ``check`` holds everything that anybody was told against the store.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from itertools import combinations

import psycopg
import pytest

from service.store.embedded import EmbeddedServer
from tests.faults.conftest import Plan
from tests.faults.process import EndedEarly
from tests.faults.proxy import Fault, Part, Way
from tests.faults.stage import WARM, Stage, signal_all, stage
from tests.service.harness import run

STOPPED_SECONDS = 10.0

Case = Callable[[Stage], Awaitable[None]]


async def service_killed(on: Stage) -> None:
    await on.services[0].kill()

    async def start() -> None:
        while True:
            try:
                return await on.services[0].start()
            except EndedEarly:  # its database is down too
                await asyncio.sleep(0.1)

    await on.healing("service killed, started again", start())


async def postgres_killed(on: Stage) -> None:
    os.kill(on.postmaster(), signal.SIGKILL)
    await on.healing("PostgreSQL killed")


async def backend_killed(on: Stage) -> None:
    """PostgreSQL ends all its backends then, and recovers."""
    os.kill(await on.writer(), signal.SIGKILL)
    await on.healing("the writer's backend killed")


async def backend_ended(on: Stage) -> None:
    os.kill(await on.writer(), signal.SIGTERM)
    await on.healing("the writer's backend ended")


async def service_stopped(on: Stage) -> None:
    on.services[0].signal(signal.SIGSTOP)
    await asyncio.sleep(STOPPED_SECONDS)

    async def go_on() -> None:
        on.services[0].signal(signal.SIGCONT)

    await on.healing("service stood still for 10 s", go_on())


async def postgres_stopped(on: Stage) -> None:
    frozen = [on.postmaster(), *await on.backends()]
    signal_all(frozen, signal.SIGSTOP)
    await asyncio.sleep(STOPPED_SECONDS)

    async def go_on() -> None:
        signal_all(frozen, signal.SIGCONT)

    await on.healing("PostgreSQL stood still for 10 s", go_on())


async def commit_delayed(on: Stage, seconds: float = 5.0) -> None:
    """Somebody holds the lane: commits wait, the service does not."""
    async with await psycopg.AsyncConnection.connect(on.postgres.conninfo) as holder:
        await holder.execute("SELECT FROM kartejo.lane FOR UPDATE")
        await asyncio.sleep(seconds)
        await on.healing(f"commits held up for {seconds:.0f} s", holder.rollback())


async def answer_lost(on: Stage) -> None:
    """A commit is done, its answer never comes, the connection stays open."""
    fault = Fault(Way.BACK, 1, Part.NONE, silent=True, of=b"kartejo-writer")
    on.line.fault = fault
    await fault.fired.wait()
    await on.healing("a commit's answer never comes")


async def cable_pulled(on: Stage) -> None:
    """All connections to PostgreSQL stay open, and nothing passes."""
    on.line.silence()
    await on.healing("all lines to PostgreSQL fall silent")


async def clients_cut_off(on: Stage) -> None:
    on.doors[0].hang_up()
    await on.healing("all clients' connections cut")


async def clients_silenced(on: Stage) -> None:
    on.doors[0].silence()
    await on.healing("all clients' connections fall silent")


SHORT: tuple[Case, ...] = (service_killed, clients_cut_off, backend_killed)
LONG: tuple[Case, ...] = (
    *SHORT,
    postgres_killed,
    backend_ended,
    service_stopped,
    postgres_stopped,
    commit_delayed,
    answer_lost,
    cable_pulled,
    clients_silenced,
)


def test_a_party_survives_what_kills(durable_pg: EmbeddedServer, plan: Plan):
    """The faults that take no time, one after the other."""

    async def scenario():
        async with stage(durable_pg, plan) as on:
            for case in SHORT:
                await case(on)

    run(scenario(), 100)


@pytest.mark.long
@pytest.mark.parametrize("case", LONG, ids=lambda case: case.__name__)
def test_a_party_survives(durable_pg: EmbeddedServer, plan: Plan, case: Case):
    """Each fault alone."""

    async def scenario():
        async with stage(durable_pg, plan) as on:
            await case(on)

    run(scenario(), 100)


PAIRS: tuple[tuple[Case, Case], ...] = (
    *combinations((service_killed, postgres_killed, backend_killed, clients_cut_off), 2),
    (commit_delayed, service_killed),
    (commit_delayed, clients_cut_off),
)


@pytest.mark.long
@pytest.mark.timeout(300)
def test_a_party_survives_two_things_at_once(durable_pg: EmbeddedServer, plan: Plan):
    """Every two of those that come quickly."""

    async def scenario():
        async with stage(durable_pg, plan) as on:
            for pair in PAIRS:
                await asyncio.gather(*(case(on) for case in pair))

    run(scenario(), 280)


@pytest.mark.long
@pytest.mark.parametrize("how", ["killed", "stopped"])
def test_two_services_share_every_table_and_one_goes(
    durable_pg: EmbeddedServer, plan: Plan, how: str
):
    """Players of one table sit at different services; those of the lost one go to the other."""

    async def scenario():
        async with stage(durable_pg, plan, services=2) as on:
            lost = on.services[1]
            if how == "killed":
                await lost.kill()
                await on.healing("one of two services killed")
                await lost.start()
            else:
                lost.signal(signal.SIGSTOP)
                await on.healing("one of two services stands still")
                await asyncio.sleep(STOPPED_SECONDS)
                lost.signal(signal.SIGCONT)
            await on.people.acknowledged(WARM)

    run(scenario(), 100)
