"""``kartejo demo``."""

from __future__ import annotations

from typing import Annotated

import typer

from service.cli.failures import CommandError
from service.cli.loop import run_async
from service.cli.options import Address, AsJson, Certificate, Data, TokenFile, Where

__all__ = ["command"]


def command(
    game: Annotated[
        list[str] | None, typer.Option(help="Only this game; may be given several times.")
    ] = None,
    hands: Annotated[int, typer.Option(min=1, max=10_000, help="How many to play.")] = 1,
    pause: Annotated[
        float | None,
        typer.Option(min=0, max=10, help="Seconds between steps. Default: 0.4 on a terminal."),
    ] = None,
    as_json: AsJson = False,
    address: Address = None,
    token_file: TokenFile = None,
    certificate: Certificate = None,
    data: Data = None,
    temporary_data: Annotated[bool, typer.Option("--temporary-data", hidden=True)] = False,
) -> None:
    """Let bots play every game over gRPC, then replay what was stored and compare.

    Palace Poker is played by six of them, Royal Casino by two pairs of partners, each with a token
    for its seat. What every seat saw, and what an observer saw, is held against the replay that
    each of them gets.

    Uses the running service; if none runs, one is started on --data and stopped afterwards. The
    service may be killed and started again while it plays: what was acknowledged is still there,
    once. Exit code 0 if every hand was replayed event for event, every state agreed, and folding
    the events gave the same table.

    Examples
      kartejo demo
      kartejo demo --hands 100 --pause 0
      kartejo demo --game palace_poker
    """

    from engine.games import GAMES
    from service.cli.demonstration import Outcome, Showing, demonstrate, report, service_for

    for name in game or ():
        if name not in GAMES:
            raise CommandError("NOT_FOUND", f"no game {name!r}; there are {', '.join(GAMES)}")
    where = Where(address, token_file, certificate, data)

    async def all_games() -> list[Outcome]:
        keys = game or sorted(GAMES, reverse=True)
        showings = ((key, Showing(pause, quiet=as_json)) for key in keys)
        return [await demonstrate(where, key, hands, showing) for key, showing in showings]

    with service_for(where, temporary_data=temporary_data):
        outcomes = run_async(all_games())
    report(outcomes, as_json=as_json)
    if any(outcome.faults for outcome in outcomes):
        raise typer.Exit(1)
