"""Installing and raising the schema on any PostgreSQL from 15 on.

Everything runs under one advisory lock of the database, so that any number of processes may
start at once; every file runs in a transaction of its own and is remembered with its checksum.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from importlib.resources import files
from typing import Final, NamedTuple

import psycopg
from psycopg.conninfo import make_conninfo

from engine.errors import Corrupt, Unavailable
from service.store.admission import first_line
from service.store.connection import parsed

__all__ = ["SCHEMA_VERSION", "Migration", "known", "migrate"]

OLDEST_SERVER: Final = 150000
LOCK: Final = int.from_bytes(b"kartejo1")
SILENT_SECONDS: Final = 20
"""After so long the server gives up a process that migrates and says nothing more: its machine
may be gone, and its lock would keep all others out."""

_ROLES: Final = """
DO $do$
DECLARE
  name text;
  -- Before 16 every member could take on the role.
  right_to_act CONSTANT text :=
    CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'MEMBER' ELSE 'SET' END;
BEGIN
  FOREACH name IN ARRAY ARRAY['kartejo_owner', 'kartejo_writer', 'kartejo_reader'] LOOP
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = name) THEN
      BEGIN
        EXECUTE format('CREATE ROLE %I NOLOGIN', name);
      EXCEPTION WHEN duplicate_object OR unique_violation THEN
        NULL;  -- roles belong to the whole server: another database was quicker
      END;
    END IF;
  END LOOP;
  IF NOT (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) THEN
    FOREACH name IN ARRAY ARRAY['kartejo_owner', 'kartejo_writer', 'kartejo_reader'] LOOP
      IF NOT pg_has_role(current_user, name, right_to_act) THEN
        EXECUTE format('GRANT %I TO CURRENT_USER', name);
      END IF;
    END LOOP;
  END IF;
  IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'kartejo_service')
     AND NOT pg_has_role('kartejo_service', 'kartejo_writer', 'MEMBER') THEN
    GRANT kartejo_writer TO kartejo_service;
  END IF;
END $do$
"""
_SCHEMA: Final = "CREATE SCHEMA IF NOT EXISTS kartejo AUTHORIZATION kartejo_owner"
_TABLE: Final = """
CREATE TABLE IF NOT EXISTS kartejo.migration (
  number     integer     PRIMARY KEY,
  name       text        NOT NULL,
  checksum   bytea       NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
)
"""
_APPLIED: Final = "SELECT number, name, checksum FROM kartejo.migration ORDER BY number"
_REMEMBER: Final = "INSERT INTO kartejo.migration (number, name, checksum) VALUES (%s, %s, %s)"


class Migration(NamedTuple):
    """One step of the schema: its number, file name and SQL text."""

    number: int
    name: str
    text: str

    @property
    def checksum(self) -> bytes:
        """SHA-256 of the file, by which a changed file is found out."""
        return sha256(self.text.encode()).digest()


def known() -> tuple[Migration, ...]:
    """The migrations of this program in their order, numbered from 1 without gaps."""
    folder = files("service.store") / "migrations"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    steps = tuple(
        Migration(int(name[:4]), name, (folder / name).read_text(encoding="utf-8"))
        for name in names
    )
    if [step.number for step in steps] != list(range(1, len(steps) + 1)):
        raise Corrupt("the migration files of this program are not numbered 1, 2, 3 …")
    return steps


SCHEMA_VERSION: Final = len(known())


def migrate(dsn: str, *, timeout: float = 60.0) -> tuple[str, ...]:
    """Bring the database at ``dsn`` up to ``SCHEMA_VERSION``; the names applied now.

    The login needs to be a superuser, or to have CREATEROLE and CREATE on the database.  A
    second call applies nothing.  ``timeout`` in seconds bounds every wait for another process.

    Raises ``Unavailable`` (no server, too old, or a privilege is missing) and ``Corrupt`` (an
    applied file has another content here, or the database is newer than this program), ``Unfit``
    for a ``dsn`` that names no database.
    """
    with _connected(dsn, timeout) as db:
        if db.info.server_version < OLDEST_SERVER:
            raise Unavailable("PostgreSQL 15 or newer is needed", retry_ms=0)
        db.execute("SELECT pg_advisory_lock(%s)", (LOCK,))
        done = db.execute("SELECT to_regclass('kartejo.migration') IS NOT NULL").fetchone()
        if done == (True,) and not _missing(db):
            return ()
        db.execute(_ROLES)
        db.execute(_SCHEMA)
        db.execute("SET ROLE kartejo_owner")
        db.execute(_TABLE)
        return tuple(_apply(db, step) for step in _missing(db))


def _missing(db: psycopg.Connection) -> tuple[Migration, ...]:
    applied = db.execute(_APPLIED).fetchall()
    steps = known()
    if len(applied) > len(steps):
        raise Corrupt(f"the database has {len(applied)} migrations, this program {len(steps)}")
    for (number, name, checksum), step in zip(applied, steps, strict=False):
        if (number, bytes(checksum)) != (step.number, step.checksum):
            raise Corrupt(f"migration {name} was applied with another content")
    return steps[len(applied) :]


def _apply(db: psycopg.Connection, step: Migration) -> str:
    with db.transaction():
        db.execute(step.text)
        db.execute(_REMEMBER, (step.number, step.name, step.checksum))
    return step.name


@contextmanager
def _connected(dsn: str, timeout: float) -> Iterator[psycopg.Connection]:
    given = str(parsed(dsn).get("options") or "")
    bounds = {
        "lock_timeout": f"{int(timeout * 1000)}",
        "idle_session_timeout": f"{SILENT_SECONDS}s",
        "idle_in_transaction_session_timeout": f"{SILENT_SECONDS}s",
    }
    options = " ".join([given, *(f"-c {name}={value}" for name, value in bounds.items())])
    try:
        with psycopg.connect(
            make_conninfo(dsn, options=options.strip(), connect_timeout=10), autocommit=True
        ) as db:
            yield db
    except psycopg.errors.LockNotAvailable:
        raise Unavailable(
            f"another process is migrating this database, for more than {timeout:.0f} s: wait for "
            "it, or end it (it holds an advisory lock: see pg_locks), then migrate again"
        ) from None
    except psycopg.Error as error:
        # A connection that fails has no diagnosis, but a text; of a statement only the reason.
        what = error.diag.message_primary or first_line(error)
        raise Unavailable(f"the schema cannot be installed: {what}") from None
