"""NOTIFY wakes followers, once for a batch, and may be lost without harm."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from service.store import writer
from service.store.connection import open_connection
from service.store.hints import CHANNEL
from service.store.log import Reply
from tests.store.lines import Line, fast, run

POLL_SECONDS = 0.4
"""What ``Store.follow`` waits at most between two looks."""

SLACK_SECONDS = 3.0
"""For a machine that does something else meanwhile."""


def test_a_batch_is_told_of_once_at_most(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many commits it has; and the last position is always told."""
    batches = 0
    real = writer.append_batch

    async def counted(*args: Any) -> Reply:
        nonlocal batches
        batches += 1
        return await real(*args)

    monkeypatch.setattr(writer, "append_batch", counted)

    async def scenario() -> None:
        told: list[str] = []
        async with await open_connection(dsn, name="test") as db, fast(dsn) as store:
            await db.execute(f"LISTEN {CHANNEL}")
            for _ in range(5):
                stored = await asyncio.gather(*(store.append([Line().next()]) for _ in range(100)))
                last = max(commit.position for group in stored for commit in group)
                while not told or told[-1] != f"0:{last}":
                    told += [one.payload async for one in db.notifies(timeout=10, stop_after=1)]
        assert len(set(told)) == len(told) <= batches < 50

    run(scenario())


@contextmanager
def blocked(admin_dsn: str, *names: str) -> Iterator[None]:
    """Stop the server's processes behind some connections, as if they hung."""
    with psycopg.connect(admin_dsn) as db:
        found = db.execute(
            "SELECT pid FROM pg_stat_activity"
            " WHERE datname = current_database() AND application_name = ANY (%s)",
            (list(names),),
        ).fetchall()
    assert found
    try:
        for (pid,) in found:
            os.kill(pid, signal.SIGSTOP)
        yield
    finally:
        for (pid,) in found:
            os.kill(pid, signal.SIGCONT)


@pytest.mark.parametrize("name", ["kartejo-notifier", "kartejo-listener"])
def test_a_follower_does_without_hints(dsn: str, admin_dsn: str, name: str) -> None:
    """What tells of commits hangs, or what hears of them: each comes within the next look.

    Nobody who stores something waits for it.
    """

    async def scenario() -> None:
        async with fast(dsn) as store, fast(dsn) as other:
            feed = other.follow(0)
            await store.append([Line().next()])
            assert (await anext(feed)).position == 1
            with blocked(admin_dsn, name):
                for position in range(2, 8):
                    began = time.monotonic()
                    await store.append([Line().next()])
                    assert (await anext(feed)).position == position
                    assert time.monotonic() - began < POLL_SECONDS + SLACK_SECONDS

    run(scenario())


def test_a_notifier_that_hangs_is_replaced(
    dsn: str, admin_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another connection tells what this one did not, to a follower that waits for hints alone."""
    monkeypatch.setattr("service.store.hints.SEND_SECONDS", 0.2)

    async def scenario() -> None:
        async with fast(dsn) as store, fast(dsn) as other:
            feed = other.follow(0, poll=3600)
            await store.append([Line().next()])
            assert (await anext(feed)).position == 1
            with blocked(admin_dsn, "kartejo-notifier"):
                await store.append([Line().next()])
                await store.append([Line().next()])
                assert [(await anext(feed)).position for _ in range(2)] == [2, 3]

    run(scenario())
