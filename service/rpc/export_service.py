"""ExportService: the record as it is stored, for auditors."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from typing import Any, Final
from uuid import UUID

from service.host.auditors import Auditors
from service.host.limits import Places
from service.identity import Principal
from service.pb import export_service_pb2 as pb
from service.pb.export_service_pb2_grpc import ExportServiceServicer
from service.rpc.calls import Calls
from service.rpc.messages import table_id
from service.store.commit import Commit
from service.transparency.complete import CompleteExport, Piece

__all__ = ["Exports", "messages", "stored_commit"]

AT_ONCE: Final = 2
"""Complete exports that one caller may have under way."""

MESSAGE_BYTES: Final = 256 * 1024
"""Commits of a message stay below what every client takes, as far as a commit can be cut off."""


class Exports(ExportServiceServicer):
    """The servicer."""

    def __init__(self, calls: Calls, auditors: Auditors, complete: CompleteExport) -> None:
        self._calls = calls
        self._auditors = auditors
        self._complete = complete
        self.readers = Places[UUID](AT_ONCE, "complete exports by one caller")

    async def ExportCommits(self, request: pb.ExportCommitsRequest, context: Any) -> None:  # type: ignore[override]
        await self._calls.stream(context, lambda caller: self._commits(caller, request.table_id))

    async def _commits(
        self, caller: Principal, table: str
    ) -> AsyncGenerator[pb.ExportCommitsResponse, None]:
        if table:
            stream = table_id(table)
            await self._auditors.require_table(caller, stream)
            pieces = self._complete.table(caller.id, stream, "ExportCommits")
        else:
            await self._auditors.require_all(caller)
            pieces = self._complete.whole(caller.id, "ExportCommits")
        with self.readers.place(caller.id):
            async with aclosing(pieces):
                async for piece in pieces:
                    for message in messages(piece):
                        yield message


def messages(piece: Piece) -> Iterator[pb.ExportCommitsResponse]:
    """A piece in messages that every client takes."""
    message = pb.ExportCommitsResponse(
        total=piece.total, key=piece.key, checkpoint=piece.checkpoint, note=piece.note
    )
    size = 0
    for commit, path in zip(piece.commits, piece.paths, strict=True):
        if size > MESSAGE_BYTES:
            yield message
            message, size = pb.ExportCommitsResponse(), 0
        message.commits.append(stored_commit(commit, path))
        size += len(commit.body) + len(commit.action) + 2_000
    yield message


def stored_commit(commit: Commit, path: Sequence[bytes] = ()) -> pb.StoredCommit:
    """A commit as the public contract has it, with its path to the root of the checkpoint."""
    return pb.StoredCommit(
        position=commit.position,
        stream=commit.stream.bytes,
        kind=commit.kind,
        version=commit.version,
        count=commit.count,
        command=commit.command,
        group=commit.group,
        digest=commit.digest,
        actor_kind=commit.actor_kind,
        actor=b"" if commit.actor is None else commit.actor.bytes,
        seat=commit.seat,
        action=commit.action,
        received_at=commit.received_at,
        recorded_at=commit.recorded_at,
        hand=commit.hand,
        epoch=commit.epoch,
        rules=commit.rules,
        body=commit.body,
        hash=commit.hash,
        inclusion=path,
    )
