"""Tables of all games played in process, with chips of accounts: logs for auditors.

Time is stepped and chance has a seed.  Players answer at once, or late from their time banks, or
not at all; tables close, or are left in the middle of a hand.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import count
from random import Random
from typing import Any, Final
from uuid import UUID

from engine.account import credit
from engine.actions import AddChips, ContributeEntropy, LeaveSeat, SitIn, SitOut, TakeSeat
from engine.errors import KartejoError, Refused
from engine.house import decision
from service.host.commands import Command
from service.host.host import Host
from service.host.live import Live
from service.identity import Principal, Role
from service.projections import Projections
from service.projections.runner import Runner
from service.store.commit import ActorKind, Commit
from service.store.log import log_after
from service.store.postgres import Store
from service.vault import MasterKey
from service.world import RealWorld, SteppedWorld
from tests.laws.samples import concrete
from tests.service.harness import ALL_GAMES, CODEC, MASTER

__all__ = ["OPTIONS", "Player", "fill", "play_on", "whole_log"]

OPTIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "palace_poker": {"max_seats": "3"},
    "pontoon": {"max_seats": "3", "min_players_to_start": "2"},
    "royal_casino": {"players": "2", "stake": "10", "target_score": "11"},
    "royal_flush": {},
}
PURSE: Final = 100_000
PROJECTIONS: Final = Projections.of(CODEC, ALL_GAMES)


class Player:
    """Plays tables of one host, one after the other, at random."""

    def __init__(self, host: Host, world: SteppedWorld, seed: int) -> None:
        self.host = host
        self.world = world
        self.rng = Random(seed)
        self._requests = count()
        self.people = [
            Principal(UUID(int=self.rng.getrandbits(128), version=4), frozenset({Role.PLAYER}))
            for _ in range(4)
        ]
        self.owner = Principal(
            UUID(int=self.rng.getrandbits(128), version=4), frozenset({Role.HOST})
        )

    def _request(self) -> str:
        """The id of a request, another one each time."""
        return f"request {next(self._requests)}"

    async def credit(self) -> None:
        """Chips for everybody."""
        for one in self.people:
            command = Command.of_caller(
                self.world, self.owner.id, self._request(), (bytes(32),), ActorKind.HOST, "credit"
            )
            await self.host.accounts.run(
                one.id, command, partial(credit, amount=PURSE, note="at the desk")
            )

    async def table(self, key: str, actions: int, house: Mapping[str, str]) -> Live:
        """A table with everybody who finds a seat, and some actions at it."""
        live, _ = await self.host.create_table(
            self.owner, self._request(), key, OPTIONS[key], house, {}
        )
        for seat in range(live.table.game.seats(live.table.state)):
            await self.act(live, seat, TakeSeat("", 0 if key == "royal_flush" else 200))
        for _ in range(actions):
            await self.step(live)
        return live

    async def act(self, live: Live, seat: int, action: Any) -> None:
        """An action of whoever sits there, or is about to."""
        now = live.awaited
        who = self.people[seat]
        hand, number = (now.hand, now.number) if now else (None, None)
        await self.host.submit(who, self._request(), live.stream, seat, action, hand, number)

    async def step(self, live: Live) -> None:
        """Something happens: mostly an answer, at times late; else the next hand."""
        table = live.table
        if decision(table) is None:
            await self._between(live)
            return
        dice = self.rng.randrange(100)
        if dice < 3:
            await self._pass(live, 200.0)
            return
        if dice < 8:
            await self._pass(live, self.rng.randrange(31, 80))
            if live.table.version != table.version:
                return
        seat = self.rng.choice(table.game.to_act(table.state))
        offers = table.game.legal_actions(table.state, seat)
        action = self.rng.choice(list(concrete(self.rng.choice(offers))))
        with suppress(Refused):
            await self.act(live, seat, action)

    async def _pass(self, live: Live, seconds: float) -> None:
        """Let time pass, and whatever it brings about be done."""
        self.world.advance(seconds)
        while self.host.executor.under_way.futures:
            await asyncio.gather(*self.host.executor.under_way.futures, return_exceptions=True)

    async def _between(self, live: Live) -> None:
        seats = live.table.game.players(live.table.state)
        for seat, (_, chips) in seats.items():
            with suppress(KartejoError):
                await self.act(live, seat, SitIn())
            if chips < 50 and live.table.house.options.purse == "account":
                with suppress(KartejoError):
                    await self.act(live, seat, AddChips(100))
        if len(seats) > 2 and not self.rng.randrange(6):
            seat = self.rng.choice(list(seats))
            with suppress(KartejoError):
                await self.act(live, seat, self.rng.choice((LeaveSeat(), SitOut())))
        if seats and not self.rng.randrange(3):
            mine = ContributeEntropy(live.table.house.epoch, b"mine")
            with suppress(KartejoError):
                await self.act(live, self.rng.choice(list(seats)), mine)
        if live.table.house.options.auto_start:
            await self._pass(live, 2.0)
        if decision(live.table) is None:
            with suppress(KartejoError):
                await self.host.start_hand(self.owner, self._request(), live.stream)
        for seat in range(live.table.game.seats(live.table.state)):
            if seat not in live.table.game.players(live.table.state):
                with suppress(KartejoError):
                    await self.act(live, seat, TakeSeat("", 200))

    async def close(self, live: Live) -> None:
        """The table's host has had enough of it."""
        with suppress(KartejoError):
            await self.host.close_table(self.owner, self._request(), live.stream)


async def fill(
    dsn: str,
    *,
    actions: int = 60,
    rounds: int = 1,
    seed: int = 1,
    games: Sequence[str] = tuple(OPTIONS),
) -> None:
    """Play every game at two tables a round on a new database: with accounts, and without."""
    world = SteppedWorld(seed=str(seed).encode())
    async with Store(dsn, allow_unsafe=True, notifications=False) as store:
        master = MasterKey(MASTER, world)
        async with Host(world, store, ALL_GAMES, CODEC, master) as host:
            player = Player(host, world, seed)
            await player.credit()
            for key in [key for _ in range(rounds) for key in games]:
                auto = "true" if len(OPTIONS[key]) else "false"
                purse = {"purse": "account", "auto_start": auto}
                live = await player.table(key, actions, purse)
                await player.close(live)
                live = await player.table(key, actions, {"reveal": "public"})
                await host.tables.save(live)
        for projection in PROJECTIONS:
            await Runner(world, store, projection).rebuild(lambda _: None)


async def play_on(dsn: str, done: asyncio.Event) -> None:
    """Play on a database, its projections kept up, until somebody has seen enough."""
    world = SteppedWorld(seed=b"on")
    async with (
        Store(dsn, allow_unsafe=True) as store,
        Host(world, store, ALL_GAMES, CODEC, MasterKey(MASTER, world)) as host,
    ):
        player = Player(host, world, 7)
        runners = [Runner(RealWorld(), store, each).run() for each in PROJECTIONS]
        keeping_up = [asyncio.create_task(each) for each in runners]
        await player.credit()
        purse = {"purse": "account"}
        tables = [await player.table(key, 1, purse) for key in OPTIONS]
        while not done.is_set():
            for live in tables:
                await player.step(live)
        for task in keeping_up:
            task.cancel()
        await asyncio.gather(*keeping_up, return_exceptions=True)


async def whole_log(dsn: str) -> list[Commit]:
    """Every stored commit in the order of positions."""
    async with Store(dsn, allow_unsafe=True, notifications=False) as store:
        found: list[Commit] = []
        while page := await store.pool.ask(
            partial(log_after, after=found[-1].position if found else 0, limit=1_000)
        ):
            found += page
        return found
