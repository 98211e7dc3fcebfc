"""kill -9 of those who append, keep the tiles and sign, at any moment: one series, all right."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import psycopg

from service.store import checkpoints
from service.transparency.checkpoint import Checkpoint
from service.transparency.last_signed import LastSigned
from service.transparency.merkle import Frontier
from tests.store.lines import fast, run
from tests.transparency.growing import KEY, Log, secrets_in

ROOT = Path(__file__).parents[2]
ROUNDS = 3


def started(dsn: str, folder: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.transparency.worker", dsn, str(folder)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def newest(dsn: str) -> int:
    """How many checkpoints are signed."""
    with psycopg.connect(dsn) as db:
        (number,) = db.execute("SELECT count(*) FROM kartejo.checkpoint").fetchone() or (0,)
    return int(number)


def test_two_signers_are_killed_again_and_again(dsn: str, tmp_path: Path) -> None:
    folder = secrets_in(tmp_path / "secrets")
    random_ = random.Random(9)
    for _ in range(ROUNDS):
        both = [started(dsn, folder) for _ in range(2)]
        for one in both:
            assert one.stdout is not None
            assert one.stdout.readline().startswith("begun")
        signed = newest(dsn)
        until = time.monotonic() + 60
        while newest(dsn) == signed:
            assert time.monotonic() < until, "nothing is signed"
            time.sleep(0.02)
        time.sleep(random_.uniform(0.0, 0.3))
        for one in both:
            one.kill()
            assert "refused" not in one.communicate()[0]

    async def scenario() -> None:
        async with fast(dsn) as store:
            head = await store.position()
            log = Log(store)
            log.leaves = await store.hashes(0, head)
            assert len(log.leaves) == head
            found = (await checkpoints.older(store.pool, checkpoints.NEWEST, 100_000))[::-1]
            assert [each.number for each in found] == list(range(1, len(found) + 1))
            assert len(found) >= ROUNDS
            frontier = Frontier()
            for each in found:
                assert each.size > frontier.size
                frontier = frontier.extended(log.leaves[frontier.size : each.size])
                right = Checkpoint(KEY.verifier.name, each.size, frontier.root())
                assert Checkpoint.opened(each.note, KEY.verifier) == right
                assert each.frontier == frontier.packed()
            last = LastSigned(folder, KEY.verifier).read()
            assert last is not None
            await log.follow()
            signer = log.signer(folder)
            await signer.look()
            assert signer.records.refused == 0
            assert signer.records.size == head

    run(scenario())
