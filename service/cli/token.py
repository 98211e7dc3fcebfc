"""``kartejo token``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Final
from uuid import UUID

import typer

from service.cli.failures import CommandError
from service.cli.options import AsJson, Data, a_path, home_of, in_folder

__all__ = ["command", "seconds_of"]

_UNITS: Final = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}


def seconds_of(text: str) -> int:
    """A length of time such as 90s, 15m, 12h or 30d; raises ``typer.BadParameter``.

    >>> seconds_of("15m")
    900
    """
    found = re.fullmatch(r"([0-9]{1,6})([smhd])", text)
    if found is None or not int(found[1]):
        raise typer.BadParameter(f"{text!r} is no length of time such as 90s, 15m, 12h or 30d")
    return int(found[1]) * _UNITS[found[2]]


def command(
    subject: Annotated[str, typer.Argument(help="Whom the token is for: any name you know.")],
    role: Annotated[
        list[str] | None,
        typer.Option(help="player, host, auditor or admin; may be given several times."),
    ] = None,
    lifetime: Annotated[str, typer.Option(help="How long it is valid: 90s, 15m, 12h, 30d.")] = (
        "30d"
    ),
    table: Annotated[str | None, typer.Option(help="Good for this table only.")] = None,
    seat: Annotated[int | None, typer.Option(help="Good for this seat of --table only.")] = None,
    lab: Annotated[bool, typer.Option("--lab", help="A token of the lab.")] = False,
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", parser=a_path, help="Write it there, mode 600.")
    ] = None,
    as_json: AsJson = False,
    data: Data = None,
) -> None:
    """Make a bearer token with the keys of the installation on --data.

    The token goes to standard output and nowhere else. Whoever holds it is SUBJECT until it ends.

    Examples
      kartejo token ann
      kartejo token ann --role player --role host --lifetime 12h --output ann.token
      kartejo token bot-7 --table 5e1d… --seat 2 --lifetime 15m
      kartejo token commission --role auditor
    """
    from service.cli.console import print_json
    from service.identity import ISSUER, LAB_ISSUER, KeyRing, Role, SecretFiles, Tokens
    from service.world import RealWorld

    lifetime_seconds = seconds_of(lifetime)
    if output is not None:
        in_folder(output)
    files = SecretFiles.beside(home_of(data))
    path = files.lab_token_keys if lab else files.token_keys
    if not files.token_keys.exists() or not path.exists():
        start = "kartejo serve --lab" if lab else "kartejo serve"
        raise CommandError(
            "NO_KEYS", f"there are no keys in {path}", f"`{start}` makes them on its first start"
        )
    world = RealWorld()
    ring = KeyRing.load(files.token_keys, world)
    tokens = Tokens(ring, world, lab_ring=KeyRing.load(path, world, LAB_ISSUER) if lab else None)
    try:
        roles = {Role(name) for name in role or ["player"]}
        token = tokens.issue(
            subject,
            roles,
            lifetime_seconds,
            LAB_ISSUER if lab else ISSUER,
            table=None if table is None else _table(table),
            seat=seat,
        )
    except ValueError as error:
        raise CommandError("BAD_TOKEN", str(error), "see `kartejo token --help`") from None
    if output is not None:
        files.write_token(output, token)
    if as_json:
        told = {"subject": subject, "roles": sorted(roles), "lifetime_seconds": lifetime_seconds}
        print_json({**told, "token": token} if output is None else {**told, "file": str(output)})
    elif output is None:
        print(token)  # noqa: T201
    else:
        print(f"{output}: {', '.join(sorted(roles))}, valid for {lifetime}")  # noqa: T201


def _table(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise ValueError(f"{text!r} is no id of a table") from None
