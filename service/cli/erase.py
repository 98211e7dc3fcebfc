"""``kartejo erase``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from service.cli.loop import run_async
from service.cli.options import Address, AsJson, Certificate, Data, TokenFile, Where

__all__ = ["command"]


def command(
    player: Annotated[
        str,
        typer.Argument(metavar="PLAYER", help="The name his token was made for, or his id."),
    ],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            help="Although he sits at a table, is in a tournament or has chips: lost to him then.",
        ),
    ] = False,
    as_json: AsJson = False,
    address: Address = None,
    token_file: TokenFile = None,
    certificate: Certificate = None,
    data: Data = None,
) -> None:
    """Forget a person, for good.

    His name, his contact and the name his tokens were made for are removed, and the notes on his
    account cannot be read by anybody any more. What he played stays, under an id that stands for
    nobody. Who comes with a token for the same name is somebody new, without chips and past.

    It needs the role admin. He leaves his tables and is paid out first, unless --force is given.
    What backups and write-ahead logs still hold: docs/operating.md, Personal data.

    Examples
      kartejo erase ann
      kartejo erase 0b1c… --yes --json
    """
    from engine.errors import Refused
    from service.cli.console import print_json
    from service.cli.failures import CommandError
    from service.cli.reasons import plain
    from service.client import people
    from service.pb import person_service_pb2 as pb

    where = Where(address, token_file, certificate, data)
    _confirm(player, yes=yes)

    async def ask() -> pb.ErasePersonResponse:
        async with where.client() as client:
            return await people.erase(client, people.person_of(player), force=force)

    try:
        erased = run_async(ask())
    except Refused as error:
        hint = "let him leave and pay him out (`kartejo account debit`), or add --force"
        raise CommandError(error.reason, plain(error), hint) from None
    if as_json:
        print_json({"player": erased.player, "balance": erased.balance})
    else:
        print(f"{erased.player} stands for nobody now.")  # noqa: T201


def _confirm(player: str, *, yes: bool) -> None:
    """Ask, on a terminal; raises ``CommandError`` where nobody can be asked."""
    from service.cli.failures import CommandError

    if yes:
        return
    if not sys.stdin.isatty():
        raise CommandError("NOT_CONFIRMED", "this cannot be undone", "add --yes if you mean it")
    typer.confirm(f"Forget {player!r} for good?", abort=True)
