"""A migration that is interrupted anywhere: the next one completes it, or says what to do."""

from __future__ import annotations

import asyncio
from itertools import count

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from engine.errors import Unavailable
from service.store import migrate as module
from service.store.embedded import EmbeddedServer
from service.store.migrate import SCHEMA_VERSION, known, migrate
from tests.commands import environment, quick
from tests.faults.conftest import Plan
from tests.faults.proxy import Fault, Part, Proxy, Way, before_postgres
from tests.pg import create
from tests.store.lines import Line, fast, run

_numbers = count(1)

SCHEMA = """
SELECT 'column', table_name, column_name, data_type, is_nullable, column_default
  FROM information_schema.columns WHERE table_schema = 'kartejo'
UNION ALL
SELECT 'right', table_name, grantee, privilege_type, is_grantable, grantor
  FROM information_schema.role_table_grants WHERE table_schema = 'kartejo'
UNION ALL
SELECT 'index', tablename, indexname, indexdef, '', '' FROM pg_indexes
 WHERE schemaname = 'kartejo'
UNION ALL
SELECT 'function', proname, pg_get_functiondef(oid), proacl::text, '', '' FROM pg_proc
 WHERE pronamespace = 'kartejo'::regnamespace
UNION ALL
SELECT 'step', name, encode(checksum, 'hex'), number::text, '', '' FROM kartejo.migration
 ORDER BY 1, 2, 3, 4
"""


def empty(pg: EmbeddedServer) -> str:
    """A database without a schema, as the superuser."""
    name = f"broken_{next(_numbers)}"
    create(pg, name, "template0")
    return make_conninfo(pg.conninfo, dbname=name)


def drop(pg: EmbeddedServer, dsn: str) -> None:
    """Throw a database away: a hundred of them would be a gigabyte."""
    name = conninfo_to_dict(dsn)["dbname"]
    with psycopg.connect(make_conninfo(pg.conninfo, dbname="postgres"), autocommit=True) as db:
        db.execute(f"DROP DATABASE {name} WITH (FORCE)")


def schema(dsn: str) -> list[object]:
    """All that migrations have made."""
    with psycopg.connect(dsn) as db:
        return db.execute(SCHEMA).fetchall()


async def through(proxy: Proxy, dsn: str) -> str:
    """Migrate over the proxy; what it failed with, if it did."""
    name = str(conninfo_to_dict(dsn)["dbname"])
    try:
        await asyncio.to_thread(migrate, make_conninfo(proxy.address, dbname=name), timeout=2.0)
    except Unavailable as error:
        return str(error)
    return ""


def is_whole(dsn: str, whole: list[object]) -> None:
    """A second run brings the same schema as one that nobody disturbed, and it works."""
    migrate(dsn)
    assert schema(dsn) == whole

    async def append() -> None:
        async with fast(make_conninfo(dsn, user="kartejo_service")) as store:
            await store.append([Line().next()])

    run(append())


@pytest.mark.parametrize("stride", [40, pytest.param(1, marks=pytest.mark.long)])
def test_a_migration_cut_anywhere_is_completed_by_the_next(
    pg: EmbeddedServer, plan: Plan, stride: int
):
    """After every message to the server, and before every one from it."""
    whole_dsn = empty(pg)
    migrate(whole_dsn)
    whole = schema(whole_dsn)

    async def scenario():
        cuts = 0
        async with before_postgres(whole_dsn) as proxy:
            for way, part in ((Way.THERE, Part.ALL), (Way.BACK, Part.NONE)):
                for number in count(1, stride):
                    dsn = empty(pg)
                    proxy.fault = fault = Fault(way, number, part)
                    failed = await through(proxy, dsn)
                    if not fault.fired.is_set():
                        break
                    # Whoever is cut off while he says goodbye has done it all.
                    assert failed.startswith("the schema cannot be installed") or (
                        way is Way.THERE and schema(dsn) == whole
                    )
                    await asyncio.to_thread(is_whole, dsn, whole)
                    drop(pg, dsn)
                    cuts += 1
        assert cuts > 100 // stride
        plan.told("a migration cut off", f"{cuts} cuts, the next run completed each")

    run(scenario(), 550 if stride == 1 else 110)


@pytest.mark.parametrize("step", range(SCHEMA_VERSION))
@pytest.mark.parametrize("where", ["statements", "memory", "commit"])
@pytest.mark.long
def test_a_migration_killed_in_any_step_is_completed_by_the_next(
    pg: EmbeddedServer, where: str, step: int
):
    """kill -9 of the command while the server works for it."""
    whole_dsn = empty(pg)
    migrate(whole_dsn)
    whole = schema(whole_dsn)
    holding = {
        "statements": known()[step].text.encode()[:60],
        "memory": known()[step].name.encode(),  # a value: the statement's text is sent now and then
        "commit": b"COMMIT",
    }[where]

    async def scenario():
        dsn = empty(pg)
        name = str(conninfo_to_dict(dsn)["dbname"])
        async with before_postgres(dsn) as proxy:
            number = step + 1 if where == "commit" else 1
            proxy.fault = fault = Fault(Way.THERE, number, Part.ALL, silent=True, holding=holding)
            process = await asyncio.create_subprocess_exec(
                *(*quick(), "migrate"),
                *("--database", make_conninfo(proxy.address, dbname=name)),
                env=environment(None),
            )
            async with asyncio.timeout(60):
                await fault.fired.wait()
            process.kill()
            await process.wait()
            proxy.hang_up()
            await asyncio.to_thread(is_whole, dsn, whole)

    run(scenario())


def test_a_migration_that_vanishes_does_not_keep_the_next_one_out(
    pg: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
):
    """Its machine is gone and its connection still open: the lock is let go after a while."""
    monkeypatch.setattr(module, "SILENT_SECONDS", 1)

    async def scenario():
        dsn = empty(pg)
        async with before_postgres(dsn) as proxy:
            proxy.fault = fault = Fault(Way.BACK, 1, silent=True, holding=b"CREATE SCHEMA")
            vanished = asyncio.ensure_future(through(proxy, dsn))
            await fault.fired.wait()
            with pytest.raises(Unavailable, match="another process is migrating"):
                await asyncio.to_thread(migrate, dsn, timeout=0.1)
            await asyncio.to_thread(migrate, dsn, timeout=20.0)
            proxy.hang_up()
            assert await vanished
        assert len(schema(dsn)) > 50

    run(scenario())
