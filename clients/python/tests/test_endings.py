"""What is left when a call, a watch or a client ends; and that tokens are told to nobody."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, closing

import pytest

import kartejo_client as k
from kartejo_client.channel import metadata
from kartejo_client.pb import replay_service_pb2 as replay_pb

HOST = -1
MORE_THAN_ALLOWED = 300
"""Streams that a service does not let one caller hold at a time: 256 unless it was told else."""

BRIEFLY = k.Patience(call=10, total=5)


@pytest.fixture
def table_id(ann: k.Client) -> str:
    return ann.create_table("royal_flush").table.table_id


def test_a_watch_that_is_left_frees_its_place(address, tokens, table_id) -> None:
    with k.Client(address, tokens[0], patience=BRIEFLY) as client:
        for _ in range(MORE_THAN_ALLOWED):
            with closing(client.watch_table(table_id)) as watch:
                assert next(watch).version


def test_a_watch_whose_task_is_cancelled_frees_its_place(address, tokens, table_id) -> None:
    async def look(client: k.AsyncClient, looks: asyncio.Event) -> None:
        async with aclosing(client.watch_table(table_id)) as watch:
            async for news in watch:
                if news.live:
                    looks.set()

    async def scenario() -> None:
        async with k.AsyncClient(address, tokens[0], patience=BRIEFLY) as client:
            for _ in range(MORE_THAN_ALLOWED):
                looks = asyncio.Event()
                looking = asyncio.create_task(look(client, looks))
                await asyncio.wait(
                    {looking, asyncio.create_task(looks.wait())}, return_when="FIRST_COMPLETED"
                )
                looking.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await looking

    asyncio.run(scenario())


def test_a_stream_comes_once_and_says_why_it_fails(ann, table_id) -> None:
    ann.take_seat(table_id, 0)
    ann.start_hand(table_id)
    hand = replay_pb.ReplayHandRequest(table_id=table_id, hand=1)
    with closing(ann.stream(ann.replays.ReplayHand, hand)) as steps:
        assert [step.seat for step in steps] == [HOST]
    with pytest.raises(k.NotFound):
        next(ann.stream(ann.replays.ReplayHand, replay_pb.ReplayHandRequest(table_id=table_id)))


def test_it_does_so_for_those_who_await_it_too(ann, address, tokens, table_id) -> None:
    ann.take_seat(table_id, 0)
    ann.start_hand(table_id)

    async def scenario() -> None:
        async with k.AsyncClient(address, tokens[0]) as client:
            replay = client.replays.ReplayHand
            hand = replay_pb.ReplayHandRequest(table_id=table_id, hand=1)
            assert [step.seat async for step in client.stream(replay, hand)] == [HOST]
            with pytest.raises(k.NotFound):
                await anext(client.stream(replay, replay_pb.ReplayHandRequest(table_id=table_id)))

    asyncio.run(scenario())


def test_a_call_may_have_a_patience_of_its_own(nowhere) -> None:
    request = replay_pb.ListHandsRequest(table_id="any")
    with k.Client(nowhere) as client, pytest.raises(k.Unavailable):
        client.call(client.replays.ListHands, request, k.Patience(total=0))


def test_what_waits_for_a_client_that_is_closed_hears_of_it(nowhere, silent) -> None:
    """A call without an answer, one that is to be sent again, a watch; and all that come later."""

    async def scenario() -> None:
        for address in (silent, nowhere):
            client = k.AsyncClient(address)
            waiting = [
                asyncio.create_task(client.get_table("any")),
                asyncio.create_task(anext(client.watch_table("any"))),
            ]
            await asyncio.sleep(0.2)  # let them begin: it does not matter how far they come
            await client.close()
            for end in await asyncio.gather(*waiting, return_exceptions=True):
                assert isinstance(end, k.Unavailable)
            with pytest.raises(k.Unavailable, match="the client is closed"):
                await client.get_table("any")
            with pytest.raises(k.Unavailable, match="the client is closed"):
                await anext(client.watch_table("any"))

    asyncio.run(scenario())
    client = k.Client(silent)
    with ThreadPoolExecutor(2) as threads:
        waiting = [
            threads.submit(client.get_table, "any"),
            threads.submit(lambda: next(client.watch_table("any"))),
        ]
        client.close()
        for end in waiting:
            assert isinstance(end.exception(timeout=60), k.Unavailable)
    with pytest.raises(k.Unavailable, match="the client is closed"):
        client.get_table("any")
    with pytest.raises(k.Unavailable, match="the client is closed"):
        next(client.watch_table("any"))


def test_a_task_that_is_cancelled_is_not_told_of_a_failure(silent) -> None:
    async def scenario() -> None:
        async with k.AsyncClient(silent) as client:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.1):
                    await client.get_table("any")

    asyncio.run(scenario())


def test_a_token_from_a_file_may_end_with_a_line(address, tokens) -> None:
    with k.Client(address, f"{tokens[0]}\n") as client:
        assert client.create_table("royal_flush").table.table_id


@pytest.mark.parametrize("token", ["secret\nx-role: admin", "secret\x00", "secrét", "sec\tret"])
def test_a_token_that_cannot_be_one_is_not_repeated(nowhere, token) -> None:
    async def scenario() -> None:
        async with k.AsyncClient(nowhere, token) as client:
            await client.get_table("any")

    with k.Client(nowhere, token) as client:
        for call in (lambda: client.get_table("any"), lambda: asyncio.run(scenario())):
            with pytest.raises(ValueError, match="a token is printable ASCII") as failed:
                call()
            assert "sec" not in str(failed.value)


def test_nothing_that_a_client_shows_of_itself_has_the_token(nowhere) -> None:
    token = "a-token-of-somebody"
    assert metadata(token) == (("authorization", f"Bearer {token}"),)
    with k.Client(nowhere, token, patience=k.Patience(total=0)) as client:
        with pytest.raises(k.Unavailable) as failed:
            client.get_table("any")
        told = (client, client.channel, failed.value, failed.value.__cause__)
        assert not [each for each in told if token in f"{each} {each!r}"]
