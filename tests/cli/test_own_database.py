"""A PostgreSQL of the operator's own: what is wrong with it is said, precisely."""

from __future__ import annotations

import psycopg
import pytest

from service.store.embedded import EmbeddedServer
from tests.cli.conftest import Commands

SERVE = ("serve", "--listen", "127.0.0.1:0", "--database")


@pytest.mark.parametrize("text", ["nonsense", "mysql://ann:secret@db.example/cards", ""])
def test_what_names_no_database(alone: Commands, text: str) -> None:
    """Neither a traceback nor talk of damaged data: what was expected, and no word of the text."""
    for command in (SERVE, ("migrate", "--database")):
        reason, told = alone.fails(*command, text)
        assert reason == "BAD_DATABASE"
        assert "postgresql://" in told
        assert "secret" not in told
    assert not alone.data.exists()


def test_a_database_that_nobody_runs(alone: Commands) -> None:
    """The hint is about the database; whether a service runs is no matter."""
    for command in (SERVE, ("migrate", "--database")):
        reason, told = alone.fails(*command, "postgresql://cards:secret@127.0.0.1:1/cards")
        assert reason == "UNAVAILABLE"
        assert "refused" in told
        assert "kartejo serve" not in told
        assert "secret" not in told


def test_a_login_that_may_not_write(durable_pg: EmbeddedServer, alone: Commands) -> None:
    """The database answers, the grant is missing: that is said, with the statement to mend it."""
    with psycopg.connect(durable_pg.conninfo, autocommit=True) as db:
        db.execute("REVOKE kartejo_writer FROM kartejo_service")
    reason, told = alone.fails(*SERVE, durable_pg.service_conninfo)
    assert reason == "ROLE_MISSING"
    (grant,) = [line for line in told.splitlines() if "GRANT" in line]
    with psycopg.connect(durable_pg.conninfo, autocommit=True) as db:
        db.execute(grant[grant.index("GRANT") :])
        db.execute("ALTER ROLE kartejo_writer RENAME TO away")
    reason, told = alone.fails(*SERVE, durable_pg.service_conninfo)
    assert reason == "ROLE_MISSING"
    assert "kartejo migrate" in told
