"""A person at a table: see, choose, act, see what came of it."""

from __future__ import annotations

import asyncio
import signal
from contextlib import aclosing
from typing import Final, NamedTuple

from rich.table import Table

from engine.errors import Conflict, Refused
from engine.games import GAMES
from engine.kernel import AnyGame
from service.cli.console import Output, program
from service.cli.failures import CommandError
from service.cli.options import Where
from service.cli.telling import draw_state
from service.client import Client, Sitting
from service.client.offers import BadChoice, choose, offer_text
from service.client.records import get_table
from service.client.sitting import create_table, follow
from service.pb import game_service_pb2 as games_pb
from service.pb import table_service_pb2 as pb

__all__ = ["Wish", "list_games", "list_options", "play"]

PATIENCE_SECONDS: Final = 15.0
"""How long a player waits for a service that is away: long enough to restart it."""


class Wish(NamedTuple):
    """What to play: a new table of ``game`` with ``options``, or the table ``table``."""

    game: str
    options: dict[str, str]
    table: str
    seat: int
    chips: int


class _Leave(Exception):
    """The player has had enough."""


async def list_games(where: Where) -> None:
    """Print the catalogue."""
    out = Output()
    async with where.client() as client:
        answer = await client.call(client.games.ListGames, games_pb.ListGamesRequest())
    for game in answer.games:
        out.print(f"[bold]{game.game}[/]  {game.title}")
        out.lines([f"  {game.summary}"])
    out.print(f"\nPlay one: {program()} play {answer.games[0].game}")


async def list_options(where: Where, game: str) -> None:
    """Print the options of a game's tables."""
    out = Output()
    async with where.client() as client:
        answer = await client.call(client.games.GetGame, games_pb.GetGameRequest(game=game))
    rows = Table(box=None, header_style="dim", pad_edge=False)
    for title in ("option", "default", "may be", "meaning"):
        rows.add_column(title, overflow="fold")
    for option in answer.game.options:
        rows.add_row(option.name, option.default_value, option.expected, option.meaning)
    out.print(rows)


async def play(where: Where, wish: Wish) -> None:
    """Sit down and play until the player leaves."""
    out = Output()
    async with where.client(patience=PATIENCE_SECONDS) as client:
        table, sitting = await _sit_down(client, wish)
        game = GAMES.get(table.game)
        if game is None:
            raise CommandError("NOT_INSTALLED", f"{table.game} is not installed here")
        out.print(f"[dim]table {sitting.table_id}, seat {sitting.seat}[/]\n")
        try:
            await _Player(client, out, game, sitting).play()
        except (_Leave, EOFError, asyncio.CancelledError):
            told = f"{program()} play --table {sitting.table_id}"
            out.print(f"\nThe table stays. Go on: {told}")


async def _sit_down(client: Client, wish: Wish) -> tuple[pb.Table, Sitting]:
    if wish.table:
        answer = await get_table(client, wish.table)
        table, state = answer.table, answer.state
    else:
        if wish.game not in GAMES:
            there_are = ", ".join(sorted(GAMES))
            raise CommandError(
                "NOT_FOUND", f"no game {wish.game!r}; there are {there_are}", "see `kartejo play`"
            )
        made = await create_table(client, wish.game, wish.options)
        table, state = made.table, made.state
    sitting = Sitting(client, state, wish.seat)
    if wish.seat not in state.seats:
        await sitting.sit(wish.chips)
    return table, sitting


class _Player:
    """The loop of a person at one seat."""

    def __init__(self, client: Client, out: Output, game: AnyGame, sitting: Sitting) -> None:
        self._client = client
        self._out = out
        self._game = game
        self._sitting = sitting

    async def play(self) -> None:
        while True:
            self._draw()
            state = self._sitting.state
            if state.offers:
                await self._act()
            elif state.HasField("decision"):
                await self._wait()
            else:
                await self._start()

    def _draw(self) -> None:
        self._out.print(
            draw_state(self._client.codec, self._out, self._game.key, self._sitting.state)
        )

    def _ask(self, prompt: str) -> str:
        # Nothing else runs meanwhile: the loop may wait, and gRPC keeps the connection by itself.
        # Ctrl-C has to end the waiting for a line, which asyncio's own handler would not do.
        handler = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            typed = self._out.input(f"[bold cyan]{prompt}[/] ").strip()
        except KeyboardInterrupt:
            raise _Leave from None
        finally:
            signal.signal(signal.SIGINT, handler)
        if typed.lower() in {"q", "quit"}:
            raise _Leave
        return typed

    async def _act(self) -> None:
        """One accepted action, or a fresh look at the table."""
        state = self._sitting.state
        self._out.print()
        for number, offer in enumerate(state.offers, 1):
            self._out.print(f"  {number}  {offer_text(offer)}", markup=False)
        seconds = state.decision.remaining_ms // 1_000
        while True:
            typed = self._ask(f"your turn ({seconds} s), q leaves:")
            if typed == "?":
                await self._sitting.look()
                return
            try:
                action = choose(self._game, self._sitting.seat, state.offers, typed)
                await self._sitting.act(action)
            except (BadChoice, Refused) as error:
                self._out.print(f"[red]no:[/] {error}")
                continue
            except Conflict as error:
                self._out.print(f"[yellow]the table has moved on:[/] {error}")
                await self._sitting.look()
            self._out.print()
            return

    async def _start(self) -> None:
        self._ask("Enter starts the next hand, q leaves:")
        try:
            await self._sitting.start()
        except (Refused, Conflict) as error:
            self._out.print(f"[red]no:[/] {error}")
            await self._wait()
        self._out.print()

    async def _wait(self) -> None:
        """Until something happens at the table."""
        self._out.print("[dim]waiting for the others …[/]")
        version = self._sitting.state.version
        async with aclosing(follow(self._client, self._sitting.table_id, version)) as news:
            async for message in news:
                if message.events:
                    break
        await self._sitting.look()
