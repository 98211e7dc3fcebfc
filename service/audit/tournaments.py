"""The audit of a tournament's stream: every decision taken again, chips and money held against
what its tables and the accounts of its players say in the same groups of commits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final
from uuid import UUID

from google.protobuf.message import DecodeError

from engine.account import Account
from engine.actions import Action
from engine.errors import Corrupt, Malformed, Refused
from engine.events import EpochOpened, EpochVoided, Event, HouseOpened, PacksShared
from engine.tournament import events as e
from engine.tournament.actions import (
    CreateTournament,
    HostAsks,
    PlayerAsks,
    StartDue,
    TimeGivenBack,
)
from engine.tournament.all_events import stands_in_stream
from engine.tournament.formats import format_of
from engine.tournament.housed import Housed, with_events
from engine.tournament.transfers import chips_moved, house_of, payments, stakes, tables_of
from service.audit.chain import Link
from service.audit.deciding import NOBODY, Differs, Given
from service.audit.findings import Count, Findings
from service.audit.reading import Reader
from service.audit.secrets import Secrets
from service.audit.transfers import Openings, Partners, is_alone
from service.codec import Codec, PrivateValue, StoredForm
from service.codec.tournaments import tournament_action_from_wire
from service.host.accounts import account_stream
from service.host.commands import Command, stream_of
from service.host.recorder import Recorder
from service.pb import tournament_actions_pb2
from service.store.commit import ActorKind, Commit, StreamKind, group_of, salt_of, unpack_body
from service.tournaments.deciding import RULES, decided, packs_id, table_stream
from service.tournaments.joint import change_of
from service.vault import EpochKeys, SlotSealer

__all__ = ["TournamentAudit"]

_COLUMNS: Final = ("count", "seat", "hand", "epoch", "rules", "action", "body")


class TournamentAudit:
    """Goes through the commits of one tournament in order; goes on after what it finds."""

    def __init__(
        self,
        codec: Codec,
        secrets: Secrets,
        findings: Findings,
        count: Count,
        partners: Partners,
        openings: Openings,
    ) -> None:
        self._codec = codec
        self._secrets = secrets
        self._findings = findings
        self._count = count
        self._partners = partners
        self._openings = openings
        self._reader = Reader(codec, secrets)
        self._now = Housed()
        self._streams: dict[int, UUID] = {}
        self._stuck = False
        self._recorded_at = 0
        self._clock_since = 0

    def take(self, link: Link) -> None:
        """Check a commit; what it says is believed afterwards, so that the next can be checked."""
        commit = link.commit
        if self._stuck or self._now.state.version != commit.expected:
            self._stuck = True
            self._count.unchecked += 1
            return
        after: Housed | None
        known = not commit.epoch or self._secrets.opens(commit.epoch)
        try:
            events = self._reader.events(link, known=known)
            for event in events:
                if not stands_in_stream(event):
                    raise Corrupt(type(event).__name__)
            if known and commit.rules == RULES:
                self._decide(commit, events)
                self._count.decided += 1
            else:
                self._count.folded += known
                self._count.sealed += not known
            self._check_group(commit, events)
            self._check_packs(commit, events)
            after = with_events(self._now, events)
        except Differs as differs:
            self._add(commit, differs.check, differs.expected, differs.found)
            after = self._believed(events)
        except Refused as refused:
            self._add(commit, "decision", "an action that the rules allow", refused.reason)
            after = self._believed(events)
        except (Corrupt, Malformed) as error:
            self._add(commit, "events", "events of a tournament that can be read", str(error))
            after = None
        except Exception as error:  # noqa: BLE001 forged facts may break a fold anywhere
            self._add(commit, "fold", "facts that follow", f"{type(error).__name__} in it")
            after = None
        if after is None:
            self._stuck = True
            return
        for version, event in enumerate(events, commit.expected + 1):
            if isinstance(event, e.TableDrawn):
                self._streams[event.table] = table_stream(commit.stream, version)
        clock = after.state.clock
        if clock is not None and clock.since > commit.expected:
            self._clock_since = commit.recorded_at
        self._recorded_at = commit.recorded_at
        self._now = after

    def finish(self) -> None:
        """The stream has ended: chips that came into play lie somewhere, or have left it."""
        self._count.epochs += self._secrets.told
        state = self._now.state
        self._count.tournament_money += state.money.taken - state.money.paid
        there = sum(seat.chips for table in state.tables for seat in table.seats)
        there += sum(entry.pocket for entry in state.entries)
        in_play = state.issued - state.removed
        # What a bank of the house has won or lost is in no stack of an entry.
        own = state.structure.stack and all(
            house_of(state, number) is None for number in range(len(state.tables))
        )
        if own and there != in_play and not self._stuck:
            expected = f"{in_play} chips in play"
            self._findings.add("chips", expected, str(there), version=state.version)
        money = state.money
        held = money.waiting + money.pool + money.fees + money.owed + money.paid
        if money.taken + money.added != held and not self._stuck:
            expected = f"{money.taken + money.added} taken and added"
            self._findings.add("money", expected, str(held), version=state.version)

    def _believed(self, events: Sequence[Event]) -> Housed | None:
        try:
            return with_events(self._now, events)
        except Exception:  # noqa: BLE001 the finding is told by whoever asks
            return None

    def _add(self, commit: Commit, check: str, expected: str, found: str) -> None:
        self._findings.add(check, expected, found, commit.position, commit.version)

    # --- the decision -------------------------------------------------------------------------

    def _decide(self, commit: Commit, recorded: Sequence[Event]) -> None:
        """Raises ``Differs`` unless a commit is what follows, byte for byte; ``Refused``."""
        keys = self._secrets.keys(commit.epoch) if commit.epoch else None
        running = self._now.house.epoch or (0 if self._now.state.version else 1)
        void = any(isinstance(event, EpochVoided) for event in recorded)
        if void:  # nothing is sealed with a secret that nobody has
            running = 0
        if commit.epoch != running:
            raise Differs("epoch", f"epoch {running}", f"epoch {commit.epoch}")
        salt = salt_of(commit.body)
        wire = commit.action
        if keys is not None:
            wire = SlotSealer(keys, base=commit.expected, salt=salt).open_action(wire)
        action = self._action(wire)
        _require_actor(commit, action, void=void)
        before = self._now
        events: tuple[Event, ...] = ()
        if not before.state.version:
            events = _opened(commit, recorded)
            before = with_events(before, events)
        due = before.state.structure.start_at * 1000
        if isinstance(action, StartDue) and commit.recorded_at < due:
            raise Differs("time", f"a start at {due} or later", f"one at {commit.recorded_at}")
        if isinstance(action, TimeGivenBack):
            self._check_given_back(commit, action)
        actor = str(commit.actor) if isinstance(action, PlayerAsks) else None
        made, _ = decided(before, keys, actor, action, lost=void)
        self._compare(commit, keys, wire, (*events, *made), salt)

    def _check_given_back(self, commit: Commit, action: TimeGivenBack) -> None:
        """A clock is never set to less than it has, nor to more than it had at the last commit."""
        clock = self._now.state.clock
        if clock is None:
            return  # the decision says so
        most = clock.milliseconds - (self._recorded_at - self._clock_since) // 1000
        least = clock.milliseconds - (commit.recorded_at - self._clock_since) // 1000
        if not least <= action.left_ms <= most:
            expected = f"a clock with {least} to {most} ms to go"
            raise Differs("time", expected, f"one with {action.left_ms}")

    def _compare(
        self,
        commit: Commit,
        keys: EpochKeys | None,
        wire: bytes,
        events: Sequence[Event],
        salt: bytes,
    ) -> None:
        kind = ActorKind(commit.actor_kind)
        received = commit.received_at
        command = Command(commit.command, commit.digest, kind, commit.actor, received, 0.0, "")
        right = Recorder(self._codec, NOBODY, Given(salt)).write_tournament(
            commit.stream,
            commit.expected,
            keys,
            command,
            events,
            action=wire,
            rules=RULES,
            recorded_at=commit.recorded_at,
        )
        if commit.body != right.body:
            pairs = zip(unpack_body(commit.body), unpack_body(right.body), strict=False)
            for number, (found, expected) in enumerate(pairs, 1):
                if found != expected:
                    told = self._reader.difference(commit, number, expected, found)
                    raise Differs("event", *told, version=commit.expected + number)
        for name in _COLUMNS:
            expected, found = getattr(right, name), getattr(commit, name)
            if expected != found:
                shown = isinstance(found, int)
                words = (str(expected), str(found)) if shown else ("what follows", "other bytes")
                raise Differs(name, *words)

    def _action(self, wire: bytes) -> Action:
        try:
            message = tournament_actions_pb2.TournamentAction.FromString(wire)
        except DecodeError:
            raise Corrupt("the action cannot be read") from None
        return tournament_action_from_wire(message)

    # --- the group ----------------------------------------------------------------------------

    def _check_group(self, commit: Commit, events: Sequence[Event]) -> None:
        """Tables and accounts say the same of what moved, in commits that were stored together."""
        state = self._now.state
        tables = [self._streams[number] for number in tables_of(state, events)]
        paid: dict[UUID, list[Event]] = {}
        for one in payments(state, events):
            event = change_of(str(commit.stream), one)(Account(balance=one.amount))
            paid.setdefault(account_stream(UUID(one.player)), []).append(event)
        due = [*tables, *sorted(paid)]
        if not due:
            if not is_alone(commit):
                raise Differs("transfer", "a commit stored by itself", "one of a group")
            return
        others = self._partners(commit, len(due))
        if others is None:
            self._count.unread += len(due)
            return
        group = [(one.stream, one.version) for one in (commit, *others)]
        if commit.group != group_of(group) or [one.stream for one in others] != due:
            expected = f"a group with {len(tables)} tables and {len(paid)} accounts"
            raise Differs("transfer", expected, "another group, or a part of it is missing")
        self._count.transfers += len(due)
        self._check_chips(commit, events, others[: len(tables)])
        for other in others[len(tables) :]:
            found = self._events(other)
            if found != paid[other.stream]:
                raise Differs("transfer", repr(paid[other.stream]), repr(found))

    def _check_chips(
        self, commit: Commit, events: Sequence[Event], others: Sequence[Commit]
    ) -> None:
        said: Counter[UUID] = Counter()
        for stake in stakes(self._now.state, events):
            said[self._streams[stake.table]] += stake.chips
        for other in others:
            if other.kind != StreamKind.TABLE or other.command != commit.command:
                raise Differs("transfer", "a table with the same command", "another one")
            moved = chips_moved(self._events(other))
            if moved != said[other.stream]:
                raise Differs("transfer", f"{said[other.stream]} chips to the table", str(moved))

    def _check_packs(self, commit: Commit, events: Sequence[Event]) -> None:
        """Tables that were opened deal the packs that the tournament says, from its own secret."""
        state = self._now.state
        for event in events:
            if not isinstance(event, e.TableStood):
                continue
            word = format_of(state.structure).deal(state, event.table).packs
            if not word or not self._secrets.opens(commit.epoch):
                continue
            stream, packs = self._streams[event.table], packs_id(commit.stream, word)
            opening = self._openings(stream)
            if opening is None:
                self._count.unread += 1
                continue
            first = self._secrets.keys(commit.epoch).first_of(packs, stream)
            due = f"table {stream} with packs {packs}, commitment {first.commitment.hex()}"
            shared, opened = "none", b""
            for fact in self._facts(opening):
                match fact:
                    case PacksShared():
                        shared = fact.packs
                    case EpochOpened():
                        opened = fact.commitment
            found = f"table {stream} with packs {shared}, commitment {opened.hex()}"
            if found != due:
                raise Differs("packs", due, found)

    def _facts(self, commit: Commit) -> Iterator[Event]:
        """The events of another stream, as whoever has no key of it reads them."""
        for form in unpack_body(commit.body, commit.count):
            hidden = tuple(PrivateValue(slot.field, slot.audience, None) for slot in form.slots)
            yield self._codec.load_event(StoredForm(form.type, form.revision, form.public, hidden))

    def _events(self, commit: Commit) -> list[Event]:
        """The events of another stream that hide nothing."""
        return [
            self._codec.load_event(StoredForm(form.type, form.revision, form.public, ()))
            for form in unpack_body(commit.body, commit.count)
            if not form.slots
        ]


def _opened(commit: Commit, recorded: Sequence[Event]) -> tuple[Event, ...]:
    """The house around a tournament: whose it is is the actor, its secret is on record."""
    derived = stream_of(commit.command)
    if commit.stream != derived:
        raise Differs("stream", f"stream {derived}", f"stream {commit.stream}")
    epochs = [one for one in recorded if isinstance(one, EpochOpened)]
    return (HouseOpened((), False, str(commit.actor)), *epochs[:1])


def _require_actor(commit: Commit, action: Action, *, void: bool) -> None:
    """Players ask for themselves, hosts order, the service reports, and voids what is lost."""
    if void and commit.actor_kind == ActorKind.PROCESS:
        due = ActorKind.PROCESS
    elif isinstance(action, PlayerAsks):
        due = ActorKind.PLAYER
    elif isinstance(action, HostAsks | CreateTournament):
        due = ActorKind.HOST
    else:
        due = ActorKind.PROCESS
    if commit.actor_kind != due:
        raise Differs("actor", due.name.lower(), f"an actor of kind {commit.actor_kind}")
