"""The keys that ``kartejo serve`` works with: read, made on the first start, never replaced."""

from __future__ import annotations

import os
from typing import Final

from service.cli.failures import CommandError
from service.identity import ISSUER, LAB_ISSUER, KeyRing, Role, SecretFiles, Tokens
from service.store.errors import Unfit
from service.store.master_keys import KeyUse, key_use, take_into_use
from service.store.postgres import Store
from service.vault import MasterKey
from service.vault.master_key import ENVIRONMENT, ENVIRONMENT_FILE
from service.world import World

__all__ = ["master_key", "token_keys", "write_admin_tokens"]

ADMIN_TOKEN_SECONDS: Final = 400 * 86_400
"""Life of the administrator's tokens: renewed at every start, so longer than any run."""

_ADVICE: Final = (
    "restore it from your backup; if it is lost, `kartejo serve --new-master-key` goes on without "
    "the hands that run"
)


async def master_key(
    store: Store, files: SecretFiles, world: World, *, renew: bool = False
) -> MasterKey:
    """The key that the store is written with.

    One is made for a store that is still empty, and with ``renew``, which also accepts another
    key than the store's.  Raises ``CommandError``, ``KeyFileError`` and ``Unfit`` otherwise.
    """
    use = await key_use(store.pool)
    while True:
        master = _load(files, world, use, renew=renew)
        if use.id == master.id:
            return master
        if use.id is not None and not renew:
            raise Unfit(
                "WRONG_MASTER_KEY",
                f"running hands are wrapped by master key {use.id.hex()}, this one is "
                f"{master.id.hex()}: {_ADVICE}",
            )
        if await take_into_use(store.pool, use, master.id):
            return master
        use = await key_use(store.pool)  # another service has started at the same time


def _load(files: SecretFiles, world: World, use: KeyUse, *, renew: bool) -> MasterKey:
    make = renew or (use.id is None and not use.written)
    named = os.environ.get(ENVIRONMENT) or os.environ.get(ENVIRONMENT_FILE)
    if not make and not named and not files.master_key.exists():
        told = f" {use.id.hex()}" if use.id else ""
        raise CommandError(
            "NO_MASTER_KEY",
            f"running hands are wrapped by master key{told}, which is not in {files.master_key}",
            _ADVICE,
        )
    return MasterKey.load(files.master_key, os.environ, world, make=make)


def token_keys(files: SecretFiles, world: World, *, lab: bool) -> Tokens:
    """What signs tokens, made on the first start."""
    ring = KeyRing.load(files.token_keys, world, ISSUER)
    lab_ring = KeyRing.load(files.lab_token_keys, world, LAB_ISSUER) if lab else None
    return Tokens(ring, world, lab_ring=lab_ring)


def write_admin_tokens(tokens: Tokens, files: SecretFiles, *, lab: bool) -> None:
    """Fresh administrator's tokens, where the other commands find them."""
    everything = tuple(Role)
    token = tokens.issue("admin", everything, ADMIN_TOKEN_SECONDS)
    files.write_token(files.admin_token, token)
    if lab:
        token = tokens.issue("admin", everything, ADMIN_TOKEN_SECONDS, LAB_ISSUER)
        files.write_token(files.lab_admin_token, token)
