"""``kartejo migrate``."""

from __future__ import annotations

from typing import Annotated

import typer

from service.cli.options import AsJson

__all__ = ["command"]


def command(
    database: Annotated[
        str,
        typer.Option(
            metavar="URL",
            envvar="KARTEJO_DATABASE",
            help="The database, with a login that may create roles and a schema.",
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Install or raise the schema in a PostgreSQL of yours (15 or newer).

    The embedded one is migrated by [bold]kartejo serve[/]. A second run changes nothing.
    Afterwards let the login of the service act as kartejo_writer.

    Examples
      kartejo migrate --database postgresql://postgres@db.example/cards
      psql -h db.example -c 'GRANT kartejo_writer TO cards' cards
      kartejo serve --database postgresql://cards@db.example/cards
    """
    from service.cli.console import Output, print_json
    from service.cli.failures import of_database
    from service.store.migrate import SCHEMA_VERSION, migrate

    with of_database():
        applied = migrate(database)
    if as_json:
        print_json({"applied": list(applied), "schema_version": SCHEMA_VERSION})
        return
    out = Output()
    out.lines(f"applied {name}" for name in applied)
    out.print(f"the schema stands at version {SCHEMA_VERSION}")
