"""The keys that ``kartejo serve`` works with: read, made on the first start, never replaced."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from engine.errors import Malformed
from service.cli.failures import CommandError
from service.identity import (
    ISSUER,
    LAB_ISSUER,
    KeyRing,
    Role,
    SecretFiles,
    Tokens,
    is_subject,
)
from service.store.errors import Unfit
from service.store.log_keys import LogKeyUse, log_key_use, take_log_key
from service.store.master_keys import KeyUse, key_use, take_into_use
from service.store.postgres import Store
from service.transparency.notes import BadNote, SignerKey
from service.transparency.signer import Signing
from service.vault import MasterKey
from service.vault.master_key import ENVIRONMENT, ENVIRONMENT_FILE
from service.vault.secret_file import KeyFileError, read_or_create_secret_file
from service.world import World

__all__ = [
    "finish_rotation",
    "keys_at_hand",
    "log_key",
    "master_key",
    "named_key",
    "token_keys",
    "write_admin_tokens",
]

ADMIN_TOKEN_SECONDS: Final = 400 * 86_400
"""Life of the administrator's tokens: renewed at every start, so longer than any run."""

_ADVICE: Final = (
    "restore it from your backup; if it is lost, `kartejo serve --new-master-key` goes on without "
    "the hands that run"
)

_LOG_ADVICE: Final = (
    "restore log.key from your backup; if it is lost, `kartejo serve --new-log-key` goes on with "
    "another one, which every witness has to be told of; a service that leaves the signing to "
    "others takes --checkpoint-seconds 0"
)


async def master_key(
    store: Store, files: SecretFiles, world: World, *, renew: bool = False
) -> MasterKey:
    """The key that the store is written with, and those before it.

    One is made for a store that is still empty, and with ``renew``, which also accepts another
    key than the store's.  Raises ``CommandError``, ``KeyFileError`` and ``Unfit`` otherwise.
    """
    while True:
        use = await key_use(store.pool)
        master = _load(files, world, use, renew=renew)
        if use.id == master.id:
            master.recover(use.keys)
            return master
        if use.id is not None and not renew:
            raise Unfit(
                "WRONG_MASTER_KEY",
                f"running hands are wrapped by master key {use.id.hex()}, this one is "
                f"{master.id.hex()}: {_ADVICE}",
            )
        # False where another service has started at the same time; then all is looked at again.
        await take_into_use(store.pool, use, master.id)


def _load(files: SecretFiles, world: World, use: KeyUse, *, renew: bool) -> MasterKey:
    make = renew or (use.id is None and not use.written)
    if named_key() is None:
        finish_rotation(files, world, use)
        if not make and not files.master_key.exists():
            told = f" {use.id.hex()}" if use.id else ""
            raise CommandError(
                "NO_MASTER_KEY",
                f"running hands are wrapped by master key{told}, which is not in "
                f"{files.master_key}",
                _ADVICE,
            )
    return MasterKey.load(files.master_key, os.environ, world, make=make)


def named_key() -> str | None:
    """The variable of the environment that names the master key, if one does."""
    return next((name for name in (ENVIRONMENT, ENVIRONMENT_FILE) if os.environ.get(name)), None)


def finish_rotation(files: SecretFiles, world: World, use: KeyUse) -> None:
    """Put the key that follows in its place, if the store is written with it already.

    A rotation that was cut off after the store had named the new key is complete but for this.
    """
    if files.next_master_key.exists():
        following = MasterKey.read(files.next_master_key, world)
        if following.id == use.id:
            following.put(files.master_key)
            files.next_master_key.unlink(missing_ok=True)


def keys_at_hand(files: SecretFiles, world: World) -> list[MasterKey]:
    """The master keys that lie ready for a running service: in their files, or named."""
    places = [files.next_master_key, files.master_key]
    if named := os.environ.get(ENVIRONMENT_FILE):
        places.append(Path(named))
    found: list[MasterKey] = []
    for place in places:
        try:
            found.append(MasterKey.read(place, world))
        except KeyFileError:  # it is being replaced, or there is none: looked at again soon
            continue
    return found


def token_keys(files: SecretFiles, world: World, *, lab: bool) -> Tokens:
    """What signs tokens, made on the first start."""
    ring = KeyRing.load(files.token_keys, world, ISSUER)
    lab_ring = KeyRing.load(files.lab_token_keys, world, LAB_ISSUER) if lab else None
    return Tokens(ring, world, lab_ring=lab_ring)


async def log_key(
    store: Store, files: SecretFiles, world: World, *, origin: str | None, renew: bool
) -> Signing:
    """What signs the transparency log, under the name ``origin``.

    A key is made for a log that was never signed, and with ``renew``, which also accepts another
    key than the log's.  Raises ``CommandError``, ``KeyFileError`` and ``Unfit`` otherwise.
    """
    if origin is not None and not (is_subject(origin) and set(origin).isdisjoint(" +")):
        why = "expected 1 to 128 printable ASCII characters, no space and no +: cards.example/log"
        raise Malformed("log-origin", why)
    while True:
        use = await log_key_use(store.pool)
        key = _load_log_key(files, world, use, origin, renew=renew)
        told = key.verifier.told()
        if use.key == told:
            return Signing(key, files.folder)
        if use.key is not None and not renew:
            raise Unfit(
                "WRONG_LOG_KEY",
                f"the transparency log is signed with {use.key}, this key is {told}: {_LOG_ADVICE}",
            )
        if await take_log_key(store.pool, use, told):
            return Signing(key, files.folder)
        # Another service has started at the same time.


def _load_log_key(
    files: SecretFiles, world: World, use: LogKeyUse, origin: str | None, *, renew: bool
) -> SignerKey:
    path = files.log_key
    if use.key is not None and not renew and not path.exists():
        raise CommandError(
            "NO_LOG_KEY",
            f"the transparency log is signed with {use.key}, whose secret is not in {path}",
            _LOG_ADVICE,
        )

    def make() -> str:
        name = f"kartejo/{world.entropy(8).hex()}" if origin is None else origin
        return SignerKey.draw(world, name).secret()

    try:
        key = SignerKey.parse(read_or_create_secret_file(path, make))
    except BadNote as error:
        raise KeyFileError(f"{path}: {error}; restore it from your backup") from None
    if origin not in {None, key.verifier.name}:
        raise CommandError(
            "WRONG_ORIGIN",
            f"this log is named {key.verifier.name} for good, not {origin}",
            "leave out --log-origin",
        )
    return key


def write_admin_tokens(tokens: Tokens, files: SecretFiles, *, lab: bool) -> None:
    """Fresh administrator's tokens, where the other commands find them."""
    everything = tuple(Role)
    token = tokens.issue("admin", everything, ADMIN_TOKEN_SECONDS)
    files.write_token(files.admin_token, token)
    if lab:
        token = tokens.issue("admin", everything, ADMIN_TOKEN_SECONDS, LAB_ISSUER)
        files.write_token(files.lab_admin_token, token)
