"""``kartejo rebuild``: projections made anew from the log, and how far they lag."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.options import AsJson, Data, home_of

if TYPE_CHECKING:
    from service.store.progress import Build, Standing

__all__ = ["command"]

NAMES = ("tables", "hands", "ledger", "results", "tournaments", "log")


def command(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]…",
            help="What to make anew: tables (the list of tables), hands (which events are which "
            "hand, and who played it), ledger (the changes of accounts), results (who won what "
            "from whom), tournaments (the list of them), log (the tiles of the transparency log). "
            "Default: all.",
        ),
    ] = None,
    status: Annotated[
        bool, typer.Option("--status", help="Only tell how far they are and how far they lag.")
    ] = False,
    database: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            envvar="KARTEJO_DATABASE",
            help="A PostgreSQL of yours. Default: the embedded one, running or not.",
        ),
    ] = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Make the projections anew from the log.

    The lists of tables and tournaments, the hand index, the ledger, the results and the tiles of
    the transparency log follow from the log of commits and hold nothing of their own. New rows are
    made beside the old ones, which readers see until the new ones have caught up; a running
    service is not disturbed. Interrupt it whenever you like: the next run goes on where this one
    stopped. Several at once share the work.

    Examples
      kartejo rebuild
      kartejo rebuild hands ledger
      kartejo rebuild --status --json
      kartejo rebuild --database postgresql://cards@db.example/cards
    """
    wanted = list(dict.fromkeys(names or NAMES))
    for name in wanted:
        if name not in NAMES:
            raise typer.BadParameter(f"no projection {name!r}: {', '.join(NAMES)}")

    from service.cli.loop import run_async
    from service.cli.rebuilding import database_of, rebuild, standings_at

    with database_of(database, home_of(data)) as dsn:
        if status:
            _tell(
                [one for one in run_async(standings_at(dsn)) if one.build.name in wanted], as_json
            )
        else:
            _tell(run_async(rebuild(dsn, wanted, quiet=as_json)), as_json)


def _tell(standings: list[Standing], as_json: bool) -> None:
    from service.cli.console import Output, print_json

    if as_json:
        told = [{**one.build._asdict(), "head": one.head, "lag": one.lag} for one in standings]
        print_json(told)
        return
    out = Output()
    if not standings:
        out.print("Nothing was built yet: `kartejo serve` does, and `kartejo rebuild`.")
    for one in standings:
        out.print(_line(one.build, one.lag), markup=False)


def _line(build: Build, lag: int) -> str:
    from service.cli.words import counted

    state = {
        "serving": "readers see it",
        "building": "unfinished: `kartejo rebuild` goes on with it",
        "retired": "replaced, its rows are being removed",
    }[build.state]
    behind = f"{counted(lag, 'commit')} behind" if lag else "up to date"
    return f"{build.name:<8} build {build.number:>3}  at {build.position:,}  {behind}  ({state})"
