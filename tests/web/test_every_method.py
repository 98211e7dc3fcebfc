"""Every method of every service is reached over HTTP, and says what gRPC says."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import grpc
from google.protobuf import json_format
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from grpc_status import rpc_status

from service.identity import LAB_ISSUER, Role
from tests.service.harness import Client, Running, explain
from tests.service.schema_messages import METHODS, SERVICES
from tests.web.http import Line, enveloped, frames, nobody_is_left, post, scene, told

Verdict = tuple[str, str, str] | Message

CALLERS = ((Role.PLAYER,), (Role.ADMIN,), (Role.AUDITOR,), (Role.HOST,))


def answer_of(method: Any) -> type[Message]:
    found: type[Message] = GetMessageClass(method.output_type)
    return found


def path_of(method: Any) -> str:
    return f"/{method.containing_service.full_name}/{method.name}"


async def by_grpc(channel: grpc.aio.Channel, method: Any, client: Client) -> Verdict:
    """The answer to an empty request, a stream's first; code, reason and field of a failure."""
    request = GetMessageClass(method.input_type)()
    made = channel.unary_stream if method.server_streaming else channel.unary_unary
    call = made(path_of(method), type(request).SerializeToString, answer_of(method).FromString)(
        request, metadata=client.metadata, timeout=60
    )
    try:
        answer = await (call.read() if method.server_streaming else call)
    except grpc.aio.AioRpcError as error:
        reason, field, _ = explain(rpc_status.from_call(error))
        return error.code().name.lower(), reason, field
    call.cancel()
    return answer_of(method)() if answer is grpc.aio.EOF else answer


async def by_json(service: Running, method: Any, token: str) -> Verdict:
    if not method.server_streaming:
        answer = await post(service, path_of(method), {}, token)
        if answer.status != 200:
            return told(answer.json)[:3]
        return json_format.ParseDict(answer.json, answer_of(method)())
    async with Line.to(service) as line:
        kind = "application/connect+json"
        bearer = f"Bearer {token}"
        line.ask("POST", path_of(method), enveloped(b"{}"), content_type=kind, authorization=bearer)
        status, headers = await line.head()
        assert (status, headers["content-type"]) == (200, kind)
        async with aclosing(frames(line.pieces(headers))) as messages:
            return await first(messages, method)


async def first(messages: AsyncIterator[tuple[int, bytes]], method: Any) -> Verdict:
    async for flags, data in messages:
        if flags == 0:
            return json_format.Parse(data, answer_of(method)())
        assert flags == 2
        end = json.loads(data)
        return told(end["error"])[:3] if "error" in end else answer_of(method)()
    raise AssertionError("a stream ended without its end")


def same(one: Verdict, other: Verdict) -> bool:
    """Whether two verdicts are the same, but for what is the time of day."""
    if isinstance(one, Message) and isinstance(other, Message):
        shapes = [sorted(field.name for field, _ in each.ListFields()) for each in (one, other)]
        return shapes[0] == shapes[1] and type(one) is type(other)
    return one == other


def test_every_method_is_served_and_answers_as_by_grpc(dsn):
    """An empty request of every role; what streams requests says that HTTP carries none."""

    async def play(service: Running) -> None:
        served = service.server.door.served
        assert set(served) == {path_of(method) for method in METHODS}
        assert len(SERVICES) == 11
        seen = 0
        async with grpc.aio.insecure_channel(service.address) as channel:
            for number, roles in enumerate(CALLERS):
                client = service.client(f"caller {number}", *roles)
                token = service.token(f"caller {number}", *roles)
                for method in METHODS:
                    found = await by_json(service, method, token)
                    if method.client_streaming:
                        assert found == ("unimplemented", "NO_REQUEST_STREAMS", "")
                        continue
                    expected = await by_grpc(channel, method, client)
                    assert same(found, expected), (method.full_name, roles, found, expected)
                    seen += isinstance(found, Message)
            teacher = service.lab()
            for method in METHODS:
                token = service.token("teacher", Role.ADMIN, issuer=LAB_ISSUER)
                if not method.client_streaming:
                    expected = await by_grpc(channel, method, teacher)
                    assert same(await by_json(service, method, token), expected)
        assert seen > 20
        await nobody_is_left(service)

    scene(dsn, play)
