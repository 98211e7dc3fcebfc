"""Epochs that were never closed, that nothing opens any more, and looks that were recorded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from uuid import UUID, uuid4

import psycopg
import pytest

from engine.access import AuditorLooked
from engine.events import EntropyContributed, EpochVoided, ShuffleCommitted
from service.audit.database import connected
from service.audit.source import Recorded
from service.audit.streams import Tools
from service.host.accesses import EVERYTHING, Accesses
from service.store.commit import Commit
from service.store.embedded import EmbeddedServer
from service.store.postgres import Store
from service.vault import MasterKey
from service.world import RealWorld
from tests.audit.conftest import service_dsn
from tests.audit.forging import Forger
from tests.audit.looking import found_in, looked_at
from tests.audit.played import whole_log
from tests.pg import TEMPLATE, create
from tests.service.harness import ALL_GAMES, CODEC, MASTER, run, running
from tests.service.scenes import (
    casino_deal,
    flush_game,
    palace_hand,
    pontoon_deal,
)
from tests.service.test_lost_key import another_key, goes_on

DAY = 86_400 * 1_000_000
_numbers = count(1)


@pytest.fixture
def empty_dsn(pg: EmbeddedServer) -> str:
    """A new database with nothing in it."""
    name = f"audited_empty_{next(_numbers)}"
    create(pg, name, TEMPLATE)
    return service_dsn(pg, name)


def test_an_epoch_left_open_is_a_finding_a_day_later(small_log: Sequence[Commit]) -> None:
    """Where others were dealt in; a solitaire that nobody goes on with is counted."""
    newest = max(one.recorded_at for one in small_log)
    now = looked_at(small_log)
    later = looked_at(small_log, newest=newest + 2 * DAY)
    assert not now.findings
    assert now.count.running == later.count.abandoned + len(later.findings)
    assert now.count.abandoned == 0 < later.count.abandoned
    assert {each.check for each in later.findings} == {"epoch"}
    assert all("closed" in each.expected for each in later.findings)
    places = {(one.stream, one.version, one.position) for one in small_log}
    assert {(each.stream, each.version, each.position) for each in later.findings} <= places


def test_no_clock_that_is_set_back_makes_an_epoch_young(small_log: Sequence[Commit]) -> None:
    """The last commit of all says that it is early; those before it say how late it is."""
    last = small_log[-1]
    late = small_log[-2]._replace(recorded_at=last.recorded_at + 3 * DAY)
    early = last._replace(recorded_at=0)
    for log in ([*small_log[:-2], late, last], [*small_log[:-2], late, early]):
        assert Recorded(log).standing().newest == late.recorded_at


def test_snapshots_of_one_version_are_all_read(admin_dsn: str) -> None:
    """However many there are: none is left out at the end of a page."""
    with psycopg.connect(admin_dsn, autocommit=True) as db:
        (stream, version) = db.execute(
            "SELECT stream, max(version) FROM kartejo.commit WHERE kind = 1 GROUP BY stream LIMIT 1"
        ).fetchone() or ("", 0)
        for rules in range(2, 50):
            db.execute(
                "INSERT INTO kartejo.snapshot VALUES (0, %s, %s, %s, %s, '')",
                (stream, rules, version, bytes(32)),
            )
    with connected(admin_dsn) as source:
        beside = source.beside(stream)
        assert sum(each.version == version for each in beside.snapshots()) >= 48
        assert source.standing().newest > 0


def test_shuffles_with_entropy_are_made_again(played_log: Sequence[Commit]) -> None:
    """Players' contributions and the commitments to each place are among what is decided."""
    forger = Forger(played_log)
    for kind, field in ((EntropyContributed, "value"), (ShuffleCommitted, "root")):
        commit, place = forger.find(kind)
        event = forger.events(commit)[place]
        forged = replace(event, **{field: b"x" * len(getattr(event, field))})
        findings = found_in(forger.with_event(commit, place, forged), only={commit.stream})
        assert (findings[0].position, findings[0].check) == (commit.position, "event")


@pytest.mark.parametrize(
    "scene",
    [
        palace_hand,
        flush_game,
        pytest.param(pontoon_deal, marks=pytest.mark.long),
        pytest.param(casino_deal, marks=pytest.mark.long),
    ],
)
def test_a_void_epoch_is_what_the_rule_says(empty_dsn: str, scene: object) -> None:
    """The table as it was before the hand; whoever has the old key knows that it was not lost."""

    async def scenario() -> list[Commit]:
        async with running(empty_dsn) as service:
            table, host, _ = await scene(service)  # type: ignore[operator]
            hand = (await host.get(table)).table.hand
        async with running(empty_dsn, master=new) as service:
            host = service.client("ann" if scene is flush_game else "host")
            await host.get(table)
            await goes_on(service, table, host, hand)
        return await whole_log(empty_dsn)

    new = another_key()
    log = run(scenario())
    tools = Tools.of(ALL_GAMES, CODEC, [new])
    found = looked_at(log, tools=tools)
    assert not found.findings
    assert found.count.voided == 1
    assert found.count.sealed > 0
    old = [MasterKey(MASTER, RealWorld()), new]
    (lie,) = found_in(log, tools=Tools.of(ALL_GAMES, CODEC, old))
    assert lie.check == "void"
    forger = Forger(log, [new])
    commit, place = forger.find(EpochVoided)
    event = forger.events(commit)[place]
    assert isinstance(event, EpochVoided)
    forged = forger.with_event(commit, place, replace(event, position=event.position + " "))
    findings = found_in(forged, tools=tools)
    assert (findings[0].position, findings[0].check) == (commit.position, "event")


def test_recorded_looks_are_counted_and_held_to_their_form(empty_dsn: str) -> None:
    """Who looked cannot be said to be somebody else, nor what he looked at."""

    async def scenario() -> list[Commit]:
        async with Store(empty_dsn, allow_unsafe=True) as store:
            accesses = Accesses(RealWorld(), store, CODEC)
            for table in (UUID(int=1), EVERYTHING, UUID(int=1)):
                await accesses.record(uuid4(), table, "ReplayHand", "auditor", first=0, last=3)
            await accesses.record(None, EVERYTHING, "export", "complete", first=0, last=3)
        return await whole_log(empty_dsn)

    log = run(scenario())
    found = looked_at(log)
    assert not found.findings
    assert (found.count.accesses, found.count.streams) == (4, 2)
    forger = Forger(log)
    commit, place = forger.find(AuditorLooked)
    event = forger.events(commit)[place]
    assert isinstance(event, AuditorLooked)
    for forged, check in (
        (replace(event, reader=str(uuid4())), "actor"),
        (replace(event, reader=""), "actor"),
        (replace(event, table=str(uuid4())), "access"),
    ):
        findings = found_in(forger.with_event(commit, place, forged))
        assert [(each.position, each.check) for each in findings] == [(1, check)]
