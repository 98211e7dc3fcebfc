"""A witness: remembers what a log has signed, and believes nothing that contradicts it.

Its folder holds::

    seen.json         the log's key, and the newest checkpoint that was believed
    checkpoint        the same note, for publishing; cosigned where the witness has a key
    witness.key       that key, mode 600
    evidence/*.json   what was refused, complete: anybody can verify it again

Whoever shows two people different histories is found out as soon as they compare notes; a witness
compares all the time, and keeps what convicts.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from engine.errors import Corrupt, KartejoError, Malformed, Unknown
from service.folders import flush_folder
from service.transparency.checkpoint import Checkpoint
from service.transparency.merkle import BadProof, verify_consistency
from service.transparency.notes import (
    COSIGNATURE,
    BadNote,
    Note,
    Signature,
    SignerKey,
    VerifierKey,
)
from service.vault.secret_file import read_or_create_secret_file
from service.world import World

__all__ = ["Believed", "BrokenState", "Refusal", "Source", "Witness"]

MICROSECONDS: Final = 1_000_000


class BrokenState(KartejoError):
    """What the witness remembers cannot be read, or is of another log; the text says what to do."""

    reason = "BROKEN_STATE"


class Refusal(KartejoError):
    """The log has shown what contradicts itself; ``evidence`` is the file that holds it.

    ``reason`` is FALSE_NOTE (no checkpoint that the log has signed), SMALLER_TREE (than what was
    signed before), FORKED (another root for the same size), INCONSISTENT (a proof that shows
    something else) or NO_PROOF.
    """

    def __init__(self, reason: str, what: str, evidence: Path) -> None:
        self.reason = reason
        self.evidence = evidence
        super().__init__(what)


class Source(Protocol):
    """Where a witness looks.  Methods raise ``KartejoError``."""

    async def checkpoint(self) -> str:
        """The newest signed note; raises ``Unknown`` where there is none."""

    async def consistency(self, old: int, size: int) -> Sequence[bytes]:
        """The proof that the tree of ``old`` leaves begins the one of ``size``."""


class Believed(NamedTuple):
    """What a look has found: the note, whether it is new, and how many commits are."""

    checkpoint: Checkpoint
    note: str
    grown: int


class Witness:
    """A witness of the log with ``key``, in a folder of its own.

    ``cosigner`` is the name to cosign under.  Raises ``BrokenState``, ``KeyFileError`` and
    ``OSError``, ``BadNote`` for a name that is none.
    """

    def __init__(
        self, world: World, folder: Path, key: VerifierKey, cosigner: str | None = None
    ) -> None:
        self._world = world
        self._folder = folder
        self._key = key
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._seen = self._read()
        self._cosigner = None if cosigner is None else self._cosigner_named(cosigner)

    @staticmethod
    def key_in(folder: Path) -> VerifierKey | None:
        """The key of the log that a folder is about; None: it is about none yet."""
        state = _state_in(folder)
        return None if state is None else state[0]

    @property
    def cosigner(self) -> VerifierKey | None:
        """The key that others verify the cosignatures with."""
        return None if self._cosigner is None else self._cosigner.verifier

    async def look(self, source: Source) -> Believed:
        """Look once, and believe what follows from what was seen before.

        Raises ``Refusal``, with the evidence kept and nothing else changed; ``Unknown`` while
        nothing was ever signed; and what the source raises while it cannot be asked.
        """
        before = self._seen
        try:
            told = await source.checkpoint()
        except Unknown as error:
            if before is None:
                raise
            what = f"a tree of {before.size} commits was signed, now none is: {error}"
            raise self._refusal("SMALLER_TREE", what) from None
        try:
            new = Checkpoint.opened(told, self._key)
        except BadNote as error:
            raise self._refusal("FALSE_NOTE", str(error), told) from None
        if before is None:
            return self._believe(new, told, new.size)
        if new.size < before.size:
            what = f"a tree of {before.size} commits was signed, now one of {new.size} is shown"
            raise self._refusal("SMALLER_TREE", what, told)
        if new.size == before.size:
            if new.root != before.root:
                what = f"the tree of {new.size} commits was signed with two roots"
                raise self._refusal("FORKED", what, told)
            return self._believe(new, told, 0)
        try:
            proof = list(await source.consistency(before.size, new.size))
        except (Malformed, Unknown, Corrupt) as error:
            raise self._refusal("NO_PROOF", f"there is no proof: {error}", told) from None
        try:
            verify_consistency(before.size, new.size, proof, before.root, new.root)
        except BadProof as error:
            what = f"{before.size} commits do not begin these {new.size}: {error}"
            raise self._refusal("INCONSISTENT", what, told, proof) from None
        return self._believe(new, told, new.size - before.size)

    def _believe(self, new: Checkpoint, told: str, grown: int) -> Believed:
        # Without the signatures of strangers, who may add as many as they like.
        note = self._own(told)
        if new != self._seen:
            self._write("seen.json", json.dumps({"key": self._key.told(), "note": note.told()}))
            self._seen = new
        # What is cosigned was remembered before: two trees are never vouched for.
        if self._cosigner is not None:
            at = self._world.now() // MICROSECONDS
            note = note.signed(self._cosigner.sign(note.text, at))
        if grown or self._cosigner is not None:
            self._write("checkpoint", note.told())
        return Believed(new, note.told(), grown)

    def _own(self, told: str) -> Note:
        note = Note.parse(told)

        def is_own(signature: Signature) -> bool:
            return (signature.name, signature.content[:4]) == (self._key.name, self._key.id)

        return note._replace(signatures=tuple(filter(is_own, note.signatures)))

    def _refusal(
        self,
        reason: str,
        what: str,
        told: str | None = None,
        proof: Sequence[bytes] | None = None,
    ) -> Refusal:
        """Keep the evidence of a refusal."""
        now = datetime.fromtimestamp(self._world.now() / MICROSECONDS, UTC)
        (self._folder / "evidence").mkdir(mode=0o700, exist_ok=True)
        state = _state_in(self._folder)
        evidence = {
            "reason": reason,
            "what": what,
            "at": now.isoformat(timespec="microseconds"),
            "key": self._key.told(),
            "believed_note": None if state is None else state[1],
            "refused_note": told,
            "proof": None if proof is None else [each.hex() for each in proof],
        }
        name = f"evidence/{now:%Y%m%dT%H%M%S.%fZ}-{reason.lower()}.json"
        return Refusal(reason, what, self._write(name, json.dumps(evidence, indent=1)))

    def _read(self) -> Checkpoint | None:
        state = _state_in(self._folder)
        if state is None:
            return None
        key, note = state
        if key != self._key:
            raise BrokenState(
                f"{self._folder} is about the log with the key {key.told()}: for another log, or "
                "one whose key was replaced, use another folder"
            )
        return Checkpoint.opened(note, key)

    def _cosigner_named(self, name: str) -> SignerKey:
        path = self._folder / "witness.key"
        if not name.isascii():
            raise BadNote("a witness's name is plain ASCII, such as witness.example/w1")
        text = read_or_create_secret_file(
            path, lambda: SignerKey.draw(self._world, name, COSIGNATURE).secret()
        )
        key = SignerKey.parse(text)
        if (key.verifier.name, key.verifier.type) != (name, COSIGNATURE):
            raise BrokenState(
                f"{path} is the key of {key.verifier.name}, not of the witness {name}"
            )
        return key

    def _write(self, name: str, text: str) -> Path:
        """Put a text in a file: readers see the old one or the new, after a crash too."""
        path = self._folder / name
        fresh = path.with_name(f".{path.name}.new")
        with fresh.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
        flush_folder(path.parent)
        return path


def _state_in(folder: Path) -> tuple[VerifierKey, str] | None:
    """Key and note that are remembered; raises ``BrokenState``."""
    path = folder / "seen.json"
    try:
        state = json.loads(path.read_text(encoding="utf-8"))
        key = VerifierKey.parse(state["key"])
        Checkpoint.opened(state["note"], key)
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, LookupError, AttributeError, BadNote):
        raise BrokenState(
            f"{path} does not hold what this witness has seen: restore it from your backup, or "
            "begin in another folder"
        ) from None
    return key, state["note"]
