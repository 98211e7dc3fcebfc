"""``kartejo play``."""

from __future__ import annotations

from typing import Annotated

import typer

from service.cli.failures import CommandError
from service.cli.loop import run_async
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
    house: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="An option of the house, as auto_start=true."),
    ] = None,
    table: Annotated[
        str | None, typer.Option(metavar="ID", help="Go on at this table instead of a new one.")
    ] = None,
    seat: Annotated[
        int | None, typer.Option(min=0, help="Where to sit. Default: the first free seat.")
    ] = None,
    chips: Annotated[int, typer.Option(min=0, help="Chips to bring.")] = 1_000,
    bots: Annotated[
        int | None,
        typer.Option(min=0, max=9, help="How many bots to play against. Default: 3."),
    ] = None,
    bot: Annotated[
        list[str] | None,
        typer.Option(help="sensible or random; given several times, in turn."),
    ] = None,
    pause: Annotated[
        float | None,
        typer.Option(min=0, max=10, help="Seconds bots ponder. Default: 0.6 on a terminal."),
    ] = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Only look on at --table, without a seat.")
    ] = False,
    options: Annotated[
        bool, typer.Option("--options", help="List the options of the game, and leave.")
    ] = False,
    address: Address = None,
    token_file: TokenFile = None,
    certificate: Certificate = None,
    data: Data = None,
) -> None:
    """Play a game on this terminal, against bots or with people.

    You see the table and your offers. Enter takes the first one, a number another; or type it
    with its values, as in bet 2 50, capture_cards 6d 2c,4h or auto_play scope=round. ? shows the
    table again; leave, sit_out, sit_in and add_chips N may be typed at any time; q leaves the
    program. The table stays, and --table takes it up again.

    People on other terminals join with --table and a token of their own (kartejo token).

    Examples
      kartejo play
      kartejo play palace_poker --bots 5 -o betting_structure=no_limit
      kartejo play palace_poker --bots 0 --house auto_start=true
      kartejo play --table 5e1d… --token-file bob.token --seat 2
      kartejo play --table 5e1d… --watch
      kartejo play royal_flush -o target_mode=four_of_a_kind -o turn_seconds=600
      kartejo play royal_flush --options
    """

    from service.cli.playing import Wish, list_games, list_options, play

    where = Where(address, token_file, certificate, data)
    given = dict(_pair(text) for text in option or ())
    if game is None and table is None:
        run_async(list_games(where))
    elif options and game is not None:
        run_async(list_options(where, game))
    else:
        if watch and table is None:
            raise CommandError("NO_TABLE", "say which table to watch: --table ID")
        wish = Wish(
            game=game or "",
            options=given,
            house=dict(_pair(text) for text in house or ()),
            table=table or "",
            seat=seat,
            chips=chips,
            bots=bots,
            bot=tuple(bot or ()),
            pause=pause,
            watch=watch,
        )
        run_async(play(where, wish))


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise CommandError("BAD_OPTION", f"an option is NAME=VALUE, not {text!r}")
    return name, value
