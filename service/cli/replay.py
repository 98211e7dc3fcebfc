"""``kartejo replay``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.loop import run_async
from service.cli.options import Address, AsJson, Certificate, Data, TokenFile, Where

if TYPE_CHECKING:
    from service.cli.console import Output
    from service.codec import Codec
    from service.pb import common_pb2
    from service.pb import replay_service_pb2 as pb

__all__ = ["command"]


def command(
    table: Annotated[str, typer.Argument(help="The table's id; `kartejo tables` lists them.")],
    hand: Annotated[
        int | None, typer.Argument(help="The hand's number; without one, the hands are listed.")
    ] = None,
    viewer: Annotated[
        str,
        typer.Option(
            "--as",
            metavar="VIEWER",
            help='Whose eyes: self, "seat N", observer or auditor. All but self need the role '
            "auditor, and show closed epochs only.",
        ),
    ] = "self",
    as_json: AsJson = False,
    address: Address = None,
    token_file: TokenFile = None,
    certificate: Certificate = None,
    data: Data = None,
) -> None:
    """Show a recorded hand, step by step, as its viewer may see it.

    On a terminal Enter goes on to the next step and q leaves; in a pipe all steps are printed.

    Examples
      kartejo replay 5e1d…                  the hands of a table
      kartejo replay 5e1d… 1                the first one, as you saw it
      kartejo replay 5e1d… 1 --as auditor | less -R
      kartejo replay 5e1d… 1 --json | jq '.[].events'
    """

    from service.client.records import parse_viewer

    try:
        eyes = parse_viewer(viewer)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--as") from None
    where = Where(address, token_file, certificate, data)
    if hand is None:
        run_async(_list(where, table, as_json=as_json))
        return
    codec, game, told = run_async(_read(where, table, hand, eyes))
    if as_json:
        _print_steps(codec, told)
    else:
        _show(codec, game, told)


async def _list(where: Where, table: str, *, as_json: bool) -> None:
    from service.cli.console import Output, moment, print_json
    from service.cli.words import counted
    from service.client.records import hands

    async with where.client() as client:
        found = await hands(client, table)
    if as_json:
        print_json(
            [
                {
                    "hand": hand.hand,
                    "first_version": hand.first_version,
                    "last_version": hand.last_version,
                    "start": moment(hand.start_time),
                    "end": moment(hand.end_time),
                }
                for hand in found
            ]
        )
        return
    out = Output()
    if not found:
        out.print("No hand was played at this table.")
    for hand in found:
        events = counted(hand.last_version - hand.first_version, "event")
        out.print(f"hand {hand.hand:>4}  {moment(hand.start_time)}  {events}")


async def _read(
    where: Where, table: str, hand: int, eyes: common_pb2.Viewer
) -> tuple[Codec, str, list[pb.ReplayHandResponse]]:
    """The steps of a hand, which game it was, and what reads them."""
    from service.client.records import get_table, steps

    async with where.client() as client:
        game = (await get_table(client, table)).table.game
        return client.codec, game, [step async for step in steps(client, table, hand, eyes)]


def _print_steps(codec: Codec, told: list[pb.ReplayHandResponse]) -> None:
    from service.cli.console import moment, print_json
    from service.cli.telling import events_told

    print_json(
        [
            {
                "seat": step.seat,
                "action": step.action,
                "events": events_told(codec, step.events),
                "version": step.state.version,
                "state": step.state.text.splitlines(),
                "recorded": moment(step.record_time),
            }
            for step in told
        ]
    )


def _show(codec: Codec, game: str, told: list[pb.ReplayHandResponse]) -> None:
    from service.cli.console import Output

    out = Output()
    asks = out.is_terminal and out.is_interactive
    for number, step in enumerate(told, 1):
        _show_step(codec, out, game, number, len(told), step)
        if asks and number < len(told):
            try:
                answer = out.input("[dim]Enter: next step, q: leave [/]")
            except EOFError:
                return
            if answer.strip().lower() in {"q", "quit"}:
                return


def _show_step(
    codec: Codec,
    out: Output,
    game: str,
    number: int,
    count: int,
    step: pb.ReplayHandResponse,
) -> None:
    from service.cli.telling import draw_state, events_told, shortened

    who = "the host" if step.seat < 0 else f"seat {step.seat}"
    out.print(f"[bold]Step {number} of {count}[/] · {who}: {step.action or 'acts'}")
    out.lines((f"  {shortened(line)}" for line in events_told(codec, step.events)), style="dim")
    out.print()
    out.print(draw_state(codec, out, game, step.state))
    out.print()
