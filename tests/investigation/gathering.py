"""Players of a running service who play hands of any game, and what became of their chips."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

from engine.actions import LeaveSeat, TakeSeat
from engine.games import GAMES
from service.bots.bot import bot_of
from service.bots.look import Look
from service.pb import person_service_pb2 as person_pb
from service.pb import table_service_pb2 as table_pb
from tests.projections.log import served
from tests.service.harness import CODEC, Client, Running, running

OPTIONS: Mapping[str, Mapping[str, str]] = {
    "palace_poker": {"betting_structure": "no_limit"},
    "pontoon": {"min_players_to_start": "2"},
    "royal_casino": {"players": "2", "stake": "25", "max_deals": "2"},
    "royal_flush": {},
}
CHIPS = 400
EVENING: Mapping[str, tuple[Sequence[str], int]] = {
    "palace_poker": (("ann", "bob", "cid"), 4),
    "pontoon": (("bob", "cid", "dan"), 4),
    "royal_casino": (("ann", "bob"), 2),
    "royal_flush": (("ann",), 1),
}
"""Who played how many hands of which game.  Ann and dan never met."""


class Party(NamedTuple):
    """A table of bots."""

    id: str
    game: str
    players: dict[int, Client]
    options: Mapping[str, str]
    seed: int

    @classmethod
    async def open(
        cls, service: Running, game: str, subjects: Sequence[str], seed: int = 1, **fields: Any
    ) -> Self:
        players = {seat: service.client(name) for seat, name in enumerate(subjects)}
        made = await players[0].create(game, options=OPTIONS[game], **fields)
        party = cls(made.table.table_id, game, players, OPTIONS[game], seed)
        for seat, player in players.items():
            await player.act(party.id, seat, TakeSeat("", CHIPS))
        return party

    async def play(self, hands: int) -> None:
        """So many hands; fewer where too few have chips left."""
        host, game = self.players[0], GAMES[self.game]
        bots = {seat: bot_of(game, "sensible", self.seed + seat) for seat in self.players}
        begun: set[int] = set()
        state = (await host.get(self.id)).state
        while True:
            if state.decision.hand:
                begun.add(state.decision.hand)
            elif len(begun) >= hands:
                return
            if not state.decision.seats:
                state = (await host.start(self.id)).state
                continue
            (seat,) = state.decision.seats
            player = self.players[seat]
            own = (await player.get(self.id)).state
            look = Look(game, seat, CODEC.view_from_wire(own.view), own.offers, self.options)
            state = (await player.act(self.id, seat, bots[seat](look), own)).state

    async def leave(self) -> None:
        """Everybody leaves."""
        for seat, player in self.players.items():
            await player.act(self.id, seat, LeaveSeat())


async def won_at(client: Client, table: str) -> dict[str, int]:
    """What each player has won since he sat down, as his stack says."""
    seats = (await client.get(table)).table.seats
    return {seat.player: seat.chips - CHIPS for seat in seats}


def nets_of(hands: Sequence[Any]) -> Counter[str]:
    """What each player won in some hands that were found."""
    nets: Counter[str] = Counter()
    for hand in hands:
        for result in hand.results:
            nets[result.player] += result.net
    return nets


async def evening(dsn: str) -> None:
    """Hands of every game, by four players who mostly know each other."""
    async with running(dsn) as service:
        for game, (names, hands) in EVENING.items():
            party = await Party.open(service, game, names)
            await party.play(hands)
        await indexed(service)


async def tables_by_game(client: Client) -> dict[str, str]:
    """The only table there is of each game."""
    answer = await client.call(client.tables.ListTables, table_pb.ListTablesRequest())
    return {table.game: table.table_id for table in answer.tables}


async def indexed(service: Running) -> None:
    """Wait until readers of the results see all that is stored."""
    await served(service.store, "results", await service.store.position())


async def id_of(client: Client) -> str:
    """A caller's opaque id."""
    request = person_pb.GetProfileRequest()
    return str((await client.call(client.persons.GetProfile, request)).profile.player)
