"""Migrations: once, together, by a login that is no superuser, and never over a changed file."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from engine.errors import Corrupt, Unavailable
from service.store import migrate as module
from service.store.embedded import EmbeddedServer, launch
from service.store.migrate import SCHEMA_VERSION, Migration, known, migrate
from tests.pg import FAST, create
from tests.store.lines import Line, fast, run

_numbers = count(1)


@pytest.fixture
def empty(pg: EmbeddedServer) -> str:
    """A database without a schema, as the superuser."""
    name = f"empty_{next(_numbers)}"
    create(pg, name, "template0")
    return make_conninfo(pg.conninfo, dbname=name)


def append_one(dsn: str) -> None:
    """Show that the store works at ``dsn``."""

    async def scenario() -> None:
        async with fast(dsn) as store:
            await store.append([Line().next()])

    run(scenario())


def test_second_run_applies_nothing(empty: str) -> None:
    assert migrate(empty) == tuple(step.name for step in known())
    assert migrate(empty) == ()
    append_one(make_conninfo(empty, user="kartejo_service"))


def test_many_processes_may_migrate_at_once(empty: str) -> None:
    with ThreadPoolExecutor(8) as pool:
        applied = list(pool.map(migrate, [empty] * 8))
    assert sorted(map(len, applied)) == [0] * 7 + [SCHEMA_VERSION]


def test_many_databases_of_one_server_may_migrate_at_once(pg: EmbeddedServer) -> None:
    """Roles belong to the whole server, the lock to one database."""
    names = [f"side_{n}" for n in range(6)]
    for name in names:
        create(pg, name, "template0")
    dsns = [make_conninfo(pg.conninfo, dbname=name) for name in names]
    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(migrate, dsns))


def test_changed_file_and_newer_database_are_refused(
    empty: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate(empty)
    first = known()[0]
    changed = (first._replace(text=first.text + "-- more"), *known()[1:])
    with monkeypatch.context() as patch:
        patch.setattr(module, "known", lambda: changed)
        with pytest.raises(Corrupt, match="another content"):
            migrate(empty)
        patch.setattr(module, "known", lambda: ())
        with pytest.raises(Corrupt, match=r"0$"):
            migrate(empty)


def test_failed_step_leaves_nothing_and_can_be_repeated(
    empty: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = Migration(SCHEMA_VERSION + 1, "broken.sql", "CREATE TABLE kartejo.x (); SELECT 1/0")
    steps = (*known(), broken)
    with monkeypatch.context() as patch:
        patch.setattr(module, "known", lambda: steps)
        for _ in range(2):
            with pytest.raises(Unavailable, match="division by zero"):
                migrate(empty)
    assert migrate(empty) == ()
    with psycopg.connect(empty) as db:
        assert db.execute("SELECT to_regclass('kartejo.x')").fetchone() == (None,)


def test_login_without_superuser_can_install_and_serve(pg_folder: Path) -> None:
    """CREATEROLE and a database of its own are enough, as on a hosted server."""
    home = pg_folder / "hosted"
    with launch(home, settings=FAST, initdb=("-N",), allow_temporary=True) as server:
        with psycopg.connect(server.conninfo, autocommit=True) as db:
            db.execute("CREATE ROLE hoster CREATEROLE")
            db.execute("CREATE DATABASE hosted OWNER hoster TEMPLATE template0")
        dsn = make_conninfo(server.conninfo, dbname="hosted", options="-c role=hoster")
        assert migrate(dsn)
        assert migrate(dsn) == ()
        append_one(make_conninfo(server.conninfo, dbname="hosted", user="kartejo_service"))


def test_roles_made_by_somebody_else_are_enough(pg: EmbeddedServer) -> None:
    """A login that may act as the three roles needs no CREATEROLE."""
    with psycopg.connect(make_conninfo(pg.conninfo, dbname="postgres"), autocommit=True) as db:
        db.execute("CREATE ROLE guest")
        db.execute("GRANT kartejo_owner, kartejo_writer, kartejo_reader TO guest")
        db.execute("CREATE DATABASE guests OWNER guest TEMPLATE template0")
    dsn = make_conninfo(pg.conninfo, dbname="guests", options="-c role=guest")
    assert migrate(dsn)
    append_one(make_conninfo(pg.conninfo, dbname="guests"))


def test_login_without_rights_and_server_away_are_unavailable(pg: EmbeddedServer) -> None:
    create(pg, "closed", "template0")
    with pytest.raises(Unavailable, match=r"permission denied|must have"):
        migrate(make_conninfo(pg.conninfo, dbname="closed", user="kartejo_service"))
    with pytest.raises(Unavailable):
        migrate(make_conninfo(pg.conninfo, host="/nowhere"))


def test_importing_the_store_touches_no_database() -> None:
    """Migrations run when they are called, never at import."""
    code = "import psycopg; psycopg.connect = None; import service.store.postgres"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
