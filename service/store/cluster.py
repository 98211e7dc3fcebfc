"""The data directory of the embedded PostgreSQL: making it, and who is let in."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

import psycopg
from psycopg.conninfo import make_conninfo

from service.store.account import Account, running_as
from service.store.errors import LaunchError

__all__ = ["ADMIN", "DATABASE", "SERVICE", "cannot", "furnish", "make_data"]

DATABASE: Final = "kartejo"
ADMIN: Final = "kartejo"
SERVICE: Final = "kartejo_service"


def make_data(
    home: Path, binaries: Path, account: Account | None, arguments: tuple[str, ...]
) -> None:
    """Create the data directory; a half-made one of a killed first start is made anew."""
    user = _my_name()
    data = home / "postgres"
    if not (data / "PG_VERSION").exists() or (home / "initdb.unfinished").exists():
        (home / "initdb.unfinished").touch()
        shutil.rmtree(data, ignore_errors=True)
        data.mkdir(mode=0o700)
        if account is not None:
            os.chown(data, account.uid, account.gid)
        done = subprocess.run(
            [
                *(binaries / "initdb", "-D", data, "-U", ADMIN, "-A", "peer"),
                *("-E", "UTF8", "--locale=C", *arguments),
            ],
            capture_output=True,
            text=True,
            check=False,
            cwd="/",
            **running_as(account),
        )
        if done.returncode:
            raise LaunchError(*cannot(home, account, f"initdb: {done.stderr.strip()}"))
        (home / "initdb.unfinished").unlink()
    ours = (data / "PG_VERSION").read_text(encoding="ascii").strip()
    if ours != (major := _major_of(binaries)):
        raise LaunchError(
            "START_FAILED",
            f"{data} was made by PostgreSQL {ours}, found is {major}: set KARTEJO_PG_BIN to a "
            f"PostgreSQL {ours}, or move the data by its pg_upgrade",
        )
    _write(data / "pg_hba.conf", f"local all {ADMIN},{SERVICE} peer map=kartejo\n", account)
    lines = f'kartejo "{user}" {ADMIN}\nkartejo "{user}" {SERVICE}\n'
    _write(data / "pg_ident.conf", lines, account)


def _major_of(binaries: Path) -> str:
    told = subprocess.run(
        [binaries / "postgres", "--version"], capture_output=True, text=True, check=True
    )
    return told.stdout.split()[2].partition(".")[0]


def _my_name() -> str:
    import pwd

    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        raise LaunchError(
            "START_FAILED",
            f"user id {os.geteuid()} has no name, which PostgreSQL needs: add it to /etc/passwd, "
            "or name a server by --database",
        ) from None


def cannot(home: Path, account: Account | None, why: str) -> tuple[str, str]:
    if account is not None and "ermission denied" in why:
        return "UNREACHABLE_DATA", (
            f"user {account.name}, whom PostgreSQL runs as, cannot reach {home}: choose a folder "
            f"whose parents others may pass through (mode 711) by --data ({why})"
        )
    return "START_FAILED", why


def _write(path: Path, text: str, account: Account | None) -> None:
    """Write a file into the server's folder without following what its owner may have put there."""
    fresh = path.with_name(path.name + ".new")
    fresh.unlink(missing_ok=True)
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
        if account is not None:
            os.fchown(handle, account.uid, account.gid)
    fresh.replace(path)


def furnish(conninfo: str) -> None:
    """Create our database and the login of the service where they are missing.

    Raises ``psycopg.OperationalError`` while the server does not answer.
    """
    maintenance = make_conninfo(conninfo, dbname="postgres", connect_timeout=5)
    with psycopg.connect(maintenance, autocommit=True) as db:
        if not db.execute("SELECT FROM pg_database WHERE datname = 'kartejo'").rowcount:
            db.execute("CREATE DATABASE kartejo")
        if not db.execute("SELECT FROM pg_roles WHERE rolname = 'kartejo_service'").rowcount:
            db.execute("CREATE ROLE kartejo_service LOGIN")
