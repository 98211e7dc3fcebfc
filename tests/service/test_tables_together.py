"""Tables of a tournament that are opened and closed, and hands that end, several at a time."""

from __future__ import annotations

from typing import Any

import pytest

from engine.errors import Corrupt, Refused
from engine.events import Event as Fact
from engine.tournament import events as e
from engine.tournament.orders import OpenTable, StartHand, orders
from engine.tournament.state import Phase, TableStatus
from service.tournaments import manager
from service.tournaments.errands import Errands
from service.tournaments.hands import EndHand, Hands, Progress
from service.tournaments.live import LiveTournament
from service.tournaments.manager import Manager
from tests.service.harness import run, running
from tests.service.test_clocks import until
from tests.service.test_tournament_ends import green, unmanaged
from tests.service.test_tournament_games import SERIES
from tests.service.tournament import Event

PLAYERS = 6


def told_of(kind: type[Fact], live: LiveTournament) -> list[int]:
    """How many facts of a kind each commit has that has any."""
    counts = [sum(isinstance(event, kind) for event in recorded.events) for recorded in live.recent]
    return [count for count in counts if count]


def test_what_is_due_at_the_same_time_is_one_commit(dsn: str, monkeypatch: Any) -> None:
    async def scenario() -> None:
        async with running(dsn) as service:
            event = await Event.create(service, PLAYERS, SERIES)
            await event.start()
            live = await event.play()
            assert live.now.state.phase is Phase.FINISHED
            assert told_of(e.TableStood, live) == [PLAYERS]
            assert told_of(e.TableDone, live) == [PLAYERS]

    run(scenario())
    green(dsn, monkeypatch)


def test_what_is_wrong_with_one_table_keeps_no_other_from_opening(
    dsn: str, monkeypatch: Any
) -> None:
    """It is tried again, by itself, until it can be opened."""
    opened, healed = Errands._opened, False

    async def may_fail(self: Errands, order: OpenTable) -> Any:
        if order.table == 2 and not healed:
            raise Corrupt("nobody can open it")
        return await opened(self, order)

    monkeypatch.setattr(Errands, "_opened", may_fail)
    monkeypatch.setattr(manager, "FAULT_SECONDS", 0.05)

    async def scenario() -> None:
        nonlocal healed
        async with running(dsn) as service:
            event = await Event.create(service, PLAYERS, SERIES)
            await event.start()
            live = await event.live()

            async def all_but_one() -> bool:
                return live.now.state.opening == 1 << 2

            await until(all_but_one)
            assert live.now.state.tables[2].status is TableStatus.OPENING
            healed = True
            live = await event.play()
            assert live.now.state.phase is Phase.FINISHED

    run(scenario())
    green(dsn, monkeypatch)


def test_a_group_with_a_table_that_another_process_has_opened_changes_nothing(dsn: str) -> None:
    async def scenario() -> None:
        async with running(dsn) as service:
            await unmanaged(service)
            event = await Event.create(service, PLAYERS, SERIES)
            await event.start()
            live = await event.live()
            errands = Errands(service.server.host, event.calls._joint, live)
            due = [one for one in orders(live.now.state) if isinstance(one, OpenTable)]
            await errands.run(due[3])
            version = live.version
            with pytest.raises(Refused) as refused:
                await errands.run_together(due)
            assert refused.value.reason == "STALE_REPORT"
            assert live.version == version
            await errands.run_together([one for one in due if one is not due[3]])
            assert not live.now.state.opening

    run(scenario())


def test_hands_that_have_ended_are_told_in_one_commit(dsn: str, monkeypatch: Any) -> None:
    """Whoever tells of one again, or of one with others, changes nothing."""

    async def scenario() -> None:
        async with running(dsn) as service:
            await unmanaged(service)
            event = await Event.create(service, PLAYERS, SERIES)
            await event.start()
            live = await event.live()
            errands = Errands(service.server.host, event.calls._joint, live)
            await errands.run_together([*orders(live.now.state)])
            deals = [one for one in orders(live.now.state) if isinstance(one, StartHand)]
            assert [await errands.run(deal) for deal in deals] == [Progress.WAITS] * PLAYERS
            for deal in deals:
                await event.play_hand(live.streams[deal.table])
            assert [await errands.run(deal) for deal in deals] == [Progress.ENDED] * PLAYERS
            ends = [EndHand(deal.version, deal.table, deal.hand) for deal in deals]
            await errands.run_together(ends[:4])
            assert (live.now.state.deals, told_of(e.DealPlayed, live)) == (4, [4])
            version = live.version
            for again in (ends[:4], ends[2:], [*reversed(ends)]):
                if again == ends[:4]:  # the very same command: it is known
                    await errands.run_together(again)
                else:
                    with pytest.raises(Refused, match="STALE_REPORT"):
                        await errands.run_together(again)
                assert live.version == version
            assert [await errands.run(end) for end in ends] == [Progress.DONE] * PLAYERS
            assert (live.now.state.deals, told_of(e.DealPlayed, live)) == (6, [4, 1, 1])

    run(scenario())
    green(dsn, monkeypatch)


@pytest.mark.parametrize("seconds", [0.01, 3600.0])
def test_the_first_to_end_waits_a_little_for_others(
    dsn: str, monkeypatch: Any, seconds: float
) -> None:
    """Not for ever, and not at all once nobody plays any more whose end could come."""
    monkeypatch.setattr(manager, "GATHER_SECONDS", seconds)

    async def scenario() -> None:
        async with running(dsn) as service:
            event = await Event.create(service, PLAYERS, SERIES)
            await event.start()
            live = await event.live()

            async def all_play() -> bool:
                tables = [service.server.host.tables.peek(each) for each in live.streams.values()]
                return len([one for one in tables if one and one.awaited]) == PLAYERS

            async def one_is_told() -> bool:
                return live.now.state.deals == 1

            async def all_are_told() -> bool:
                return live.now.state.deals == PLAYERS

            await until(all_play)
            first, *others = range(PLAYERS)
            await event.play_hand(live.streams[first])
            if seconds < 1:
                await until(one_is_told)
            for table in others:
                await event.play_hand(live.streams[table])
            await until(all_are_told)
            told = told_of(e.DealPlayed, live)
            if seconds < 1:
                assert told[0] == 1
            else:
                assert told == [PLAYERS]

    run(scenario())
    green(dsn, monkeypatch)


def test_a_hand_that_ends_while_it_is_dealt_leaves_nothing_behind(
    dsn: str, monkeypatch: Any
) -> None:
    """Its end is heard of while its order is still under way, which finds it itself."""
    began = Hands._begin
    managers: set[Manager] = set()
    carried_out = Manager._carry_out

    async def noted(self: Manager, due: Any) -> None:
        managers.add(self)
        await carried_out(self, due)

    async def scenario() -> None:
        async with running(dsn) as service:
            event = await Event.create(service, 2, SERIES)

            async def played_at_once(self: Hands, live: Any, order: StartHand) -> None:
                await began(self, live, order)
                await event.play_hand(live.stream)

            monkeypatch.setattr(Hands, "_begin", played_at_once)
            monkeypatch.setattr(Manager, "_carry_out", noted)
            await event.start()
            live = await event.live()
            while live.now.state.phase is not Phase.FINISHED or live.now.state.standing:
                await live.news(live.version)
            (one,) = managers
            assert live.now.state.deals == 6
            assert not one._again
            assert not one._parked

    run(scenario())
    green(dsn, monkeypatch)
