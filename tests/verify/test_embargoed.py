"""Epochs under an embargo: told late, many at once, and then verified and audited like any."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.audit.findings import Result
from service.identity import Role
from service.pb import table_service_pb2 as pb
from service.verify import Report, verify
from tests.audit.looking import BLIND, TOOLS, looked_at
from tests.audit.played import whole_log
from tests.service.harness import run
from tests.service.played import seated
from tests.transparency.serving import signing
from tests.verify.conftest import complete

HANDS = {"royal_flush": 11, "pontoon": 2, "palace_poker": 2, "royal_casino": 2}
DAILY = ["palace_poker", "pontoon"] + [
    pytest.param(game, marks=pytest.mark.long) for game in ("royal_casino", "royal_flush")
]
LEAVING = 4
"""Commits of the epoch that still runs: everybody gets up, and the release."""


@pytest.mark.parametrize("game", DAILY)
def test_what_an_embargo_withheld_is_checked_once_it_is_told(
    dsn: str, tmp_path: Path, game: str
) -> None:
    async def scenario() -> tuple[Report, ...]:
        async with signing(dsn, tmp_path) as service:
            played = await seated(service, game, {"embargo": "true"})
            await played.hands(HANDS[game])
            await played.leave()
            auditor = service.client("auditor", Role.AUDITOR)
            withheld = verify(await complete(auditor, played.table))
            request = pb.ReleaseEmbargoRequest(request_id="now", table_id=played.table)
            await played.host.call(played.host.tables.ReleaseEmbargo, request)
            return withheld, verify(await complete(auditor, played.table))

    withheld, told = run(scenario())
    assert not withheld.findings
    assert not told.findings
    assert told.counts["commits opened"] > 20
    assert told.counts["commits of epochs not told"] <= LEAVING
    log = run(whole_log(dsn))
    for tools in (TOOLS, BLIND):
        result: Result = looked_at(log, tools=tools)
        assert not result.findings
        assert result.count.sealed <= LEAVING
