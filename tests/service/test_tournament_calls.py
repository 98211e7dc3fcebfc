"""What may be asked of tournaments, and of their tables: each once, or for a precise reason."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID, uuid4

import pytest

from engine.actions import AddChips, LeaveSeat, SitOut, TakeSeat
from engine.errors import Denied, KartejoError, Malformed, Refused, Reused, Unknown
from engine.tournament import actions as a
from engine.tournament.state import Phase
from engine.tournament.structure import Level
from service.identity import Principal, Role
from service.pb import table_service_pb2 as pb
from service.tournaments.managers import AWAY_SECONDS
from service.world import SteppedWorld
from tests.audit.looking import audited
from tests.service.harness import Running, failing, run, running
from tests.service.test_clocks import until
from tests.service.tournament import STRUCTURE, Event


async def refused(call: Any, kind: type[KartejoError] = Refused) -> Any:
    """The error of a call that must fail."""
    with pytest.raises(kind) as error:
        await call
    return error.value


class Asked:
    """Asks a tournament as p0, p1, …, the host, or somebody else."""

    def __init__(self, event: Event) -> None:
        self.event = event

    async def player(self, number: int, action: Any, request: str = "") -> Any:
        who = await self.event.principal(f"p{number}")
        return await self.event.calls.ask(who, request or uuid4().hex, self.event.stream, action)

    async def host(self, action: Any, request: str = "") -> Any:
        event = self.event
        return await event.calls.order(event.host, request or uuid4().hex, event.stream, action)

    async def balance(self, number: int) -> int:
        who = await self.event.principal(f"p{number}")
        return (await self.event.service.server.host.accounts.balance(who.id)).balance

    async def state(self) -> Any:
        return (await self.event.live()).now.state


def test_each_request_takes_effect_once(dsn: str) -> None:
    """Registering, unregistering, creating: repeated, they are answered alike; money moves once."""

    async def scenario() -> None:
        async with running(dsn) as service:
            event = await Event.create(service, 2)
            asked = Asked(event)
            assert await asked.balance(0) == 890
            stored = await service.commits()
            once = await asked.player(0, a.Register(), "register")
            again = await asked.player(0, a.Register(), "register")
            assert once.version == again.version
            assert await service.commits() == stored
            assert await asked.balance(0) == 890
            assert event.host is not None
            same = await event.calls.create(event.host, "make", STRUCTURE)
            assert same.stream == event.stream
            other = STRUCTURE._replace(fee=11)
            await refused(event.calls.create(event.host, "make", other), Reused)
            await refused(asked.player(0, a.Unregister(), "register"), Reused)
            second = await event.calls.create(event.host, "make another", STRUCTURE)
            player = await event.principal("p0")
            await refused(event.calls.ask(player, "register", second.stream, a.Register()), Reused)
            await asked.player(0, a.Unregister(), "go")
            await asked.player(0, a.Unregister(), "go")
            assert await asked.balance(0) == 1000
            two = await asyncio.gather(*(asked.player(0, a.Register(), "same") for _ in range(5)))
            assert len({one.version for one in two}) == 1
            assert await asked.balance(0) == 890

    run(scenario())


def test_what_cannot_be_is_refused_and_changes_nothing(dsn: str) -> None:
    async def scenario() -> None:
        async with running(dsn) as service:
            event = await Event.create(service, 2, STRUCTURE._replace(max_entrants=2))
            asked = Asked(event)
            await service.client("house", Role.HOST).create("parlour")
            stored = await service.commits()
            again = await refused(asked.player(0, a.Register()))
            assert again.reason == "ALREADY_REGISTERED"
            assert (await refused(asked.player(7, a.Register()))).reason == "TOURNAMENT_FULL"
            assert (await refused(asked.player(7, a.Unregister()))).reason == "NOT_REGISTERED"
            assert (await refused(asked.player(0, a.ReEnter()))).reason
            assert (await refused(asked.host(a.PauseTournament()))).reason == "NOT_RUNNING"
            assert (await refused(asked.host(a.CancelTournament("")))).detail["field"] == "reason"
            nobody = await refused(asked.host(a.Disqualify(str(uuid4()), "late")))
            assert nobody.reason == "NOT_REGISTERED"
            stranger = await event.principal("stranger", Role.HOST)
            start = event.calls.order(stranger, "s", event.stream, a.StartTournament())
            await refused(start, Denied)
            player = await event.principal("p0")
            await refused(event.calls.order(player, "s", event.stream, a.StartTournament()), Denied)
            await refused(event.calls.create(player, "mine", STRUCTURE), Denied)
            await refused(event.calls.ask(player, "", event.stream, a.Register()), Malformed)
            for unknown in (uuid4(), UUID(int=0), await _a_table(service)):
                await refused(event.calls.ask(player, "u", unknown, a.Register()), Unknown)
            at_one_table = Principal(player.id, player.roles, table=uuid4())
            await refused(event.calls.ask(at_one_table, "t", event.stream, a.Register()), Denied)
            of_the_lab = Principal(player.id, player.roles, lab=True)
            await refused(event.calls.ask(of_the_lab, "l", event.stream, a.Register()), Unknown)
            assert await service.commits() == stored + 1

    run(scenario())


async def _a_table(service: Running) -> UUID:
    made = await service.client("house", Role.HOST).create("parlour", request_id="table")
    return UUID(made.table.table_id)


def test_who_cannot_pay_does_not_enter(dsn: str) -> None:
    """The account and the tournament move together or not at all."""

    async def scenario() -> None:
        async with running(dsn) as service:
            event = await Event.create(service, 1, money=110)
            asked = Asked(event)
            assert await asked.balance(0) == 0
            poor = await refused(asked.player(3, a.Register()))
            assert (poor.reason, poor.detail) == (
                "INSUFFICIENT_CHIPS",
                {"amount": 110, "balance": 0},
            )
            assert (await asked.state()).field == 1

    run(scenario())


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("game", "bridge"),
        ("format", "lottery"),
        ("levels", ()),
        ("stack", 0),
        ("table_size", 11),
        ("name", " "),
    ],
)
def test_a_structure_that_cannot_work_makes_no_tournament(
    dsn: str, field: str, value: object
) -> None:
    async def scenario() -> None:
        async with running(dsn) as service:
            made = Event(service, UUID(int=0), 0)
            host = await made.principal("host", Role.HOST)
            wrong = STRUCTURE._replace(**{field: value})  # type: ignore[arg-type]
            error = await refused(made.calls.create(host, "make", wrong))
            assert (error.reason, error.detail["field"]) == ("INVALID_STRUCTURE", field)
            assert await service.commits() == 0

    run(scenario())


# --- at a table of a tournament -------------------------------------------------------------------


def test_its_tables_are_nobodys_but_its_own(dsn: str) -> None:
    """Nobody opens one, sits down, leaves, adds chips, sits out, deals or closes there."""

    async def scenario() -> None:
        async with running(dsn) as service:
            event = await Event.create(service, 2)
            boss = service.client("boss", Role.ADMIN)
            own = await failing(boss.create("palace_poker", house_options={"purse": "tournament"}))
            assert (own.reason, own.metadata["option"]) == ("INVALID_OPTIONS", "purse")
            await event.start()
            live = await event.live()
            table = str(await _dealing(event))
            seated = (await boss.get(table)).table.seats
            seat, chips = seated[0].seat, seated[0].chips
            player = event.clients[event.ids[seated[0].player]]
            stored = await service.commits()
            for action in (LeaveSeat(), AddChips(50), SitOut()):
                error = await failing(player.act(table, seat, action))
                assert (error.reason, error.metadata["tournament"]) == (
                    "TOURNAMENT_TABLE",
                    str(event.stream),
                )
            taken = await failing(service.client("new").act(table, 2, TakeSeat("", 100)))
            assert taken.reason == "TOURNAMENT_TABLE"
            for caller in (player, boss):
                start = await failing(caller.start(table))
                assert start.reason == "TOURNAMENT_TABLE"
                request = pb.CloseTableRequest(request_id=uuid4().hex, table_id=table)
                close = await failing(caller.call(caller.tables.CloseTable, request))
                assert close.reason == "TOURNAMENT_TABLE"
            assert await service.commits() == stored
            shown = (await boss.get(table)).table
            assert shown.host == str(event.stream)
            assert {one.name: one.value for one in shown.house_options}["purse"] == "tournament"
            assert shown.seats[0].chips <= chips
            assert live.now.state.phase is Phase.RUNNING

    run(scenario())


async def _dealing(event: Event) -> UUID:
    """A table of the tournament at which a hand runs."""
    live = await event.live()
    tables = event.service.server.host.tables

    async def dealt() -> bool:
        found = [tables.peek(stream) for stream in live.streams.values()]
        return any(one is not None and one.awaited for one in found)

    await until(dealt)
    return next(
        stream
        for stream in live.streams.values()
        if (one := tables.peek(stream)) is not None and one.awaited
    )


def test_levels_are_shown_with_the_table(dsn: str) -> None:
    """Options as they stand, not as they stood when the table was opened."""

    async def scenario() -> None:
        async with running(dsn) as service:
            quick = tuple(level._replace(hands=1) for level in STRUCTURE.levels)
            event = await Event.create(service, 5, STRUCTURE._replace(levels=quick))
            await event.start()
            live = await event.play()
            shown: list[str] = []
            for stream in live.streams.values():
                options = (await service.client("p0").get(str(stream))).table.options
                shown.append({one.name: one.value for one in options}["small_bet"])
            levels = [level.options[0][1] for level in STRUCTURE.levels]
            played = [table.level for table in live.now.state.tables]
            assert shown == [levels[level] for level in played]
            assert max(played) > 0

    run(scenario())


# --- time -----------------------------------------------------------------------------------------

BY_TIME = STRUCTURE._replace(
    stack=100_000,
    levels=tuple(
        Level(options=(("small_bet", str(bet)),), minutes=10, break_minutes=5 if bet < 80 else 0)
        for bet in (20, 40, 80)
    ),
)


async def pass_until(service: Running, world: SteppedWorld, moment: int) -> None:
    """Let time go by, to a moment (microseconds), so that the service sees all of it.

    What it slept through would be given back to the clock.
    """

    async def seen() -> bool:
        return service.server.managers._idle() < AWAY_SECONDS / 2

    while (left := moment - world.now()) > 0:
        world.advance(min(left / 1e6, AWAY_SECONDS - 1))
        await until(seen)


def test_clocks_do_not_run_while_it_is_paused(dsn: str, monkeypatch: Any) -> None:
    """A level lasts its time of play: paused for a week, it has what it had."""

    async def scenario() -> None:
        world = SteppedWorld()
        async with running(dsn, world=world) as service:
            event = await Event.create(service, 2, BY_TIME)
            asked = Asked(event)
            await event.start()
            live = await event.live()

            async def began() -> bool:
                return live.now.state.clock is not None

            await until(began, world)
            await pass_until(service, world, live.clock_since + 240_000_000)
            paused = await asked.host(a.PauseTournament())
            left = live.clock_left_ms(world.now())
            assert left is not None
            assert 350_000 < left <= 360_000
            again = await refused(asked.host(a.PauseTournament()))
            assert again.reason == "ALREADY_PAUSED"
            world.advance(7 * 86_400)
            await asyncio.sleep(0.2)
            assert live.clock_left_ms(world.now()) == left
            assert live.now.state.level == 0
            assert paused.version
            await asked.host(a.ResumeTournament())
            assert live.clock_left_ms(world.now()) == left

            playing = asyncio.create_task(event.play(until=lambda one: one.now.state.level == 1))
            due = world.now() + left * 1000
            await pass_until(service, world, due - 5_000_000)
            assert live.now.state.level == 0
            await pass_until(service, world, due)

            async def over() -> bool:
                clock = live.now.state.clock
                return clock is None or clock.kind.name == "BREAK" or live.now.state.level == 1

            await until(over, world, 20)
            playing.cancel()
            await asyncio.wait([playing])

    run(scenario())
    assert audited(dsn, monkeypatch).result.findings == []


def test_nobody_waits_for_who_is_away(dsn: str) -> None:
    """He has missed a whole hand: he is dealt in again, and has two seconds for a turn."""

    async def scenario() -> None:
        world = SteppedWorld()
        async with running(dsn, world=world) as service:
            event = await Event.create(service, 2)
            await event.start()
            live = await event.live()

            async def dealt() -> bool:
                tables = [service.server.host.tables.peek(one) for one in live.streams.values()]
                return any(one is not None and one.awaited for one in tables)

            await until(dealt, world)
            (table,) = [service.server.host.tables.peek(one) for one in live.streams.values()]
            assert table is not None
            clocks = service.server.host.clocks
            assert clocks.remaining_ms(table) > 30_000

            async def second() -> bool:
                if table.table.house.hands == 1:
                    world.advance(5)
                return table.table.house.hands > 1 and table.awaited is not None

            await until(second, world, 20)
            assert {seat for seat, _ in table.table.house.missed} == {0, 1}
            assert not any(who and who.out for who in table.table.state.seats)
            assert 0 < clocks.remaining_ms(table) <= 2_000

    run(scenario())


def test_cancelled_it_gives_everything_back(dsn: str, monkeypatch: Any) -> None:
    """Before the start all that was paid; later the pool by the written rule."""

    async def scenario() -> None:
        async with running(dsn) as service:
            event = await Event.create(service, 4)
            await Asked(event).host(a.CancelTournament("rain"))
            live = await event.play()
            assert live.now.state.phase is Phase.CANCELLED
            assert await event.balances() == [1000] * 4

    run(scenario())
    assert audited(dsn, monkeypatch).result.findings == []


def test_cancelled_in_the_middle_it_settles(dsn: str, monkeypatch: Any) -> None:
    async def scenario() -> None:
        async with running(dsn) as service:
            event = await Event.create(service, 6)
            await event.start()
            await event.play(until=lambda live: live.now.state.deals >= 2)
            await Asked(event).host(a.CancelTournament("fire"))
            live = await event.play()
            state = live.now.state
            assert state.phase is Phase.CANCELLED
            assert state.issued == state.removed
            assert sum(await event.balances()) == 6000 - state.money.fees
            assert state.money.pool == state.money.owed == 0

    run(scenario())
    assert audited(dsn, monkeypatch).result.findings == []
