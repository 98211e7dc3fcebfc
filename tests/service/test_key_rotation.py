"""A new master key while services run: nothing is lost, whoever is cut off at whatever step."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from engine.actions import TakeSeat
from engine.events import EpochVoided
from service.cli import keys as key_files
from service.cli import rotating
from service.cli.failures import CommandError
from service.cli.keys import keys_at_hand, master_key
from service.host.key_watch import KeyWatch
from service.identity import SecretFiles
from service.store.errors import Unfit
from service.store.master_keys import key_use
from service.store.postgres import Store
from service.vault import MasterKey
from service.world import RealWorld
from tests.service.harness import Running, run, running
from tests.service.palace import PalaceTable
from tests.service.test_hidden_cards import truth_of

WORLD = RealWorld()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "data"


async def key_of(dsn: str, home: Path) -> MasterKey:
    """The key that a service starts with."""
    async with Store(dsn, allow_unsafe=True) as store:
        return await master_key(store, SecretFiles.beside(home), WORLD)


@pytest.fixture(autouse=True)
def unsafe(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests' PostgreSQL does not wait for its disk; nor does a rotation for other services."""
    monkeypatch.setattr(rotating, "Store", lambda dsn: Store(dsn, allow_unsafe=True))


async def rotate(dsn: str, home: Path, to: Path | None = None) -> tuple[bytes, bytes]:
    return await rotating.rotate(dsn, home, to, learn_seconds=0)


def watch(service: Running, master: MasterKey, home: Path) -> KeyWatch:
    found = lambda: keys_at_hand(SecretFiles.beside(home), WORLD)  # noqa: E731
    return KeyWatch(WORLD, service.store, master, found)


def test_services_with_the_old_key_and_the_new_one_play_at_one_table(dsn, home):
    """Before, during and after: both open epochs of both keys, hands go on, none is void."""

    async def scenario():
        first = await key_of(dsn, home)
        async with running(dsn, master=first) as one:
            table = await PalaceTable.open(one)
            await table.start()
            state = await table.state()
            old, new = await rotate(dsn, home)
            assert (old, first.id) == (first.id, old)
            second = await key_of(dsn, home)
            assert second.id == new
            async with running(dsn, master=second) as two:
                there = PalaceTable(table.id, two.client("host"), {})
                for seat in table.players:
                    there.players[seat] = two.client(f"p{seat}")
                assert (await there.state()).view == state.view
                seen = (await there.players[0].get(table.id)).state.view
                assert seen == (await table.players[0].get(table.id)).state.view
                await there.fold_out()  # the next epoch opens under the new key
                await watch(one, first, home).look()
                assert first.id == new
                await table.start()
                await table.fold_out()
                await there.start()
            facts = await truth_of(one, table.id)
            assert not any(isinstance(fact, EpochVoided) for fact in facts.values())

    run(scenario())


def test_a_service_knows_the_next_key_before_it_is_used(dsn, home):
    """Who is told of it opens what others wrap by it, and wraps by the old one still."""

    async def scenario():
        first = await key_of(dsn, home)
        files = SecretFiles.beside(home)
        coming = MasterKey.read(files.next_master_key, WORLD, make=True)
        async with running(dsn, master=first) as service:
            await watch(service, first, home).look()
        assert first.id != coming.id
        assert first.unwrap(coming.wrap(b"secret", b"here"), b"here") == b"secret"
        assert MasterKey.load(files.master_key, {}, WORLD).unwrap(
            first.wrap(b"secret", b"here"), b"here"
        )

    run(scenario())


def test_a_request_from_before_is_known_after_the_rotation(dsn, home):
    """Repeats are harmless across keys: the digest is compared under each of them."""

    async def scenario():
        first = await key_of(dsn, home)
        async with running(dsn, master=first) as service:
            ann = service.client("ann")
            made = await ann.create("royal_flush", request_id="made")
            table = made.table.table_id
            await ann.act(table, 0, TakeSeat("", 5), request_id="sits")
        await rotate(dsn, home)
        async with running(dsn, master=await key_of(dsn, home)) as service:
            ann = service.with_token(service.token("ann"))
            again = await ann.act(table, 0, TakeSeat("", 5), request_id="sits")
            assert again.state.version == (await ann.get(table)).state.version
            assert (await ann.create("royal_flush", request_id="made")).table.table_id == table

    run(scenario())


def test_keys_before_the_one_before_open_too(dsn, home):
    """Three rotations, and a table that slept through all of them."""

    async def scenario():
        first = await key_of(dsn, home)
        async with running(dsn, master=first) as service:
            table = await PalaceTable.open(service)
            await table.start()
            before = (await table.players[1].get(table.id)).state.view
        ids = {first.id}
        for _ in range(3):
            ids.add((await rotate(dsn, home))[1])
        assert len(ids) == 4
        async with running(dsn, master=await key_of(dsn, home)) as service:
            assert (await service.client("p1").get(table.id)).state.view == before
            use = await key_use(service.store.pool)
            assert [bool(key.former) for key in use.keys] == [True, True, True, False]
        row = repr(use)
        assert all(text not in row for text in _secrets(home))

    run(scenario())


def _secrets(home: Path) -> list[str]:
    return [SecretFiles.beside(home).master_key.read_text().strip()]


class Cut(Exception):
    """The process died here."""


STEPS = ("written", "noted", "placed")


@pytest.mark.parametrize("step", STEPS)
def test_whoever_is_cut_off_goes_on_where_he_stopped(dsn, home, step, monkeypatch):
    """After the new key is written, after the store names it, after it lies in its place.

    The next start takes the key that the store names; running hands are opened by it; and the
    next rotation comes to its end.
    """

    async def scenario():
        first = await key_of(dsn, home)
        files = SecretFiles.beside(home)
        async with running(dsn, master=first) as service:
            table = await PalaceTable.open(service)
            await table.start()
            before = (await table.players[1].get(table.id)).state.view
        with monkeypatch.context() as patch:

            def cut(*_: Any, **__: Any) -> Any:
                raise Cut

            if step == "written":
                patch.setattr(rotating, "take_into_use", cut)
            elif step == "noted":
                patch.setattr(rotating, "finish_rotation", cut)
            else:
                patch.setattr(Path, "unlink", _cut_at(files.next_master_key))
            with pytest.raises(Cut):
                await rotate(dsn, home)
        assert files.next_master_key.exists()
        coming = MasterKey.read(files.next_master_key, WORLD)
        now = await key_of(dsn, home)
        assert now.id == (first.id if step == "written" else coming.id)
        async with running(dsn, master=now) as service:
            assert (await service.client("p1").get(table.id)).state.view == before
        old, new = await rotate(dsn, home)
        assert old == now.id
        assert (new == coming.id) == (step == "written")
        assert not files.next_master_key.exists()
        assert (await key_of(dsn, home)).id == new

    run(scenario())


def _cut_at(place: Path) -> Any:
    real = Path.unlink

    def unlink(self: Path, missing_ok: bool = False) -> None:
        if self == place:
            raise Cut
        real(self, missing_ok=missing_ok)

    return unlink


def test_a_key_that_is_not_the_stores_is_not_taken(dsn, home):
    """Whatever lies in the files: a service goes over to the key that the store names."""

    async def scenario():
        first = await key_of(dsn, home)
        files = SecretFiles.beside(home)
        async with running(dsn, master=first) as service:
            MasterKey(bytes(32), WORLD).put(files.master_key)
            await watch(service, first, home).look()
            assert first.id != MasterKey(bytes(32), WORLD).id
        with pytest.raises(Unfit) as wrong:
            await key_of(dsn, home)
        assert wrong.value.reason == "WRONG_MASTER_KEY"

    run(scenario())


def test_rotations_that_make_no_sense_say_what_to_do(dsn, home, monkeypatch):
    async def scenario():
        async def refused(to: Path | None = None) -> str:
            with pytest.raises(CommandError) as error:
                await rotate(dsn, home, to)
            assert error.value.hint
            return error.value.reason

        assert await refused() == "NO_KEYS"
        await key_of(dsn, home)
        assert await refused(SecretFiles.beside(home).master_key) == "SAME_KEY"
        SecretFiles.beside(home).next_master_key.unlink()
        named = SecretFiles.beside(home).master_key
        monkeypatch.setenv("KARTEJO_MASTER_KEY_FILE", str(named))
        assert await refused() == "KEY_NAMED"
        to = SecretFiles.beside(home).folder / "another.key"
        MasterKey(bytes(range(32)), WORLD).put(to)
        old, new = await rotate(dsn, home, to)
        assert MasterKey.read(named, WORLD).id == old
        assert MasterKey.read(to, WORLD).id == new
        monkeypatch.setenv("KARTEJO_MASTER_KEY_FILE", str(to))
        assert (await key_of(dsn, home)).id == new
        assert key_files.named_key() == "KARTEJO_MASTER_KEY_FILE"

    run(scenario())


def test_a_table_of_a_key_that_was_lost_before_a_rotation_is_void_all_the_same(dsn, home):
    """Loss, then rotation: what the lost key wrapped stays shut, and is voided when it is met."""

    async def scenario():
        first = await key_of(dsn, home)
        async with running(dsn, master=first) as service:
            table = await PalaceTable.open(service)
            await table.start()
        files = SecretFiles.beside(home)
        files.master_key.unlink()
        async with Store(dsn, allow_unsafe=True) as store:
            second = await master_key(store, files, WORLD, renew=True)
        assert second.lost == {first.id}
        await rotate(dsn, home)
        third = await key_of(dsn, home)
        assert third.lost == {first.id}
        async with running(dsn, master=third) as service:
            seats = (await service.client("host").get(table.id)).table.seats
            assert [seat.chips for seat in seats] == [500, 500, 500]
            commits = await service.store.read(UUID(table.id), 0, 100)
            assert commits[-1].epoch == 2

    run(scenario())
