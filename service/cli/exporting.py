"""What ``kartejo export`` does: who is asked, what is written, and the bar on the terminal."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import ExitStack, aclosing, contextmanager
from pathlib import Path
from typing import Any, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from engine.errors import Corrupt, Unknown
from engine.games import GAMES
from engine.script import run_text
from service.cli.export import Form
from service.cli.failures import CommandError, of_database
from service.cli.keys import log_key
from service.cli.options import Where
from service.cli.rebuilding import database_of
from service.client import Client
from service.client.exporting import export_hand
from service.client.records import complete as commits_of
from service.client.records import get_table, hands, table_steps
from service.codec import Codec
from service.exports import CompleteLines, SeenLines, whole_file
from service.exports.files import refuse_existing, whole_folder
from service.host.accesses import Accesses
from service.identity import SecretFiles
from service.pb import common_pb2
from service.pb import export_service_pb2 as pb
from service.rpc.export_service import messages
from service.rpc.messages import table_id
from service.store.postgres import Store
from service.transparency.complete import CompleteExport, Piece
from service.world import RealWorld

__all__ = ["complete", "from_store", "refuse_existing", "seen"]

Write = Callable[[bytes], object]
Messages = AsyncIterator[pb.ExportCommitsResponse]


async def seen(
    where: Where,
    table: str,
    eyes: common_pb2.Viewer,
    viewer: str,
    hand: int | None,
    form: Form,
    output: Path | None,
) -> None:
    """What a viewer sees of a table."""
    async with where.client() as client:
        if form is Form.SCRIPT:
            with _out(output) as write:
                write((await _scripts(client, table, eyes, hand)).encode())
            return
        answer = await get_table(client, table)
        lines = SeenLines(client.codec, answer.table, viewer)
        with ExitStack() as stack:
            bar = stack.enter_context(_Bar("versions", answer.state.version))
            if form is Form.PARQUET:
                folder = stack.enter_context(_parquet(output, client.codec, complete=False))
            else:
                write = stack.enter_context(_out(output))
                write(lines.first())
            async with aclosing(table_steps(client, table, eyes)) as steps:
                async for step in steps:
                    if form is Form.PARQUET:
                        folder.seen(step)
                    else:
                        write(lines.commit(step))
                    bar.at(step.version)
            if form is Form.PARQUET:
                folder.end({"kind": "seen", "table": table, "viewer": viewer})
            else:
                write(lines.last())


async def _scripts(client: Client, table: str, eyes: common_pb2.Viewer, hand: int | None) -> str:
    """The scripts of a table's finished hands, each tried out; raises ``CommandError``."""
    numbers = [hand] if hand else [each.hand for each in await hands(client, table) if each.over]
    if not numbers:
        raise CommandError("NOT_EXPORTABLE", "no hand of this table is over yet")
    texts: list[str] = []
    for number in numbers:
        try:
            text = await export_hand(client, table, number, eyes)
        except ValueError as error:
            hint = "wait for the end of its epoch, or ask as auditor; --hand names a single one"
            raise CommandError("NOT_EXPORTABLE", f"hand {number}: {error}", hint) from None
        for verdict in run_text(text, f"hand {number}", GAMES):
            if verdict.failure is not None:
                raise verdict.failure
        texts.append(text)
    return "---\n".join(texts)


async def complete(where: Where, table: str, form: Form, output: Path | None) -> None:
    """The record as it is stored, over gRPC."""
    async with where.client() as client, aclosing(commits_of(client, table)) as told:
        await _write(client.codec, table, form, output, told)


async def from_store(
    database: str | None, home: Path, table: str, form: Form, output: Path | None
) -> None:
    """The same, from the database itself: what an operator does."""
    world, codec = RealWorld(), Codec(GAMES)
    with database_of(database, home) as dsn, of_database():
        async with Store(dsn) as store:
            files = SecretFiles.beside(home)
            signing = await log_key(store, files, world, origin=None, renew=False)
            accesses = Accesses(world, store, codec)
            source = CompleteExport(world, store, accesses, signing.key)
            surface = "kartejo export"
            pieces = (
                source.table(None, table_id(table), surface)
                if table
                else source.whole(None, surface)
            )
            async with aclosing(_messages(pieces)) as told:
                await _write(codec, table, form, output, told)


async def _messages(
    pieces: AsyncGenerator[Piece, None],
) -> AsyncGenerator[pb.ExportCommitsResponse, None]:
    async with aclosing(pieces):
        async for piece in pieces:
            for message in messages(piece):
                yield message


async def _write(codec: Codec, table: str, form: Form, output: Path | None, told: Messages) -> None:
    lines = CompleteLines(codec, table)
    first = await anext(told, None)
    if first is None:
        raise Unknown("no such table")
    with ExitStack() as stack:
        bar = stack.enter_context(_Bar("versions" if table else "commits", first.total))
        if form is Form.PARQUET:
            folder = stack.enter_context(_parquet(output, codec, complete=True))
            put: Callable[[pb.StoredCommit], object] = folder.commit
        else:
            write = stack.enter_context(_out(output))
            write(lines.first(first.key, first.checkpoint))
            put = lambda commit: write(lines.commit(commit))  # noqa: E731
        note = ""
        done = 0
        async for message in told:
            for commit in message.commits:
                put(commit)
                done += commit.count if table else 1
            bar.at(done)
            note = message.note
        if not note:
            raise Corrupt("the service ended the export without its note")
        if form is Form.PARQUET:
            scope = f"table {table}" if table else "store"
            about = {"kind": "complete", "scope": scope, "key": first.key}
            folder.end({**about, "checkpoint": first.checkpoint, "note": note})
        else:
            write(lines.last(note))


@contextmanager
def _parquet(output: Path | None, codec: Codec, *, complete: bool) -> Iterator[Any]:
    from service.exports.parquet import COMPLETE, SEEN, ParquetFolder

    if output is None:
        raise AssertionError("a folder was asked for")
    with (
        whole_folder(output) as folder,
        ParquetFolder(folder, COMPLETE if complete else SEEN, codec) as writer,
    ):
        yield writer


@contextmanager
def _out(output: Path | None) -> Iterator[Write]:
    """Where lines go: a new file, or standard output."""
    if output is None:
        yield sys.stdout.buffer.write
        sys.stdout.buffer.flush()
        return
    with whole_file(output) as file:
        yield file.write


class _Bar:
    """A progress bar on a terminal, on standard error; nothing in a pipe."""

    def __init__(self, unit: str, total: int) -> None:
        console = Console(stderr=True)
        self._progress = Progress(
            TextColumn("exporting"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn(unit),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._task = self._progress.add_task("", total=total)

    def at(self, done: int) -> None:
        """So much is written."""
        self._progress.update(self._task, completed=done)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()
