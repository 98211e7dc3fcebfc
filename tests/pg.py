"""PostgreSQL for tests: one fast server a run, a migrated database of its own for every test.

Databases are copied from a template and dropped after their test, so that most of what is written
never gets to the disk; the server is thrown away at the end.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Final, LiteralString, cast

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from service.store.embedded import DURABLE, EmbeddedServer, launch
from service.store.migrate import migrate

FAST: Final = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "shared_buffers": "64MB",
    "max_wal_size": "4GB",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "checkpoint_timeout": "1h",
    "max_connections": "200",
}
TEMPLATE: Final = "tpl"
_numbers = count(1)


@pytest.fixture(scope="session")
def pg_folder() -> Iterator[Path]:
    """A folder that the server's user can pass through, for homes that need not last."""
    folder = Path(tempfile.mkdtemp(prefix="kartejo-test-"))
    folder.chmod(0o711)
    yield folder
    # Where a disk is told of every block that gets free, this takes a minute: nobody waits for it.
    os.posix_spawnp("rm", ["rm", "-rf", str(folder)], os.environ)


@pytest.fixture(scope="session")
def pg(pg_folder: Path) -> Iterator[EmbeddedServer]:
    """A fast server that forgets when the machine fails; ``tpl`` is its migrated template."""
    home = pg_folder / "fast"
    with launch(home, settings=FAST, initdb=("-N",), allow_temporary=True) as server:
        create(server, TEMPLATE, "template0")
        migrate(make_conninfo(server.conninfo, dbname=TEMPLATE))
        yield server
        # Nobody reads it again: a crash is quicker than a checkpoint.
        server.kill()


@pytest.fixture
def admin_dsn(pg: EmbeddedServer) -> Iterator[str]:
    """A new migrated database, as the superuser."""
    name = f"t_{next(_numbers)}"
    create(pg, name, TEMPLATE)
    yield make_conninfo(pg.conninfo, dbname=name)
    _execute(pg, f"DROP DATABASE {name} (FORCE)")


@pytest.fixture
def dsn(admin_dsn: str) -> str:
    """A new migrated database, as the login that the service uses."""
    return make_conninfo(admin_dsn, user="kartejo_service")


@pytest.fixture(scope="session")
def made_home(pg_folder: Path) -> Path:
    """A migrated home without a server: a copy is quicker than the first start of another."""
    home = pg_folder / "made"
    with launch(home, settings=DURABLE, initdb=("-N",), allow_temporary=True) as server:
        migrate(server.conninfo)
    return home


def copied(home: Path, to: Path) -> Path:
    """A copy of a home, owners included."""
    subprocess.run(["cp", "-a", home, to], check=True)
    return to


@pytest.fixture
def durable_pg(pg_folder: Path, made_home: Path) -> Iterator[EmbeddedServer]:
    """A migrated server of its own with durable settings, which a test may kill."""
    folder = Path(tempfile.mkdtemp(prefix="durable-", dir=pg_folder))
    folder.chmod(0o711)
    with launch(
        copied(made_home, folder / "home"), settings=DURABLE, allow_temporary=True
    ) as server:
        yield server
        server.kill()


def create(server: EmbeddedServer, name: str, template: str) -> None:
    """Create the database ``name`` as a copy of ``template``."""
    # A copy of files; the other strategy writes everything twice.
    _execute(server, f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")


def _execute(server: EmbeddedServer, statement: str) -> None:
    with psycopg.connect(make_conninfo(server.conninfo, dbname="postgres"), autocommit=True) as db:
        db.execute(cast("LiteralString", statement))
