"""The checker itself: it is content with what happened, and finds every fault it is fed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from service.store.commit import Commit
from service.store.postgres import Store
from service.world import RealWorld
from tests.faults.checker import (
    Evidence,
    Sighting,
    check,
    differences,
    principals,
    sighted,
    whole_log,
)
from tests.faults.party import party
from tests.faults.server import tokens
from tests.service.harness import run, running


async def played(dsn: str) -> Evidence:
    """What a short and undisturbed party leaves behind, found to be right."""
    async with (
        running(dsn, tokens=tokens(RealWorld())) as service,
        party([service.address], ("royal_flush", "pontoon")) as people,
    ):
        await people.acknowledged(30)
        await check(people, dsn)
        sightings = [await sighted(watch) for watch in people.watches]
        async with Store(dsn, allow_unsafe=True) as store:
            log, ids = await whole_log(store), await principals(store)
        return Evidence(log, people.journal, ids, sightings)


def without(commits: list[Commit], lost: Commit) -> list[Commit]:
    return [commit for commit in commits if commit is not lost]


def moved(commits: list[Commit]) -> list[Commit]:
    return [commit._replace(position=n) for n, commit in enumerate(commits, 1)]


def newest(found: Evidence) -> Commit:
    """The last commit of a table that a player was told of."""
    told = {(asked.stream, asked.version) for asked in found.asked}
    return next(c for c in reversed(found.commits) if (c.stream, c.version) in told)


def lost(found: Evidence) -> Evidence:
    """A commit that was acknowledged is not there, and nothing shows the gap."""
    return found._replace(commits=moved(without([*found.commits], newest(found))))


def gap(found: Evidence) -> Evidence:
    return found._replace(commits=without([*found.commits], found.commits[3]))


def doubled(found: Evidence) -> Evidence:
    """A command took effect twice."""
    again = newest(found)
    twice = again._replace(version=again.version + again.count)
    return found._replace(commits=moved([*found.commits, twice]))


def altered(found: Evidence) -> Evidence:
    commits = [*found.commits]
    commits[5] = commits[5]._replace(body=commits[5].body[:-1] + b"?")
    return found._replace(commits=commits)


def backwards(found: Evidence) -> Evidence:
    commits = [*found.commits]
    last = commits[-1]
    commits[-1] = last._replace(recorded_at=1)
    return found._replace(commits=commits)


def elsewhere(found: Evidence) -> Evidence:
    """Acknowledged at another version than it stands at."""
    return with_last(found, lambda asked: {"version": asked.version + 1})


def refused_and_stored(found: Evidence) -> Evidence:
    return with_last(found, lambda _: {"version": None, "refused": "WRONG_PHASE"})


def unanswered(found: Evidence) -> Evidence:
    return with_last(found, lambda _: {"version": None})


def last_accepted(found: Evidence) -> int:
    """Where it is among what was asked: the very last may have been refused, or came too late."""
    return max(n for n, asked in enumerate(found.asked) if asked.version is not None)


def with_last(found: Evidence, change: Callable[[Any], dict[str, Any]]) -> Evidence:
    asked, last = [*found.asked], last_accepted(found)
    asked[last] = replace(asked[last], **change(asked[last]))
    return found._replace(asked=asked)


def unasked(found: Evidence) -> Evidence:
    last = last_accepted(found)
    return found._replace(asked=[*found.asked[:last], *found.asked[last + 1 :]])


def watched(change: Callable[[Sighting], Sighting]) -> Callable[[Evidence], Evidence]:
    def falsify(found: Evidence) -> Evidence:
        return found._replace(sightings=[change(found.sightings[0]), *found.sightings[1:]])

    return falsify


FALSE = {
    "a lost acknowledgement": (lost, "which is not stored"),
    "a gap in the log": (gap, "position"),
    "a doubled commit": (doubled, "is stored 2 times"),
    "an altered byte": (altered, "hash"),
    "time that runs backwards": (backwards, "time runs backwards"),
    "another version": (elsewhere, "which is not stored"),
    "a refusal that took effect": (refused_and_stored, "and stored at version"),
    "no verdict": (unanswered, "no verdict"),
    "what nobody asked for": (unasked, "nobody asked for"),
    "an event twice": (watched(lambda s: s._replace(seen=[*s.seen[:2], *s.seen[1:]])), "versions"),
    "an event left out": (watched(lambda s: s._replace(seen=s.seen[1:])), "other versions"),
    "another event": (watched(lambda s: s._replace(seen=[(1, b"?"), *s.seen[1:]])), "events"),
}


def test_the_checker_finds_what_it_is_there_for(dsn: str):
    """Each falsified evidence is called by its name; the true one is not objected to."""
    found = run(played(dsn))
    assert differences(found) == []
    for what, (falsify, words) in FALSE.items():
        wrong = differences(falsify(found))
        assert any(words in told for told in wrong), (what, wrong[:3])


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("DELETE FROM kartejo.commit WHERE position = (SELECT head FROM kartejo.lane)", "stored"),
        ("DELETE FROM kartejo.commit WHERE position = 4", "position 5 stands where 4 should"),
    ],
)
def test_a_store_that_lost_something_is_found_out(
    dsn: str, admin_dsn: str, statement: str, words: str
):
    """The same from the store itself: rows changed behind the service's back."""

    async def scenario():
        async with (
            running(dsn, tokens=tokens(RealWorld())) as service,
            party([service.address], ("royal_flush",)) as people,
        ):
            await people.acknowledged(10)
            await people.finish()
            with psycopg.connect(admin_dsn, autocommit=True) as db:
                db.execute("SET session_replication_role = replica")
                db.execute(statement)
            async with Store(dsn, allow_unsafe=True) as store:
                log, ids = await whole_log(store), await principals(store)
            wrong = differences(Evidence(log, people.journal, ids))
            assert any(words in told for told in wrong), wrong

    run(scenario())


def test_chips_and_cards_are_counted(dsn: str):
    """One chip more than there is."""

    async def scenario():
        async with (
            running(dsn, tokens=tokens(RealWorld())) as service,
            party([service.address], ("palace_poker",)) as people,
        ):
            await people.acknowledged(10)
            (credit, *_) = (asked for asked in people.journal if asked.amount)
            credit.amount += 1
            with pytest.raises(AssertionError, match="were put in"):
                await check(people, dsn)

    run(scenario())
