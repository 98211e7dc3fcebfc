"""Tables of the laboratory: stacked decks and positions are believed, what follows is checked."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import pytest

from engine.events import DeckShuffled, PositionSet
from engine.games import GAMES
from engine.script import ScriptFailure, parse
from engine.script import run as run_script
from service.client import LabStage
from service.store.commit import Commit
from service.verify import verify
from tests.audit.forging import Forger
from tests.audit.looking import BLIND, TOOLS, found_in, looked_at
from tests.audit.played import whole_log
from tests.service.harness import run, running
from tests.service.test_hands_over_grpc import FILES, lab_client
from tests.verify.forging import exported

SCRIPTS = 6


@pytest.fixture(scope="module")
def taught(pg: object) -> Sequence[Commit]:
    """Hands of all games as a teacher plays them."""
    from tests.audit.conftest import service_dsn
    from tests.pg import TEMPLATE, create

    create(pg, "taught", TEMPLATE)  # type: ignore[arg-type]
    dsn = service_dsn(pg, "taught")  # type: ignore[arg-type]

    async def scenario() -> Sequence[Commit]:
        async with running(dsn) as service, lab_client(service) as client:
            for key, game in GAMES.items():
                for path in FILES[key][:SCRIPTS]:
                    for script in parse(path.read_text(encoding="utf-8"), path.name, GAMES):
                        with suppress(ScriptFailure):
                            await run_script(script, LabStage(client, game))
        return await whole_log(dsn)

    found: Sequence[Commit] = run(scenario())
    return found


def test_everything_a_teacher_did_is_decided_again(taught: Sequence[Commit]) -> None:
    result = looked_at(taught, newest=2 * taught[-1].recorded_at)
    assert not result.findings
    assert result.count.lab_tables == result.count.tables > 20
    assert result.count.decided == result.count.commits > 200


def test_positions_that_nothing_opens_are_no_findings(taught: Sequence[Commit]) -> None:
    """Without a master key, and offline: what is set in an epoch that runs is sealed as a whole."""
    result = looked_at(taught, tools=BLIND)
    assert not result.findings
    assert result.count.unchecked == 0
    assert result.count.lab_tables == result.count.tables
    assert result.count.sealed + result.count.decided == result.count.commits
    assert not verify(exported(taught)).findings


def test_what_follows_from_a_stacked_deck_is_checked(taught: Sequence[Commit]) -> None:
    forger = Forger(taught, TOOLS.masters)
    assert PositionSet in forger.kinds
    commit, place = forger.find(DeckShuffled)
    event = forger.events(commit)[place]
    assert isinstance(event, DeckShuffled)
    order = event.order._replace(value=event.order.value[::-1])
    log = forger.with_event(commit, place, DeckShuffled(event.purpose, order))
    findings = found_in(log, only={commit.stream})
    assert (findings[0].position, findings[0].check) == (commit.position, "event")
