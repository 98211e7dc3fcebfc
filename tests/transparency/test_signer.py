"""What is signed, by whom, and everything that must not be."""

from __future__ import annotations

import asyncio
from pathlib import Path

import psycopg
import pytest
from structlog.testing import capture_logs

from engine.errors import Unavailable
from service.store import checkpoints
from service.store.leases import SIGNER
from service.transparency.checkpoint import Checkpoint
from service.transparency.last_signed import LastSigned
from service.transparency.notes import SignerKey
from service.vault.secret_file import KeyFileError
from tests.store.lines import run
from tests.transparency.growing import KEY, Log, alter, grown_log, rows, secrets_in
from tests.transparency.naive import mth


async def series(log: Log) -> list[Checkpoint]:
    """All checkpoints, oldest first, each as its note says."""
    found = await checkpoints.older(log.store.pool, checkpoints.NEWEST, 1_000)
    assert [each.number for each in found] == list(range(len(found), 0, -1))
    return [Checkpoint.opened(each.note, KEY.verifier) for each in found[::-1]]


async def refusal(log: Log, folder: Path) -> str:
    """Why a fresh signer signs nothing; it says so once, however often it looks."""
    before = await series(log)
    signer = log.signer(folder)
    with capture_logs() as told:
        for _ in range(3):
            await signer.look()
    assert await series(log) == before
    assert [each["event"] for each in told] == ["checkpoint_refused"]
    assert signer.records.refused == 3
    assert SIGNER not in await signer._leases.held()
    return str(told[0]["why"])


def test_a_growing_log_is_signed_once_for_each_size(dsn: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        folder = secrets_in(tmp_path / "secrets")
        async with grown_log(dsn, 0) as log:
            signer = log.signer(folder)
            await signer.look()
            assert await series(log) == []
            sizes = []
            for more in (1, 2, 300, 7):
                await log.grow(more)
                await log.follow()
                sizes.append(len(log.leaves))
                for _ in range(2):
                    await signer.look()
            found = await series(log)
            assert [each.size for each in found] == sizes
            assert all(each.root == mth(log.leaves[: each.size]) for each in found)
            assert LastSigned(folder, KEY.verifier).read() == found[-1]
            assert (folder / f"log-{KEY.verifier.id.hex()}.last").stat().st_mode & 0o777 == 0o600
            # A process that has just begun goes on from what is stored.
            await log.grow(5)
            await log.follow()
            await log.signer(folder).look()
            assert (await series(log))[-1] == Checkpoint(
                KEY.verifier.name, sizes[-1] + 5, mth(log.leaves)
            )

    run(scenario())


@pytest.mark.parametrize("place", [0, 4, 9])
def test_a_flipped_leaf_is_never_signed(
    dsn: str, admin_dsn: str, tmp_path: Path, place: int
) -> None:
    """Trust: one bit flipped between the two reads, and the root would be wrong for ever."""

    async def scenario() -> None:
        folder = secrets_in(tmp_path / "secrets")
        async with grown_log(dsn, 10) as log:
            flip = f"""UPDATE kartejo.commit SET hash = set_bit(hash, 77, 1 - get_bit(hash, 77))
                        WHERE position = {place + 1}"""
            alter(admin_dsn, flip)
            assert "`kartejo audit`" in await refusal(log, folder)
            alter(admin_dsn, flip)
            await log.signer(folder).look()
            assert (await series(log))[-1].root == mth(log.leaves)

    run(scenario())


def test_it_says_when_it_signs_again(dsn: str, admin_dsn: str, tmp_path: Path) -> None:
    """One line when it begins and one when it is over, whoever has signed."""

    async def scenario() -> None:
        folder = secrets_in(tmp_path / "secrets")
        async with grown_log(dsn, 10) as log:
            flip = "UPDATE kartejo.commit SET hash = set_bit(hash, 7, 1 - get_bit(hash, 7))"
            alter(admin_dsn, flip)
            here, there = [log.signer(folder, elsewhere=True) for _ in range(2)]
            with capture_logs() as told:
                await here.look()
                await there.look()
                await there._leases.claim([SIGNER])
                await here.look()  # it is the other's turn: nothing is known to be sound
                alter(admin_dsn, flip)
                await there.look()
                await here.look()
            refused, again = "checkpoint_refused", "checkpoint_signed_again"
            assert [each["event"] for each in told] == [refused, refused, again, again]
            assert len(await series(log)) == 1

    run(scenario())


def test_a_flipped_tile_is_never_signed_and_heals_when_made_anew(
    dsn: str, admin_dsn: str, tmp_path: Path
) -> None:
    async def scenario() -> None:
        folder = secrets_in(tmp_path / "secrets")
        async with grown_log(dsn, 10) as log:
            flip = "set_bit(hashes, 300, 1 - get_bit(hashes, 300))"
            alter(admin_dsn, f"UPDATE kartejo.log_tile SET hashes = {flip}")
            assert "kartejo rebuild log" in await refusal(log, folder)
            await log.follow()
            await log.signer(folder).look()
            assert (await series(log))[-1].root == mth(log.leaves)

    run(scenario())


def test_what_was_signed_before_must_begin_what_is_signed_now(
    dsn: str, admin_dsn: str, tmp_path: Path
) -> None:
    """Commits and tiles agree with each other, and not with what others have been told."""

    async def scenario() -> None:
        folder = secrets_in(tmp_path / "secrets")
        async with grown_log(dsn, 10) as log:
            await log.signer(folder).look()
            await log.grow(10)
            alter(admin_dsn, "UPDATE kartejo.commit SET hash = sha256(hash) WHERE position = 3")
            await log.follow()
            assert "the tiles" in await refusal(log, folder)
            # Nor does it help to take the checkpoints away: the file beside the key knows better.
            alter(admin_dsn, "DELETE FROM kartejo.checkpoint")
            assert "does not begin with the one of 10" in await refusal(log, folder)

    run(scenario())


def test_a_database_from_an_older_backup_is_noticed(
    dsn: str, admin_dsn: str, tmp_path: Path
) -> None:
    """At once, and still when it has grown beyond what it was."""

    async def scenario() -> None:
        folder = secrets_in(tmp_path / "secrets")
        async with grown_log(dsn, 10) as log:
            await log.signer(folder).look()
            await log.grow(5)
            await log.follow()
            await log.signer(folder).look()
            alter(
                admin_dsn,
                "DELETE FROM kartejo.commit WHERE position > 8",
                "UPDATE kartejo.lane SET head = 8",
                "DELETE FROM kartejo.progress WHERE consumer = 'log'",
                "DELETE FROM kartejo.log_tile",
            )
            await log.follow()
            # Two cases: the backup has the checkpoint that it contradicts, or is older than that.
            assert "older backup" in await refusal(log, folder)
            alter(admin_dsn, "DELETE FROM kartejo.checkpoint")
            assert "8 commits, and a checkpoint of" in await refusal(log, folder)

    run(scenario())


def test_a_restored_database_that_has_grown_again_is_noticed(
    dsn: str, other_dsn: str, tmp_path: Path
) -> None:
    async def scenario() -> None:
        folder = secrets_in(tmp_path / "secrets")
        async with grown_log(dsn, 10) as log:
            await log.signer(folder).look()
        async with grown_log(other_dsn, 30) as log:
            assert "does not begin with the one of 1" in await refusal(log, folder)

    run(scenario())


def test_signed_but_not_stored_is_signed_again_the_same(dsn: str, tmp_path: Path) -> None:
    """Killed between the file and the database: the next one begins where that one ended."""

    async def scenario() -> None:
        folder = secrets_in(tmp_path / "secrets")
        async with grown_log(dsn, 10) as log:
            size = len(log.leaves)
            note = Checkpoint(KEY.verifier.name, size, mth(log.leaves)).signed(KEY)
            LastSigned(folder, KEY.verifier).write(note)
            await log.signer(folder).look()
            (stored,) = await checkpoints.older(log.store.pool, checkpoints.NEWEST, 2)
            assert stored.note == note

    run(scenario())


def test_a_file_that_cannot_be_kept_stores_no_checkpoint(dsn: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        folder = secrets_in(tmp_path / "secrets")
        async with grown_log(dsn, 10) as log:
            last = LastSigned(folder, KEY.verifier)
            last.path.mkdir()
            why = await refusal(log, folder)
            assert str(last.path) in why
            last.path.rmdir()
            last.path.write_text("{}")
            last.path.chmod(0o600)
            assert "restore it from your backup" in await refusal(log, folder)
            last.path.chmod(0o644)
            assert "others may use it" in await refusal(log, folder)
            last.path.unlink()
            await log.signer(folder).look()
            assert len(await series(log)) == 1

    run(scenario())


def test_many_signers_make_one_series(dsn: str, tmp_path: Path) -> None:
    """Whatever their leases say: each of them believes that it is its turn."""

    async def scenario() -> None:
        folder = secrets_in(tmp_path / "secrets")
        async with grown_log(dsn, 3) as log:
            signers = [log.signer(folder, elsewhere=True) for _ in range(6)]

            async def always() -> bool:
                return True

            for signer in signers:
                signer._is_my_turn = always  # type: ignore[method-assign]
            for _ in range(5):
                await log.grow(2)
                await log.follow()
                await asyncio.gather(*(signer.look() for signer in signers))
            found = await series(log)
            assert [each.size for each in found] == sorted({each.size for each in found})
            assert len(found) == 5 == sum(signer.records.signed for signer in signers)
            assert sum(signer.records.refused for signer in signers) == 0

    run(scenario())


def test_only_one_has_the_turn_and_another_gets_it(dsn: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        folder = secrets_in(tmp_path / "secrets")
        async with grown_log(dsn, 3) as log:
            first, second = [log.signer(folder, elsewhere=True) for _ in range(2)]
            await first._leases.beat(60)
            await first.look()
            await log.grow(1)
            await log.follow()
            await second.look()
            assert (first.records.signed, second.records.signed) == (1, 0)
            await first._leases.leave()
            await second._leases.bury()
            await second.look()
            assert second.records.signed == 1
            assert second.records.size == len(log.leaves)

    run(scenario())


def test_another_key_goes_on_with_the_series_from_the_commits_alone(
    dsn: str, admin_dsn: str, tmp_path: Path
) -> None:
    async def scenario() -> None:
        folder = secrets_in(tmp_path / "secrets")
        other = SignerKey("kartejo.example/log", bytes(32))
        async with grown_log(dsn, 10) as log:
            await log.signer(folder).look()
            # What another key vouched for is not believed.
            alter(admin_dsn, "UPDATE kartejo.checkpoint SET frontier = sha256(frontier)")
            await log.signer(folder, other).look()
            newest = await checkpoints.newest(log.store.pool)
            assert newest is not None
            assert newest.number == 2
            opened = Checkpoint.opened(newest.note, other.verifier)
            assert opened.root == mth(log.leaves)

    run(scenario())


@pytest.mark.parametrize(
    "damage",
    [
        "frontier = sha256(frontier)",
        "frontier = frontier || sha256(frontier)",
        "note = replace(note, E'\\n\\n', E'0\\n\\n')",
        "note = ''",
    ],
)
def test_a_damaged_checkpoint_is_not_gone_on_from(
    dsn: str, admin_dsn: str, tmp_path: Path, damage: str
) -> None:
    async def scenario() -> None:
        folder = secrets_in(tmp_path / "secrets")
        async with grown_log(dsn, 8) as log:
            await log.signer(folder).look()
            await log.grow(1)
            await log.follow()
            before = rows(dsn, "SELECT count(*) FROM kartejo.checkpoint")
            alter(admin_dsn, f"UPDATE kartejo.checkpoint SET {damage}")
            signer = log.signer(folder)
            await signer.look()
            assert signer.records.refused == 1
            assert rows(dsn, "SELECT count(*) FROM kartejo.checkpoint") == before

    run(scenario())


@pytest.mark.parametrize("table", ["checkpoint", "log_key"])
def test_the_series_is_not_rewritten_by_the_service_nor_by_accident(
    dsn: str, admin_dsn: str, table: str
) -> None:
    statements = (
        f"UPDATE kartejo.{table} SET key = ''",
        f"DELETE FROM kartejo.{table}",
        f"TRUNCATE kartejo.{table}",
    )
    further = (
        f"DROP TABLE kartejo.{table}",
        f"ALTER TABLE kartejo.{table} DISABLE TRIGGER ALL",
    )
    for who, tried in ((dsn, statements + further), (admin_dsn, statements)):
        with psycopg.connect(who, autocommit=True) as db:
            for statement in tried:
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    db.execute(statement.encode())


def test_a_database_that_is_away_is_no_refusal(dsn: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with grown_log(dsn, 1) as log:
            signer = log.signer(secrets_in(tmp_path / "secrets"))
            await log.store.pool.close()
            with pytest.raises(Unavailable):
                await signer.look()
            assert signer.records.refused == 0

    run(scenario())


def test_the_file_is_read_as_it_was_written_and_by_its_key_only(tmp_path: Path) -> None:
    folder = secrets_in(tmp_path / "secrets")
    last = LastSigned(folder, KEY.verifier)
    assert last.read() is None
    checkpoint = Checkpoint(KEY.verifier.name, 3, bytes(32))
    last.write(checkpoint.signed(KEY))
    assert last.read() == checkpoint
    other = SignerKey("kartejo.example/log", bytes(32))
    last.write(checkpoint.signed(other))
    with pytest.raises(KeyFileError):
        last.read()
