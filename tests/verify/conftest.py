"""Exports of real play, made once: of every game, with accounts, with whoever looked."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest
from psycopg.conninfo import make_conninfo

from engine.actions import AddChips, LeaveSeat, TakeSeat
from engine.games import GAMES
from service.codec import Codec
from service.exports import CompleteLines
from service.identity import Role
from service.pb import account_service_pb2 as accounts
from service.pb import export_service_pb2 as pb
from service.store.embedded import EmbeddedServer
from tests.pg import TEMPLATE, create
from tests.service.harness import Client, Running, run
from tests.service.played import seated
from tests.transparency.serving import covered, signing

Lines = list[bytes]


class Made(NamedTuple):
    """Complete exports: of the store, of each game's table, of one short table."""

    store: Lines
    tables: dict[str, Lines]
    short: Lines


async def complete(client: Client, table: str = "") -> Lines:
    """A complete export over gRPC."""
    writer = CompleteLines(Codec(GAMES), table)
    lines: Lines = []
    request = pb.ExportCommitsRequest(table_id=table)
    call = client.exports.ExportCommits(request, metadata=client.metadata, timeout=30)
    async for message in call:
        if message.key:
            lines.append(writer.first(message.key, message.checkpoint))
        lines += [writer.commit(commit) for commit in message.commits]
        if message.note:
            lines.append(writer.last(message.note))
    return lines


async def with_accounts(service: Running) -> None:
    """A table whose chips come from accounts and go back there."""
    cashier = service.client("cashier", Role.HOST)
    for subject in ("rich", "poor"):
        credit = accounts.CreditAccountRequest(
            request_id=f"for {subject}", owner={"subject": subject}, amount=700, note="a gift"
        )
        await cashier.call(cashier.accounts.CreditAccount, credit)
    players = [service.client(subject) for subject in ("rich", "poor")]
    made = await players[0].create("palace_poker", house_options={"purse": "account"})
    table = made.table.table_id
    for seat, player in enumerate(players):
        await player.act(table, seat, TakeSeat("", 300))
    await players[1].act(table, 1, AddChips(50))
    for seat, player in enumerate(players):
        await player.act(table, seat, LeaveSeat())


async def _made(dsn: str, folder: Path) -> Made:
    async with signing(dsn, folder) as service:
        auditor = service.client("auditor", Role.AUDITOR)
        tables: dict[str, Lines] = {}
        for key in GAMES:
            played = await seated(service, key)
            await played.hands(2)
            await played.leave()
            tables[key] = await complete(auditor, played.table)
        await with_accounts(service)
        short = await seated(service, "royal_flush")
        await short.hands(1)
        await covered(service, auditor)
        return Made(await complete(auditor), tables, await complete(auditor, short.table))


@pytest.fixture(scope="session")
def made(pg: EmbeddedServer, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The exports."""
    create(pg, "exported", TEMPLATE)
    dsn = make_conninfo(pg.conninfo, dbname="exported", user="kartejo_service")
    return run(_made(dsn, tmp_path_factory.mktemp("log")))
