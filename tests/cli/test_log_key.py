"""The transparency log is signed with its own key and under its own name, unless told otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import Malformed
from service.cli.failures import CommandError
from service.cli.keys import log_key
from service.identity import SecretFiles
from service.store.errors import Unfit
from service.store.log_keys import log_key_use
from service.store.postgres import Store
from service.transparency.notes import SignerKey
from service.transparency.signer import Signing
from service.vault.secret_file import KeyFileError, replace_secret_file
from service.world import RealWorld
from tests.cli.conftest import Commands, Served
from tests.store.lines import fast, run

NAME = "cards.example/log"


async def asked(
    store: Store, files: SecretFiles, origin: str | None = None, *, renew: bool = False
) -> Signing:
    return await log_key(store, files, RealWorld(), origin=origin, renew=renew)


async def refused(store: Store, files: SecretFiles, origin: str | None = None) -> str:
    with pytest.raises((CommandError, Unfit)) as caught:
        await asked(store, files, origin)
    return caught.value.reason


def test_a_key_is_made_once_and_no_other_takes_its_place(dsn: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        files = SecretFiles(tmp_path / "secrets")
        async with fast(dsn) as store:
            made = await asked(store, files, NAME)
            assert made.key.verifier.name == NAME
            assert files.log_key.stat().st_mode & 0o777 == 0o600
            assert (await log_key_use(store.pool)).key == made.key.verifier.told()
            for origin in (None, NAME):
                assert (await asked(store, files, origin)).key.verifier == made.key.verifier
            assert await refused(store, files, "other.example/log") == "WRONG_ORIGIN"
            elsewhere = SecretFiles(tmp_path / "elsewhere")
            assert await refused(store, elsewhere) == "NO_LOG_KEY"
            assert not elsewhere.log_key.exists()
            replace_secret_file(elsewhere.log_key, SignerKey(NAME, bytes(32)).secret())
            assert await refused(store, elsewhere) == "WRONG_LOG_KEY"
            replace_secret_file(elsewhere.log_key, made.key.secret())
            assert (await asked(store, elsewhere)).key.verifier == made.key.verifier

    run(scenario())


def test_another_key_is_taken_when_told_so_and_the_old_one_is_over(
    dsn: str, tmp_path: Path
) -> None:
    async def scenario() -> None:
        files = SecretFiles(tmp_path / "secrets")
        async with fast(dsn) as store:
            old = await asked(store, files, NAME)
            # Told so, and nothing is lost: the key stays.
            assert (await asked(store, files, renew=True)).key.verifier == old.key.verifier
            files.log_key.unlink()
            new = await asked(store, files, renew=True)
            assert new.key.verifier.name.startswith("kartejo/")
            assert (await asked(store, files)).key.verifier == new.key.verifier
            assert (await log_key_use(store.pool)).number == 2
            replace_secret_file(files.log_key, old.key.secret())
            assert await refused(store, files) == "WRONG_LOG_KEY"

    run(scenario())


@pytest.mark.parametrize("origin", ["", "a b", "a+b", "ŭ", "a\nb", "a" * 129])
def test_names_that_no_log_can_have(dsn: str, tmp_path: Path, origin: str) -> None:
    async def scenario() -> None:
        files = SecretFiles(tmp_path / "secrets")
        async with fast(dsn) as store:
            with pytest.raises(Malformed) as caught:
                await asked(store, files, origin)
            assert caught.value.field == "log-origin"
            assert not files.log_key.exists()

    run(scenario())


def test_a_key_file_that_is_none(dsn: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        files = SecretFiles(tmp_path / "secrets")
        replace_secret_file(files.log_key, "nonsense")
        async with fast(dsn) as store:
            with pytest.raises(KeyFileError, match="restore it from your backup"):
                await asked(store, files)

    run(scenario())


def test_a_served_log_is_witnessed(alone: Commands, tmp_path: Path) -> None:
    """From the first start on: the commands find the service, the witness its log."""
    served = Served(alone.data, "--listen", "127.0.0.1:0", "--checkpoint-seconds", "1")
    name = alone("witness", str(tmp_path), "--once").err  # before anything was signed
    assert "log      kartejo/" in name
    alone("play", "royal_flush", typed="\nq\n").ok()
    for _ in range(50):
        ended = alone("witness", str(tmp_path), "--once", "--json")
        if ended.code == 0:
            break
    assert ended.json["size"] > 0
    assert ended.json["origin"].startswith("kartejo/")
    assert "NOT_FOUND" not in served.stop()
    assert served.process.returncode == 0
    assert alone.fails("witness", str(tmp_path), "--once")[0] == "NO_SERVICE"
