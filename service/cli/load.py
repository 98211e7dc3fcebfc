"""``kartejo load``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.failures import CommandError
from service.cli.options import Address, Certificate, Data, TokenFile, Where, a_path, in_folder

if TYPE_CHECKING:
    from service.load.think import Think

__all__ = ["command"]

_WHAT = "What is played"
_PACE = "How fast"
_TOLD = "What is told"

MOST_TABLES = 20_000


def command(
    game: Annotated[
        list[str] | None,
        typer.Option(
            help="This game; may be given several times. Default: all, in an even mix.",
            rich_help_panel=_WHAT,
        ),
    ] = None,
    tables: Annotated[
        int, typer.Option(min=1, max=MOST_TABLES, help="Tables at a time.", rich_help_panel=_WHAT)
    ] = 64,
    seats: Annotated[
        int,
        typer.Option(min=2, max=6, help="Players at a table at most.", rich_help_panel=_WHAT),
    ] = 6,
    watchers: Annotated[
        int,
        typer.Option(
            min=0, max=200, help="Who look on, beside the players, a table.", rich_help_panel=_WHAT
        ),
    ] = 0,
    bot: Annotated[
        str,
        typer.Option(
            help="random: looks at its offers only, and is quick; sensible: plays well, and may "
            "take more of a processor than the service.",
            rich_help_panel=_WHAT,
        ),
    ] = "random",
    seed: Annotated[
        int, typer.Option(min=0, help="What bots and think times draw from.", rich_help_panel=_WHAT)
    ] = 0,
    seconds: Annotated[
        float, typer.Option(min=0.5, max=604_800, help="How long.", rich_help_panel=_PACE)
    ] = 30.0,
    rate: Annotated[
        float | None,
        typer.Option(
            min=0.01,
            max=1e6,
            metavar="PER_SECOND",
            help="Actions a second, all tables together, whatever the service makes of them.",
            rich_help_panel=_PACE,
        ),
    ] = None,
    think: Annotated[
        str | None,
        typer.Option(
            metavar="TIMES",
            help="How long a table's players think, in ms: constant:MS, uniform:LOW:HIGH, "
            "exponential:MEAN, lognormal:MEDIAN:SIGMA. Default, without --rate: none, full speed.",
            rich_help_panel=_PACE,
        ),
    ] = None,
    processes: Annotated[
        int,
        typer.Option(
            min=1, max=256, help="Of the generator, each with its share.", rich_help_panel=_PACE
        ),
    ] = 1,
    play: Annotated[
        bool,
        typer.Option(
            "--play/--unary",
            help="Over Play streams, or by unary calls and a watch for every table.",
            rich_help_panel=_PACE,
        ),
    ] = True,
    patience: Annotated[
        float,
        typer.Option(
            min=0,
            max=3_600,
            metavar="SECONDS",
            help="How long an action is sent again while the service is away.",
            rich_help_panel=_PACE,
        ),
    ] = 30.0,
    json_file: Annotated[
        Path | None,
        typer.Option(
            "--json",
            metavar="FILE",
            parser=a_path,
            help="Write everything as JSON.",
            rich_help_panel=_TOLD,
        ),
    ] = None,
    html_file: Annotated[
        Path | None,
        typer.Option(
            "--html",
            metavar="FILE",
            parser=a_path,
            help="Write a page with plots.",
            rich_help_panel=_TOLD,
        ),
    ] = None,
    database: Annotated[
        str | None,
        typer.Option(
            envvar="KARTEJO_DATABASE",
            metavar="URL",
            help="The service's PostgreSQL, to verify in the commit table itself. Default: the "
            "embedded one on --data.",
            rich_help_panel=_TOLD,
        ),
    ] = None,
    players: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            parser=a_path,
            help="Tokens of players, one a line, for a service whose keys are not here.",
            rich_help_panel="Reaching the service",
        ),
    ] = None,
    address: Address = None,
    token_file: TokenFile = None,
    certificate: Certificate = None,
    data: Data = None,
) -> None:
    """Put a running service under load by bots, measure it, then verify what it told.

    With --rate or --think the moments of actions are fixed beforehand, and the latency of each
    counts from its moment: a service that stands still is charged for all that was due meanwhile.
    At full speed every table waits for its answer first; that tells how much a service can take,
    and its latencies are corrected for what such a loop leaves out.

    Afterwards everything that was acknowledged is looked up in what is stored, over fresh
    connections: each action once and as it was told, versions without a gap, chips conserved, and
    every watcher's sequence as it is stored. Exit code 0 only if all of that holds. Ctrl-C ends
    the load early and goes on to the verification.

    It plays at new tables with chips from nowhere, which stay in the store: use an installation of
    its own.

    Examples
      kartejo load --seconds 10
      kartejo load --rate 500 --tables 200 --watchers 2 --html load.html
      kartejo load --game palace_poker --tables 1000 --think lognormal:2000:0.8 --processes 2
    """

    from engine.games import GAMES
    from service.bots import bots_for
    from service.cli.loading import run
    from service.load.plan import Load

    if rate is not None and think is not None:
        raise CommandError(
            "BAD_OPTIONS", "--rate fixes all moments; --think has nothing left to say", "name one"
        )
    games = tuple(dict.fromkeys(game or GAMES))
    for name in games:
        if name not in GAMES:
            raise CommandError("NOT_FOUND", f"no game {name!r}; there are {', '.join(GAMES)}")
        if bot not in bots_for(name):
            there_are = ", ".join(bots_for(name))
            raise CommandError("NOT_FOUND", f"no bot {bot!r} plays {name}; there are {there_are}")
    load = Load(
        games,
        tables=tables,
        processes=processes,
        seconds=seconds,
        watchers=watchers,
        play=play,
        think=_think(think),
        rate=rate or 0.0,
        seats=seats,
        patience=patience,
        bot=bot,
        seed=seed,
    )
    files = {
        kind: in_folder(path) for kind, path in (("json", json_file), ("html", html_file)) if path
    }
    holds = run(Where(address, token_file, certificate, data), load, database, players, files)
    if not holds:
        raise typer.Exit(1)


def _think(text: str | None) -> Think:
    from service.load.think import FULL_SPEED, BadThink, Think

    if text is None:
        return FULL_SPEED
    try:
        return Think.parse(text)
    except BadThink as error:
        raise CommandError("BAD_OPTIONS", str(error)) from None
