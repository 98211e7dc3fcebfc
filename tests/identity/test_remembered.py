"""Identities are remembered for a minute, and no longer."""

from __future__ import annotations

import asyncio
from uuid import UUID

import pytest

from engine.errors import Unavailable
from service.identity import remembered
from service.identity.remembered import RememberedIdentities
from service.world import SteppedWorld


class Counting:
    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []
        self.away = False

    async def is_known(self, player: UUID) -> bool:
        return player.int < 3

    async def resolve(self, issuer: str, subject: str) -> UUID:
        if self.away:
            raise Unavailable("away")
        self.asked.append((issuer, subject))
        return UUID(int=len(self.asked))


def test_an_answer_is_good_for_a_minute():
    """Then it is asked for again: an erased person becomes a new one."""

    async def scenario() -> None:
        world, inner = SteppedWorld(), Counting()
        identities = RememberedIdentities(inner, world)
        first = await identities.resolve("k", "ann")
        world.advance(59)
        assert await identities.resolve("k", "ann") == first
        assert await identities.resolve("lab", "ann") != first
        world.advance(2)
        assert await identities.resolve("k", "ann") != first
        assert inner.asked == [("k", "ann"), ("lab", "ann"), ("k", "ann")]

    asyncio.run(scenario())


def test_who_is_forgotten_is_asked_for_again():
    async def scenario() -> None:
        inner = Counting()
        identities = RememberedIdentities(inner, SteppedWorld())
        ann, bob = await identities.resolve("k", "ann"), await identities.resolve("k", "bob")
        identities.forget(ann)
        assert await identities.resolve("k", "bob") == bob
        assert await identities.resolve("k", "ann") != ann

    asyncio.run(scenario())


def test_a_failure_is_not_remembered():
    """The next call asks again."""

    async def scenario() -> None:
        inner = Counting()
        identities = RememberedIdentities(inner, SteppedWorld())
        inner.away = True
        with pytest.raises(Unavailable):
            await identities.resolve("k", "ann")
        inner.away = False
        assert await identities.resolve("k", "ann") == UUID(int=1)

    asyncio.run(scenario())


def test_memory_is_bounded(monkeypatch):
    """The longest known go first."""
    monkeypatch.setattr(remembered, "MOST", 2)

    async def scenario() -> None:
        inner = Counting()
        identities = RememberedIdentities(inner, SteppedWorld())
        for name in "abca":
            await identities.resolve("k", name)
        assert [subject for _, subject in inner.asked] == ["a", "b", "c", "a"]

    asyncio.run(scenario())
