"""Principals: roles, limits, and ids that say nothing."""

from __future__ import annotations

import asyncio
from uuid import UUID

import pytest

from engine.errors import Denied
from service.identity import (
    LAB_ISSUER,
    IdentityMap,
    KeyRing,
    MemoryIdentityMap,
    Principal,
    Role,
    Tokens,
    identify,
)
from service.world import SteppedWorld

TABLE, OTHER = UUID(int=1), UUID(int=2)


def principal(
    *roles: Role, lab: bool = False, table: UUID | None = None, seat: int | None = None
) -> Principal:
    return Principal(UUID(int=9), frozenset(roles), lab, table, seat)


def test_a_caller_has_one_id_per_issuer_and_subject() -> None:
    async def run() -> None:
        identities: IdentityMap = MemoryIdentityMap(SteppedWorld())
        names = [("kartejo", "ann"), ("kartejo", "bob"), ("kartejo-lab", "ann")]
        ids = [await identities.resolve(*name) for name in names]
        assert len(set(ids)) == 3
        assert [await identities.resolve(*name) for name in names] == ids

    asyncio.run(run())


def test_a_verified_token_becomes_a_principal() -> None:
    world = SteppedWorld()
    lab = KeyRing.draw(world, LAB_ISSUER)
    tokens = Tokens(KeyRing.draw(world), world, lab_ring=lab)
    identities = MemoryIdentityMap(world)

    async def run() -> None:
        seat = tokens.verify(tokens.issue("bot", [Role.PLAYER], 60, table=TABLE, seat=3))
        bot = await identify(seat, identities)
        assert bot.roles == {Role.PLAYER}
        assert (bot.lab, bot.table, bot.seat) == (False, TABLE, 3)
        assert bot.id == await identities.resolve("kartejo", "bot")
        admin = await identify(
            tokens.verify(tokens.issue("bot", [Role.ADMIN], 60, LAB_ISSUER)), identities
        )
        admin.require_lab()
        assert admin.id != bot.id

    asyncio.run(run())


def test_a_role_opens_what_names_it_and_nothing_else() -> None:
    """Admin is no master role: no role implies another."""
    for role in Role:
        caller = principal(role)
        for needed in Role:
            if needed is role:
                caller.require(needed)
            else:
                with pytest.raises(Denied, match=needed):
                    caller.require(needed)
        caller.require(*Role)
    with pytest.raises(Denied):
        principal().require(*Role)


@pytest.mark.parametrize(
    ("roles", "lab", "allowed"),
    [
        ((Role.ADMIN,), True, True),
        ((Role.ADMIN,), False, False),
        ((Role.PLAYER, Role.HOST, Role.AUDITOR), True, False),
        ((), True, False),
    ],
)
def test_lab_tables_need_role_and_issuer(
    roles: tuple[Role, ...], *, lab: bool, allowed: bool
) -> None:
    """Design 7: role admin and the lab's issuer, both."""
    caller = principal(*roles, lab=lab)
    if allowed:
        caller.require_lab()
    else:
        with pytest.raises(Denied):
            caller.require_lab()


def test_a_limited_token_reaches_its_table_and_seat_alone() -> None:
    free = principal(Role.PLAYER)
    at_table = principal(Role.PLAYER, table=TABLE)
    at_seat = principal(Role.PLAYER, table=TABLE, seat=0)
    reach = [
        (
            caller.may_touch(TABLE),
            caller.may_touch(OTHER),
            caller.may_touch(TABLE, 0),
            caller.may_touch(TABLE, 1),
            caller.may_touch(OTHER, 0),
        )
        for caller in (free, at_table, at_seat)
    ]
    assert reach == [
        (True, True, True, True, True),
        (True, False, True, True, False),
        (True, False, True, False, False),
    ]
    free.require_unlimited()
    for limited in (at_table, at_seat):
        with pytest.raises(Denied, match="one table"):
            limited.require_unlimited()
