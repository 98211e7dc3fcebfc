"""Connections cut at every message of an exchange: one effect each, and the same answer."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import count
from uuid import UUID

import pytest

from engine.actions import AddChips, TakeSeat
from engine.errors import Unavailable
from service.pb import table_service_pb2 as pb
from service.store import writer as writer_module
from service.store.postgres import Store
from service.world import RealWorld
from tests.faults.checker import Evidence, differences, principals, whole_log
from tests.faults.conftest import Plan
from tests.faults.honest import Honest, Pulse
from tests.faults.proxy import Fault, Part, Proxy, Way, before_grpc, before_postgres
from tests.faults.server import tokens
from tests.service.harness import CODEC, run, running

MOST = 40
"""Messages that no exchange of one commit has."""


def faults(way: Way, number: int, of: bytes, *, silent: bool) -> Iterator[Fault]:
    """Everything that can happen at one message."""
    for part in Part:
        yield Fault(way, number, part, silent, of)


class Saver:
    """Somebody whose chips count his requests."""

    def __init__(self, addresses: list[str]) -> None:
        self.honest = Honest(addresses, "ann", Pulse())
        self.table = ""

    async def open(self) -> None:
        made = await self.honest.ask(
            lambda client: client.tables.CreateTable, pb.CreateTableRequest(game="royal_flush")
        )
        assert made is not None
        self.table = made.table.table_id
        self.honest.journal[0].stream = UUID(self.table)
        await self.act(TakeSeat("", 1))

    async def act(self, action: object = AddChips(1)) -> None:
        """One more request, which is accepted in the end."""
        request = pb.SubmitActionRequest(
            table_id=self.table,
            action=CODEC.action_to_wire(action),  # type: ignore[arg-type]
        )
        done = await self.honest.ask(
            lambda client: client.tables.SubmitAction, request, UUID(self.table)
        )
        assert done is not None


async def every_cut(proxy: Proxy, saver: Saver, of: bytes, *, silent: bool, fresh: bool) -> int:
    """One request for every cut of either direction; how many cuts there were.

    ``fresh``: over a new connection each, so that its beginning is cut too.
    """
    cuts = 0
    for way in Way:
        for number in count(1):
            struck = 0
            for fault in faults(way, number, of, silent=silent):
                if fresh:
                    await saver.honest.renew()
                proxy.fault = fault
                await saver.act()
                struck += fault.fired.is_set()
                proxy.fault = None
            cuts += struck
            if not struck:
                break
            assert number < MOST
    return cuts


async def agrees(saver: Saver, dsn: str) -> None:
    """What the saver was told is what is stored, once."""
    async with Store(dsn, allow_unsafe=True) as store:
        found = Evidence(await whole_log(store), saver.honest.journal, await principals(store))
    assert differences(found) == []
    assert len(found.commits) == len(found.asked)


@pytest.mark.parametrize(
    "silent", [False, pytest.param(True, marks=pytest.mark.long)], ids=["cut", "silent"]
)
def test_the_writers_line_may_end_at_any_message(
    dsn: str, silent: bool, plan: Plan, monkeypatch: pytest.MonkeyPatch
):
    """Before the commit is sent, in the middle of it, when it is done and not answered."""
    monkeypatch.setattr(writer_module, "CALL_SECONDS", 0.3)  # or silence would take 15 s each

    async def scenario():
        async with (
            before_postgres(dsn) as proxy,
            running(proxy.address, tokens=tokens(RealWorld())) as service,
        ):
            saver = Saver([service.address])
            await saver.open()
            cuts = await every_cut(proxy, saver, b"kartejo-writer", silent=silent, fresh=False)
            await saver.honest.close()
            await agrees(saver, dsn)
            assert cuts > 20
            plan.told(f"service and PostgreSQL, {'silence' if silent else 'cut'}", f"{cuts} cuts")

    run(scenario(), 110)


@pytest.mark.parametrize(
    "silent", [False, pytest.param(True, marks=pytest.mark.long)], ids=["cut", "silent"]
)
def test_a_clients_line_may_end_at_any_frame(dsn: str, silent: bool, plan: Plan):
    """Whatever of a call or its answer is lost, the same request is answered in the end."""

    async def scenario():
        async with (
            running(dsn, tokens=tokens(RealWorld())) as service,
            before_grpc(service.address) as proxy,
        ):
            saver = Saver([proxy.address])
            await saver.open()
            saver.honest.attempt_seconds = 0.5 if silent else 3.0
            cuts = await every_cut(proxy, saver, b"", silent=silent, fresh=True)
            await saver.honest.close()
            await agrees(saver, dsn)
            assert cuts > 12
            plan.told(f"client and service, {'silence' if silent else 'cut'}", f"{cuts} cuts")

    run(scenario(), 110)


def test_lines_that_fell_silent_together_are_missed_once(dsn: str):
    """One reader waits in vain; the others do not try what he has found out."""

    async def scenario():
        async with (
            before_postgres(dsn) as proxy,
            Store(proxy.address, allow_unsafe=True, read_seconds=1.0) as store,
        ):
            await asyncio.gather(*(store.position() for _ in range(8)))
            assert len(store.pool._idle) > 1
            proxy.silence()
            with pytest.raises(Unavailable):
                await store.position()
            for _ in range(8):
                await store.position()

    run(scenario())
