"""Tournaments that end before their time: whatever their tables are about, all are closed."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from engine.tournament import actions as a
from engine.tournament.orders import OpenTable, StartHand, orders
from engine.tournament.state import TableStatus
from engine.tournament.structure import Structure
from service.tournaments.errands import Errands
from service.tournaments.hands import Progress
from service.tournaments.live import LiveTournament
from service.verify import verify
from tests.audit.looking import BLIND, audited, looked_at
from tests.audit.played import whole_log
from tests.service.harness import Running, run, running
from tests.service.test_clocks import until
from tests.service.tournament import STRUCTURE, Dropped, Event
from tests.verify.forging import exported

CHOICE = Structure(
    name="Flush",
    game="royal_flush",
    format="choice",
    table_size=1,
    buy_in=100,
    fee=10,
    settings=(
        ("choice.any", "points=2553241 target_mode=royal_flush"),
        ("choice.aces", "points=1376439 target_mode=four_of_a_kind target_rank=A"),
    ),
)
"""All tables deal the same packs, which nobody may know before the last one is closed."""


def pontoon(**options: str) -> Structure:
    return Structure(
        name="Pontoon",
        game="pontoon",
        format="rounds",
        table_size=4,
        stack=200,
        buy_in=100,
        fee=10,
        options=tuple(options.items()),
        settings=(("deals", "3"),),
    )


async def unmanaged(service: Running) -> None:
    """Nobody looks after tournaments any more."""
    (task,) = [each for each in service.server._tasks if each.get_name() == "tournaments"]
    task.cancel()
    await asyncio.wait([task])


async def ended(service: Running, event: Event) -> LiveTournament:
    """Cancelled, and played until nothing is left to do."""
    await event.calls.order(event.host, "cancel", event.stream, a.CancelTournament("fire"))
    await service.server.managers._begin(event.stream)
    live = await event.play()
    assert {table.status for table in live.now.state.tables} == {TableStatus.DONE}
    if managed := service.server.managers._running.get(event.stream):
        async with asyncio.timeout(30):
            await managed[1]  # it sees that nothing is left
    return live


def green(dsn: str, monkeypatch: Any) -> None:
    """For the audit, with a key and without, and for whoever has the export alone."""
    assert audited(dsn, monkeypatch).result.findings == []
    log = run(whole_log(dsn))
    assert looked_at(log, tools=BLIND).findings == []
    assert verify(exported(log)).findings == []


@pytest.mark.parametrize("structure", [STRUCTURE, CHOICE, pontoon()], ids=lambda one: one.format)
@pytest.mark.parametrize("opened", [0, 1])
def test_before_all_tables_are_open(
    dsn: str, monkeypatch: Any, structure: Structure, opened: int
) -> None:
    """Some were about to be opened, by somebody who learns then that it is over."""

    async def scenario() -> None:
        async with running(dsn) as service:
            await unmanaged(service)
            event = await Event.create(service, 4, structure)
            await event.start()
            live = await event.live()
            errands = Errands(service.server.host, event.calls._joint, live)
            due = [one for one in orders(live.now.state) if isinstance(one, OpenTable)][:opened]
            tables = [await errands._opened(order) for order in due]
            await ended(service, event)
            for order in due:
                await errands.run(order)
            assert all(table.table.game.is_closed(table.table.state) for table in tables)
            assert await event.balances() == [1000] * 4

    run(scenario())
    green(dsn, monkeypatch)


@pytest.mark.parametrize("structure", [STRUCTURE, CHOICE], ids=lambda one: one.format)
def test_killed_between_opening_a_table_and_seating_its_players(
    dsn: str, monkeypatch: Any, structure: Structure
) -> None:
    """It is cancelled then: whoever looks after it next finds the table, and closes it."""
    opened: list[Any] = []

    async def dies(_: Errands, orders: Any, tables: Any) -> None:
        opened.extend(tables)
        await asyncio.Event().wait()

    async def killed() -> Event:
        async with Dropped(dsn) as service:
            event = await Event.create(service, 4, structure)
            with monkeypatch.context() as patched:
                patched.setattr(Errands, "_seat", dies)
                await event.start()
                live = await event.live()
                await until(lambda: _all_opened(live, opened))
                await event.calls.order(event.host, "c", event.stream, a.CancelTournament("fire"))
            return event

    async def scenario() -> None:
        event = await killed()
        async with running(dsn) as service:
            await until(lambda: _is_done(service))
            event = await event.again(service)
            live = await event.live()
            for stream in live.streams.values():
                table = (await service.server.host.tables.get(stream)).table
                assert table.game.is_closed(table.state)
                assert not table.house.packs or table.house.released
            assert await event.balances() == [1000] * 4

    run(scenario())
    green(dsn, monkeypatch)


async def _all_opened(live: LiveTournament, opened: list[Any]) -> bool:
    return len(opened) == len(live.now.state.tables)


async def _is_done(service: Running) -> bool:
    return not await service.store.tournaments()


@pytest.mark.parametrize("shoot", ["true", "false"])
def test_while_the_bank_of_the_house_plays(dsn: str, monkeypatch: Any, shoot: str) -> None:
    """What it wins and loses in deals that do not count is at the tables all the same."""

    # Nobody runs out of chips or deals meanwhile, however far they come: a hand is always due.
    long = pontoon(shoot=shoot)._replace(stack=100_000, settings=(("deals", "100"),))

    async def scenario() -> None:
        async with running(dsn) as service:
            event = await Event.create(service, 6, long)
            await event.start()
            await event.play(until=lambda live: live.now.state.deals >= 2)
            await unmanaged(service)
            live = await event.live()
            starts = [one for one in orders(live.now.state) if isinstance(one, StartHand)]
            assert starts
            live = await ended(service, event)
            errands = Errands(service.server.host, event.calls._joint, live)
            for one in starts:  # the next hand, which was not dealt any more
                late = replace(one, version=live.version, hand=one.hand + 1)
                assert await errands.run(late) is Progress.DONE

    run(scenario())
    green(dsn, monkeypatch)
