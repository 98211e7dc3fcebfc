"""A tournament whose master key is lost for good is cancelled: everybody gets what is his."""

from __future__ import annotations

from typing import Any

import pytest

from engine.errors import Corrupt
from engine.events import EpochVoided
from engine.tournament.actions import CancelTournament, Register
from engine.tournament.events import TournamentCancelled
from engine.tournament.state import Phase
from engine.tournament.structure import Structure
from service.vault import MasterKey
from service.verify import verify
from service.world import RealWorld
from tests.audit.forging import Forger
from tests.audit.looking import BLIND, audited
from tests.audit.played import whole_log
from tests.service.harness import Running, run, running
from tests.service.test_clocks import until
from tests.service.test_lost_key import another_key
from tests.service.test_tournament_calls import Asked, refused
from tests.service.test_tournament_games import CHOICE, DUPLICATE, PONTOON
from tests.service.tournament import STRUCTURE, Event
from tests.verify.forging import exported

PLAYERS = 4


async def _begun(service: Running, structure: Structure) -> Event:
    """A tournament in the middle of its first hands."""
    event = await Event.create(service, PLAYERS, structure)
    await event.start()
    live = await event.live()

    async def hands_run() -> bool:
        return bool(live.now.state.dealing)

    await until(hands_run)
    return event


@pytest.mark.parametrize("structure", [STRUCTURE, DUPLICATE, CHOICE, PONTOON])
def test_it_is_cancelled_and_paid(dsn: str, monkeypatch: Any, structure: Structure) -> None:
    """Nobody has won anything yet: together they have all they paid; what is stored is sound."""

    async def scenario() -> Any:
        async with running(dsn) as service:
            event = await _begun(service, structure)
        async with running(dsn, master=another_key()) as service:
            event = await event.again(service)
            live = await event.play()  # a hand that was allowed is played out
            assert live.now.state.phase is Phase.CANCELLED
            assert sum(await event.balances()) == PLAYERS * 1000
            asked = Asked(event)
            assert (await refused(asked.player(0, Register()))).reason == "REGISTRATION_CLOSED"
            assert (await refused(asked.host(CancelTournament("x")))).reason == "ALREADY_OVER"
        return event.stream

    stream = run(scenario())
    log = run(whole_log(dsn))
    forger = Forger([one for one in log if one.stream == stream])
    commit, _ = forger.find(EpochVoided)
    assert isinstance(forger.events(commit)[0], TournamentCancelled)
    assert audited(dsn, monkeypatch, tools=BLIND).result.findings == []
    assert verify(exported(log)).findings == []


def test_before_the_start_too(dsn: str, monkeypatch: Any) -> None:
    async def scenario() -> None:
        async with running(dsn) as service:
            event = await Event.create(service, PLAYERS)
        async with running(dsn, master=another_key()) as service:
            event = await event.again(service)
            await event.play()
            assert await event.balances() == [1000] * PLAYERS

    run(scenario())
    assert audited(dsn, monkeypatch, tools=BLIND).result.findings == []


def test_a_key_that_is_only_missing_here_cancels_nothing(dsn: str) -> None:
    """Some other process may have it: nothing is decided without it, not even an end."""

    async def scenario() -> None:
        async with running(dsn) as service:
            event = await Event.create(service, PLAYERS)
            stored = await service.commits()
        async with running(dsn, master=MasterKey(b"k" * 32, RealWorld())) as service:
            event = await event.again(service)
            asked = Asked(event)
            await refused(asked.host(CancelTournament("rain")), Corrupt)
            await refused(asked.player(0, Register()), Corrupt)
            assert await service.commits() == stored

    run(scenario())
