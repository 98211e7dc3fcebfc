"""Who changes a record and makes all hashes follow is found by the decision that follows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from enum import Enum
from typing import Any, Final
from uuid import UUID, uuid4

import pytest

from engine.account import BoughtIn, CashedOut, Credited
from engine.actions import TakeSeat
from engine.events import (
    EpochOpened,
    HouseOpened,
    SeatTaken,
    TableOpened,
    TimeBankUsed,
)
from engine.games.palace_poker.events import PotAwarded
from engine.games.pontoon.events import HandSettled
from engine.games.royal_casino.events import PotPaid
from engine.house import Table, apply_all, decision
from engine.visibility import Private
from service.store.commit import ActorKind, Commit, StreamKind, group_of
from tests.audit.forging import Forger, put
from tests.audit.looking import found_in
from tests.audit.played import OPTIONS
from tests.laws.samples import concrete
from tests.laws.walks import Shuffles
from tests.service.harness import ALL_GAMES

INPUTS: Final = {
    (EpochOpened, "wrapped"),  # once the secret is told
    (HouseOpened, "lab"),
    (TimeBankUsed, "milliseconds"),  # as long as there is so much in the bank
    (Credited, "amount"),
    (Credited, "note"),
}
"""What follows from nothing on record: only a signed checkpoint can tell of another one."""


def located(log: Sequence[Commit], commit: Commit, *checks: str, **settings: Any) -> str:
    """What was found first: one of some findings, at that commit."""
    findings = found_in(log, only={commit.stream}, **settings)
    assert findings, "nothing was found"
    first = findings[0]
    assert first.position == commit.position, first
    assert first.check in checks, first
    assert commit.expected < first.version <= commit.version
    return f"{first.expected} / {first.found}"


def other(value: Any) -> Any:
    """A value of the same kind that says something else."""
    match value:
        case Private():
            return value._replace(value=other(value.value))
        case bool():
            return not value
        case Enum():
            kinds = list(type(value))
            return kinds[(kinds.index(value) + 1) % len(kinds)]
        case int():
            return value + 1
        case str():
            return value[:-1] + ("0" if value[-1:] != "0" else "1")
        case bytes():
            return bytes(32) if value != bytes(32) else b"\1" * 32
        case None:
            return 1
        case (first, *rest):
            return (other(first), *rest)
        case ():
            return (1,)
        case _:
            return None


def test_an_honest_log_put_together_again_is_the_same(forger: Forger) -> None:
    commit = forger.log[100]
    assert put(forger.log, commit, commit) == forger.log


@pytest.mark.parametrize("stride", [4, pytest.param(1, marks=pytest.mark.long)])
def test_no_field_of_any_event_can_be_forged(forger: Forger, stride: int) -> None:
    """Cards, payouts, lots, phases, scores: each changed once, sealed again, all hashes right."""
    kinds = [(kind, field.name) for kind in forger.kinds for field in fields(kind)]  # type: ignore[arg-type]
    assert len(forger.kinds) > 70
    forged = 0
    for kind, name in kinds[::stride]:
        if (kind, name) in INPUTS:
            continue
        commit, place = forger.find(kind)
        event = forger.events(commit)[place]
        changed = other(getattr(event, name))
        try:
            log = forger.with_event(commit, place, replace(event, **{name: changed}))
        except (TypeError, ValueError, KeyError, AttributeError):
            continue  # such a value has no stored form
        # What comes after need not be looked at: the first bad record is to be found.
        log = log[: commit.position + 12]
        group = {one.stream for one in log if one.group == commit.group}
        findings = found_in(log, only=group)
        assert findings, (kind, name)
        assert findings[0].position == commit.position, (kind, name, findings[0])
        forged += 1
    assert forged > 200 // stride


def tables_of(forger: Forger, stream: UUID) -> list[tuple[Commit, Table]]:
    """The commits of a table's closed epochs, each with the table before it."""
    table: Table | None = None
    found: list[tuple[Commit, Table]] = []
    for commit in forger.log:
        if commit.stream == stream:
            if not forger.told(commit):
                break
            events = forger.events(commit)
            if table is None:
                opened = next(one for one in events if isinstance(one, TableOpened))
                table = Table.empty(ALL_GAMES[opened.game])
            found.append((commit, table))
            table = apply_all(table, events, commit.seat)
    return found


def test_another_action_is_found(forger: Forger) -> None:
    """One that was legal too, in the place of the one that was taken, in all four games."""
    tried: set[str] = set()
    for stream in sorted({one.stream for one in forger.log if one.kind == StreamKind.TABLE}):
        for commit, table in tables_of(forger, stream):
            game = table.game
            if game.key in tried or commit.seat < 0 or decision(table) is None:
                continue
            for offer in game.legal_actions(table.state, commit.seat):
                another = next(concrete(offer))
                events, _ = game.decide(table.state, commit.seat, another, Shuffles(0))
                # Another word for the same would change nothing.
                if events[:1] != forger.events(commit)[:1]:
                    log = forger.with_action(commit, another)
                    located(log, commit, "event")
                    tried.add(game.key)
    assert tried == set(OPTIONS)


def test_an_action_that_the_rules_refuse_is_found(forger: Forger) -> None:
    commit, place = forger.find(SeatTaken)
    event = forger.events(commit)[place]
    assert isinstance(event, SeatTaken)
    log = forger.with_action(commit, TakeSeat(event.player, -5))
    assert "BAD_PARAMETER" in located(log, commit, "decision")
    log = forger.with_action(commit, TakeSeat(str(uuid4()), event.chips))
    assert "the player of seat" in located(log, commit, "actor")


@pytest.mark.parametrize(
    ("column", "checks"),
    [
        ("seat", {"actor", "decision", "event", "action", "sealed"}),
        ("hand", {"hand"}),
        ("rules", {"rules"}),
        ("epoch", {"epoch"}),
        ("actor", {"actor"}),
        ("actor_kind", {"actor"}),
        ("recorded_at", {"time"}),
    ],
)
def test_no_column_of_a_decision_can_be_forged(
    forger: Forger, column: str, checks: set[str]
) -> None:
    commit = next(
        commit
        for commit, table in tables_of(forger, forger.find(PotAwarded)[0].stream)
        if commit.seat >= 0 and decision(table) and commit.epoch > 1
    )
    values: dict[str, Any] = {
        "seat": (commit.seat + 1) % 3,
        "hand": commit.hand + 1,
        "rules": commit.rules + 1,
        "epoch": commit.epoch - 1,
        "actor": uuid4(),
        "actor_kind": ActorKind.HOST,
        "recorded_at": 1,
    }
    log = forger.replaced(commit, **{column: values[column]})
    located(log, commit, *checks)


def test_no_commit_hides_in_an_epoch_that_nobody_opens(forger: Forger) -> None:
    stream = forger.find(PotAwarded)[0].stream
    commit = [one for one in forger.log if one.stream == stream][20]
    located(forger.replaced(commit, epoch=9_999), commit, "epoch")


@pytest.mark.parametrize(
    ("kind", "check"), [(3, "events"), (9, "kind"), (2, "events"), (4, "access")]
)
def test_no_table_hides_as_another_stream(forger: Forger, kind: int, check: str) -> None:
    stream = forger.find(PotAwarded)[0].stream
    log = forger.log
    for commit in [one for one in forger.log if one.stream == stream]:
        log = put(log, commit, commit._replace(kind=kind))
    first = next(one for one in forger.log if one.stream == stream)
    located(log, first, check)


def test_more_of_the_time_bank_than_there_was_is_found(forger: Forger) -> None:
    commit, place = forger.find(TimeBankUsed)
    event = forger.events(commit)[place]
    assert isinstance(event, TimeBankUsed)
    log = forger.with_event(commit, place, replace(event, milliseconds=60_001))
    told = located(log, commit, "time bank", "event")
    assert "60001" in told


def test_a_secret_under_another_wrapping_is_found(forger: Forger) -> None:
    """With the master key at hand: the key's id is right, what it wraps is not."""
    commit, place = forger.find(EpochOpened)
    event = forger.events(commit)[place]
    assert isinstance(event, EpochOpened)
    wrapped = event.wrapped.value
    changed = replace(event, wrapped=event.wrapped._replace(value=wrapped[:-1] + b"\0"))
    log = forger.with_event(commit, place, changed)
    located(log, commit, "secret")


def test_payouts_are_told_by_name_and_amount(forger: Forger) -> None:
    """What should be there and what is: without any card."""
    for kind, name in ((PotAwarded, "amount"), (HandSettled, "net"), (PotPaid, "amount")):
        commit, place = forger.find(kind)
        event = forger.events(commit)[place]
        paid = getattr(event, name)
        log = forger.with_event(commit, place, replace(event, **{name: paid + 1_000}))
        told = located(log, commit, "event")
        assert f"{kind.__name__} {name}={paid} / " in told
        assert told.endswith(f"{kind.__name__} {name}={paid + 1_000}")


def test_an_account_that_gives_more_than_it_has_is_found(forger: Forger) -> None:
    commit, place = forger.find(BoughtIn)
    event = forger.events(commit)[place]
    assert isinstance(event, BoughtIn)
    log = forger.with_event(commit, place, replace(event, amount=10**6))
    findings = found_in(log, only={commit.stream})
    assert findings[0].check == "account"
    assert "INSUFFICIENT_CHIPS" in findings[0].found
    assert findings[0].position == commit.position


def test_a_transfer_without_its_other_side_is_found(forger: Forger) -> None:
    """Taken out of its group, with a group id of its own: the table misses it, and it the table."""
    commit, _ = forger.find(CashedOut)
    alone = group_of([(commit.stream, commit.version)])
    log = forger.replaced(commit, group=alone)
    findings = found_in(log)
    checks = {(each.check, each.position) for each in findings}
    assert ("transfer", commit.position) in checks
    assert ("group", commit.position - 1) in checks


def test_whoever_forges_everything_alike_is_found_by_the_log_alone(forger: Forger) -> None:
    """A credit follows from nothing that is stored; its hash was in every checkpoint since."""
    commit, place = forger.find(Credited)
    event = forger.events(commit)[place]
    assert isinstance(event, Credited)
    log = forger.with_event(commit, place, replace(event, amount=event.amount + 5))
    assert not found_in(log)
    assert log[commit.position - 1].hash != commit.hash
