"""Running a tournament: made, filled with bots if wished, started, and told to its end."""

from __future__ import annotations

import asyncio
import secrets
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack, aclosing
from typing import Final, NamedTuple

from engine.errors import Refused
from engine.tournament.structure import Structure
from service.bots.tournament import TournamentBot, usual_bot
from service.cli.company import bot_token_maker
from service.cli.console import program
from service.cli.failures import CommandError
from service.cli.options import Where
from service.cli.tournament_telling import Known, Telling, events_of
from service.client import Client
from service.client.connection import request_id
from service.client.tournaments import follow, get_tournament, standings, tables
from service.identity import Role
from service.pb import account_service_pb2 as account_pb
from service.pb import tournament_service_pb2 as pb
from service.pb.tournament_events_pb2 import TournamentStructure

__all__ = ["Wish", "demonstrate", "run_tournament", "watch_tournament"]

PATIENCE_SECONDS: Final = 60.0
TOKEN_SECONDS: Final = 86_400
LOOK_SECONDS: Final = 0.5
"""Between two looks at the standings, for whoever shows them."""

BEST: Final = 13


class Wish(NamedTuple):
    """What to run.  ``entries``: start with so many; None: with the bots, or the fewest."""

    structure: TournamentStructure
    bots: int = 0
    entries: int | None = None
    pause: float = 0.0


async def run_tournament(where: Where, wish: Wish, telling: Telling) -> str:
    """Run one to its payout; its id.  Raises ``CommandError`` for a wish it has no room for."""
    _require_room(wish)
    async with where.client(patience=PATIENCE_SECONDS) as client, AsyncExitStack() as stack:
        request = pb.CreateTournamentRequest(request_id=request_id(), structure=wish.structure)
        made = (await client.call(client.tournaments.CreateTournament, request)).tournament
        bots = await _bots(where, client, made, wish, stack)
        start_with = wish.entries or wish.bots or made.structure.min_entrants
        tasks: list[asyncio.Task[object]] = [
            asyncio.create_task(_tell(client, Known(made, []), telling)),
            *(asyncio.create_task(bot.play()) for bot in bots),
        ]
        try:
            for bot in bots:
                await bot.enter()
            if made.structure.start == "host":
                tasks.append(asyncio.create_task(_start(client, made.tournament_id, start_with)))
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
            for task in done:
                task.result()
        except asyncio.CancelledError:
            told = f"{program()} tournament watch {made.tournament_id}{where.again()}"
            print(f"The tournament goes on. See it again: {told}", file=sys.stderr)  # noqa: T201
            raise
        finally:
            telling.stop()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return made.tournament_id


def _require_room(wish: Wish) -> None:
    """Nothing is made that could not begin, or that some of the bots could not enter."""
    structure, usual = wish.structure, Structure()
    fewest = structure.min_entrants or usual.min_entrants
    most = structure.max_entrants or usual.max_entrants
    if wish.bots > most:
        raise CommandError("BAD_OPTION", f"--bots: expected at most max_entrants, {most}")
    start_with = wish.entries or wish.bots or fewest
    if structure.start in {"", "host"} and not fewest <= start_with <= most:
        name = "--entries" if wish.entries else "--bots"
        expected = f"expected {fewest} to {most}, which is what the structure starts with"
        raise CommandError("BAD_OPTION", f"{name}: {expected}")


def _subject(tournament_id: str, number: int) -> str:
    return f"bot {tournament_id} {number}"


async def _bots(
    where: Where, client: Client, made: pb.Tournament, wish: Wish, stack: AsyncExitStack
) -> list[TournamentBot]:
    """Bots with what an entry costs on their accounts, each a client of its own."""
    if not wish.bots:
        return []
    tokens = bot_token_maker(where)
    id_, structure = made.tournament_id, made.structure
    cost = structure.buy_in + structure.fee
    choices = tuple(
        option.name.removeprefix("choice.")
        for option in structure.settings
        if structure.format == "choice" and option.name.startswith("choice.")
    )
    bots: list[TournamentBot] = []
    for number in range(wish.bots):
        subject, seed = _subject(id_, number), secrets.randbits(64)
        if cost:
            credit = account_pb.CreditAccountRequest(
                request_id=request_id(),
                owner=account_pb.AccountOwner(subject=subject),
                amount=cost,
                note=f"entry of a bot: {id_}",
            )
            await client.call(client.accounts.CreditAccount, credit)
        token = tokens.issue(subject, {Role.PLAYER}, TOKEN_SECONDS)
        own = where.client(token=token, patience=PATIENCE_SECONDS)
        await stack.enter_async_context(own)
        bot = usual_bot(structure.game, seed)
        bots.append(TournamentBot(own, id_, bot, choices=choices, pause=wish.pause, seed=seed))
    return bots


async def watch_tournament(where: Where, tournament_id: str, telling: Telling) -> None:
    """Tell a tournament until it is over and paid."""
    async with where.client(patience=PATIENCE_SECONDS) as client:
        try:
            found = (await get_tournament(client, tournament_id)).tournament
            await _tell(client, Known(found, await tables(client, tournament_id)), telling)
        finally:
            telling.stop()


async def _tell(client: Client, known: Known, telling: Telling) -> None:
    """Tell it to its end, with everything that came after what is known."""
    tournament_id, version = known.tournament.tournament_id, known.state.version
    telling.begin(known)
    looking = asyncio.create_task(_look(client, known, telling)) if telling.is_screen else None
    try:
        async with aclosing(follow(client, tournament_id, version)) as messages:
            async for news in messages:
                known.take(news)
                telling.news(known, events_of(news))
                if known.is_done:
                    break
    finally:
        if looking is not None:
            looking.cancel()
            await asyncio.gather(looking, return_exceptions=True)
    telling.end(known, await standings(client, tournament_id))


async def _start(client: Client, tournament_id: str, entries: int) -> None:
    """Start it as soon as so many have entered, unless its host does so before."""
    async with aclosing(follow(client, tournament_id)) as messages:
        async for news in messages:
            if news.HasField("state"):
                if news.state.phase != pb.TOURNAMENT_PHASE_REGISTERING:
                    return
                if news.state.entries >= entries:
                    break
    request = pb.StartTournamentRequest(request_id=request_id(), tournament_id=tournament_id)
    try:
        await client.call(client.tournaments.StartTournament, request)
    except Refused as refused:
        if refused.reason != "ALREADY_STARTED":
            raise


async def _look(client: Client, known: Known, telling: Telling) -> None:
    """Keep the best entries up to date, and the clock."""
    version = -1
    while True:
        if known.state.version != version:
            version = known.state.version
            known.best = await standings(client, known.tournament.tournament_id, BEST)
        telling.news(known, ())
        await asyncio.sleep(LOOK_SECONDS)


# --- a demonstration ----------------------------------------------------------------------------


def _small(bots: int) -> TournamentStructure:
    """Palace Poker at tables of three that is soon over."""
    structure = TournamentStructure(
        name="Demonstration",
        game="palace_poker",
        format="elimination",
        table_size=3,
        stack=200,
        buy_in=100,
        fee=10,
        min_entrants=2,
        max_entrants=bots,
    )
    structure.options.add(name="betting_structure", value="no_limit")
    for bet in (20, 40, 80, 160, 320, 640, 1280, 2560, 5120):
        level = structure.levels.add(hands=2)
        level.options.add(name="small_bet", value=str(bet))
        level.options.add(name="big_bet", value=str(bet))
    return structure


async def demonstrate(where: Where, bots: int, pause: float, telling: Telling) -> Sequence[str]:
    """Have bots play one; what is wrong with their accounts then."""
    wish = Wish(_small(bots), bots, pause=pause)
    tournament_id = await run_tournament(where, wish, telling)
    wrong: list[str] = []
    async with where.client(patience=PATIENCE_SECONDS) as client:
        rows = {row.player: row for row in await standings(client, tournament_id)}
        pool = (await get_tournament(client, tournament_id)).tournament.state.prize_pool
        held = 0
        for number in range(bots):
            subject = _subject(tournament_id, number)
            owner = account_pb.AccountOwner(subject=subject)
            request = account_pb.GetAccountRequest(owner=owner)
            account = (await client.call(client.accounts.GetAccount, request)).account
            row = rows[account.player]
            held += account.balance
            if account.balance != row.prize:
                wrong.append(f"entry {row.entry} won {row.prize} and has {account.balance}")
    if held != pool:
        wrong.append(f"the accounts hold {held} of a prize pool of {pool}")
    return wrong
