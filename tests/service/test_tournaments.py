"""A tournament of Palace Poker, run by the service from the first hand to the payout."""

from __future__ import annotations

from engine.tournament.state import Phase
from tests.audit.looking import audited
from tests.service.harness import run, running
from tests.service.tournament import Event


def test_a_tournament_runs_to_the_payout(dsn, monkeypatch):
    """Seven players at three tables: until one has all chips, and the money is on accounts."""

    async def scenario():
        async with running(dsn) as service:
            event = await Event.create(service, 7)
            await event.start()
            live = await event.play()
            state = live.now.state
            assert state.phase is Phase.FINISHED
            assert state.issued == state.removed == 7 * 200
            balances = await event.balances()
            assert sum(balances) == 7 * (1000 - 10)
            assert sorted(balances)[:5] == [890] * 5

    run(scenario())
    report = audited(dsn, monkeypatch)
    assert report.result.findings == []
    assert report.result.count.tournaments == 1
    assert report.result.count.in_tournaments == 70
