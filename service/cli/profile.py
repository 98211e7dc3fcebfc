"""``kartejo profile``: what is known of a person besides his id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.loop import run_async
from service.cli.options import (
    Address,
    AsJson,
    Certificate,
    Data,
    TokenFile,
    Where,
    help_text,
)

if TYPE_CHECKING:
    from service.pb import person_service_pb2 as pb

__all__ = ["app"]

app = typer.Typer(
    no_args_is_help=True,
    help="Names and contacts of persons. Nothing else knows them: see [bold]kartejo erase[/].",
)

Whose = Annotated[
    str | None,
    typer.Argument(
        metavar="[PLAYER]",
        help="Whose: the name his token was made for, or his id. Default: yours.",
    ),
]


def show(
    player: Whose = None,
    as_json: AsJson = False,
    address: Address = None,
    token_file: TokenFile = None,
    certificate: Certificate = None,
    data: Data = None,
) -> None:
    """Show a person's name, contact and id.

    Somebody else's needs the role admin.

    Examples
      kartejo profile show ann
      kartejo profile show --token-file ann.token --json
    """
    from service.client import people

    where = Where(address, token_file, certificate, data)

    async def ask() -> pb.Profile:
        async with where.client() as client:
            return await people.get_profile(client, people.person_of(player))

    _tell(run_async(ask()), as_json=as_json)


def change(
    player: Whose = None,
    name: Annotated[
        str | None, typer.Option(help="Shown to others; at most 40 characters, empty for none.")
    ] = None,
    contact: Annotated[
        str | None,
        typer.Option(help="For the operator alone; at most 200 characters, empty for none."),
    ] = None,
    as_json: AsJson = False,
    address: Address = None,
    token_file: TokenFile = None,
    certificate: Certificate = None,
    data: Data = None,
) -> None:
    """Change a person's name or contact; what is not given stays.

    Somebody else's needs the role admin.

    Examples
      kartejo profile set ann --name "Ann" --contact ann@example.org
      kartejo profile set --name "" --token-file ann.token
    """
    from service.client import people

    if name is None and contact is None:
        raise typer.BadParameter("give --name, --contact or both")
    where = Where(address, token_file, certificate, data)
    person = people.person_of(player)

    async def ask() -> pb.Profile:
        async with where.client() as client:
            now = await people.get_profile(client, person)
            return await people.set_profile(
                client,
                person,
                now.name if name is None else name,
                now.contact if contact is None else contact,
            )

    _tell(run_async(ask()), as_json=as_json)


def _tell(profile: pb.Profile, *, as_json: bool) -> None:
    from service.cli.console import Output, print_json

    told = {"player": profile.player, "name": profile.name, "contact": profile.contact}
    if as_json:
        print_json(told)
        return
    out = Output()
    for key, value in told.items():
        out.print(f"{key:<8} {value or 'none'}", markup=False)


for command, word in ((show, "show"), (change, "set")):
    app.command(word, help=help_text(command))(command)
