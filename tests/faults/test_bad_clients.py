"""Clients that mean no good, of every kind there is, one after the other beside a party that plays.

What is asserted does not depend on how fast the machine is: the honest are answered throughout and
refused nothing, memory and open files stay bounded and come back, the log says what happened and
nothing else, and whatever was acknowledged is stored.  What it costs is measured by
``benchmarks/bad_days.py``, and told here.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import grpc
import pytest

from service.identity import Role
from service.store.embedded import EmbeddedServer
from service.world import RealWorld
from tests.commands import ROOT
from tests.faults.checker import check
from tests.faults.conftest import Plan
from tests.faults.hostile.__main__ import KINDS
from tests.faults.hostile.lodgers import MANY
from tests.faults.hostile.target import Target
from tests.faults.party import Party, party
from tests.faults.process import Process
from tests.faults.server import tokens
from tests.service.harness import run
from tests.service.test_clocks import until

SECONDS: Final = 4.0
SUBJECTS: Final = 40
WARM: Final = 40

MOST_KB: Final = 150_000
"""By so much the service may grow: 3,000 connections of 20 kB, and what a crowd of calls takes."""

SPARE_FILES: Final = 20
"""Those of the honest, who connect anew now and then, and of the service itself."""

SAID: Final = frozenset({"limit_reached", "loop_stalled", "stream_not_read"})
"""What the log may say, whoever it was.  That the loop stalled is the machine's saying, here."""

WITHIN_LIMITS: Final = frozenset({"burn", "pings", "settings", "empty", "continuations"})
"""Of these nothing comes to us: gRPC sees to them, and says nothing."""


@asynccontextmanager
async def attacked(kind: str, target: Target) -> AsyncGenerator[None, None]:
    """Somebody in a process of his own, as long as the context lasts."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.faults.hostile", kind, target.text()),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(60):
            assert await process.stdout.readline() == b"begun\n"
        yield
        assert process.returncode is None, "the attack has ended by itself"
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


def memory_kb(pid: int) -> int:
    """Memory that a process holds."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(status.partition("VmRSS:")[2].split()[0])


def files(pid: int) -> int:
    """Files that a process has open."""
    return sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())


async def are_open(pid: int, most: int) -> bool:
    return files(pid) <= most


async def times(people: Party) -> list[float]:
    """How long each request of the honest ones took, for a while; how old the unanswered are."""
    start = len(people.pulse.took)
    await asyncio.sleep(SECONDS)
    now = time.monotonic()
    return people.pulse.took[start:] + [now - at for at in people.pulse.under_way.values()]


def p99(taken: list[float]) -> float:
    return sorted(taken)[int(len(taken) * 0.99)]


def said(log: Path) -> set[str]:
    """The events of a log, all of whose lines are JSON."""
    return {json.loads(line)["event"] for line in log.read_text(encoding="utf-8").splitlines()}


@pytest.mark.long
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_honest_play_on(durable_pg: EmbeddedServer, plan: Plan, kind: str, tmp_path: Path):
    """Before, during and after; see above."""
    log = tmp_path / "log"

    async def scenario():
        async with Process(durable_pg.service_conninfo, web=True, log=log) as service:
            address = f"127.0.0.1:{service.port}"
            ring = tokens(RealWorld())
            names = [ring.issue(f"hostile {n}", {Role.PLAYER}, 3600) for n in range(SUBJECTS)]
            async with party([address]) as people:
                await people.acknowledged(2 * WARM)
                calm = await times(people)
                tables = [f"{one.table}={one.version}" for one in people.lookers]
                target = Target(address, service.url.rpartition("/")[2], names, tables)
                before, opened = memory_kb(service.pid), files(service.pid)
                people.pulse.put_off.clear()
                async with attacked(kind, target):
                    wild = await times(people)
                    most, held = memory_kb(service.pid), files(service.pid)
                    await people.acknowledged(WARM)
                await people.acknowledged(WARM)
                assert people.pulse.put_off[grpc.StatusCode.RESOURCE_EXHAUSTED] == 0
                assert most - before < MOST_KB
                assert held - opened < MANY + SPARE_FILES
                await until(lambda: are_open(service.pid, opened + SPARE_FILES))
                assert said(log) <= (SAID - {"limit_reached"} if kind in WITHIN_LIMITS else SAID)
                plan.told(
                    f"attack: {kind}",
                    f"p99 {p99(calm) * 1000:.0f} → {p99(wild) * 1000:.0f} ms, "
                    f"{len(calm)} → {len(wild)} actions, memory {(most - before) / 1000:+.0f} MB, "
                    f"files {opened} → {held}",
                )
                await check(people, durable_pg.service_conninfo)

    run(scenario(), 150)
