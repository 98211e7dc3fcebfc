"""The commands, and how each ends: exit code 0 for success, else one line that says what to do.

Modules of commands import what they need when they run: ``--help`` and ``--version`` load neither
gRPC nor a database driver.
"""

from __future__ import annotations

import os
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated, Final

import typer

from service.cli import (
    access,
    account,
    audit,
    demo,
    erase,
    export,
    investigate,
    link,
    load,
    migrate,
    odds,
    play,
    profile,
    proof,
    rebuild,
    replay,
    rotation,
    script,
    serve,
    tables,
    token,
    tournament,
    verify,
    witness,
)
from service.cli.failures import tell
from service.cli.options import help_text

__all__ = ["app", "main"]

app = typer.Typer(
    name="kartejo",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


_HELP: Final = (
    "Card games over gRPC. Every hand replays, every card is accounted for.\n\n"
    "Start a service with [bold]kartejo serve[/]; from another terminal try [bold]kartejo demo[/] "
    "or [bold]kartejo play palace_poker[/]. The other commands find the running service, and its "
    "administrator's token, by themselves. Each explains itself: kartejo COMMAND --help."
)


def _version(wanted: bool) -> None:
    if not wanted:
        return
    import engine

    try:
        told = version("kartejo")
    except PackageNotFoundError:
        told = "(not installed)"
    print(f"kartejo {told}")  # noqa: T201
    print(engine.__file__)  # noqa: T201
    raise typer.Exit


@app.callback(help=_HELP)
def kartejo(
    _: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_version,
            is_eager=True,
            help="Print the version and where the engine lies.",
        ),
    ] = False,
) -> None:
    """What stands before the commands."""


_COMMANDS: Final = (
    serve,
    demo,
    play,
    tables,
    replay,
    proof,
    export,
    verify,
    access,
    audit,
    load,
    token,
    link,
    migrate,
    rebuild,
    witness,
    erase,
)

for module in _COMMANDS:
    name = module.__name__.rpartition(".")[2]
    app.command(name, help=help_text(module.command))(module.command)
app.add_typer(account.app, name="account")
app.add_typer(rotation.app, name="keys")
app.add_typer(profile.app, name="profile")
app.add_typer(investigate.app, name="investigate")
app.add_typer(script.app, name="script")
app.add_typer(odds.app, name="odds")
app.add_typer(tournament.app, name="tournament")


def main() -> None:
    """Run ``kartejo`` with the arguments of the process."""
    # What gRPC's core prints of its own accord comes as an error too, with a reason.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    try:
        app(prog_name="kartejo")
    except Exception as error:  # noqa: BLE001 - the last one who could tell the user anything
        sys.exit(tell(error))
