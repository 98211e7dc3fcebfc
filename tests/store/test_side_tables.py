"""Principals, leases, progress and the list of tables."""

from __future__ import annotations

import asyncio
from uuid import UUID, uuid4

import psycopg
import pytest

from engine.errors import Corrupt, Unavailable
from service.store import progress as progress_module
from service.store import table_index
from service.store.connection import Pool
from service.store.errors import ProgressConflict
from service.store.leases import Leases
from service.store.people import People
from service.store.principals import Principals
from service.store.progress import Build, Progress, standings
from service.store.table_index import TableIndex, TableRow
from tests.store.lines import Line, fast, pooled


def row(stream: UUID, position: int, **other: object) -> TableRow:
    """A table of four seats."""
    plain = TableRow(stream, "royal_flush", False, "{}", 5, None, 0, False, 1, 4, position)
    return TableRow(**{**plain._asdict(), **other})


def test_subject_has_one_id_whoever_asks_first(dsn: str) -> None:
    async def scenario(pool: Pool) -> None:
        left, right = Principals(pool), Principals(pool)
        asked = [who.resolve("https://issuer", "ann") for who in (left, right) * 10]
        (ann,) = set(await asyncio.gather(*asked))
        assert await left.resolve("https://issuer", "bob") != ann
        assert await left.resolve("https://other", "ann") != ann
        people = People(pool)
        assert await people.find("https://issuer", "ann") == ann
        assert await people.erase(ann)
        assert not await people.erase(ann)
        assert await people.find("https://issuer", "ann") is None
        assert await left.resolve("https://issuer", "ann") != ann

    pooled(dsn, scenario)


def test_lease_is_held_for_as_long_as_its_owner_lives(dsn: str) -> None:
    async def scenario(pool: Pool) -> None:
        ann, bob = Leases(pool, uuid4()), Leases(pool, uuid4())
        streams = [uuid4() for _ in range(5)]
        await ann.beat(60)
        await bob.beat(60)
        assert await ann.claim([]) == set()
        assert await ann.claim(streams[:3]) == set(streams[:3])
        assert await bob.claim(streams) == set(streams[3:])
        assert await ann.claim(streams) == set()
        assert await bob.release(streams[2:4]) == {streams[3]}
        await bob.bury()
        assert await ann.living() == {ann.owner, bob.owner}
        assert await ann.held() == set(streams[:3])
        # A sign of life of no duration is over at once; what is buried is anybody's.
        await ann.beat(0)
        assert await bob.living() == {bob.owner}
        assert await bob.claim(streams[:1]) == set()
        await bob.bury()
        assert await ann.held() == set()
        assert await bob.claim(streams[:2]) == set(streams[:2])
        await ann.beat(60)
        assert await ann.claim(streams) == {streams[2], streams[3]}

    pooled(dsn, scenario)


def test_an_owner_that_leaves_is_dead_at_once(dsn: str, admin_dsn: str) -> None:
    """Its row stays, as that of the last one who died; those before it go after a while."""

    async def scenario(pool: Pool) -> None:
        ann, bob, dead = (Leases(pool, uuid4()) for _ in range(3))
        for owner in (ann, bob):
            await owner.beat(60)
        await dead.beat(-61)
        stream = uuid4()
        await ann.claim([stream])
        await ann.leave()
        assert await bob.living() == {bob.owner}
        await bob.bury()
        assert await bob.claim([stream]) == {stream}
        with psycopg.connect(admin_dsn) as db:
            kept = db.execute("SELECT owner FROM kartejo.lease_owner").fetchall()
        assert {owner for (owner,) in kept} == {ann.owner, bob.owner}
        away = await bob.away()
        assert away is not None
        assert 0 <= away < 60

    pooled(dsn, scenario)


def test_how_long_nobody_lived(dsn: str) -> None:
    """Since the last one of those who are dead; whoever lives says nothing about it."""

    async def scenario(pool: Pool) -> None:
        early, late, now = (Leases(pool, uuid4()) for _ in range(3))
        assert await now.away() is None
        await now.beat(60)
        assert await now.away() is None
        await early.beat(-900)
        await late.beat(-300)
        for _ in range(2):
            away = await now.away()
            assert away is not None
            assert 300 <= away < 360
            await now.bury()

    pooled(dsn, scenario)


def test_racing_claims_have_one_winner_each_and_no_deadlock(dsn: str) -> None:
    """While others bury, release and die: what is left belongs to those that live, once each."""

    async def scenario(pool: Pool) -> None:
        owners = [Leases(pool, uuid4()) for _ in range(6)]
        streams = [uuid4() for _ in range(50)]
        for turn in range(5):
            for owner in owners:
                await owner.beat(60)
            won = await asyncio.gather(
                *(owner.claim(streams[n:] + streams[:n]) for n, owner in enumerate(owners))
            )
            assert sorted(stream for one in won for stream in one) == sorted(streams)
            held = await asyncio.gather(*(owner.held() for owner in owners))
            assert held == won
            dying = owners[turn % 6]
            await dying.beat(0)
            works = [work() for owner in owners for work in (owner.bury, owner.held) * 2]
            works += [owner.release(reversed(streams)) for owner in owners]
            await asyncio.gather(*works)
            assert await asyncio.gather(*(owner.held() for owner in owners)) == [set()] * 6

    pooled(dsn, scenario)


async def begun(pool: Pool, name: str) -> tuple[Progress, Build]:
    """A new build of a projection, and who moves it on."""
    progress = Progress(pool, uuid4())
    await progress.begin(name, 1)
    return progress, (await progress.builds(name))[-1]


async def listing(pool: Pool, rows: list[TableRow]) -> TableIndex:
    """A list of tables whose readers see ``rows``."""
    progress, build = await begun(pool, "tables")
    async with progress.moving(build, 10) as db:
        await table_index.put(db, build.number, rows)
    assert await progress.switch(build) == "serving"
    return TableIndex(pool)


async def change(pool: Pool, *rows: TableRow) -> None:
    """Write rows of the build that readers see."""
    progress = Progress(pool, uuid4())
    (build,) = await progress.builds("tables")
    async with progress.moving(build, build.position + 1) as db:
        await table_index.put(db, build.number, rows)


def test_progress_and_rows_move_together_or_not_at_all(dsn: str) -> None:
    async def scenario(pool: Pool) -> None:
        stream = uuid4()
        assert await TableIndex(pool).position() == 0
        index = await listing(pool, [row(stream, 5)])
        assert await index.position() == 10
        progress = Progress(pool, uuid4())
        (build,) = await progress.builds("tables")
        with pytest.raises(ProgressConflict):
            async with progress.moving(build._replace(position=0), 4) as db:
                await table_index.put(db, build.number, [row(uuid4(), 3)])
        with pytest.raises(Corrupt):
            async with progress.moving(build, 11) as db:
                await table_index.put(db, build.number, [row(uuid4(), 3, seats=2**40)])
        assert await progress.builds("tables") == [build]
        assert await index.get([stream, uuid4()]) == {stream: row(stream, 5)}
        assert len(await index.page()) == 1

    pooled(dsn, scenario)


def test_racing_projections_apply_every_step_once(dsn: str) -> None:
    async def scenario(pool: Pool) -> None:
        await begun(pool, "race")
        done: list[int] = []

        async def worker() -> None:
            progress = Progress(pool, uuid4())
            while (build := (await progress.builds("race"))[0]).position < 40:
                try:
                    async with progress.moving(build, build.position + 1):
                        await asyncio.sleep(0)
                except ProgressConflict:
                    continue
                done.append(build.position)

        await asyncio.gather(*(worker() for _ in range(4)))
        assert sorted(done) == list(range(40))

    pooled(dsn, scenario)


def test_a_build_serves_when_it_is_not_behind_and_retires_the_others(dsn: str) -> None:
    async def scenario(pool: Pool) -> None:
        old, first = await begun(pool, "p")
        async with old.moving(first, 5):
            pass
        assert await old.switch(first) == "serving"
        new, second = await begun(pool, "p")
        assert await new.switch(second) == "building"
        async with new.moving(second, 5):
            pass
        assert await new.switch(second) == "serving"
        assert await new.switch(second) == "serving"
        assert [each.state for each in await new.builds("p")] == ["retired", "serving"]
        with pytest.raises(ProgressConflict):
            async with old.moving(first._replace(position=5), 6):
                pass
        assert not await old.hold(first)
        await old.forget(second)
        await old.forget(first)
        assert [each.number for each in await new.builds("p")] == [2]

    pooled(dsn, scenario)


def test_older_code_never_takes_the_place_of_newer(dsn: str) -> None:
    async def scenario(pool: Pool) -> None:
        progress, old = await begun(pool, "p")
        await progress.begin("p", 2)
        new = (await progress.builds("p"))[-1]
        assert await progress.switch(new) == "serving"
        assert await progress.switch(old) == "retired"
        await progress.begin("p", 1)
        late = (await progress.builds("p"))[-1]
        assert await progress.switch(late) == "retired"
        assert [each.number for each in await progress.builds("p") if each.state == "serving"] == [
            2
        ]

    pooled(dsn, scenario)


def test_a_build_is_held_by_one_until_he_ceases(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has nothing left to do is let be, however long; who leaves work lying is replaced."""

    async def scenario(pool: Pool) -> None:
        one, build = await begun(pool, "p")
        other = Progress(pool, uuid4())
        assert await one.hold(build)
        assert await one.hold(build)
        assert not await other.hold(build)
        await other.leave(build)
        assert not await other.hold(build)
        await one.leave(build)
        monkeypatch.setattr(progress_module, "HOLD_SECONDS", 0.0)
        assert await other.hold(build)
        assert await one.hold(build)  # it ran out, and the build is not finished
        assert await one.switch(build) == "serving"
        assert not await other.hold(build)  # it ran out too, but there is nothing to do
        async with fast(dsn) as store:
            await store.append([Line().next()])
        assert await other.hold(build)

    pooled(dsn, scenario)


def test_lag_is_what_the_log_has_and_a_build_has_not(dsn: str) -> None:
    async def scenario(pool: Pool) -> None:
        progress, build = await begun(pool, "p")
        line = Line()
        async with fast(dsn) as store:
            for _ in range(3):
                (stored,) = await store.append([line.next()])
                line.took(stored)
        async with progress.moving(build, 2):
            pass
        (standing,) = await standings(pool)
        assert (standing.build.name, standing.head, standing.lag) == ("p", 3, 1)

    pooled(dsn, scenario)


def test_tables_are_listed_in_pages(dsn: str) -> None:
    async def scenario(pool: Pool) -> None:
        streams = [UUID(int=n) for n in range(1, 8)]
        rows = [
            row(stream, n, game=("palace_poker", "pontoon")[n % 2], running=n in {2, 3})
            for n, stream in enumerate(streams)
        ]
        index = await listing(pool, rows)
        closed = rows[3]._replace(closed_at=77, position=11, seats_taken=0, running=False)
        await change(pool, closed)
        newest = [each for each in reversed(rows) if each is not rows[3]]
        assert await index.page(limit=3) == newest[:3]
        third = (newest[2].created_at, newest[2].stream)
        assert await index.page(before=third, limit=3) == newest[3:6]
        assert await index.page(before=third, limit=1, closed=True) == [closed]
        assert await index.page(game="pontoon") == rows[5::-4]
        assert await index.page(game="pontoon", closed=True, limit=2) == [rows[5], closed]
        assert await index.page(lab=True) == []
        assert await index.running() == [rows[2]]
        assert await index.page(game="casino") == []
        full = rows[5]._replace(seats_taken=rows[5].seats)
        await change(pool, full)
        assert full not in await index.page(free=True)
        assert full not in await index.page(free=True, game="pontoon")
        assert full in await index.page(game="pontoon")
        assert await index.page(free=True, game="pontoon", limit=1) == [rows[1]]

    pooled(dsn, scenario)


def test_pool_forgets_lines_that_were_cut_while_idle(dsn: str, admin_dsn: str) -> None:
    async def scenario(pool: Pool) -> None:
        progress = Progress(pool, uuid4())
        for _ in range(3):
            await asyncio.gather(*(progress.builds("x") for _ in range(3)))
            with psycopg.connect(admin_dsn, autocommit=True) as db:
                ended = db.execute(
                    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
                    " WHERE application_name = 'kartejo-reader' AND datname = current_database()"
                )
                assert ended.rowcount == 3
        await pool.close()
        with pytest.raises(Unavailable):
            await progress.builds("x")

    pooled(dsn, scenario, size=3)


def test_slow_statement_is_unavailable_and_its_connection_thrown_away(dsn: str) -> None:
    async def scenario(pool: Pool) -> None:
        with pytest.raises(Unavailable):
            await pool.ask(lambda db: db.execute("SELECT pg_sleep(30)"))
        assert await Progress(pool, uuid4()).builds("x") == []

    pooled(dsn, scenario, size=1, seconds=0.2)
