"""``kartejo play``."""

from __future__ import annotations

from typing import Annotated

import typer

from service.cli.failures import CommandError
from service.cli.options import Address, Certificate, Data, TokenFile, Where

__all__ = ["command"]


def command(
    game: Annotated[
        str | None, typer.Argument(help="The game's id; without one, the games are listed.")
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option("--option", "-o", metavar="NAME=VALUE", help="An option of the table."),
    ] = None,
    table: Annotated[
        str | None, typer.Option(metavar="ID", help="Go on at this table instead of a new one.")
    ] = None,
    seat: Annotated[int, typer.Option(min=0, help="Where to sit.")] = 0,
    chips: Annotated[int, typer.Option(min=0, help="Chips to bring.")] = 1_000,
    options: Annotated[
        bool, typer.Option("--options", help="List the options of the game, and leave.")
    ] = False,
    address: Address = None,
    token_file: TokenFile = None,
    certificate: Certificate = None,
    data: Data = None,
) -> None:
    """Play a game on this terminal.

    You see the table and your offers. Enter takes the first one, a number another; or type it
    with its parameters, as in auto_play scope=round. ? shows the table again, q leaves the
    program; the table stays, and --table takes it up again.

    Examples
      kartejo play
      kartejo play royal_flush
      kartejo play royal_flush -o target_mode=four_of_a_kind -o turn_seconds=600
      kartejo play royal_flush --options
      kartejo play --table 5e1d…
    """
    import asyncio

    from service.cli.playing import Wish, list_games, list_options, play

    where = Where(address, token_file, certificate, data)
    given = dict(_pair(text) for text in option or ())
    if game is None and table is None:
        asyncio.run(list_games(where))
    elif options and game is not None:
        asyncio.run(list_options(where, game))
    else:
        asyncio.run(play(where, Wish(game or "", given, table or "", seat, chips)))


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise CommandError("BAD_OPTION", f"an option is NAME=VALUE, not {text!r}")
    return name, value
