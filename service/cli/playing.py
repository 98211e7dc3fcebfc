"""Sitting down to play: at a new table or an old one, with bots, or to watch."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Final, NamedTuple

from rich.table import Table

from engine.errors import KartejoError, Refused
from engine.games import GAMES
from engine.kernel import AnyGame
from service.cli.company import Company, has_keys, keep_company
from service.cli.console import Output, program
from service.cli.failures import CommandError
from service.cli.keyboard import Keyboard
from service.cli.options import Where
from service.cli.person import Feed, Leave, Onlooker, Person
from service.cli.reasons import plain
from service.client import Client, Sitting
from service.client.connection import request_id
from service.client.records import get_table
from service.client.sitting import create_table
from service.pb import game_service_pb2 as games_pb
from service.pb import table_service_pb2 as pb

__all__ = ["Wish", "list_games", "list_options", "play"]

PATIENCE_SECONDS: Final = 15.0
"""How long a player waits for a service that is away: long enough to restart it."""

USUAL_BOTS: Final = 3
PAUSE_SECONDS: Final = 0.6
"""How long bots ponder, for people to follow."""


class Wish(NamedTuple):
    """What to play: a new table of ``game`` with ``options``, or the table ``table``.

    ``seat``: None for the one held already, or the first that is free.  ``bots``: None for the
    usual company at a new table.
    """

    game: str
    options: dict[str, str]
    house: dict[str, str]
    table: str
    seat: int | None
    chips: int
    bots: int | None
    bot: tuple[str, ...]
    pause: float | None
    watch: bool


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
    """Sit down and play until the player leaves; or watch."""
    out = Output()
    keyboard = Keyboard()
    async with where.client(patience=PATIENCE_SECONDS) as client:
        table, state = await _find(client, wish)
        game = GAMES.get(table.game)
        if game is None:
            raise CommandError("NOT_INSTALLED", f"{table.game} is not installed here")
        if wish.watch:
            await _watch(client, out, game, state, keyboard)
            return
        async with AsyncExitStack() as stack:
            async with _closed_unless_used(client, "" if wish.table else table.table_id):
                company = _company(where, wish, table, keyboard)
                sitting = await _sit_down(client, table, state, wish)
                table = (await get_table(client, table.table_id)).table
                await stack.enter_async_context(
                    keep_company(where, out, game, table, sitting.seat, company)
                )
            feed = Feed(client, sitting.table_id, sitting.state.version)
            await stack.enter_async_context(feed)
            out.print(f"[dim]table {sitting.table_id}, seat {sitting.seat}[/]")
            await sitting.look()
            try:
                await Person(client, out, game, table, sitting, keyboard).play(feed)
            except (Leave, EOFError, asyncio.CancelledError):
                told = f"{program()} play --table {sitting.table_id}"
                bots = f" --bots {company.bots}" if company.bots else ""
                out.print()
                # A line to copy: what the terminal wraps is still one line.
                out.print(
                    f"The table stays. Go on: {told}{bots}{where.again()}",
                    soft_wrap=True,
                    markup=False,
                )


@asynccontextmanager
async def _closed_unless_used(client: Client, table_id: str) -> AsyncGenerator[None, None]:
    """Close a new table at which nobody came to play: its chips go back, no list shows it."""
    try:
        yield
    except KartejoError:
        if table_id:
            request = pb.CloseTableRequest(request_id=request_id(), table_id=table_id)
            with suppress(KartejoError):
                await client.call(client.tables.CloseTable, request)
        raise


def _company(where: Where, wish: Wish, table: pb.Table, keyboard: Keyboard) -> Company:
    """The bots wished for, or the usual ones at a new table for several.

    Raises ``CommandError`` where they could bring no chips.
    """
    of_accounts = any(
        option.name == "purse" and option.value == "account" for option in table.house_options
    )
    if of_accounts and wish.bots:
        raise CommandError(
            "NO_ACCOUNT",
            "bots have no accounts, and this table takes its chips from accounts",
            "play with people: --bots 0; or for free: leave out --house purse=account",
        )
    usual = 0
    if not wish.table and not of_accounts and has_keys(where):
        needed = next((o.value for o in table.options if o.name == "min_players_to_start"), "2")
        usual = min(max(USUAL_BOTS, int(needed) - 1), table.seat_count - 1)
    pause = wish.pause
    if pause is None:
        pause = PAUSE_SECONDS if keyboard.is_terminal else 0.0
    count = usual if wish.bots is None else wish.bots
    return Company(count, wish.bot, max(wish.chips, 1), pause)


async def _watch(
    client: Client, out: Output, game: AnyGame, state: pb.TableState, keyboard: Keyboard
) -> None:
    """Until the table is closed, or the onlooker has seen enough."""
    onlooker = Onlooker(client, out, game, state, None)
    onlooker.draw(state)
    if keyboard.is_terminal:
        out.print("[dim]You look on; q leaves.[/]")
    async with Feed(client, state.table_id, state.version) as feed:
        tasks = [asyncio.create_task(onlooker.watch(feed))]
        if keyboard.is_terminal:
            tasks.append(asyncio.create_task(_seen_enough(keyboard)))
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        except asyncio.CancelledError:
            out.print()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def _seen_enough(keyboard: Keyboard) -> None:
    """Until an onlooker types q, or nothing any more."""
    with suppress(EOFError):
        while await keyboard.line() != "q":
            pass


async def _find(client: Client, wish: Wish) -> tuple[pb.Table, pb.TableState]:
    if wish.table:
        answer = await get_table(client, wish.table)
        return answer.table, answer.state
    if wish.game not in GAMES:
        there_are = ", ".join(sorted(GAMES))
        raise CommandError(
            "NOT_FOUND", f"no game {wish.game!r}; there are {there_are}", "see `kartejo play`"
        )
    made = await create_table(client, wish.game, wish.options, wish.house)
    return made.table, made.state


async def _sit_down(client: Client, table: pb.Table, state: pb.TableState, wish: Wish) -> Sitting:
    """At the seat wished for, the one held already, or the first that is free."""
    taken = {seat.seat for seat in table.seats}
    free = [seat for seat in range(table.seat_count) if seat not in taken]
    seat = wish.seat
    if seat is None:
        choice = [*state.seats, *free]
        if not choice:
            raise CommandError("SEAT_TAKEN", "every seat is taken", "watch with --watch")
        seat = choice[0]
    sitting = Sitting(client, state, seat)
    if seat not in state.seats:
        try:
            await sitting.sit(wish.chips)
        except Refused as error:
            raise CommandError(error.reason, plain(error)) from None
    await sitting.add_entropy()
    return sitting
