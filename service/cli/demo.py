"""``kartejo demo``."""

from __future__ import annotations

from typing import Annotated

import typer

from service.cli.options import Address, AsJson, Certificate, Data, TokenFile, Where

__all__ = ["command"]


def command(
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
    """Let a bot play Royal Flush over gRPC, then replay what was stored and compare.

    Uses the running service; if none runs, one is started on --data and stopped afterwards. The
    service may be killed and started again while it plays: what was acknowledged is still there,
    once. Exit code 0 if every hand was replayed event for event, every state agreed, and folding
    the events gave the same table.

    Examples
      kartejo demo
      kartejo demo --hands 100 --pause 0
    """
    import asyncio

    from service.cli.demonstration import demonstrate, report, service_for

    where = Where(address, token_file, certificate, data)
    with service_for(where, temporary_data=temporary_data):
        outcome = asyncio.run(demonstrate(where, hands, pause, quiet=as_json))
    report(outcome, as_json=as_json)
    if outcome.faults:
        raise typer.Exit(1)
