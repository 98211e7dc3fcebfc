"""Bots that keep a person company: each at a seat of its own, with a token for that seat."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final, NamedTuple
from uuid import UUID

from engine.errors import KartejoError
from engine.kernel import AnyGame
from service.bots import BadBot, PlayLine, SeatRunner, bot_of, bots_for
from service.cli.console import Output
from service.cli.failures import CommandError
from service.cli.options import Where
from service.cli.words import counted
from service.client import Client
from service.client.records import get_table
from service.identity import KeyRing, Role, Tokens
from service.pb import table_service_pb2 as pb
from service.world import RealWorld

__all__ = [
    "Company",
    "all_seated",
    "bot_token_maker",
    "has_keys",
    "keep_company",
    "seat_client",
]

TOKEN_SECONDS: Final = 86_400
PATIENCE_SECONDS: Final = 60.0


class Company(NamedTuple):
    """Who is wished for: how many bots, which ones in turn, what they bring, how they ponder."""

    bots: int
    names: Sequence[str] = ()
    chips: int = 1_000
    pause: float = 0.0


def has_keys(where: Where) -> bool:
    """Whether tokens can be made here."""
    return where.address is None and where.files().token_keys.exists()


def bot_token_maker(where: Where) -> Tokens:
    """What makes tokens for bots; raises ``CommandError`` where there are no keys."""
    path = where.files().token_keys
    if not has_keys(where):
        raise CommandError(
            "NO_KEYS",
            "bots need tokens, and these are made where the service keeps its keys",
            "play there, or with people: --bots 0",
        )
    world = RealWorld()
    return Tokens(KeyRing.load(path, world), world)


@asynccontextmanager
async def keep_company(
    where: Where, out: Output, game: AnyGame, table: pb.Table, mine: int | None, wish: Company
) -> AsyncGenerator[Sequence[SeatRunner], None]:
    """Bots at ``wish.bots`` seats of the table for as long as the context lasts.

    A bot is known by its table and seat: it goes on where it sat when it played before.
    """
    if not wish.bots:
        yield ()
        return
    names = wish.names or (["sensible"] if "sensible" in bots_for(game.key) else ["random"])
    tokens = bot_token_maker(where)
    async with AsyncExitStack() as stack:
        tasks: list[asyncio.Task[object]] = []

        async def stop() -> None:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        runners: list[SeatRunner] = []
        for seat in range(table.seat_count):
            if len(runners) == wish.bots or seat == mine:
                continue
            client = await stack.enter_async_context(
                seat_client(where, tokens, table.table_id, seat)
            )
            if not await _is_for(client, table, seat):
                continue
            name = names[len(runners) % len(names)]
            try:
                bot = bot_of(game, name, secrets.randbits(64))
            except BadBot as error:
                raise CommandError("NOT_FOUND", str(error)) from None
            line = PlayLine(client, table.table_id)
            runners.append(
                SeatRunner(line, seat, bot, chips=wish.chips, rebuy=wish.chips, pause=wish.pause)
            )
        if len(runners) < wish.bots:
            raise CommandError(
                "SEAT_TAKEN", f"there is room for {counted(len(runners), 'bot')} only"
            )
        # Clients close after the bots have stopped.
        stack.push_async_callback(stop)
        tasks += [asyncio.create_task(_run(out, runner)) for runner in runners]
        await all_seated(runners, tasks)
        yield runners


def seat_client(where: Where, tokens: Tokens, table: str, seat: int) -> Client:
    """A client of the bot that is known by a table and a seat of it."""
    token = tokens.issue(
        f"bot {table} {seat}", {Role.PLAYER}, TOKEN_SECONDS, table=UUID(table), seat=seat
    )
    return where.client(token=token, patience=PATIENCE_SECONDS)


async def _is_for(client: Client, table: pb.Table, seat: int) -> bool:
    """Whether a seat is free, or this bot's from an earlier time."""
    if all(taken.seat != seat for taken in table.seats):
        return True
    return seat in (await get_table(client, table.table_id)).state.seats


async def _run(out: Output, runner: SeatRunner) -> None:
    try:
        await runner.run()
    except KartejoError as error:
        out.print(f"[yellow]the bot at seat {runner.seat} has stopped:[/] {error}")
        raise


async def all_seated(runners: Sequence[SeatRunner], tasks: Sequence[asyncio.Task[object]]) -> None:
    """Until every bot sits; raises what keeps one from it."""
    waits = [asyncio.create_task(runner.seated.wait()) for runner in runners]
    try:
        for wait, task in zip(waits, tasks, strict=True):
            await asyncio.wait({wait, task}, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                task.result()
    finally:
        for wait in waits:
            wait.cancel()
        await asyncio.gather(*waits, return_exceptions=True)
