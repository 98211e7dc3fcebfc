"""Everything a caller can get out of the service about one table, surface by surface."""

from __future__ import annotations

from typing import Any

import grpc

from service.pb import replay_service_pb2 as old
from service.pb import table_service_pb2 as pb
from tests.service.harness import Client

Answers = dict[str, list[Any]]


async def replayed(client: Client, table: str, hand: int, **viewer: Any) -> list[Any]:
    """The steps of a hand; none where there is no such hand for this caller."""
    request = old.ReplayHandRequest(table_id=table, hand=hand, viewer=viewer)
    call = client.replay.ReplayHand(request, metadata=client.metadata, timeout=60)
    try:
        return [step async for step in call]
    except grpc.aio.AioRpcError as error:
        if error.code() is not grpc.StatusCode.NOT_FOUND:
            raise
        return []


async def whole(client: Client, table: str, **viewer: Any) -> list[Any]:
    """A table from its beginning, commit by commit."""
    request = old.ReplayTableRequest(table_id=table, viewer=viewer)
    call = client.replay.ReplayTable(request, metadata=client.metadata, timeout=60)
    return [step async for step in call]


async def state_at(client: Client, table: str, version: int, **viewer: Any) -> Any:
    request = old.GetStateAtRequest(table_id=table, version=version, viewer=viewer)
    return await client.call(client.replay.GetStateAt, request)


async def played(client: Client, table: str, after: int = 0) -> list[Any]:
    """News of a Play stream up to the live message."""
    stream = client.tables.Play(metadata=client.metadata, timeout=60)
    await stream.write(pb.PlayRequest(watch={"table_id": table, "after_version": after}))
    news: list[Any] = []
    while not news or not news[-1].live:
        news.append((await stream.read()).news)
    stream.cancel()
    return news


async def everything(client: Client, table: str, **viewer: Any) -> Answers:
    """Every surface that reads; ``viewer`` for those that take one."""
    watched = await client.watched(table)
    versions = [message.version for message in watched[:-1]]
    hands = await client.call(client.replay.ListHands, old.ListHandsRequest(table_id=table))
    found: Answers = {
        "GetTable": [await client.get(table)],
        "WatchTable": watched,
        "Play": await played(client, table),
        "ListHands": [hands],
        "ReplayHand": [],
        "ReplayTable": await whole(client, table, **viewer),
        "GetStateAt": [await state_at(client, table, version, **viewer) for version in versions],
    }
    middle = versions[len(versions) // 2]
    found["WatchTable resumed"] = await client.watched(table, middle)
    for row in hands.hands:
        found["ReplayHand"] += await replayed(client, table, row.hand, **viewer)
    return found


def events_of(answers: Answers) -> list[pb.TableEvent]:
    """Every event in them."""
    return [
        event
        for messages in answers.values()
        for message in messages
        for event in getattr(message, "events", ())
    ]


def states_of(answers: Answers) -> list[pb.TableState]:
    """Every state in them."""
    return [
        message.state
        for messages in answers.values()
        for message in messages
        if "state" in message.DESCRIPTOR.fields_by_name and message.HasField("state")
    ]


async def take(call: Any, count: int) -> list[Any]:
    """The next messages of a stream, which goes on."""
    found = [await call.read() for _ in range(count)]
    assert grpc.aio.EOF not in found
    return found


async def read_out(call: Any) -> None:
    """Read a stream to its end; raises what it ends with."""
    while await call.read() is not grpc.aio.EOF:
        pass
