"""``kartejo replay``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.options import Address, AsJson, Certificate, Data, TokenFile, Where

if TYPE_CHECKING:
    from service.cli.tapes import Tape

__all__ = ["command"]


def command(
    table: Annotated[
        str,
        typer.Argument(
            metavar="TABLE|EXPORT",
            help="The table's id (`kartejo tables` lists them), or a file of `kartejo export`.",
        ),
    ],
    hand: Annotated[
        int | None,
        typer.Argument(min=1, help="The hand's number; without one, the hands are listed."),
    ] = None,
    viewer: Annotated[
        str,
        typer.Option(
            "--as",
            metavar="VIEWER",
            help='Whose eyes: self, "seat N", observer or auditor. Seats and auditor need the role '
            "auditor, show closed epochs only, and are recorded. Of an export: whatever it holds.",
        ),
    ] = "self",
    at: Annotated[
        int | None,
        typer.Option("--at", metavar="VERSION", min=1, help="Begin at this version of the table."),
    ] = None,
    which: Annotated[
        str, typer.Option("--table", metavar="ID", help="The table, in an export of a whole store.")
    ] = "",
    as_json: AsJson = False,
    address: Address = None,
    token_file: TokenFile = None,
    certificate: Certificate = None,
    data: Data = None,
) -> None:
    """Show a recorded hand, step by step, as its viewer may see it.

    On a terminal Enter goes on to the next step, b goes back, s N jumps to a step, h N to a hand,
    v N to a version of the table, q leaves; in a pipe all steps are printed.

    An export is verified first, and then replayed offline, without a service.

    Examples
      kartejo replay 5e1d…                  the hands of a table
      kartejo replay 5e1d… 1                the first one, as you saw it
      kartejo replay 5e1d… --at 120         from where the table stood at version 120
      kartejo replay 5e1d… 1 --as auditor | less -R
      kartejo replay table.jsonl 1 --as "seat 2"
      kartejo replay 5e1d… 1 --json | jq '.[].events'
    """

    from service.cli.console import print_json
    from service.cli.stepping import Stepping
    from service.cli.tapes import hand_at

    tape = _tape(table, viewer, which, Where(address, token_file, certificate, data))
    if hand is None and at is None:
        _list(tape, as_json=as_json)
        return
    stepping = Stepping(tape, hand or hand_at(tape, at or 0), at or 0)
    if not as_json:
        stepping.show()
        return
    print_json(
        [
            {
                "seat": step.seat,
                "action": step.action,
                "events": step.events,
                "version": step.version,
                "state": step.text.splitlines(),
                "recorded": step.recorded,
            }
            for step in stepping.rest
        ]
    )


def _tape(table: str, viewer: str, which: str, where: Where) -> Tape:
    from service.cli.tapes import ServiceTape
    from service.client.records import parse_viewer

    try:
        eyes = parse_viewer(viewer)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--as") from None
    if Path(table).is_file():
        from service.cli.file_tapes import file_tape

        return file_tape(Path(table), which, viewer)
    if which:
        raise typer.BadParameter("goes with an export", param_hint="--table")
    return ServiceTape(where, table, eyes)


def _list(tape: Tape, *, as_json: bool) -> None:
    from service.cli.console import Output, print_json
    from service.cli.words import counted

    found = tape.hands()
    if as_json:
        print_json([row._asdict() for row in found])
        return
    out = Output()
    if not found:
        out.print("No hand was played at this table.")
    for row in found:
        events = counted(row.last_version - row.first_version, "event")
        out.print(f"hand {row.hand:>4}  {row.start}  {events}")
