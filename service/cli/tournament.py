"""``kartejo tournament``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from service.cli.failures import CommandError
from service.cli.loop import run_async
from service.cli.options import (
    Address,
    AsJson,
    Certificate,
    Data,
    TokenFile,
    Where,
    a_path,
    help_text,
)

__all__ = ["app"]

app = typer.Typer(
    no_args_is_help=True,
    help="Tournaments: run one from a file, list them, follow one, lead one, see bots play one. "
    "A file for each format lies in docs/tournaments.",
)

Tournament = Annotated[str, typer.Argument(metavar="TOURNAMENT", help="Its id.")]
Pause = Annotated[
    float,
    typer.Option(min=0, max=60, metavar="SECONDS", help="How long bots ponder each decision."),
]


def run(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", parser=a_path, help="The structure, in TOML.")
    ],
    bots: Annotated[
        int, typer.Option(min=0, max=1_000, help="So many bots enter, with money for it.")
    ] = 0,
    entries: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Start as soon as so many have entered. Default: the bots if there are any, else "
            "the structure's min_entrants. One with start = full or time starts by itself.",
        ),
    ] = None,
    pause: Pause = 0.0,
    as_json: AsJson = False,
    address: Address = None,
    token_file: TokenFile = None,
    certificate: Certificate = None,
    data: Data = None,
) -> None:
    """Create a tournament, start it when enough have entered, and show it to the payout.

    The structure says what is played: game, format, seats of a table, levels, what an entry costs,
    what places win. A structure that cannot work is refused with the field that is wrong. Players
    enter from their own clients (docs/clients.md) or by kartejo tournament enter.

    On a terminal levels, tables and standings are drawn as they change; a pipe gets a line for
    what happens. Ctrl-C ends the look, not the tournament: the service goes on with it.

    Examples
      kartejo tournament run docs/tournaments/royal_flush_series.toml --bots 20
      kartejo tournament run sunday.toml --entries 30
      kartejo tournament run cup.toml --bots 8 --json | jq .
    """
    from service.cli.structures import read_structure
    from service.cli.tournament_running import Wish, run_tournament
    from service.cli.tournament_telling import telling_for

    where = Where(address, token_file, certificate, data)
    wish = Wish(read_structure(file), bots, entries, pause)
    run_async(run_tournament(where, wish, telling_for(as_json=as_json)))


def list_(
    game: Annotated[str, typer.Option(help="Only tournaments of this game.")] = "",
    over: Annotated[bool, typer.Option("--over", help="Those that are over, too.")] = False,
    most: Annotated[int, typer.Option(min=1, max=10_000, help="How many, newest first.")] = 50,
    as_json: AsJson = False,
    address: Address = None,
    token_file: TokenFile = None,
    certificate: Certificate = None,
    data: Data = None,
) -> None:
    """List the tournaments that players may enter or that are played, newest first.

    Examples
      kartejo tournament list
      kartejo tournament list --game palace_poker --over --json
    """
    from service.cli.tournament_looking import list_tournaments

    where = Where(address, token_file, certificate, data)
    run_async(list_tournaments(where, game, over=over, most=most, as_json=as_json))


def show(
    tournament: Tournament,
    most: Annotated[int, typer.Option(min=1, max=100_000, help="Standings, best first.")] = 50,
    as_json: AsJson = False,
    address: Address = None,
    token_file: TokenFile = None,
    certificate: Certificate = None,
    data: Data = None,
) -> None:
    """Show a tournament as it stands: level, clock, tables, standings.

    Examples
      kartejo tournament show 8c1f…
      kartejo tournament show 8c1f… --most 1000 --json
    """
    from service.cli.tournament_looking import show_tournament

    where = Where(address, token_file, certificate, data)
    run_async(show_tournament(where, tournament, most=most, as_json=as_json))


def watch(
    tournament: Tournament,
    as_json: AsJson = False,
    address: Address = None,
    token_file: TokenFile = None,
    certificate: Certificate = None,
    data: Data = None,
) -> None:
    """Follow a tournament until it is over and paid.

    Examples
      kartejo tournament watch 8c1f…
      kartejo tournament watch 8c1f… --json | jq .event
    """
    from service.cli.tournament_running import watch_tournament
    from service.cli.tournament_telling import telling_for

    where = Where(address, token_file, certificate, data)
    run_async(watch_tournament(where, tournament, telling_for(as_json=as_json)))


def lead(
    tournament: Tournament,
    order: Annotated[str, typer.Argument(help="start, pause, resume, cancel or exclude.")],
    reason: Annotated[
        str, typer.Option(help="Why it is cancelled, or a player excluded, for all to read.")
    ] = "",
    player: Annotated[
        str, typer.Option(metavar="ID", help="Whom to exclude, by the id that standings show.")
    ] = "",
    address: Address = None,
    token_file: TokenFile = None,
    certificate: Certificate = None,
    data: Data = None,
) -> None:
    """Lead a tournament, as its host or an administrator.

    A pause lets running hands end and stops the clocks. A cancelled tournament is settled: who has
    not played gets his money back, else the prize pool is shared (docs/decisions/0017). Who is
    excluded is out at once and wins nothing; before the start he gets his money back.

    Examples
      kartejo tournament lead 8c1f… start
      kartejo tournament lead 8c1f… cancel --reason "the hall is closed"
      kartejo tournament lead 8c1f… exclude --player 5b0e… --reason "two hands on one account"
    """
    from service.cli.tournament_looking import ORDERS, lead_tournament

    if order not in ORDERS:
        raise typer.BadParameter(f"no order {order!r}: {', '.join(ORDERS)}")
    if (order == "exclude") != bool(player):
        raise CommandError("BAD_USAGE", "--player goes with exclude, and exclude with --player")
    where = Where(address, token_file, certificate, data)
    run_async(lead_tournament(where, tournament, order, reason=reason, player=player))


def enter(
    tournament: Tournament,
    leave: Annotated[
        bool, typer.Option("--leave", help="Take the entry back, before the start.")
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Enter again after being out, while entries are open.")
    ] = False,
    add_on: Annotated[
        bool, typer.Option("--add-on", help="Buy the add-on, in the break in which it is sold.")
    ] = False,
    choice: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Commit to a choice of the structure; format choice, once entered."
        ),
    ] = "",
    address: Address = None,
    token_file: TokenFile = None,
    certificate: Certificate = None,
    data: Data = None,
) -> None:
    """Enter a tournament as the player of your token; what it costs leaves your account.

    Where you sit is told by kartejo tournament show; play there with kartejo play --table.

    Examples
      kartejo tournament enter 8c1f… --token-file ann.token
      kartejo tournament enter 8c1f… --leave
      kartejo tournament enter 8c1f… --choice aces
    """
    from service.cli.tournament_looking import enter_tournament

    asked = [
        name
        for name, wanted in (
            ("Unregister", leave),
            ("ReEnter", again),
            ("TakeAddOn", add_on),
            ("CommitToChoice", choice),
        )
        if wanted
    ]
    if len(asked) > 1:
        raise CommandError("BAD_USAGE", "--leave, --again, --add-on, --choice: one at a time")
    where = Where(address, token_file, certificate, data)
    run_async(enter_tournament(where, tournament, (asked or ["Register"])[0], choice))


def demo(
    bots: Annotated[int, typer.Option(min=2, max=100, help="How many play.")] = 9,
    pause: Pause = 0.0,
    as_json: AsJson = False,
    address: Address = None,
    token_file: TokenFile = None,
    certificate: Certificate = None,
    data: Data = None,
    temporary_data: Annotated[bool, typer.Option("--temporary-data", hidden=True)] = False,
) -> None:
    """Let bots play a small tournament of Palace Poker over gRPC, from the draw to the payout.

    Tables of three, levels that rise quickly: players go out, are moved, tables are broken, until
    one has all chips. Then every account is looked at: together they hold what was paid in for the
    prizes, each what its place has won. Exit code 0 if that is so.

    Uses the running service; if none runs, one is started on --data and stopped afterwards.

    Examples
      kartejo tournament demo
      kartejo tournament demo --bots 30 --pause 0.2
    """
    from service.cli.demonstration import service_for
    from service.cli.tournament_running import demonstrate
    from service.cli.tournament_telling import telling_for

    where = Where(address, token_file, certificate, data)
    with service_for(where, temporary_data=temporary_data):
        telling = telling_for(as_json=as_json)
        wrong = run_async(demonstrate(where, bots, pause, telling))
    telling.verified(wrong)
    if wrong:
        raise typer.Exit(1)


for name, command in (
    ("run", run),
    ("list", list_),
    ("show", show),
    ("watch", watch),
    ("lead", lead),
    ("enter", enter),
    ("demo", demo),
):
    app.command(name, help=help_text(command))(command)
