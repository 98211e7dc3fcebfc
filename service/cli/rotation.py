"""``kartejo keys``: which master keys a store was written with, and a new one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from service.cli.options import AsJson, Data, a_path, help_text, home_of

__all__ = ["app"]

app = typer.Typer(
    no_args_is_help=True,
    help="The master key: it wraps the secrets of running epochs, and is never in the database.",
)

Database = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        envvar="KARTEJO_DATABASE",
        help="A PostgreSQL of yours. Default: the embedded one, running or not.",
    ),
]


def show(database: Database = None, data: Data = None, as_json: AsJson = False) -> None:
    """List the keys that the store was and is written with, by their public ids.

    The newest is first. It opens what the keys before it wrapped, as far as each of them followed
    the one before; where one was lost, what it wrapped stays shut.

    Examples
      kartejo keys show
      kartejo keys show --json
    """
    from service.cli.console import Output, print_json
    from service.cli.loop import run_async
    from service.cli.rebuilding import database_of
    from service.cli.rotating import uses

    with database_of(database, home_of(data)) as dsn:
        use = run_async(uses(dsn))
    told = [
        {"key": key.id.hex(), "follows_by_rotation": key.former is not None} for key in use.keys
    ]
    if as_json:
        print_json(told)
        return
    out = Output()
    if not told:
        out.print("No key was used yet: `kartejo serve` makes one.")
    for place, each in enumerate(told):
        how = "opens the one before it" if each["follows_by_rotation"] else "opens none before it"
        out.print(f"{each['key']}  {'in use' if not place else 'before'}, {how}", markup=False)


def rotate(
    to: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            parser=a_path,
            help="The new key, 64 hex digits in a file of mode 600. Default: one is made. Needed "
            "where the environment names the key.",
        ),
    ] = None,
    database: Database = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Go over to a new master key, while services run.

    The new key wraps the old one, and the store keeps that: whoever has the new key opens what the
    old one wrapped, so no running hand is touched, and the old key can be destroyed (keep it as
    long as backups of the database from before). Running services on this machine go over within
    seconds. Interrupt it whenever you like, and run it again: it goes on where it stopped.

    Several hosts: put the new key into `master.key.next` beside each one's `master.key`, then
    run this on one of them with --to.

    Examples
      kartejo keys rotate
      kartejo keys rotate --database postgresql://cards@db.example/cards --to new.key
    """
    from service.cli.console import Output, print_json
    from service.cli.loop import run_async
    from service.cli.rebuilding import database_of
    from service.cli.rotating import rotate as work

    home = home_of(data)
    with database_of(database, home) as dsn:
        old, new = run_async(work(dsn, home, to))
    if as_json:
        print_json({"old": old.hex(), "new": new.hex()})
        return
    Output().print(f"Master key {new.hex()} is in use; {old.hex()} is needed no more.")


for _command in (show, rotate):
    app.command(_command.__name__, help=help_text(_command))(_command)
