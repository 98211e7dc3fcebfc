"""``kartejo export``."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from service.cli.failures import CommandError
from service.cli.loop import run_async
from service.cli.options import (
    Address,
    Certificate,
    Data,
    TokenFile,
    Where,
    a_path,
    home_of,
    in_folder,
)

__all__ = ["Form", "command"]


class Form(StrEnum):
    """What a file looks like."""

    JSONL = "jsonl"
    PARQUET = "parquet"
    SCRIPT = "script"


def command(
    table: Annotated[
        str, typer.Argument(metavar="[TABLE]", help="The table's id. With --complete: or all.")
    ] = "",
    form: Annotated[
        Form,
        typer.Option(
            "--format",
            help="jsonl: a line of JSON for each commit. parquet: a folder with two tables, for "
            "analysis. script: hand scripts, which `kartejo script run` plays.",
        ),
    ] = Form.JSONL,
    viewer: Annotated[
        str,
        typer.Option(
            "--as",
            metavar="VIEWER",
            help='Whose eyes: self, "seat N", observer or auditor; those of an auditor show closed '
            "epochs and are recorded.",
        ),
    ] = "self",
    complete: Annotated[
        bool,
        typer.Option(
            "--complete",
            help="The record as it is stored, signed, for `kartejo verify`. Needs the role "
            "auditor, and is recorded.",
        ),
    ] = False,
    hand: Annotated[
        int | None, typer.Option("--hand", min=1, help="This hand alone (hand scripts).")
    ] = None,
    from_store: Annotated[
        bool,
        typer.Option(
            "--from-store",
            help="With --complete: read the database of --data itself, whether a service runs or "
            "not.",
        ),
    ] = False,
    database: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            envvar="KARTEJO_DATABASE",
            help="With --complete --from-store: a PostgreSQL of yours.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            parser=a_path,
            help="A new file (parquet: folder). Without one, lines go to standard output.",
        ),
    ] = None,
    address: Address = None,
    token_file: TokenFile = None,
    certificate: Certificate = None,
    data: Data = None,
) -> None:
    """Write a table, or the whole record, to a file.

    Without --complete it is what the viewer may see, event for event as the service sent it. With
    --complete it is every stored byte: hashes, sealed slots, the secrets of closed epochs, and a
    signed note on all of it. Whoever has that file verifies it without the service.

    A file has its name once it is complete; nothing is ever overwritten.

    Examples
      kartejo export 5e1d… -o mine.jsonl                what you saw of a table
      kartejo export 5e1d… --format script --as auditor -o table.hand
      kartejo export 5e1d… --complete -o table.jsonl    for kartejo verify table.jsonl
      kartejo export --complete --from-store -o all.jsonl
      kartejo export --complete --format parquet -o all
    """

    from service.cli import exporting
    from service.client.records import parse_viewer

    try:
        eyes = parse_viewer(viewer)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--as") from None
    if not table and not complete:
        raise typer.BadParameter("name a table, or take --complete for all", param_hint="TABLE")
    if hand is not None and form is not Form.SCRIPT:
        raise typer.BadParameter("goes with --format script", param_hint="--hand")
    if complete and form is Form.SCRIPT:
        raise typer.BadParameter("a script is no complete record", param_hint="--format")
    if from_store and not complete:
        raise typer.BadParameter("goes with --complete", param_hint="--from-store")
    if form is Form.PARQUET:
        if output is None:
            raise typer.BadParameter("name the folder to write", param_hint="--output")
        require_pyarrow()
    if output is not None:
        in_folder(output)
        exporting.refuse_existing(output)
    where = Where(address, token_file, certificate, data)
    if not complete:
        work = exporting.seen(where, table, eyes, viewer, hand, form, output)
    elif from_store:
        work = exporting.from_store(database, home_of(data), table, form, output)
    else:
        work = exporting.complete(where, table, form, output)
    run_async(work)


def require_pyarrow() -> None:
    """Raises ``CommandError`` where Parquet cannot be written."""
    from importlib.util import find_spec

    if find_spec("pyarrow") is None:
        hint = "install it: pip install 'kartejo[parquet]'"
        raise CommandError("NO_PYARROW", "Parquet is written by pyarrow, which is missing", hint)
