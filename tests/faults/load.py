"""Clients that want every request answered, and the books that show what became of each."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import grpc

from engine.actions import AddChips
from engine.events import ChipsAdded
from tests.service.harness import Client, decoded

AGAIN = {
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.CANCELLED,
    grpc.StatusCode.ABORTED,
    grpc.StatusCode.RESOURCE_EXHAUSTED,  # a request that was given up may still wait in its place
}


class Books:
    """What one client asked for, and what it was told: by amount, which names the request."""

    def __init__(self, client: Client, table: str, first: int) -> None:
        self.client = client
        self.table = table
        self.next = first
        self.asked: list[int] = []
        self.answers: dict[int, Any] = {}
        self.unanswered = 0

    @staticmethod
    async def answered(
        books: Sequence[Books], count: int, working: Sequence[asyncio.Future[None]]
    ) -> None:
        """Return when so many answers more have come to those who are ``working``.

        Raises what one of them ended with before, and ``AssertionError`` if he just stopped.
        """
        wanted = sum(len(book.answers) for book in books) + count
        while (found := sum(len(book.answers) for book in books)) < wanted:
            for task in working:
                if task.done():
                    task.result()
                    told = f"a client stopped by himself, {wanted - found} answers before the end"
                    raise AssertionError(told)
            await asyncio.sleep(0.001)

    async def once(self, amount: int) -> Any:
        """Send the request of that amount; the same amount is the same request."""
        return await self.client.act(self.table, 0, AddChips(amount), request_id=f"add {amount}")

    async def insist(self, amount: int) -> None:
        """Send it until there is a verdict."""
        async with asyncio.timeout(40):
            while True:
                try:
                    self.answers[amount] = await self.once(amount)
                except grpc.aio.AioRpcError as error:
                    if error.code() not in AGAIN:
                        raise
                    self.unanswered += 1
                    await asyncio.sleep(0.05)  # not to keep a dead port busy
                else:
                    return

    async def one_more(self, *, insist: bool = True) -> None:
        """A new request."""
        amount = self.next
        self.next += 1
        self.asked.append(amount)
        if insist:
            await self.insist(amount)
        else:
            self.answers[amount] = await self.once(amount)

    async def stored(self) -> dict[int, int]:
        """Amount → version of everything stored, each at most once."""
        found: dict[int, int] = {}
        for message in await self.client.watched(self.table):
            for told, event in zip(message.events, decoded(message.events), strict=True):
                if isinstance(event, ChipsAdded):
                    assert event.amount not in found, "an effect twice"
                    found[event.amount] = told.version
        return found

    async def check(self) -> None:
        """Acknowledged is stored, once, at the version that was told; a repeat says the same."""
        stored = await self.stored()
        for amount, answer in self.answers.items():
            assert stored[amount] == answer.events[0].version
        for amount in self.asked:
            again = await self.once(amount)
            known = self.answers.setdefault(amount, again)
            assert again.events == known.events
            assert again.state.version == known.state.version
            assert again.state.text == known.state.text
        stored = await self.stored()
        assert sorted(stored) == sorted(self.asked)
        final = (await self.client.get(self.table)).state
        assert final.view.royal_flush.chips == 1 + sum(self.asked)
