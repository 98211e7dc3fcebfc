"""Whether a login can work on a database at all, and if not, what the operator has to change."""

from __future__ import annotations

from typing import Final

import psycopg

from engine.errors import KartejoError, Unavailable
from service.store.connection import LOST, WRITER_ROLE, open_connection
from service.store.errors import Unfit

__all__ = ["admit", "first_line"]

_ROLE: Final = """
SELECT session_user, EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = %s)
"""


def first_line(error: BaseException) -> str:
    """What the database or its driver says, without the advice below; no password is in it."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


async def admit(dsn: str) -> None:
    """Connect once as the store does.

    Raises ``Unfit`` for a text that names no database and for a login that may not act as
    ``kartejo_writer``, ``Unavailable`` for a database that cannot be reached.
    """
    try:
        connection = await open_connection(dsn, name="kartejo-admission")
    except LOST as error:
        raise await _why_not(dsn, error) from None
    await connection.close()


async def _why_not(dsn: str, error: BaseException) -> KartejoError:
    """The server's texts depend on its language: ask it, as the login alone, what is missing."""
    away = Unavailable(f"the database cannot be reached: {first_line(error)}")
    if not isinstance(error, psycopg.OperationalError):
        return away
    try:
        async with await open_connection(dsn, name="kartejo-admission", role=None) as db:
            row = await (await db.execute(_ROLE, (WRITER_ROLE,))).fetchone()
    except LOST:
        return away
    if row is None:
        return away
    login, exists = row
    if not exists:
        what = (
            f"the database has no role {WRITER_ROLE}: run `kartejo migrate` with a login that may"
        )
        return Unfit("ROLE_MISSING", what)
    name = psycopg.sql.Identifier(login).as_string()
    return Unfit(
        "ROLE_MISSING",
        f"the login {login} may not act as {WRITER_ROLE}: let its owner say "
        f"GRANT {WRITER_ROLE} TO {name}",
    )
