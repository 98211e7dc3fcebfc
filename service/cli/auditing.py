"""What ``kartejo audit`` does: where it reads, with which keys, and what it says."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple
from uuid import UUID

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from engine.errors import Malformed, Unknown
from service.audit.database import connected
from service.audit.export import exported
from service.audit.findings import Count, Finding, first_of
from service.audit.on_ray import on_ray
from service.audit.source import Source, Standing
from service.audit.whole import Audited, Map, Plan, audit
from service.cli.failures import CommandError
from service.cli.harmless import on_a_line
from service.cli.keys import named_key
from service.cli.rebuilding import database_of
from service.cli.words import counted
from service.identity import SecretFiles
from service.transparency.notes import BadNote, VerifierKey
from service.vault.secret_file import read_secret_file

__all__ = ["Asked", "as_object", "audit_export", "audit_store", "lines"]

_COLUMNS: Final = (
    TextColumn("audit"),
    BarColumn(),
    MofNCompleteColumn(),
    TextColumn("commits"),
    TimeRemainingColumn(),
)


class Asked(NamedTuple):
    """What an audit is asked for: one stream or all, how, and by which keys and notes."""

    table: str | None
    jobs: int
    master_keys: Sequence[Path]
    log_keys: Sequence[str]
    checkpoints: Sequence[Path]
    ray: str | None


def audit_store(database: str | None, home: Path, asked: Asked, *, quiet: bool) -> Audited:
    """Audit a store, or one stream of it, with a bar on a terminal.

    Raises ``CommandError``, ``KeyFileError``, ``Unavailable``, ``Malformed``, ``Unknown``.
    """
    with database_of(database, home) as dsn:
        with connected(dsn) as source:
            standing = source.standing()
        # Beside the keys of another store lies what was signed of another log.
        notes = _notes(asked.checkpoints, home if database is None else None)
        opening = partial(connected, dsn)
        return _audit(opening, standing, home, asked, notes, log=True, quiet=quiet)


def audit_export(path: Path, home: Path, asked: Asked, *, quiet: bool) -> Audited:
    """The same for a complete export; raises ``OSError`` too.

    What was cut off at the end of a table leaves no gap: it is no finding, and nothing is well.
    """
    path = path.absolute()
    with exported(path) as source:
        standing, whole, lacking = source.standing(), source.is_whole, source.lacking
    if asked.checkpoints and not whole:
        what = "checkpoints are of the whole log, the export is of a table"
        raise CommandError("NOT_WHOLE", what, "`kartejo verify` checks its proofs")
    notes = _notes(asked.checkpoints, None)
    opening = partial(exported, path)
    found = _audit(opening, standing, home, asked, notes, log=whole, quiet=quiet)
    if lacking and not found.result.found:
        what = f"{path} says to hold {lacking} more commits than there are"
        raise Malformed("export", f"{what}: `kartejo verify` tells more")
    return found


def _audit(
    source: Callable[[], AbstractContextManager[Source]],
    standing: Standing,
    home: Path,
    asked: Asked,
    notes: tuple[str, ...],
    *,
    log: bool,
    quiet: bool,
) -> Audited:
    rows = True
    if asked.table is not None:
        stream = _stream(asked.table)
        one = [size for size in standing.streams if size.stream == stream]
        if not one:
            raise Unknown(f"no table {stream}")
        standing, rows = standing._replace(streams=one), False
    plan = Plan(
        source,
        _master_keys(asked.master_keys, home),
        standing.head,
        standing.newest,
        _log_keys(asked.log_keys),
        notes,
        rows,
    )
    console = Console(stderr=True)
    shown = console.is_terminal and not quiet
    total = sum(size.commits for size in standing.streams)
    with Progress(*_COLUMNS, console=console, disable=not shown) as progress:
        bar = progress.add_task("audit", total=total)
        return audit(
            plan,
            standing,
            asked.jobs,
            lambda commits: progress.advance(bar, commits),
            whole=log and rows,
            log=log,
            mapped=_cluster(asked.ray),
        )


def _cluster(address: str | None) -> Map | None:
    if address is None:
        return None
    try:
        return on_ray(None if address == "local" else address)
    except ModuleNotFoundError as error:
        what = f"a cluster needs {error.name}"
        raise CommandError("NO_RAY", what, "pip install 'kartejo[ray]'") from None


def _stream(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise Malformed("table", "expected an id as `kartejo tables` lists them") from None


def _master_keys(named: Sequence[Path], home: Path) -> tuple[Path | None, ...]:
    """The files of master keys to use; None stands for what the environment names."""
    if named:
        return tuple(named)
    if named_key() is not None:
        return (None,)
    own = SecretFiles.beside(home).master_key
    return (own,) if os.access(own, os.R_OK) else ()


def _log_keys(named: Sequence[str]) -> tuple[str, ...]:
    """Verifier keys of the log that were named; raises ``Malformed``."""
    try:
        return tuple(VerifierKey.parse(key).told() for key in named)
    except BadNote as error:
        raise Malformed("log-key", str(error)) from None


def _notes(named: Sequence[Path], home: Path | None) -> tuple[str, ...]:
    """Checkpoints that lay elsewhere: those named, and the newest beside the log's key, if any."""
    notes = [_note(path.read_text(encoding="utf-8")) for path in named]
    folder = None if home is None else SecretFiles.beside(home).folder
    if folder is not None and os.access(folder, os.R_OK | os.X_OK):
        notes += [_note(read_secret_file(path)) for path in sorted(folder.glob("log-*.last"))]
    return tuple(notes)


def _note(text: str) -> str:
    """A note as it is, or out of the file beside the log's key."""
    return str(json.loads(text)["note"]) if text.startswith("{") else text


# --- telling ------------------------------------------------------------------------------------


def as_object(found: Audited, most: int) -> Mapping[str, Any]:
    """The report for programs."""
    first = first_of(found.result.findings)
    return {
        "ok": not found.result.found,
        "head": found.standing.head,
        "first": first and first.as_json(),
        "found": found.result.found,
        "findings": [each.as_json() for each in found.result.findings[:most]],
        "count": found.result.count.as_json(),
        "jobs": found.jobs,
        "seconds": round(found.seconds, 3),
        "events_per_second_and_core": round(_rate(found)),
    }


def lines(found: Audited, most: int) -> Iterator[str]:
    """The report for people."""
    result = found.result
    yield from _looked_at(result.count)
    rate = f"{_rate(found):,.0f} events a second and core"
    yield f"{found.seconds:,.1f} s with {counted(found.jobs, 'job')}: {rate}"
    if not result.found:
        yield "all is well"
        return
    yield ""
    yield f"{counted(result.found, 'bad record')}; the first:"
    for finding in result.findings[:most]:
        yield from _finding(finding)
    if result.found > most:
        yield f"and {result.found - most} more (--most lists more of them)"


def _looked_at(count: Count) -> Iterator[str]:
    lab = f", {count.lab_tables} of the laboratory" if count.lab_tables else ""
    streams = f"{counted(count.tables, 'table')}{lab}, {counted(count.accounts, 'account')}"
    streams += f", {counted(count.tournaments, 'tournament')}"
    streams += f", {counted(count.accesses, 'recorded look')}"
    yield f"{count.commits:,} commits with {count.events:,} events: {streams}"
    yield (
        f"decided again {count.decided:,}, shuffles {count.shuffles:,}; "
        f"folded by older rules {count.folded:,}, not yet checkable {count.sealed:,}"
    )
    yield (
        f"epochs told {count.epochs:,}, running {count.running:,}, "
        f"abandoned solitaires {count.abandoned:,}, void for a lost key {count.voided:,}"
    )
    yield (
        f"transfers {count.transfers:,}; chips credited {count.credited:,}, debited "
        f"{count.debited:,}, on accounts {count.balance:,}, at tables {count.at_tables:,}, "
        f"in tournaments {count.in_tournaments:,}"
    )
    yield (
        f"rows of snapshots and projections {count.rows:,}, not comparable {count.unread:,}; "
        f"checkpoints {count.checkpoints:,}"
    )
    if count.unchecked:
        yield f"not checked, for what stands before them: {counted(count.unchecked, 'commit')}"


def _finding(finding: Finding) -> Iterator[str]:
    where = f"position {finding.position}" if finding.position else "beside the log"
    if finding.stream.int:
        where += f", stream {finding.stream}, version {finding.version}"
    yield f"  {where}: {finding.check}"
    yield f"    expected {on_a_line(str(finding.expected))}"
    yield f"    found    {on_a_line(str(finding.found))}"


def _rate(found: Audited) -> float:
    """Events a second of a processor that does nothing else."""
    return found.result.count.events / max(found.result.worked, 1e-9)
