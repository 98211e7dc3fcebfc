"""``kartejo load``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli.failures import CommandError
from service.cli.options import Address, Certificate, Data, TokenFile, Where, a_path, in_folder

if TYPE_CHECKING:
    from service.load.think import Think

__all__ = ["command"]

_WHAT = "What is played"
_FIELD = "A tournament"
_PACE = "How fast"
_TOLD = "What is told"

MOST_TABLES = 20_000

AWAY_SECONDS = 120.0
"""So long may a service be away that was killed and is started again beside everything else."""


def command(
    tournament: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|NAME",
            help="A tournament instead of tables: its structure in TOML, or one that is made for "
            "load: palace_poker, pontoon, royal_casino, royal_flush, royal_flush_flights, "
            "royal_flush_series.",
            rich_help_panel=_FIELD,
        ),
    ] = None,
    entries: Annotated[
        int | None,
        typer.Option(
            min=2,
            max=20_000,
            help="So many players enter it. Default: as many as may.",
            rich_help_panel=_FIELD,
        ),
    ] = None,
    kill: Annotated[
        int,
        typer.Option(
            min=0,
            max=1_000,
            metavar="TIMES",
            help="Start a service on --data, kill it so often while it is played (kill -9), and "
            "start it again.",
            rich_help_panel=_FIELD,
        ),
    ] = 0,
    kill_every: Annotated[
        float,
        typer.Option(
            min=0.1,
            max=3_600,
            metavar="SECONDS",
            help="About how long it runs before it is killed.",
            rich_help_panel=_FIELD,
        ),
    ] = 10.0,
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
    apart: Annotated[
        bool,
        typer.Option(
            "--apart",
            help="Nobody plays at two tables, and everybody watches his own on his own stream, as "
            "people do. Default: a few players share all tables, which spares the generator.",
            rich_help_panel=_WHAT,
        ),
    ] = False,
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
        float | None,
        typer.Option(
            min=0.5,
            max=604_800,
            help="How long. Default: 30; a tournament is played to the payout, else cancelled and "
            "settled after so long.",
            rich_help_panel=_PACE,
        ),
    ] = None,
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
            help="How long a table's players think, or each player of a tournament, in ms: "
            "constant:MS, uniform:LOW:HIGH, exponential:MEAN, lognormal:MEDIAN:SIGMA. Default, "
            "without --rate: none, full speed.",
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
    temporary_data: Annotated[bool, typer.Option("--temporary-data", hidden=True)] = False,
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

    With --tournament a field of players enters a tournament, for which their accounts are credited,
    and plays it to the payout, each over a stream of his own, following his own way from table to
    table. The verification then also holds the standings, every stack after every hand, and the
    accounts against a replay of what is stored. With --kill it shows that this survives kill -9.

    Examples
      kartejo load --seconds 10
      kartejo load --rate 500 --tables 200 --watchers 2 --html load.html
      kartejo load --game palace_poker --tables 1000 --think lognormal:2000:0.8 --processes 2
      kartejo load --tournament royal_casino --entries 32
      kartejo load --tournament palace_poker --think exponential:2000 --seconds 180 --processes 2
      kartejo load --tournament sunday.toml --entries 100 --data kill-here --kill 3
    """
    where = Where(address, token_file, certificate, data)
    files = {
        kind: in_folder(path) for kind, path in (("json", json_file), ("html", html_file)) if path
    }
    if tournament is not None:
        tables_only = {
            "--game": game,
            "--rate": rate,
            "--watchers": watchers,
            "--apart": apart,
            "--unary": not play,
        }
        for name, given in tables_only.items():
            if given:
                raise CommandError("BAD_OPTIONS", f"{name} is of tables, not of tournaments")
        killing = (kill, kill_every, ("--temporary-data",) * temporary_data)
        holds = _tournament(
            (tournament, entries),
            killing,
            where,
            (database, players),
            files,
            processes=processes,
            seconds=seconds or 0.0,
            think=_think(think),
            patience=max(patience, AWAY_SECONDS) if kill else patience,
            bot=bot,
            seed=seed,
            kills=kill,
        )
    else:
        if entries is not None or kill:
            raise CommandError("BAD_OPTIONS", "--entries and --kill are of a --tournament")
        holds = _tables(
            where,
            (database, players),
            files,
            game,
            tables=tables,
            processes=processes,
            seconds=30.0 if seconds is None else seconds,
            watchers=watchers,
            apart=apart,
            play=play,
            think=_think(think),
            rate=rate,
            seats=seats,
            patience=patience,
            bot=bot,
            seed=seed,
        )
    if not holds:
        raise typer.Exit(1)


def _tables(
    where: Where,
    reading: tuple[str | None, Path | None],
    files: Mapping[str, Path],
    game: list[str] | None,
    **rest: Any,
) -> bool:
    """Load tables; ``reading``: the database and the file of players."""
    from engine.games import GAMES
    from service.cli.loading import run
    from service.load.plan import Load
    from service.load.think import FULL_SPEED

    if rest["rate"] is not None and rest["think"] != FULL_SPEED:
        raise CommandError(
            "BAD_OPTIONS", "--rate fixes all moments; --think has nothing left to say", "name one"
        )
    games = tuple(dict.fromkeys(game or GAMES))
    for name in games:
        if name not in GAMES:
            raise CommandError("NOT_FOUND", f"no game {name!r}; there are {', '.join(GAMES)}")
        _require_bot(name, rest["bot"])
    load = Load(games, **{**rest, "rate": rest["rate"] or 0.0})
    return run(where, load, *reading, files)


def _tournament(
    named: tuple[str, int | None],
    killing: tuple[int, float, tuple[str, ...]],
    where: Where,
    reading: tuple[str | None, Path | None],
    files: Mapping[str, Path],
    **rest: Any,
) -> bool:
    """Load a tournament; ``named``: its structure and how many enter."""
    from service.cli.tournament_loading import Killing, Wish, field_of, run

    if killing[0] and where.address:
        what = "only a service that the load has started itself is killed"
        raise CommandError("BAD_OPTIONS", what, "leave out --address, and name a folder: --data")
    field = field_of(*named, **rest)
    _require_bot(field.game, field.bot)
    return run(Wish(where, field, *reading, Killing(*killing) if killing[0] else None, files))


def _require_bot(game: str, bot: str) -> None:
    from service.bots import bots_for

    if bot not in bots_for(game):
        there_are = ", ".join(bots_for(game))
        raise CommandError("NOT_FOUND", f"no bot {bot!r} plays {game}; there are {there_are}")


def _think(text: str | None) -> Think:
    from service.load.think import FULL_SPEED, BadThink, Think

    if text is None:
        return FULL_SPEED
    try:
        return Think.parse(text)
    except BadThink as error:
        raise CommandError("BAD_OPTIONS", str(error)) from None
