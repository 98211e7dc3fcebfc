"""``kartejo script run`` and ``kartejo script export``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.failures import CommandError
from service.cli.loop import run_async
from service.cli.options import (
    Address,
    AsJson,
    Certificate,
    Data,
    TokenFile,
    Where,
    a_path,
    help_text,
    in_folder,
)

if TYPE_CHECKING:
    from engine.script import ScriptError, ScriptFailure

__all__ = ["app"]

app = typer.Typer(
    no_args_is_help=True,
    help="Hand scripts: hands, positions and checks as text.",
    rich_markup_mode="rich",
)


def run(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            parser=a_path,
            help="Scripts (.hand), or folders that are searched for them.",
        ),
    ],
    on_service: Annotated[
        bool,
        typer.Option("--service", help="On lab tables of a running `kartejo serve --lab`."),
    ] = False,
    as_json: AsJson = False,
    address: Address = None,
    token_file: TokenFile = None,
    certificate: Certificate = None,
    data: Data = None,
) -> None:
    """Run hand scripts: in process, or over gRPC; the verdict is the same.

    Exit code 0 if every line of every script held. A line that fails prints file, line, step,
    expected, found and the position at that point.

    Examples
      kartejo script run tests/hands
      kartejo script run bug.hand --service
    """

    from service.cli.console import Output, print_json
    from service.cli.scripts import play_here, play_there
    from service.cli.words import counted

    paths = list(_scripts(files))
    if on_service:
        where = Where(address, token_file, certificate, data)
        results = run_async(play_there(where, paths))
    else:
        results = [play_here(path) for path in paths]
    failed = [fault for result in results for fault in result.faults]
    count = sum(result.scripts for result in results)
    if as_json:
        print_json(
            {
                "scripts": count,
                "failures": [_told(fault) for fault in failed],
                "files": {str(result.path): not result.faults for result in results},
            }
        )
    else:
        out = Output()
        out.lines(str(fault) for fault in failed)
        verdict = f"{len(failed)} failed" if failed else "every line holds"
        played = f"{counted(count, 'script')} in {counted(len(results), 'file')}"
        out.print(f"{played}: {verdict}")
    if failed:
        raise typer.Exit(1)


def _scripts(files: list[Path]) -> list[Path]:
    found: list[Path] = []
    for path in files:
        if path.is_dir():
            inside = sorted(path.rglob("*.hand"))
            if not inside:
                raise CommandError("NO_SCRIPTS", f"no .hand file lies below {path}")
            found += inside
        elif path.exists():
            found.append(path)
        else:
            raise CommandError("NO_SCRIPTS", f"{path} does not exist")
    return found


def _told(fault: ScriptError | ScriptFailure) -> dict[str, object]:
    told: dict[str, object] = {
        "file": fault.at.file,
        "line": fault.at.line,
        "reason": fault.reason,
        "text": str(fault),
    }
    for name in ("step", "expected", "found", "position"):
        if hasattr(fault, name):
            told[name] = getattr(fault, name)
    return told


def export(
    table: Annotated[str, typer.Argument(help="The table's id.")],
    hand: Annotated[int, typer.Argument(help="The hand's number.")],
    viewer: Annotated[
        str, typer.Option("--as", metavar="VIEWER", help="auditor, or self for your own hand.")
    ] = "auditor",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", parser=a_path, help="Write it there."),
    ] = None,
    address: Address = None,
    token_file: TokenFile = None,
    certificate: Certificate = None,
    data: Data = None,
) -> None:
    """Write a recorded hand as a script that reproduces it event for event.

    The shuffles have to be known: to an auditor once the hand's epoch is closed, to yourself
    where the game shows the deck at the end, as Royal Flush does. The script is run before it is
    written.

    Examples
      kartejo script export 5e1d… 1 > hand.hand && kartejo script run hand.hand
      kartejo script export 5e1d… 1 --as self -o mine.hand
    """

    from service.cli.scripts import write_script
    from service.client.records import parse_viewer

    try:
        eyes = parse_viewer(viewer)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--as") from None
    if output is not None:
        in_folder(output)
    where = Where(address, token_file, certificate, data)
    text = run_async(write_script(where, table, hand, eyes))
    if output is None:
        print(text, end="")  # noqa: T201
    else:
        output.write_text(text, encoding="utf-8")


for name, command in (("run", run), ("export", export)):
    app.command(name, help=help_text(command))(command)
