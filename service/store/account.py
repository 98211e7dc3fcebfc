"""The system user that PostgreSQL runs as.

Windows has no such users; its commands read this module when they look for a service that runs.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from service.store.errors import LaunchError

if TYPE_CHECKING:
    from pwd import struct_passwd

__all__ = ["Account", "RunningAs", "is_root", "running_as", "server_account"]


class Account(NamedTuple):
    """The system user that PostgreSQL runs as."""

    name: str
    uid: int
    gid: int


def is_root() -> bool:
    """Whether the caller is root."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def server_account(data: Path) -> Account | None:
    """Whom the server runs as: ``None`` means the caller himself.

    PostgreSQL refuses to run as root.  A root caller gets the owner of an existing data
    directory, else ``nobody``, else ``postgres``; no user is ever created.
    """
    if not is_root():
        return None
    import pwd

    if data.exists() and (owner := data.stat().st_uid):
        return _account(pwd.getpwuid(owner))
    for name in ("nobody", "postgres"):
        try:
            return _account(pwd.getpwnam(name))
        except KeyError:
            continue
    raise LaunchError(
        "START_FAILED", "PostgreSQL cannot run as root, and there is no user nobody or postgres"
    )


def _account(entry: struct_passwd) -> Account:
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)


class RunningAs(TypedDict, total=False):
    """Arguments of ``subprocess`` that change the user."""

    user: int
    group: int
    extra_groups: list[int]


def running_as(account: Account | None) -> RunningAs:
    """Arguments of ``subprocess`` that start a program as ``account``."""
    if account is None:
        return {}
    return {"user": account.uid, "group": account.gid, "extra_groups": []}
