"""A complete export as the source of an audit: lines of JSON, found again by their place.

Of each commit a few bytes are kept in memory, its position and where its line begins.
"""

from __future__ import annotations

import json
import re
from array import array
from base64 import b64decode
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, Final
from uuid import UUID

from engine.errors import Corrupt, Malformed
from service.audit.checkpoints import SignedRow
from service.audit.source import RECENT, Beside, LogRow, Standing, Stray, StreamSize
from service.store.commit import ActorKind, Commit, Slot, StoredEvent, StreamKind, pack_body
from service.store.master_keys import NotedKey

__all__ = ["Export", "exported"]

_HEAD: Final = re.compile(
    rb'\{"type":"commit","position":(\d+),"stream":"([0-9a-f-]{36})",.*"recorded_at":(-?\d+),'
)
_ENDS: Final = re.compile(rb'\{"type":"end",.*\}\n\Z')
_COUNT: Final = re.compile(rb"\\ncommits ([0-9]{1,18})\\n")


@contextmanager
def exported(path: Path) -> Iterator[Export]:
    """The export in a file; raises ``Malformed`` for another file, ``OSError``."""
    index = _index(path)
    with path.open("rb") as file:
        yield Export(file, index)


class _Index:
    """Where the commits of an export stand."""

    def __init__(self, path: Path) -> None:
        self.is_whole = False
        self.head = 0
        self.lacking = 0
        self.key = ""
        self._recent: deque[int] = deque(maxlen=RECENT)
        self.positions = array("q")
        self.places = array("q")
        self.streams: dict[UUID, array[int]] = {}
        with path.open("rb") as file:
            self._read(path, file)

    def _read(self, path: Path, file: BinaryIO) -> None:
        try:
            first = json.loads(file.readline())
            known = first["type"] == "export" and first["format"] == 1
        except (ValueError, TypeError, LookupError):
            known = False
        if not known or first.get("kind") != "complete":
            raise Malformed("export", f"{path} is no complete export: `kartejo export` makes one")
        self.is_whole = first.get("scope") == "store"
        self.key = str(first.get("key") or "")
        place, line = file.tell(), b""
        for line in file:
            if (head := _HEAD.match(line)) is not None:
                position, stream, recorded_at = int(head[1]), UUID(head[2].decode()), int(head[3])
                self.positions.append(position)
                self.places.append(place)
                self.streams.setdefault(stream, array("q")).append(place)
                self._recent.append(recorded_at)
            place += len(line)
        if not _ENDS.match(line):
            what = f"{path} ends in the middle: what is missing cannot be audited"
            raise Malformed("export", what)
        noted = _COUNT.search(line)
        self.head = max(self.positions, default=0)
        if noted is not None:
            self.lacking = int(noted[1]) - len(self.positions)
            if self.is_whole:  # then the number of commits is the last position
                self.head = max(self.head, int(noted[1]))

    @property
    def newest(self) -> int:
        """See ``Standing``."""
        return max(self._recent, default=0)


@cache
def _index(path: Path) -> _Index:
    return _Index(path)


class Export:
    """See ``Source``.  It holds no rows beside the log, and no checkpoints."""

    def __init__(self, file: BinaryIO, index: _Index) -> None:
        self._file = file
        self._index = index

    @property
    def is_whole(self) -> bool:
        """Whether it holds the whole log, and not one table of it."""
        return self._index.is_whole

    @property
    def lacking(self) -> int:
        """Commits that it says to hold and does not."""
        return self._index.lacking

    def standing(self) -> Standing:
        """See ``Source``."""
        index = self._index
        sizes = [StreamSize(stream, len(places)) for stream, places in index.streams.items()]
        return Standing(index.head, index.newest, sizes)

    def log(self, head: int) -> Iterator[LogRow]:
        """See ``Source``."""
        for place in self._index.places:
            one = self._commit(place)
            if one.position <= head:
                yield LogRow(one.position, one.stream, one.version, one.kind, one.group, one.hash)

    def commits(self, stream: UUID, head: int) -> Iterator[Commit]:
        """See ``Source``."""
        found = map(self._commit, self._index.streams.get(stream, ()))
        return (one for one in found if one.position <= head)

    def following(self, commit: Commit, count: int) -> Sequence[Commit] | None:
        """See ``Source``."""
        if not self.is_whole:
            return None
        at = bisect_right(self._index.positions, commit.position)
        return [self._commit(place) for place in self._index.places[at : at + count]]

    def beside(self, stream: UUID) -> Beside | None:  # noqa: ARG002 nothing is
        """See ``Source``."""
        return None

    def strays(self) -> Iterator[Stray]:
        """See ``Source``."""
        return iter(())

    def head_now(self) -> int:
        """See ``Source``."""
        return self._index.head

    def signed(self) -> Iterator[SignedRow]:
        """See ``Source``."""
        return iter(())

    def log_keys(self) -> Sequence[str]:
        """See ``Source``: the one that the export says it was signed with."""
        return (self._index.key,) if self._index.key else ()

    def master_keys(self) -> tuple[NotedKey, ...]:
        """See ``Source``."""
        return ()

    def _commit(self, place: int) -> Commit:
        self._file.seek(place)
        try:
            return _commit(json.loads(self._file.readline()))
        except (ValueError, TypeError, LookupError) as error:
            what = f"the line at byte {place} of the export is no commit: {type(error).__name__}"
            raise Corrupt(f"{what}; `kartejo verify` tells more") from None


def _commit(told: dict[str, Any]) -> Commit:
    """The commit of a line."""
    body = b64decode(told["body"]) if "body" in told else _body(told)
    actor = told["actor"]
    return Commit(
        stream=UUID(told["stream"]),
        kind=StreamKind[told["kind"].upper()],
        version=told["version"],
        count=told["count"],
        command=bytes.fromhex(told["command"]),
        group=bytes.fromhex(told["group"]),
        digest=bytes.fromhex(told["digest"]),
        actor_kind=ActorKind[told["actor_kind"].upper()],
        actor=None if actor is None else UUID(actor),
        seat=told["seat"],
        action=b64decode(told["action"]),
        received_at=told["received_at"],
        recorded_at=told["recorded_at"],
        hand=told["hand"],
        epoch=told["epoch"],
        rules=told["rules"],
        body=body,
        hash=bytes.fromhex(told["hash"]),
        position=told["position"],
    )


def _body(told: dict[str, Any]) -> bytes:
    events = [
        StoredEvent(
            one["type"],
            one["revision"],
            b64decode(one["public"]),
            tuple(
                Slot(slot["field"], slot["audience"], b64decode(slot["sealed"]))
                for slot in one["slots"]
            ),
        )
        for one in told["events"]
    ]
    return pack_body(events, bytes.fromhex(told["salt"]))
