"""Append-only by privilege: what the service's login cannot do, and what stops accidents."""

from __future__ import annotations

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from tests.store.lines import Line, fast, run

PERSONS = ("SELECT FROM kartejo.principal", "SELECT FROM kartejo.person")
WRITER = "-c role=kartejo_writer"
READER = "-c role=kartejo_reader"

FORBIDDEN = [
    "UPDATE kartejo.commit SET body = ''",
    "DELETE FROM kartejo.commit",
    "TRUNCATE kartejo.commit",
    "INSERT INTO kartejo.commit SELECT * FROM kartejo.commit",
    "COPY kartejo.commit FROM STDIN",
    "DROP TABLE kartejo.commit",
    "ALTER TABLE kartejo.commit DISABLE TRIGGER ALL",
    "ALTER TABLE kartejo.commit ADD COLUMN more integer",
    "ALTER TABLE kartejo.commit OWNER TO kartejo_writer",
    "CREATE RULE nothing AS ON INSERT TO kartejo.commit DO INSTEAD NOTHING",
    "CREATE TABLE kartejo.other (n integer)",
    "CREATE INDEX ON kartejo.commit (hand)",
    "DROP FUNCTION kartejo.append",
    "CREATE OR REPLACE FUNCTION kartejo.refuse() RETURNS trigger LANGUAGE sql AS ''",
    "UPDATE kartejo.lane SET head = 0",
    "INSERT INTO kartejo.lane (lane) VALUES (1)",
    "DELETE FROM kartejo.lane",
    "UPDATE kartejo.snapshot SET sealed = ''",
    "UPDATE kartejo.principal SET subject = ''",
    "UPDATE kartejo.checkpoint SET note = ''",
    "DELETE FROM kartejo.checkpoint",
    "TRUNCATE kartejo.log_key",
    "UPDATE kartejo.migration SET name = ''",
    "SET session_replication_role = replica",
    "SET ROLE kartejo_owner",
    "SELECT pg_read_file('/etc/hostname')",
    "COPY (SELECT 1) TO PROGRAM 'true'",
]


@pytest.fixture
def filled(dsn: str) -> str:
    """A database with one commit."""

    async def scenario() -> None:
        async with fast(dsn) as store:
            await store.append([Line().next()])

    run(scenario())
    return dsn


@pytest.mark.parametrize("reset", ["", "RESET ROLE", "DISCARD ALL", "SET ROLE NONE"])
def test_service_can_only_append_and_read(filled: str, reset: str) -> None:
    """Also when something in it resets the role: its login owns nothing either."""
    with psycopg.connect(make_conninfo(filled, options=WRITER), autocommit=True) as db:
        if reset:
            db.execute(reset)
        for statement in FORBIDDEN:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                db.execute(statement)
        assert db.execute("SELECT count(*) FROM kartejo.commit").fetchone() == (1,)


def test_reader_can_neither_append_nor_see_who_is_who(filled: str, admin_dsn: str) -> None:
    call = "SELECT kartejo.append(0::smallint{})".format(", NULL" * 19)
    with psycopg.connect(make_conninfo(admin_dsn, options=READER), autocommit=True) as db:
        for statement in [*FORBIDDEN[:-3], call, *PERSONS]:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                db.execute(statement)
        assert db.execute("SELECT count(*) FROM kartejo.commit").fetchone() == (1,)


@pytest.mark.parametrize("statement", FORBIDDEN[:3])
@pytest.mark.parametrize("role", ["", "-c role=kartejo_owner"])
def test_triggers_stop_accidents_of_owner_and_superuser(
    filled: str, admin_dsn: str, statement: str, role: str
) -> None:
    with (
        psycopg.connect(make_conninfo(admin_dsn, options=role), autocommit=True) as db,
        pytest.raises(psycopg.errors.InsufficientPrivilege, match="append-only"),
    ):
        db.execute(statement)


def test_append_function_cannot_be_led_astray(filled: str) -> None:
    """A temporary table of the same name is not what the function writes to."""
    with psycopg.connect(make_conninfo(filled, options=WRITER), autocommit=True) as db:
        db.execute("CREATE TEMPORARY TABLE lane (lane smallint, head bigint)")
        db.execute("SET search_path = pg_temp, kartejo")

    async def scenario() -> None:
        async with fast(filled) as store:
            (stored,) = await store.append([Line().next()])
            assert stored.position == 2

    run(scenario())
