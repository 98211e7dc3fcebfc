"""Tables of all four games with honest players at them, and somebody who looks on.

Every player watches his table with eyes of his own and acts on what he saw there; every request,
creations and credits included, stands in a journal.  Chips come from accounts.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Final
from uuid import UUID

from engine.actions import Action, AddChips, TakeSeat
from engine.games import GAMES
from engine.kernel import AnyGame
from service.bots import Look, bot_of
from service.client.offers import first_action
from service.host.accounts import account_stream
from service.identity import Role
from service.pb import account_service_pb2 as account_pb
from service.pb import table_service_pb2 as pb
from tests.faults.honest import Asked, Honest, Pulse, Watch
from tests.service.harness import CODEC

__all__ = ["OPTIONS", "Party", "party"]

OPTIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "palace_poker": {"max_seats": "3"},
    "pontoon": {"max_seats": "3", "min_players_to_start": "3"},
    "royal_casino": {"players": "2", "target_score": "99", "stake": "10"},
    "royal_flush": {},
}
CHIPS: Final = 1_000
PURSE: Final = 10**9
THINK_SECONDS: Final = 0.01
"""A pause before each action: the machine is to be busy with faults, not with bots."""


LATE: Final = 9
"""Every so many versions an action is taken once more under another id: mostly it is too late."""

AGAIN_SECONDS: Final = 0.1
"""How long one who was refused waits for news before he tries something else."""


class Player:
    """One seat at one table, played by a bot."""

    def __init__(self, honest: Honest, game: AnyGame, table: str, seat: int) -> None:
        self.honest = honest
        self.watch = Watch(honest, table)
        self._game = game
        self._table = table
        self._seat = seat
        self._bot = bot_of(game, "sensible" if game.key != "palace_poker" else "random", seat)
        self._stuck = False
        self.over = False

    async def sit(self) -> None:
        """Take the seat."""
        assert await self._submit(pb.TableState(), TakeSeat("", CHIPS)) is not None

    async def play(self) -> None:
        """Act whenever the seat is asked, start hands where nobody is, until it is ``over``."""
        old = 0
        while not self.over and not self.watch.ended:
            await self.watch.news(old)
            state = self.watch.state
            if state.version <= old:
                continue
            old = state.version
            if self._seat in state.decision.seats:
                await asyncio.sleep(THINK_SECONDS)
                old = await self._act(state)
            elif not state.decision.seats:
                old = await self._begin(state)

    async def _act(self, state: pb.TableState) -> int:
        """Answer the decision; the version up to which news are old."""
        view = CODEC.view_from_wire(state.view)
        look = Look(self._game, self._seat, view, state.offers, OPTIONS[self._game.key])
        choose = first_action(self._game, self._seat, state.offers) if self._stuck else None
        action = choose or self._bot(look)
        answer = await self._submit(state, action)
        if not state.version % LATE:
            await self._submit(state, action)
        self._stuck = answer is None and not self._stuck
        if answer is None:
            await self.watch.news(state.version, AGAIN_SECONDS)
            return state.version - 1
        return answer.state.version - 1

    async def _begin(self, state: pb.TableState) -> int:
        """Between hands: chips for those who have none left, and the next hand."""
        table = await self.honest.read(
            lambda client: client.tables.GetTable, pb.GetTableRequest(table_id=self._table)
        )
        if any(s.seat == self._seat and s.chips < CHIPS // 2 for s in table.table.seats):
            await self._submit(table.state, AddChips(CHIPS))
        if self._seat:
            return state.version
        answer = await self.honest.ask(
            lambda client: client.tables.StartHand,
            pb.StartHandRequest(table_id=self._table),
            UUID(self._table),
        )
        return answer.state.version - 1 if answer else state.version

    async def _submit(self, state: pb.TableState, action: Action) -> pb.SubmitActionResponse | None:
        request = pb.SubmitActionRequest(
            table_id=self._table, seat=self._seat, action=CODEC.action_to_wire(action)
        )
        if state.HasField("decision"):
            request.hand = state.decision.hand
            request.decision = state.decision.number
        answer: pb.SubmitActionResponse | None = await self.honest.ask(
            lambda client: client.tables.SubmitAction, request, UUID(self._table)
        )
        return answer


class Party:
    """Everybody who plays and looks on; made by ``party``."""

    def __init__(self, addresses: Sequence[str]) -> None:
        self.addresses = list(addresses)
        self.pulse = Pulse()
        self.clients: list[Honest] = []
        self.players: list[Player] = []
        self.lookers: list[Watch] = []
        self.tables: dict[str, UUID] = {}
        self._tasks: list[asyncio.Task[None]] = []

    def client(self, subject: str, *roles: Role) -> Honest:
        """A caller whose journal will be checked."""
        honest = Honest(self.addresses, subject, self.pulse, *roles, first=len(self.clients))
        self.clients.append(honest)
        return honest

    @property
    def journal(self) -> list[Asked]:
        """What everybody asked."""
        return [asked for client in self.clients for asked in client.journal]

    @property
    def watches(self) -> list[Watch]:
        """Everybody's watch."""
        return [*(player.watch for player in self.players), *self.lookers]

    async def _open(self, house: Honest, key: str, name: str) -> None:
        host = self.client(f"{name} 0")
        made = await host.ask(
            lambda client: client.tables.CreateTable,
            pb.CreateTableRequest(
                game=key, options=OPTIONS[key], house_options={"purse": "account"}
            ),
        )
        assert made is not None, host.journal[0].refused
        table = made.table.table_id
        self.tables[name] = host.journal[0].stream = UUID(table)
        self.lookers.append(Watch(house, table))
        for seat in range(made.table.seat_count):
            honest = host if seat == 0 else self.client(f"{name} {seat}")
            await self.credit(house, honest.subject)
            player = Player(honest, GAMES[key], table, seat)
            await player.sit()
            self.players.append(player)

    @staticmethod
    async def credit(house: Honest, subject: str) -> None:
        """Chips for somebody's account."""
        owner = account_pb.AccountOwner(subject=subject)
        request = account_pb.CreditAccountRequest(owner=owner, amount=PURSE)
        answer = await house.ask(
            lambda client: client.accounts.CreditAccount, request, amount=PURSE
        )
        assert answer is not None
        (asked,) = (each for each in house.journal if each.request_id == request.request_id)
        asked.stream = account_stream(UUID(answer.account.player))

    def begin(self) -> None:
        """Let everybody play and watch."""
        for watch in self.watches:
            self._tasks.append(asyncio.create_task(watch.run()))
        for player in self.players:
            self._tasks.append(asyncio.create_task(player.play()))

    async def rise(self, name: str) -> None:
        """Let everybody who plays at that table come to a verdict and play no more."""
        table = str(self.tables[name])
        playing = zip(self.players, self._tasks[len(self.watches) :], strict=True)
        rising = [(player, task) for player, task in playing if player.watch.table == table]
        for player, _ in rising:
            player.over = True
        await asyncio.gather(*(task for _, task in rising))

    async def acknowledged(self, count: int) -> None:
        """Return when so many requests more were acknowledged; raises what a player ended with."""
        waiting = asyncio.ensure_future(self.pulse.after(self.pulse.count + count - 1))
        try:
            await asyncio.wait({waiting, *self._tasks}, return_when=asyncio.FIRST_COMPLETED)
            while not waiting.done():
                for task in self._tasks:
                    if task.done():
                        task.result()
                running = {task for task in self._tasks if not task.done()}
                await asyncio.wait({waiting, *running}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()

    async def finish(self) -> None:
        """Let every request come to its verdict and every watch to its table's end."""
        playing = self._tasks[len(self.watches) :]
        for player in self.players:
            player.over = True
        await asyncio.gather(*playing)
        heads: dict[str, int] = {}
        for asked in self.journal:
            if asked.version is not None:
                key = str(asked.stream)
                heads[key] = max(heads.get(key, 0), asked.version)
        async with asyncio.timeout(30):
            for watch in self.watches:
                while watch.version < heads.get(watch.table, 0) and not watch.ended:
                    await watch.news(watch.state.version)
        await self.close()

    async def close(self) -> None:
        """Stop whatever still runs."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for client in self.clients:
            await client.close()


@asynccontextmanager
async def party(
    addresses: Sequence[str], games: Sequence[str] = tuple(OPTIONS), copies: int = 1
) -> AsyncGenerator[Party, None]:
    """A party that plays already, ``copies`` tables of each game; stopped at the end."""
    found = Party(addresses)
    house = found.client("house", Role.HOST)
    try:
        await asyncio.gather(
            *(
                found._open(house, key, f"{key} {number}")
                for key in games
                for number in range(copies)
            )
        )
        found.begin()
        yield found
    finally:
        await found.close()
