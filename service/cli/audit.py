"""``kartejo audit``: everything that is stored, held against what must follow."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.options import AsJson, Data, a_path, home_of

if TYPE_CHECKING:
    from service.audit.whole import Audited

__all__ = ["command"]


def command(
    table: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Only this table, or any other stream. Default: all."),
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, max=256, help="Processes that share the work.")] = 1,
    master_key: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            parser=a_path,
            help="A master key, to look into running epochs and snapshots; may be given again. "
            "Default: the installation's, where you may read it.",
        ),
    ] = None,
    log_key: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY",
            help="A verifier key of the log, as `kartejo witness` and the service print it; may be "
            "given again. Default: those that the store itself names.",
        ),
    ] = None,
    checkpoint: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            parser=a_path,
            help="A checkpoint that lay elsewhere, such as with a witness; may be given again.",
        ),
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            parser=a_path,
            help="A complete export (`kartejo export`) instead of a store. Whether it was changed "
            "since it was made is for `kartejo verify`.",
        ),
    ] = None,
    ray: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Share the work on a Ray cluster: its address, or 'local'. Every machine must "
            "reach the database, or have the export at the same path. Needs the extra 'ray'.",
        ),
    ] = None,
    most: Annotated[int, typer.Option(min=1, help="Bad records to list.")] = 20,
    database: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            envvar="KARTEJO_DATABASE",
            help="A PostgreSQL of yours; a standby will do. Default: the embedded one, running or "
            "not.",
        ),
    ] = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Check everything that is stored, and name the first bad record.

    Reads only, beside a running service or without one. Of every commit it checks its place and its
    hash, takes the decision again from the recorded action and the epoch's secret, and holds the
    events against what follows, byte for byte: so every card, every shuffle and every payout. Then:
    the log's positions and its signed checkpoints, both sides of every transfer, chips and cards,
    snapshots and projections, and epochs that were dealt from and never closed.

    Hands of running epochs need the master key; without it they are counted as not yet checkable.
    Whoever rewrites a whole store can sign it anew with a key of his own: a key and a checkpoint
    that lay elsewhere tell (--log-key, --checkpoint).

    Exit code 0: all is well; 1: bad records were found; 2: the audit could not be made.

    Examples
      kartejo audit
      kartejo audit --jobs 4 --json
      kartejo audit --table 0191d2a4-5c0e-8d21-9f3b-1c2d3e4f5a6b
      kartejo audit --database postgresql://cards@standby.example/cards
      kartejo audit --export all.jsonl --ray auto
      kartejo audit --log-key "$KEY" --checkpoint witnessed.note
    """
    from engine.errors import KartejoError
    from service.cli.auditing import Asked, audit_export, audit_store
    from service.cli.failures import tell

    try:
        asked = Asked(table, jobs, master_key or (), log_key or (), checkpoint or (), ray)
        home = home_of(data)
        if export is not None:
            found = audit_export(export, home, asked, quiet=as_json)
        else:
            found = audit_store(database, home, asked, quiet=as_json)
    except (KartejoError, OSError) as error:
        tell(error)
        raise typer.Exit(2) from None
    try:
        _report(found, most, as_json=as_json)
    except OSError as error:  # what cannot be told says nothing of the records
        tell(error)
        raise typer.Exit(1 if found.result.found else 2) from None
    if found.result.found:
        raise typer.Exit(1)


def _report(found: Audited, most: int, *, as_json: bool) -> None:
    from service.cli.auditing import as_object, lines
    from service.cli.console import Output, print_json

    if as_json:
        print_json(as_object(found, most))
    else:
        Output().lines(lines(found, most))
