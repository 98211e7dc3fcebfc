"""The list of tournaments is held against their streams."""

from __future__ import annotations

import psycopg
import pytest

from engine.tournament.actions import CancelTournament
from tests.audit.looking import audited
from tests.projections.log import served
from tests.service.harness import run, running
from tests.service.tournament import Event

DAMAGES = (
    ("entries = entries + 1", "entries = entries - 1", "the tournament"),
    ("position = position - 1", "position = position + 1", "a row at position"),
    ("stream = gen_random_uuid()", "", "a row at position"),
)


def test_a_row_that_says_something_else_is_named(
    dsn: str, admin_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the list of tournaments, too, every row follows from the log."""

    async def scenario() -> None:
        async with running(dsn) as service:
            event = await Event.create(service, 2)
            live = await event.live()
            await event.calls.order(event.host, "c", event.stream, CancelTournament("rain"))
            while live.now.state.owed:
                await live.news(live.version)
            await served(service.store, "tournaments", await service.store.position())

    run(scenario())
    assert audited(dsn, monkeypatch).result.findings == []
    with psycopg.connect(admin_dsn, autocommit=True) as db:
        for damage, repair, told in DAMAGES:
            change = f"UPDATE kartejo.tournament_index SET {damage}"
            assert db.execute(change.encode()).rowcount == 1
            found = audited(dsn, monkeypatch).result.findings
            assert {each.check for each in found} == {"projection tournaments"}
            assert any(told in each.expected for each in found)
            if repair:
                db.execute(f"UPDATE kartejo.tournament_index SET {repair}".encode())
