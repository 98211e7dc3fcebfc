"""An export from its first line to its last, in memory that does not grow with it."""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final
from uuid import UUID

from service.verify.books import (
    AccessCheck,
    AccountCheck,
    Moved,
    Purse,
    require_balanced,
    require_same_chips,
)
from service.verify.findings import Bad, Finding, Report
from service.verify.house import require_caller
from service.verify.lines import Line, parse, record_of, require_written
from service.verify.merkle import Roots, root_from_path
from service.verify.notes import Checkpoint, Key, parse_checkpoint, parse_key, verified_text
from service.verify.records import Record, derived_stream, genesis, group_of, hash_of
from service.verify.seen import SeenReading
from service.verify.tables import Opened, TableCheck
from service.verify.tournaments import TournamentCheck

__all__ = ["verify", "verify_file"]

LONGEST_LINE: Final = 64 * 2**20
TABLE: Final = 1
Shown = Callable[[Opened], None]


def verify(
    lines: Iterable[bytes],
    trusted: str = "",
    progress: Callable[[int], None] = lambda _: None,
    shown: Shown | None = None,
) -> Report:
    """What is wrong with an export whose lines these are.

    ``trusted``: the key that must have signed it; empty: the key that it names itself, which proves
    who signed it only to those who know that key.  ``progress`` is told the bytes read; ``shown``
    gets every commit that was opened.
    """
    reading = _Reading(parse_key(trusted) if trusted else None, shown)
    for number, text in enumerate(lines, 1):
        reading.take(number, text)
        progress(len(text))
    return reading.end()


def verify_file(
    path: Path,
    trusted: str = "",
    progress: Callable[[int], None] = lambda _: None,
    shown: Shown | None = None,
) -> Report:
    """What is wrong with an export that lies in a file; raises ``OSError``."""
    with path.open("rb") as file:
        # No line is read beyond what the longest may have, whatever the file holds.
        lines = iter(lambda: file.readline(LONGEST_LINE + 1), b"")
        return verify(lines, trusted, progress, shown)


class _Stream:
    """Where a stream stands, and who looks at what it holds."""

    def __init__(self, record: Record) -> None:
        self.version = 0
        self.hash = genesis(record.stream)
        self.position = 0
        self.recorded_at = 0
        self.kind = record.kind
        self.check: TableCheck | AccountCheck | TournamentCheck | AccessCheck | None = None
        self.purse = Purse()
        match record.kind:
            case 1:
                self.check = TableCheck(record.stream)
            case 2:
                self.check = AccountCheck(record.stream)
            case 3:
                self.check = TournamentCheck(record.stream)
            case 4:
                self.check = AccessCheck(record.stream)


class _Reading:
    def __init__(self, trusted: Key | None, shown: Shown | None) -> None:
        self.report = Report()
        self._trusted = trusted
        self._key: Key | None = None
        self._tree: Checkpoint | None = None
        self._roots = Roots()
        self._shown = shown
        self._streams: dict[UUID, _Stream] = {}
        self._digest = sha256(b"kartejo.export.1")
        self._commits = 0
        self._position = 0
        self._group: list[Record] = []
        self._taken: Moved = Counter()
        self._given: Moved = Counter()
        self._said: Moved = Counter()
        self._told: Moved = Counter()
        self._line = 0
        self._tables: set[UUID] | None = None
        self._seen: SeenReading | None = None
        self._begun = False
        self._over = False

    # --- lines ----------------------------------------------------------------------------------

    def take(self, number: int, text: bytes) -> None:
        """One more line."""
        self._line = number
        try:
            if self._over:
                raise Bad("something follows the end of the export")
            if len(text) > LONGEST_LINE:
                raise Bad("the line is longer than any commit", LONGEST_LINE, len(text))
            line = parse(text)
            if not self._begun:
                self._begin(line, text)
            elif self._seen is not None:
                self._take_seen(self._seen, line, text)
            elif line["type"] == "commit":
                self._commit(record_of(line, text))
            elif line["type"] == "end":
                self._end(line, text)
            else:
                raise Bad("a line of an unknown type", "commit or end", line["type"][:80])
        except Bad as bad:
            self._find(bad)
            self._begun = True
        except UnicodeError:  # half of a surrogate pair, which JSON can spell
            self._find(Bad("a text that cannot be written"))
            self._begun = True

    def _take_seen(self, seen: SeenReading, line: Line, text: bytes) -> None:
        match line["type"]:
            case "commit":
                seen.commit(line, text)
            case "end":
                self._over = True
                seen.end(line, text)
            case other:
                raise Bad("a line of an unknown type", "commit or end", other[:80])

    def end(self) -> Report:
        """The export is over: the report."""
        self._line += 1
        if not self._over:
            self._find(Bad("the export ends in the middle", "a line of the type end", "nothing"))
        self._close_group()
        for stream in self._streams.values():
            if isinstance(stream.check, TableCheck):
                self._looked(stream.check.end())
            elif isinstance(stream.check, TournamentCheck):
                stream.check.end()
                self._hold_packs(stream.check)
            if stream.check is not None:
                self.report.counts += stream.check.counts
        if self._seen is None:
            self.report.counts["commits"] = self._commits
            self.report.counts["streams"] = len(self._streams)
        self.report.findings.sort(key=lambda each: each.line)
        return self.report

    def _hold_packs(self, tournament: TournamentCheck) -> None:
        """Tables that share their packs have their first secret from the tournament's."""
        for table, packs, commitment in tournament.shared():
            there = self._streams.get(table)
            if there is None or not isinstance(there.check, TableCheck):
                continue  # drawn, and never opened
            due, found = (str(packs), commitment), (there.check.packs, there.check.first)
            tournament.counts["tables with the packs of others"] += 1
            if due != found:
                what = f"table {table} does not deal the packs that its tournament says"
                shown = [f"{name}, commitment {one.hex()}" for name, one in (due, found)]
                self._find(Bad(what, *shown))

    def _find(self, bad: Bad, record: Record | None = None, line: int = 0) -> None:
        self.report.add(
            Finding(
                line or self._line,
                0 if record is None else record.position,
                None if record is None else record.stream,
                0 if record is None else record.version,
                bad.what,
                bad.expected,
                bad.found,
            )
        )

    def _begin(self, line: Line, text: bytes) -> None:
        self._begun = True
        if line["type"] != "export" or line.get("format") != 1:
            raise Bad("not the first line of an export of format 1")
        if line.get("kind") == "seen":
            self._seen = SeenReading(self.report, line, text)
            return
        if line.get("kind") != "complete":
            raise Bad("an export of an unknown kind", "complete or seen", line.get("kind"))
        self.report.kind = "complete"
        scope = line.get("scope")
        if not isinstance(scope, str):
            raise Bad("the export does not say what it is of")
        if scope != "store":
            table = _table(scope)
            self._tables = {table, derived_stream(b"kartejo/v1/access", table)}
        self.report.scope = scope
        key, checkpoint = line.get("key"), line.get("checkpoint")
        if not isinstance(key, str) or not isinstance(checkpoint, str):
            raise Bad("the export does not name its key and its checkpoint")
        told = {"type": "export", "format": 1, "kind": "complete", "scope": scope}
        require_written(text, {**told, "key": key, "checkpoint": checkpoint})
        self._begin_signed(parse_key(key), checkpoint)

    def _begin_signed(self, key: Key, checkpoint: str) -> None:
        self.report.signer = str(key)
        if self._trusted is not None and self._trusted != key:
            raise Bad("signed by another key than the one that is trusted", self._trusted, key)
        self._key = key
        if checkpoint:
            self._tree = parse_checkpoint(checkpoint, key)
            self.report.counts["commits of the checkpoint"] = self._tree.size

    def _end(self, line: Line, text: bytes) -> None:
        self._over = True
        note = line.get("note")
        if not isinstance(note, str):
            raise Bad("the end holds no note")
        require_written(text, {"type": "end", "note": note})
        if self._tree is not None and self._tables is None and self._roots.size < self._tree.size:
            raise Bad("commits of the checkpoint are missing", self._tree.size, self._roots.size)
        if self._key is None:
            raise Bad("the export names no key that could have signed it")
        signed = verified_text(note, self._key)
        made = signed.rpartition("made ")[2].strip()
        if not made.isdecimal():
            raise Bad("the note does not say when it was made", found=made[:80])
        self.report.made = int(made)
        expected = (
            "kartejo/export/1\n"
            f"scope {self.report.scope}\n"
            f"commits {self._commits}\n"
            f"digest {b64encode(self._digest.digest()).decode()}\n"
            f"made {made}\n"
        )
        if signed != expected:
            pairs = zip(expected.splitlines(), signed.splitlines(), strict=False)
            one, other = next(((a, b) for a, b in pairs if a != b), (expected, signed))
            raise Bad("the commits are not those that were signed", other, one)

    # --- commits --------------------------------------------------------------------------------

    def _commit(self, record: Record) -> None:
        self._commits += 1
        self._digest.update(record.position.to_bytes(8, "big", signed=True) + record.hash)
        self.report.counts["events"] += record.count
        stream = self._streams.get(record.stream)
        if stream is None:
            stream = self._streams[record.stream] = _Stream(record)
        wrong = [*_attempted(lambda: self._places(record, stream))]
        wrong += _attempted(lambda: _link(record, stream))
        wrong += _attempted(lambda: self._in_tree(record))
        stream.version, stream.hash, stream.position = record.version, record.hash, record.position
        stream.recorded_at = record.recorded_at
        self._collect(record)
        for bad in wrong:
            self._find(bad, record)
        if wrong:
            # It is no continuation: nothing can be said about what it holds.
            if isinstance(stream.check, TableCheck | TournamentCheck):
                stream.check.give_up()
        else:
            for bad in _attempted(lambda: self._look(stream, record)):
                self._find(bad, record)

    def _places(self, record: Record, stream: _Stream) -> Iterator[Bad]:
        """Position and version: nothing left out, nothing twice, nothing out of turn."""
        if self._tables is not None and record.stream not in self._tables:
            yield Bad("a commit of a stream that the export is not of", self.report.scope)
        if self._tables is None:
            if record.position != self._position + 1:
                yield Bad("positions have a gap", self._position + 1, record.position)
            self._position = record.position
        elif record.position <= stream.position:
            yield Bad("positions go back", f"more than {stream.position}", record.position)
        if record.count < 1 or (record.facts is not None and record.count != len(record.facts)):
            found = "none" if record.facts is None else len(record.facts)
            yield Bad("the number of events is not the one told", record.count, found)
        if record.base != stream.version:
            yield Bad("versions have a gap", stream.version + record.count, record.version)
        if record.kind != stream.kind:
            yield Bad("a stream changes its kind", stream.kind, record.kind)
        if stream.check is None:
            yield Bad("a stream of a kind that nothing is stored in", found=record.kind)
        if record.kind == TABLE and record.recorded_at < stream.recorded_at:
            yield Bad("times of a table run backwards", stream.recorded_at, record.recorded_at)
        yield from _attempted(lambda: require_caller(record))
        if record.facts is None:
            yield Bad("the body is not a list of events")

    def _in_tree(self, record: Record) -> None:
        """The commit is in the tree that was signed, if that is as large."""
        tree = self._tree
        if self._tables is None:
            self._roots.add(record.hash)
            if record.inclusion:
                raise Bad("a proof of its own, though the whole log is here")
            if tree is not None and self._roots.size == tree.size:
                root = self._roots.root()
                if root != tree.root:
                    what = "the commits so far are not those of the checkpoint"
                    raise Bad(what, tree.root.hex(), root.hex())
        elif tree is not None and record.position <= tree.size:
            path = record.inclusion
            root = root_from_path(record.hash, record.position - 1, tree.size, path)
            if root != tree.root:
                raise Bad("the proof leads to another root", tree.root.hex(), root.hex())
            self.report.counts["commits proved to be in the log"] += 1
        elif record.inclusion:
            raise Bad("a proof for a commit that no checkpoint covers")

    def _look(self, stream: _Stream, record: Record) -> None:
        """What the commit says, in the eyes of whoever knows its kind of stream."""
        match stream.check:
            case TableCheck() as check:
                self._taken.update(stream.purse.take(record))
                self._told[record.stream] += stream.purse.staked
                self._looked(check.take(self._line, record))
            case AccountCheck() as check:
                check.take(record)
                self._given[record.stream] += check.moved
            case TournamentCheck() as check:
                self._looked(check.take(self._line, record))
                self._taken.update(check.paid)
                self._said.update(check.staked)
            case AccessCheck() as check:
                check.take(record)

    def _looked(
        self,
        looks: Iterable[tuple[int, Record, Bad | Opened]] | Iterable[tuple[int, Record, Bad]],
    ) -> None:
        for line, about, found in looks:
            if isinstance(found, Bad):
                self._find(found, about, line)
            elif self._shown is not None:
                self._shown(found)

    # --- groups ---------------------------------------------------------------------------------

    def _collect(self, record: Record) -> None:
        if self._group and self._group[0].group != record.group:
            self._close_group()
        self._group.append(record)

    def _close_group(self) -> None:
        """Commits that were stored together name each other: one that is missing shows here."""
        members, self._group = self._group, []
        if not members:
            return
        taken, given = self._taken, self._given
        said, seen = self._said, self._told
        self._taken, self._given = Counter(), Counter()
        self._said, self._told = Counter(), Counter()
        found, told = group_of(members), members[0].group
        if self._tables is not None:
            self.report.counts["commits stored with others"] += found != told
        elif found != told:
            what = "commits that were stored together are not all here"
            self._find(Bad(what, told.hex(), found.hex()), members[0])
        else:
            try:
                require_balanced(taken, given)
                require_same_chips(said, seen)
            except Bad as bad:
                self._find(bad, members[0])


def _link(record: Record, stream: _Stream) -> None:
    right = hash_of(stream.hash, record)
    if right != record.hash:
        raise Bad("the hash does not follow", right.hex(), record.hash.hex())


def _attempted(work: Callable[[], Iterable[Bad] | None]) -> list[Bad]:
    """What some work finds, raised or not."""
    try:
        return list(work() or ())
    except Bad as bad:
        return [bad]


def _table(scope: str) -> UUID:
    """The table of a scope that is not the store; raises ``Bad``."""
    word, _, name = scope.partition(" ")
    try:
        table = UUID(name)
    except ValueError:
        table = UUID(int=0)
    if word != "table" or str(table) != name:
        raise Bad("the scope is neither the store nor a table", found=scope[:80])
    return table
