"""The chain of one stream: versions without a gap, hashes over stored bytes, shapes of commits."""

from __future__ import annotations

from typing import Final, NamedTuple
from uuid import UUID

from engine.errors import Corrupt
from service.audit.findings import Findings
from service.store.commit import (
    ActorKind,
    Commit,
    StoredEvent,
    StreamKind,
    genesis,
    link,
    unpack_body,
)

__all__ = ["Chain", "Link"]

KINDS: Final = (
    StreamKind.TABLE,
    StreamKind.ACCOUNT,
    StreamKind.TOURNAMENT,
    StreamKind.ACCESS,
)
"""What is audited; nothing else is stored."""


class Link(NamedTuple):
    """A commit and the events in its body; ``forms`` is None where the body cannot be read."""

    commit: Commit
    forms: tuple[StoredEvent, ...] | None


class Chain:
    """Takes the commits of a stream in the order of their versions."""

    def __init__(self, stream: UUID, findings: Findings) -> None:
        self.version = 0
        self.kind: int | None = None
        self._stream = stream
        self._findings = findings
        # What the next commit may continue: what the last one says its hash is, and what it is.
        self._last = {genesis(stream)}
        self._recorded_at = 0

    def take(self, commit: Commit) -> Link:
        """Check a commit against what came before it."""
        self._follow(commit)
        self._check_hash(commit)
        self._check_head(commit)
        return Link(commit, self._forms(commit))

    def _add(self, commit: Commit, check: str, expected: str, found: str) -> None:
        self._findings.add(check, expected, found, commit.position, commit.version)

    def _follow(self, commit: Commit) -> None:
        if commit.expected != self.version:
            told = f"version {commit.version} of {commit.count} events"
            self._add(commit, "version", f"a commit that continues version {self.version}", told)
        self.version = commit.version
        if self.kind is None:
            self.kind = commit.kind
            if self.kind not in KINDS:
                told = ", ".join(kind.name.lower() for kind in KINDS)
                self._add(commit, "kind", f"a stream of {told}", f"kind {commit.kind}")
        elif commit.kind != self.kind:
            self._add(commit, "kind", f"a stream of kind {self.kind}", f"kind {commit.kind}")
        if commit.kind == StreamKind.TABLE and commit.recorded_at < self._recorded_at:
            expected = f"a time from {self._recorded_at} on"
            self._add(commit, "time", expected, str(commit.recorded_at))
        self._recorded_at = commit.recorded_at

    def _check_hash(self, commit: Commit) -> None:
        try:
            right = [link(previous, commit) for previous in sorted(self._last)]
        except ValueError as error:
            self._add(commit, "hash", "fields of the stored format", str(error))
            right = []
        if commit.hash not in right:
            expected = right[0].hex() if right else "a hash over them"
            self._add(commit, "hash", expected, commit.hash.hex())
        self._last = {commit.hash, *right}

    def _check_head(self, commit: Commit) -> None:
        """Who may have given it: callers have an id, the service's own steps have none."""
        if commit.actor_kind not in set(ActorKind):
            self._add(commit, "actor", "a kind of actor that there is", str(commit.actor_kind))
            return
        named = commit.actor_kind not in {ActorKind.SERVICE, ActorKind.PROCESS}
        if named != (commit.actor is not None):
            kind = ActorKind(commit.actor_kind).name.lower()
            expected = "an id" if named else "no id"
            self._add(commit, "actor", f"{expected} of a {kind}", str(commit.actor))

    def _forms(self, commit: Commit) -> tuple[StoredEvent, ...] | None:
        try:
            return unpack_body(commit.body, commit.count)
        except Corrupt as error:
            self._add(commit, "body", f"{commit.count} events in the stored format", str(error))
            return None
