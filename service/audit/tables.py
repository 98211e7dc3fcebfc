"""The audit of a table's stream: every decision taken again, chips, cards and epochs counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple, Protocol

from engine.cards import PACK
from engine.counting import cards_lying, chips_lying
from engine.errors import Corrupt, Refused
from engine.events import (
    ChipsAdded,
    DeckShuffled,
    EpochVoided,
    Event,
    LotDrawn,
    PositionSet,
    SeatLeft,
    SeatTaken,
    TableOpened,
)
from engine.house import Table, apply_all
from engine.kernel import AnyGame
from engine.visibility import AUDITOR
from service.audit.chain import Link
from service.audit.deciding import Decider, Differs
from service.audit.findings import Count, Findings
from service.audit.reading import Reader
from service.audit.secrets import Secrets
from service.audit.transfers import Partners, Transfers
from service.audit.unopened import require_public
from service.codec import Codec
from service.host.voiding import HandSoFar
from service.store.commit import Commit, unpack_body

__all__ = ["STALE_SECONDS", "Seen", "TableAudit", "Watcher"]

STALE_SECONDS: Final = 86_400
"""How much older than the newest commit of the log a table's last one may be while a hand runs."""

_COLUMNS: Final = ("count", "seat", "hand", "epoch", "rules")
"""What follows from a decision, besides its bytes."""


class Seen(NamedTuple):
    """A commit, the table after it, the fact that opened the table, and when that was.

    ``whole``: no secret is missing in the table.
    """

    commit: Commit
    table: Table
    opened: TableOpened
    created_at: int
    whole: bool = True


class Watcher(Protocol):
    """Compares something with a table at every version."""

    def at(self, seen: Seen) -> None:
        """The table has come to another version."""
        ...


class TableAudit:
    """Goes through the commits of one table in order; goes on after what it finds."""

    def __init__(
        self,
        games: Mapping[str, AnyGame],
        codec: Codec,
        secrets: Secrets,
        findings: Findings,
        count: Count,
        partners: Partners,
    ) -> None:
        self._codec = codec
        self._games = games
        self._secrets = secrets
        self._findings = findings
        self._count = count
        self._reader = Reader(codec, secrets)
        self._hand: HandSoFar | None = None
        self._decider: Decider | None = None
        self._transfers = Transfers(codec, findings, count, partners)
        self._table: Table | None = None
        self._first: Seen | None = None
        self._last: Commit | None = None
        self._stuck = False
        self._veiled = False
        """Whether nothing at hand opens a position that was set at a table of the laboratory."""
        self._brought = 0
        self._shuffled = False
        self._blind = False
        self._rules = 1

    @property
    def is_lab(self) -> bool:
        """Whether it is a table of the laboratory."""
        return self._table is not None and self._table.house.lab

    def take(self, link: Link, watcher: Watcher) -> None:
        """Check a commit; what it says is believed afterwards, so that the next can be checked."""
        if self._stuck:
            self._count.unchecked += 1
            return
        if self._is_veiled():
            self._count.sealed += 1
            return
        self._last = link.commit
        before = self._table or self._open(link)
        # After a gap, which its chain has shown, nothing can be said of what it leads to.
        follows = before is not None and before.version == link.commit.expected
        after = self._step(link, before) if before is not None and follows else None
        if self._is_veiled():
            return
        self._table = after
        if self._table is None or self._first is None:
            self._stuck = True
            self._count.unchecked += 1
            return
        watcher.at(
            self._first._replace(commit=link.commit, table=self._table, whole=not self._blind)
        )

    def finish(self, newest: int) -> None:
        """The stream has ended; ``newest``: when the log's last commit was recorded (µs)."""
        self._count.epochs += self._secrets.told
        self._count.voided += self._secrets.voided
        table, last = self._table, self._last
        if table is None or last is None:
            return
        house = table.house
        untold = [epoch for epoch, _, _ in house.kept]
        untold += [house.epoch] if house.shuffles else []
        stale = newest - last.recorded_at > STALE_SECONDS * 1_000_000
        for epoch in untold:
            if house.lab or not stale:
                self._count.running += 1
            elif table.game.seats(table.state) == 1:
                self._count.abandoned += 1
            else:
                days = (newest - last.recorded_at) / 86_400e6
                found = f"dealt from, not closed, and nothing has happened for {days:.1f} days"
                self._add("epoch", f"epoch {epoch} closed", found, last.version)
        if house.options.purse == "account":
            self._count.at_tables += self._brought

    # --- one commit ---------------------------------------------------------------------------

    def _add(self, check: str, expected: str, found: str, version: int) -> None:
        position = self._last.position if self._last else 0
        self._findings.add(check, expected, found, position, version)

    def _is_veiled(self) -> bool:
        return self._veiled

    def _open(self, link: Link) -> Table | None:
        """The empty table of the game that the first commit names."""
        commit = link.commit
        opened = self._reader.opening(link)
        game = self._games.get(opened.game) if opened else None
        if opened is None or game is None:
            found = "none" if opened is None else f"the game {opened.game[:64]!r}"
            self._add("opening", "TableOpened of a game installed here", found, commit.version)
            return None
        table = Table.empty(game)
        self._first = Seen(commit, table, opened, commit.recorded_at)
        clock = dict(opened.options).get("time_bank_seconds", "0")
        self._hand = HandSoFar(game)
        self._decider = Decider(self._codec, self._secrets, self._hand)
        self._decider.time_bank_ms = int(clock) * 1000 if clock.isdecimal() else 0
        return table

    def _step(self, link: Link, before: Table) -> Table | None:
        """The table after a commit; None: it cannot be gone on from here."""
        commit = link.commit
        known = self._secrets.opens(commit.epoch)
        decided = None
        if not known:
            self._count.sealed += 1
            self._blind = True
        elif commit.rules != before.game.RULES:
            self._count.folded += 1
            self._check_rules(commit, before.game.RULES)
        else:
            self._rules = commit.rules
            decided = self._decide(link, before)
        try:
            if decided is not None:
                events, after = decided
            else:
                events = self._reader.events(link, known=known)
                lab = before.house.lab and not known
                if lab and any(isinstance(one, PositionSet) for one in events):
                    self._veiled = True
                    return None
                after = apply_all(before, events, commit.seat)
                if not known:
                    self._check_public(commit, before, events, after)
            self._transfers.check(before, commit, events)
            self._follow(before, events, after)
            self._check_books(before, commit, events, after)
        except Corrupt as error:
            self._add("events", "events that can be read", str(error), commit.version)
        except Exception as error:  # noqa: BLE001 forged facts may break a fold anywhere
            found = f"{type(error).__name__} in folding them"
            self._add("fold", "facts that follow on the table", found, commit.version)
        else:
            return after
        return None

    def _check_public(
        self, commit: Commit, before: Table, events: tuple[Event, ...], after: Table
    ) -> None:
        try:
            require_public(before, commit, events, after)
        except Differs as differs:
            self._add(differs.check, differs.expected, differs.found, commit.version)
        self._check_rules(commit, before.game.RULES + 1)

    def _check_rules(self, commit: Commit, newest: int) -> None:
        """Older rules are no longer at hand; newer ones were never written by this program."""
        if not self._rules <= commit.rules < newest:
            expected = f"rules of revision {newest}, or of {self._rules} before that"
            self._add("rules", expected, str(commit.rules), commit.version)
        self._rules = max(self._rules, commit.rules)

    def _decide(self, link: Link, before: Table) -> tuple[tuple[Event, ...], Table] | None:
        """Events and table where the commit is what follows; else None, and a finding."""
        commit = link.commit
        if self._decider is None:
            return None
        try:
            decided = self._decider.again(before, commit, self._reader.inputs(link))
            self._compare(commit, decided.commit)
        except Differs as differs:
            version = differs.version or commit.version
            self._add(differs.check, differs.expected, differs.found, version)
        except Refused as refused:
            self._add("decision", "an action that the rules allow", refused.reason, commit.version)
        except Corrupt as error:
            self._add("sealed", "an action that opens", str(error), commit.version)
        except Exception as error:  # noqa: BLE001 after a forged fact anything may come
            found = f"{type(error).__name__} in deciding it"
            self._add("decision", "an action that can be decided", found, commit.version)
        else:
            self._count.decided += 1
            self._count.shuffles += sum(
                isinstance(event, DeckShuffled | LotDrawn) for event in decided.events
            )
            return decided.events, decided.after
        return None

    def _compare(self, commit: Commit, right: Commit) -> None:
        """Raises ``Differs`` unless a commit is what follows, byte for byte."""
        if commit.body != right.body:
            self._compare_events(commit, right)
        for name in _COLUMNS:
            expected, found = getattr(right, name), getattr(commit, name)
            if expected != found:
                raise Differs(name, str(expected), str(found))
        if commit.action != right.action:
            raise Differs("action", "the action as it is sealed", "other bytes")

    def _compare_events(self, commit: Commit, right: Commit) -> None:
        there = unpack_body(commit.body)
        due = unpack_body(right.body)
        for number, (found, expected) in enumerate(zip(there, due, strict=False), 1):
            if found != expected:
                told = self._reader.difference(commit, number, expected, found)
                raise Differs("event", *told, version=commit.expected + number)
        longer, word = (there, "more") if len(there) > len(due) else (due, "missing")
        names = [self._reader.name(form) for form in longer[min(len(there), len(due)) :]]
        raise Differs("event", f"{len(due)} events", f"{len(there)}; {word}: {', '.join(names)}")

    def _follow(self, before: Table, events: tuple[Event, ...], after: Table) -> None:
        """Keep what a hand that does not happen would leave; see ``HandSoFar``."""
        if self._hand is not None:
            self._hand.take(before, events, after)
        if any(isinstance(one, EpochVoided) and one.epoch == before.house.epoch for one in events):
            # What nobody can know any more has gone with the hand, and with the pack.
            self._blind = False
            self._shuffled = False

    # --- chips and cards ----------------------------------------------------------------------

    def _check_books(
        self, before: Table, commit: Commit, events: tuple[Event, ...], after: Table
    ) -> None:
        """Chips come and go with their players only; the pack is whole, or nothing is dealt."""
        game = before.game
        for event in events:
            match event:
                case SeatTaken(_, _, chips) | ChipsAdded(_, chips):
                    self._brought += chips
                case SeatLeft(_, chips):
                    self._brought -= chips
                case DeckShuffled():
                    self._shuffled = True
                case _ if type(event) in game.HAND_BEGINS:
                    self._shuffled = any(isinstance(one, DeckShuffled) for one in events)
        if after.house.lab:
            return
        seen = game.view(after.state, AUDITOR)
        if (there := chips_lying(game, after.state, seen)) != self._brought:
            self._add("chips", f"{self._brought} brought to the table", str(there), commit.version)
            self._brought = there
        if self._blind:
            return
        cards = cards_lying(game, seen)
        nothing = not cards and not (self._shuffled and game.hand(after.state))
        if not nothing and sorted(cards) != list(PACK):
            found = f"{len(cards)} cards, {len(set(cards))} of them different"
            self._add("cards", "each card of the pack once", found, commit.version)
