"""A tournament with players in process: they register, and act through the API at their tables."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from random import Random
from typing import Any
from uuid import UUID

import grpc

from engine.errors import Unknown
from engine.games.palace_poker import actions as a
from engine.games.royal_flush.actions import AutoPlay
from engine.tournament.actions import Register, StartTournament
from engine.tournament.housed import is_over
from engine.tournament.structure import Level, Structure
from service.bots import Look
from service.bots.random_offer import random_action
from service.identity import ISSUER, KeyRing, Principal, Role, Tokens
from service.rpc.server import Parts, Server, Settings
from service.store.postgres import Store
from service.store.principals import Principals
from service.tournaments.live import LiveTournament
from service.vault import MasterKey
from service.world import RealWorld
from tests.service.harness import ALL_GAMES, AT_WILL, CODEC, MASTER, Client, Running
from tests.service.test_accounts import Bank

FAST = tuple(
    Level(options=(("small_bet", str(bet)), ("big_bet", str(bet))), hands=2)
    for bet in (20, 40, 80, 160, 320, 640, 1280, 2560)
)
"""Levels that come to an end soon."""

STRUCTURE = Structure(
    name="Sunday",
    game="palace_poker",
    format="elimination",
    table_size=3,
    stack=200,
    levels=FAST,
    buy_in=100,
    fee=10,
    min_entrants=2,
    max_entrants=50,
    options=(("betting_structure", "no_limit"),),
)


class Event:
    """A tournament on a running service, with its host and players p0, p1, …"""

    def __init__(self, service: Running, stream: UUID, players: int) -> None:
        self.service = service
        self.stream = stream
        self.players = players
        self.ids: dict[str, int] = {}
        self.clients: dict[int, Client] = {}
        self.host: Principal | None = None
        self._random = Random(7)

    @property
    def calls(self) -> Any:
        return self.service.server.tournaments

    async def principal(self, name: str, *roles: Role) -> Principal:
        player = await self.service.server._parts.identities.resolve(ISSUER, name)
        return Principal(player, frozenset(roles or (Role.PLAYER,)))

    async def live(self) -> LiveTournament:
        return await self.calls._tournaments.get(self.stream)

    @classmethod
    async def create(
        cls, service: Running, players: int, structure: Structure = STRUCTURE, money: int = 1000
    ) -> Event:
        """Made by its host; everybody has money on his account, and registers."""
        made = cls(service, UUID(int=0), players)
        host = await made.principal("host", Role.HOST)
        live = await made.calls.create(host, "make", structure)
        event = cls(service, live.stream, players)
        event.host = host
        bank = Bank(service, service.client("house", Role.HOST))
        for number in range(players):
            await bank.credit(f"p{number}", money, request_id=f"credit {number}")
            player = await event.principal(f"p{number}")
            await event.calls.ask(player, "register", event.stream, Register())
        await event.know()
        return event

    async def again(self, service: Running) -> Event:
        """The same tournament on another service over the same database."""
        event = Event(service, self.stream, self.players)
        event.host = self.host
        await event.know()
        return event

    async def know(self) -> None:
        for number in range(self.players):
            name = f"p{number}"
            self.ids[str((await self.principal(name)).id)] = number
            self.clients[number] = self.service.client(name)

    async def balances(self) -> list[int]:
        """What is on the accounts of the players."""
        accounts = self.service.server.host.accounts
        return [(await accounts.balance(UUID(player))).balance for player in self.ids]

    async def start(self) -> None:
        assert self.host is not None
        await self.calls.order(self.host, "start", self.stream, StartTournament())

    async def play(self, until: Any = None) -> LiveTournament:
        """Play at all tables until the tournament is over and paid, or something has happened."""
        live = await self.live()
        seen: set[UUID] = set()
        async with asyncio.TaskGroup() as tasks:
            playing: list[asyncio.Task[None]] = []
            while not self._is_paid(live) and not (until and until(live)):
                for stream in set(live.streams.values()) - seen:
                    seen.add(stream)
                    playing.append(tasks.create_task(self._play_at(stream)))
                with suppress(TimeoutError):
                    async with asyncio.timeout(0.05):
                        await live.news(live.version)
            for task in playing:
                task.cancel()
        return live

    @staticmethod
    def _is_paid(live: LiveTournament) -> bool:
        state = live.now.state
        return is_over(state) and not state.owed and not state.standing

    async def _play_at(self, stream: UUID) -> None:
        while True:
            try:
                table = await self.service.server.host.tables.get(stream)
            except Unknown:  # drawn, and not opened yet
                await asyncio.sleep(0.01)
                continue
            now, version = table.awaited, table.table.version
            if table.table.game.is_closed(table.table.state):
                return
            if now is None:
                await table.news(version)
                continue
            (seat,) = now.seats
            player = table.table.game.players(table.table.state)[seat][0]
            if player not in self.ids:  # the house's own
                await table.news(version)
                continue
            client = self.clients[self.ids[player]]
            with suppress(grpc.aio.AioRpcError):
                if table.table.game.key == "palace_poker":
                    action = self._choose(table.table, seat)
                else:
                    action = await self._at_random(client, str(stream), table.table, seat)
                await client.act(str(stream), seat, action, hand=now.hand, decision=now.number)

    async def play_hand(self, stream: UUID) -> None:
        """Play the running game of a solitaire to its end."""
        table = await self.service.server.host.tables.get(stream)
        now = table.awaited
        assert now is not None
        player = table.table.game.players(table.table.state)[0][0]
        action = AutoPlay("game")
        client = self.clients[self.ids[player]]
        await client.act(str(stream), 0, action, hand=now.hand, decision=now.number)

    async def _at_random(self, client: Client, stream: str, table: Any, seat: int) -> Any:
        """Anything that is offered; a solitaire plays itself."""
        if table.game.key == "royal_flush":
            return AutoPlay("game")
        state = (await client.get(stream)).state
        view = CODEC.view_from_wire(state.view)
        look = Look(table.game, seat, view, state.offers, dict(table.house.agreed))
        return random_action(self._random, look, look.offers)

    def _choose(self, table: Any, seat: int) -> Any:
        """Bold: attacks with all that is allowed."""
        offers = {offer.action: offer for offer in table.game.legal_actions(table.state, seat)}
        if a.Call in offers:
            return a.Call()
        bets = [
            offer for offer in table.game.legal_actions(table.state, seat) if offer.action is a.Bet
        ]
        if bets:
            target, amount = self._random.choice(bets).limits
            return a.Bet(target.low, amount.high)
        if a.Muster in offers:
            (cards,) = offers[a.Muster].limits
            return a.Muster(tuple(cards.cards[: cards.low]))
        return a.Stay() if a.Stay in offers else a.Fold()


class Dropped:
    """A service that ends as by a kill: whatever it is about stops, and nobody is told."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn

    async def __aenter__(self) -> Running:
        world = RealWorld()
        store = await Store(self._dsn, allow_unsafe=True).__aenter__()
        tokens = Tokens(KeyRing.draw(world), world)
        parts = Parts(
            world=world,
            store=store,
            games=ALL_GAMES,
            codec=CODEC,
            master=MasterKey(MASTER, world),
            tokens=tokens,
            identities=Principals(store.pool),
        )
        server = await Server(Settings("127.0.0.1:0", speed=AT_WILL), parts).__aenter__()
        self._service = Running(server, tokens, store, world)
        return self._service

    async def __aexit__(self, *_: object) -> None:
        server, store = self._service.server, self._service.store
        managing = [task for _, task in server.managers._running.values()]
        working = [
            *server.host.executor.under_way.futures,
            *managing,
            *server._tasks,
            *store._hinting,
        ]
        assert store._writing is not None
        for task in (*working, store._writing):
            task.cancel()
        await asyncio.wait([*working, store._writing])
        server.host.clocks.stop()
        for live in server.host.tables.hot():
            live.stop_timer()
        await self._service.close()
        await server._server.stop(None)
        await store.pool.close()
        await store.reports.close()
