"""What nothing at hand opens is held to all that is public; nobody hides there without a key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid4

import pytest

from engine.events import EpochClosed, HouseOpened, TimeBankUsed
from service.audit.findings import Finding
from service.store.commit import ActorKind, Commit
from tests.audit.forging import Forger
from tests.audit.looking import BLIND, TOOLS, found_in


def first_of(log: Sequence[Commit], stream: UUID) -> Finding:
    """What an auditor without a master key finds first at a table."""
    findings = found_in(log, only={stream}, tools=BLIND)
    assert findings, "nothing was found"
    return findings[0]


@pytest.mark.parametrize(
    ("columns", "check"),
    [
        ({"hand": 99}, "hand"),
        ({"rules": 9}, "rules"),
        ({"actor": uuid4()}, "actor"),
        ({"actor_kind": ActorKind.HOST}, "actor"),
        ({"actor_kind": ActorKind.AUDITOR}, "actor"),
    ],
)
def test_columns_of_a_running_epoch(forger: Forger, columns: dict[str, Any], check: str) -> None:
    running = [one for one in forger.log if one.epoch and not forger.told(one) and one.seat >= 0]
    assert len({one.stream for one in running}) > 1
    for commit in running[::20]:
        found = first_of(forger.replaced(commit, **columns), commit.stream)
        assert (found.check, found.position) == (check, commit.position)


def test_no_table_hides_in_epochs_that_are_never_told(played_log: Sequence[Commit]) -> None:
    """All that it told is taken out: it is found where the first epoch should have ended."""
    forger = Forger(played_log, TOOLS.masters)
    for stream in {one.stream for one in played_log if one.epoch}:
        forger.log = list(played_log)
        ended = [
            (commit, place)
            for commit in played_log
            for place, event in enumerate(forger.events(commit))
            if commit.stream == stream and isinstance(event, EpochClosed)
        ]
        for commit, place in ended:
            now = forger.log[commit.position - 1]
            forger.log = forger.with_event(now, place, TimeBankUsed(0, 1))
        if ended:
            found = first_of(forger.log, stream)
            assert (found.check, found.position) == ("epoch", ended[0][0].position)


def test_no_auditor_takes_a_step_of_the_service(forger: Forger) -> None:
    """Looking is all that an auditor does; with the keys too."""
    steps = [one for one in forger.log if one.actor_kind == ActorKind.PROCESS and one.epoch]
    for commit in steps[:3]:
        log = forger.replaced(commit, actor_kind=ActorKind.AUDITOR, actor=uuid4())
        findings = found_in(log, only={commit.stream}, tools=TOOLS)
        assert (findings[0].check, findings[0].position) == ("actor", commit.position)


def test_tables_are_opened_by_hosts(forger: Forger) -> None:
    commit, _ = forger.find(HouseOpened)
    log = forger.replaced(commit, actor_kind=ActorKind.PLAYER)
    findings = found_in(log, only={commit.stream}, tools=TOOLS)
    assert (findings[0].check, findings[0].position) == ("actor", commit.position)
