"""What the store counts, and the one line that its log has for a bad day."""

from __future__ import annotations

import asyncio
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from structlog.testing import capture_logs

from engine.errors import Exhausted, Unavailable
from tests.store.lines import Line, fast, run, until
from tests.store.test_faults import break_once, cut

DISK_FULL = """
CREATE FUNCTION kartejo.full() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'no room for card 5s' USING ERRCODE = '53100'; END $$;
CREATE TRIGGER full_disk BEFORE INSERT ON kartejo.commit EXECUTE FUNCTION kartejo.full();
"""


def events(logs: list[Any]) -> list[str]:
    return [line["event"] for line in logs]


def test_batches_are_counted_with_what_is_in_them(dsn: str) -> None:
    async def scenario() -> None:
        async with fast(dsn) as store:
            for _ in range(2):
                await asyncio.gather(*(store.append([Line().next(3)]) for _ in range(5)))
            await store.append([Line().next(), Line().next(2)])
            seen = store.writer.records
            assert (seen.groups.sum, seen.events.sum) == (11, 33)
            assert seen.groups.count == seen.events.count == seen.seconds.count == seen.sizes.count
            assert seen.sizes.sum > 12 * 256
            assert (seen.connected, seen.broken, seen.refused) == (1, 0, 0)
            assert (store.writer.waiting, store.writer.oldest_seconds) == (0, 0.0)
            assert store.writer.is_up

    run(scenario())


def test_what_waits_is_counted_with_its_age(dsn: str, admin_dsn: str) -> None:
    """Behind a lock: the queue's length and age; beyond its bound, what was refused."""

    async def scenario() -> None:
        async with fast(dsn, most_pending=3) as store:
            await store.append([Line().next()])
            with psycopg.connect(admin_dsn) as db:
                db.execute("SELECT FROM kartejo.lane FOR UPDATE")
                hanging = [store.submit([Line().next()]) for _ in range(3)]
                assert store.writer.waiting == 3
                before = store.writer.oldest_seconds
                await asyncio.sleep(0.01)
                assert store.writer.oldest_seconds > before
                with pytest.raises(Exhausted):
                    store.submit([Line().next()])
                assert store.writer.records.refused == 1
            await asyncio.gather(*hanging)
            assert store.writer.waiting == 0

    run(scenario())


def test_a_database_that_is_gone_is_told_once_and_once_when_it_is_back(
    dsn: str, admin_dsn: str
) -> None:
    """However often it is looked for meanwhile; the second line says for how long."""
    name = conninfo_to_dict(dsn)["dbname"]

    async def scenario() -> None:
        async with fast(dsn, patience=0.2) as store:
            await store.append([Line().next()])
            with psycopg.connect(f"{admin_dsn} dbname=postgres", autocommit=True) as db:
                db.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
                cut(f"{admin_dsn} dbname=postgres")
                for _ in range(3):
                    with pytest.raises(Unavailable):
                        await store.append([Line().next()])

                async def tried() -> bool:
                    return store.writer.records.broken >= 5

                await until(tried)
                assert not store.writer.is_up
                db.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")

            async def back() -> bool:
                return store.writer.is_up

            await until(back)
            await store.append([Line().next()])
            assert store.writer.records.connected == 2

    with capture_logs() as logs:
        run(scenario())
    told = [line for line in logs if line["event"].startswith("database_")]
    assert events(told) == ["database_gone", "database_back"]
    assert told[0]["log_level"] == "error"
    assert told[1]["away_seconds"] > 0.2


def test_a_line_that_is_cut_is_told_and_what_became_of_the_batch(
    dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_once(monkeypatch, before=False)

    async def scenario() -> None:
        async with fast(dsn) as store:
            await store.append([Line().next()])

    with capture_logs() as logs:
        run(scenario())
    assert events(logs) == ["database_gone", "database_back", "store_settled"]
    assert logs[0]["unknown"] is True
    assert (logs[2]["stored"], logs[2]["absent"]) == (1, 0)


def test_a_full_disk_is_told_in_one_line(dsn: str, admin_dsn: str) -> None:
    """In our words: what the server says may quote what was to be stored."""
    with psycopg.connect(admin_dsn, autocommit=True) as db:
        db.execute(DISK_FULL)

    async def scenario() -> None:
        async with fast(dsn) as store:
            with pytest.raises(Unavailable) as refused:
                await store.append([Line().next()])
            assert "5s" not in str(refused.value)

    with capture_logs() as logs:
        run(scenario())
    (line,) = logs
    assert (line["event"], line["why"]) == ("store_append_refused", "disk full")
    assert "5s" not in repr(line)
