"""A house in which the documentation's examples are true: people, and a table with a past."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack, aclosing
from pathlib import Path
from typing import Final, NamedTuple
from uuid import uuid4

import pytest

from engine.games import GAMES
from service.bots import PlayLine, SeatRunner, bot_of
from service.client import Client, Endpoint
from service.client.sitting import create_table, follow
from service.pb import table_service_pb2 as pb
from service.pb.tournament_events_pb2 import TournamentStructure
from service.pb.tournament_service_pb2 import CreateTournamentRequest, RegisterRequest
from tests.cli.conftest import Commands, Served
from tests.service.harness import run

PLAYERS: Final = ("ann", "bob", "cid")
HANDS: Final = 3
VERSIONS: Final = 120


class House(NamedTuple):
    """A running service, with Palace Poker that ``PLAYERS`` have played; closed."""

    served: Served
    kartejo: Commands
    table: str

    @property
    def secrets(self) -> Path:
        """The folder of its keys."""
        return self.kartejo.data.parent / f"{self.kartejo.data.name}-secrets"

    def token(self, name: str, *roles: str) -> str:
        """A token of somebody."""
        wanted = [word for role in roles for word in ("--role", role)]
        return self.kartejo("token", name, *wanted).ok().out.strip()

    def token_file(self, name: str) -> str:
        """A file with a token of a player."""
        file = self.kartejo.data.parent / f"{name}.token"
        file.write_text(self.token(name, "player"))
        file.chmod(0o600)
        return str(file)

    def tournament(self) -> str:
        """A new tournament with an entry of each of ``PLAYERS``, which its host may start."""
        made = run(_registered(self))
        assert isinstance(made, str)
        return made


@pytest.fixture(scope="session")
def house(pg_folder: Path) -> Iterator[House]:
    doors = ("--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0")
    served = Served(pg_folder / "docs", *doors)
    Served.all.remove(served)
    kartejo = Commands(Path(served.told["data"]))
    house = House(served, kartejo, "")
    tokens = [house.token(name, "player") for name in PLAYERS]
    host = house.token("host", "host")
    table = run(_played(Endpoint.parse(served.address), host, tokens))
    yield house._replace(table=str(table))
    served.stop()


async def _played(endpoint: Endpoint, host_token: str, tokens: list[str]) -> str:
    """A table of ``HANDS`` hands or more, and more than ``VERSIONS`` versions."""
    async with AsyncExitStack() as stack:
        host, *players = [
            await stack.enter_async_context(Client(endpoint, token))
            for token in (host_token, *tokens)
        ]
        made = await create_table(host, "palace_poker", {"max_seats": str(len(players))}, {})
        table = made.table.table_id
        game = GAMES["palace_poker"]
        runners = [
            SeatRunner(PlayLine(player, table), seat, bot_of(game, "random", seat), chips=1_000)
            for seat, player in enumerate(players)
        ]
        playing = [asyncio.create_task(runner.run()) for runner in runners]
        await asyncio.gather(*(runner.seated.wait() for runner in runners))
        news = await stack.enter_async_context(aclosing(follow(host, table)))
        hands = 0
        async for each in news:
            if each.state.decision.hand or each.state.view.palace_poker.hand_no < hands:
                continue
            if hands >= HANDS and each.state.version > VERSIONS:
                break
            hands += 1
            start = pb.StartHandRequest(request_id=f"hand {hands}", table_id=table)
            await host.call(host.tables.StartHand, start)
        await host.call(
            host.tables.CloseTable, pb.CloseTableRequest(request_id="c", table_id=table)
        )
        await asyncio.gather(*playing)
        return table


async def _registered(house: House) -> str:
    endpoint = Endpoint.parse(house.served.address)
    admin = (house.secrets / "admin.token").read_text().strip()
    structure = TournamentStructure(
        name="Patience", game="royal_flush", format="series", table_size=1
    )
    async with Client(endpoint, admin) as host:
        request = CreateTournamentRequest(request_id=uuid4().hex, structure=structure)
        made = await host.call(host.tournaments.CreateTournament, request)
    tournament = made.tournament.tournament_id
    for name in PLAYERS:
        async with Client(endpoint, house.token(name, "player")) as player:
            entry = RegisterRequest(request_id=uuid4().hex, tournament_id=tournament)
            await player.call(player.tournaments.Register, entry)
    return str(tournament)
