"""``kartejo tables``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.loop import run_async
from service.cli.options import Address, AsJson, Certificate, Data, TokenFile, Where

if TYPE_CHECKING:
    from service.pb import table_service_pb2 as pb

__all__ = ["command"]


def command(
    game: Annotated[str, typer.Option(help="Only tables of this game.")] = "",
    closed: Annotated[bool, typer.Option("--closed", help="Closed tables too.")] = False,
    free: Annotated[bool, typer.Option("--free", help="Only where a seat is free.")] = False,
    most: Annotated[int, typer.Option(min=1, max=10_000, help="How many, newest first.")] = 50,
    as_json: AsJson = False,
    address: Address = None,
    token_file: TokenFile = None,
    certificate: Certificate = None,
    data: Data = None,
) -> None:
    """List the tables, newest first.

    Examples
      kartejo tables
      kartejo tables --game royal_flush --closed --json
    """

    from service.cli.console import print_json

    where = Where(address, token_file, certificate, data)
    found = run_async(_tables(where, game, closed=closed, free=free, most=most))
    if as_json:
        print_json([_told(table) for table in found])
    else:
        _print(found)


async def _tables(
    where: Where, game: str, *, closed: bool, free: bool, most: int
) -> list[pb.Table]:
    from service.client.records import list_tables

    async with where.client() as client:
        return await list_tables(
            client, game, include_closed=closed, with_free_seat=free, most=most
        )


def _told(table: pb.Table) -> dict[str, object]:
    from service.cli.console import moment

    return {
        "table": table.table_id,
        "game": table.game,
        "hand": table.hand,
        "closed": table.closed,
        "lab": table.lab,
        "seat_count": table.seat_count,
        "seats": {seat.seat: {"player": seat.player, "chips": seat.chips} for seat in table.seats},
        "created": moment(table.create_time),
    }


def _print(found: list[pb.Table]) -> None:
    from rich.table import Table

    from service.cli.console import Output, moment

    out = Output()
    if not found:
        out.print("There are no tables. Open one: kartejo play royal_flush")
        return
    rows = Table(box=None, header_style="dim", pad_edge=False)
    for title in ("table", "game", "seats", "hand", "created"):
        rows.add_column(title, no_wrap=True)
    for table in found:
        hand = "closed" if table.closed else str(table.hand or "–")
        rows.add_row(
            table.table_id,
            table.game + (" (lab)" if table.lab else ""),
            f"{len(table.seats)} of {table.seat_count}",
            hand if out.faces.symbols else hand.replace("–", "-"),
            moment(table.create_time),
        )
    out.print(rows)
