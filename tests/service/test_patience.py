"""The time a call may take: as ``asyncio.timeout`` has it, for less."""

from __future__ import annotations

import asyncio

import pytest

from service.rpc.patience import Within
from tests.service.harness import run


def test_what_takes_too_long_is_ended_and_its_task_goes_on():
    """The task is not left cancelled."""

    async def scenario():
        with pytest.raises(TimeoutError), Within(0.001):
            await asyncio.Event().wait()
        task = asyncio.current_task()
        assert task is not None
        assert not task.cancelling()
        await asyncio.sleep(0)

    run(scenario())


def test_what_ends_in_time_is_left_alone():
    """Its result, and its error."""

    async def scenario():
        with Within(0.001):
            found = 1
        await asyncio.sleep(0.005)
        assert found == 1
        with pytest.raises(ValueError, match="own"), Within(60):
            raise ValueError("own")

    run(scenario())


def test_somebody_elses_cancellation_passes_through():
    """It is no lack of time, also where both come at once."""

    async def scenario():
        begun = asyncio.Event()

        async def work(seconds: float) -> None:
            with Within(seconds):
                begun.set()
                await asyncio.Event().wait()

        task = asyncio.ensure_future(work(60))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

        async def both() -> None:
            with Within(0):
                own = asyncio.current_task()
                assert own is not None
                asyncio.get_running_loop().call_soon(own.cancel)
                await asyncio.Event().wait()

        again = asyncio.ensure_future(both())
        with pytest.raises(asyncio.CancelledError):
            await again

    run(scenario())


def test_one_within_another_ends_where_its_own_time_is_over():
    """The inner one, and then nothing is left of it for the outer one."""

    async def scenario():
        with Within(60):
            with pytest.raises(TimeoutError), Within(0.001):
                await asyncio.Event().wait()
            await asyncio.sleep(0)

    run(scenario())
