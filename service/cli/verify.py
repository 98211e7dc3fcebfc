"""``kartejo verify``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.failures import CommandError
from service.cli.options import AsJson, a_path

if TYPE_CHECKING:
    from service.verify import Report

__all__ = ["command"]

SHOWN = 10


def command(
    export: Annotated[
        Path,
        typer.Argument(metavar="EXPORT", parser=a_path, help="A file of `kartejo export` (jsonl)."),
    ],
    key: Annotated[
        str,
        typer.Option(
            metavar="KEY",
            help="The key that must have signed it, as name+id+base64. Without one, the export "
            "is held against the key that it names: compare that key with one you trust.",
        ),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Verify an export offline: from the file alone, with no service and no database.

    The program that does it shares no code with the one that wrote the record. It computes every
    hash, opens every slot of the epochs whose secrets were told, derives every shuffle, decides
    every action once more by the rules, counts chips and cards, and checks the signature. What is
    wrong is named with its line, what was expected and what was found.

    Exit code 0: all of it holds. 1: something does not. 2: the file cannot be read.

    Examples
      kartejo verify table.jsonl
      kartejo verify all.jsonl --key kartejo-export+1f2e3d4c+AQ… --json
    """
    from service.cli.console import print_json
    from service.cli.failures import tell

    try:
        report = _verified(export, key, quiet=as_json)
    except OSError as error:
        tell(CommandError("NOT_READABLE", f"{export}: {error.strerror}"))
        raise typer.Exit(2) from None
    try:
        if as_json:
            print_json(_object(report))
        else:
            _tell(report)
    except OSError as error:  # what cannot be told says nothing of the export
        tell(error)
        raise typer.Exit(2 if report.ok else 1) from None
    if not report.ok:
        raise typer.Exit(1)


def _verified(path: Path, key: str, *, quiet: bool) -> Report:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    from service.verify import verify_file
    from service.verify.findings import Bad

    console = Console(stderr=True)
    columns = (TextColumn("verifying"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    shown = console.is_terminal and not quiet
    size = path.stat().st_size
    with Progress(*columns, console=console, disable=not shown) as bar:
        task = bar.add_task("", total=size)
        try:
            return verify_file(path, key, lambda read: bar.advance(task, read))
        except Bad as bad:
            raise typer.BadParameter(str(bad), param_hint="--key") from None


def _object(report: Report) -> dict[str, object]:
    return {
        "ok": report.ok,
        "kind": report.kind,
        "scope": report.scope,
        "key": report.signer,
        "made": report.made,
        "counts": dict(sorted(report.counts.items())),
        "findings": [
            {**each._asdict(), "stream": str(each.stream) if each.stream else None}
            for each in report.findings
        ],
        "more_findings": report.more,
    }


def _tell(report: Report) -> None:
    from service.cli.console import Output
    from service.cli.harmless import on_a_line

    out = Output()
    scope = on_a_line(report.scope)
    out.print(f"{report.kind or 'unknown'} export of {scope or '?'}", markup=False)
    for name, count in sorted(report.counts.items()):
        if count:
            out.print(f"  {count:>12,} {name}", markup=False)
    if report.signer:
        out.print(f"signed by {on_a_line(report.signer)}", markup=False)
    if report.ok:
        out.print("everything holds")
        return
    first, *others = report.findings
    out.print(f"first bad record: {on_a_line(str(first))}", markup=False)
    out.lines(f"also: {on_a_line(str(each))}" for each in others[:SHOWN])
    left = len(others) - SHOWN + report.more
    if left > 0:
        out.print(f"and {left} more")
