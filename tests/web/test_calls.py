"""Unary calls over HTTP: by Connect and gRPC-Web, in JSON and binary, as gRPC answers them."""

from __future__ import annotations

import asyncio
import socket
from base64 import b64encode
from uuid import UUID

from google.protobuf import json_format
from google.rpc.status_pb2 import Status

from engine.actions import TakeSeat
from service.identity import Role
from service.pb import table_service_pb2 as pb
from service.rpc.calls import Speed
from service.world import SteppedWorld
from tests.service.harness import CODEC, Client, Running, explain, failing
from tests.web.http import Line, enveloped, framed, grpc_web_end, plain, post, scene, told, unpadded


class Nobody:
    """An identity map that never answers."""

    async def resolve(self, issuer: str, subject: str) -> UUID:
        await asyncio.Event().wait()
        raise AssertionError

    async def is_known(self, player: UUID) -> bool:
        raise NotImplementedError


async def room(service: Running) -> tuple[Client, str, str]:
    ann = service.client("ann")
    table = (await ann.create("royal_flush")).table.table_id
    return ann, service.token("ann"), table


def test_an_answer_is_the_same_by_every_way(dsn):
    """JSON and binary, Connect, gRPC-Web and gRPC-Web in text: what gRPC itself says."""

    async def play(service: Running) -> None:
        ann, token, table = await room(service)
        expected = await ann.get(table)
        asked = pb.GetTableRequest(table_id=table)
        method = "TableService/GetTable"

        def read(data: bytes) -> pb.GetTableResponse:
            return pb.GetTableResponse.FromString(data)

        answer = await post(service, method, {"tableId": table}, token)
        assert answer.status == 200
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["cache-control"] == "no-store"
        assert json_format.ParseDict(answer.json, pb.GetTableResponse()) == expected
        assert (await post(service, method, {"table_id": table}, token)).json == answer.json

        binary = asked.SerializeToString()
        answer = await post(service, method, binary, token, content_type="application/proto")
        assert read(answer.body) == expected

        for kind in ("application/grpc-web", "application/grpc-web+proto"):
            answer = await post(service, method, enveloped(asked), token, content_type=kind)
            assert answer.headers["content-type"] == "application/grpc-web+proto"
            (flags, data), (last, trailers) = await framed(answer.body)
            assert (flags, read(data)) == (0, expected)
            assert (last, trailers) == (0x80, b"grpc-status: 0\r\n")

        kind = "application/grpc-web-text"
        whole = enveloped(asked)
        for text in (b64encode(whole), b64encode(whole[:4]) + b64encode(whole[4:])):
            answer = await post(service, method, text, token, content_type=kind)
            assert answer.headers["content-type"] == "application/grpc-web-text+proto"
            assert (await framed(plain(answer.body)))[0] == (0, expected.SerializeToString())

        kind = "application/grpc-web+json"
        body = enveloped(b'{"tableId":"%s"}' % table.encode())
        answer = await post(service, method, body, token, content_type=kind)
        (_, data), _ = await framed(answer.body)
        assert json_format.Parse(data, pb.GetTableResponse()) == expected

    scene(dsn, play)


def test_an_action_is_taken_once_whichever_way_it_comes(dsn):
    """The same request id by JSON and by gRPC is the same command; answers that are made as bytes
    are JSON too."""

    async def play(service: Running) -> None:
        ann, token, table = await room(service)
        request = pb.SubmitActionRequest(
            table_id=table, request_id="one", action=CODEC.action_to_wire(TakeSeat("", 100))
        )
        asked = json_format.MessageToDict(request)
        answer = await post(service, "TableService/SubmitAction", asked, token)
        assert answer.status == 200, answer
        first = json_format.ParseDict(answer.json, pb.SubmitActionResponse())
        assert first == await ann.call(ann.tables.SubmitAction, request)
        asked["seat"] = 1
        answer = await post(service, "TableService/SubmitAction", asked, token)
        assert (answer.status, answer.json["code"]) == (409, "already_exists")

    scene(dsn, play)


def test_a_failure_is_the_same_by_every_way(dsn):
    """Code, reason, field and text: of a refusal, a malformed field, what is not there, and of a
    caller who is nobody."""

    async def play(service: Running) -> None:
        ann, token, table = await room(service)
        eve = service.client("eve")
        cases = [
            (ann, token, pb.GetTableRequest(table_id="x"), "GetTable", 404),
            (ann, token, pb.StartHandRequest(table_id=table), "StartHand", 400),
            (ann, token, pb.StartHandRequest(table_id=table, request_id="r"), "StartHand", 400),
            (eve, service.token("eve"), pb.CloseTableRequest(table_id=table), "CloseTable", 400),
            (service.with_token(None), None, pb.GetTableRequest(table_id=table), "GetTable", 401),
            (service.with_token("a.b.c"), "a.b.c", pb.GetTableRequest(), "GetTable", 401),
        ]
        for client, key, request, name, number in cases:
            expected = await failing(client.call(getattr(client.tables, name), request))
            code = expected.code.name.lower()
            method = f"TableService/{name}"
            answer = await post(service, method, json_format.MessageToDict(request), key)
            assert answer.status == number, (name, answer)
            found = told(answer.json)
            assert found[:4] == (code, expected.reason, expected.field, expected.message)

            body = enveloped(request)
            answer = await post(
                service, method, body, key, content_type="application/grpc-web+proto"
            )
            assert answer.status == 200
            trailers = await grpc_web_end(answer)
            assert int(trailers["grpc-status"]) == expected.code.value[0]
            assert trailers["grpc-message"] == expected.message
            status = Status.FromString(unpadded(trailers["grpc-status-details-bin"]))
            reason, field, _ = explain(status)
            assert (status.message, reason, field) == found[3:4] + found[1:3]

    scene(dsn, play)


def test_deadlines_are_kept_and_must_be_readable(dsn):
    """By Connect's header and by gRPC's; the failure says what to do."""

    async def play(service: Running) -> None:
        token = service.token("ann")
        method = "GameService/ListGames"
        for header, value in (("connect_timeout_ms", "20"), ("grpc_timeout", "20000u")):
            answer = await post(service, method, {}, token, **{header: value})
            found = told(answer.json)
            assert (answer.status, found.reason) == (504, "DEADLINE_EXCEEDED")
            assert "send the same request_id again" in found.message
        assert service.server.door.unary.taken == 0
        for header, value in (
            ("connect_timeout_ms", "soon"),
            ("connect_timeout_ms", "12345678901"),
            ("connect_timeout_ms", "-1"),
            ("grpc_timeout", "5"),
            ("grpc_timeout", "5x"),
            ("grpc_timeout", "123456789S"),
        ):
            answer = await post(service, method, {}, token, **{header: value})
            found = told(answer.json)
            assert (answer.status, found.field) == (400, header.replace("_", "-"))

    scene(dsn, play, identities=Nobody())


def test_calls_are_limited_as_grpc_limits_them(dsn):
    """One caller's rate is one, whichever way he calls; a connection has a rate of its own."""

    async def play(service: Running) -> None:
        token = service.token("ann")
        ann = service.client("ann")
        fine = 0
        for _ in range(10):
            answer = await post(service, "GameService/ListGames", {}, token)
            fine += answer.status == 200
            if answer.status != 200:
                break
        found = told(answer.json)
        assert fine == 6
        assert (answer.status, found.reason) == (429, "RESOURCE_EXHAUSTED")
        assert found.retry_ms > 0
        failed = await failing(ann.get("0" * 32))
        assert failed.reason == "RESOURCE_EXHAUSTED"
        assert failed.message == found.message
        others = [service.token(name) for name in ("bob", "carl", "dora")]
        async with Line.to(service) as line:
            seen = []
            for at in range(12):
                line.ask(
                    "POST",
                    "/kartejo.v1.GameService/ListGames",
                    b"{}",
                    content_type="application/json",
                    authorization=f"Bearer {others[at % 3]}",
                )
                seen.append(await line.answer())
        assert [each.status for each in seen].count(200) == 10
        assert "one connection" in told(seen[-1].json).message

    scene(dsn, play, speed=Speed(of_caller=3, of_connection=5), world=SteppedWorld())


def test_calls_are_counted_and_give_their_places_back(dsn):
    """By method and reason, as those of gRPC; also those that were turned away."""

    async def play(service: Running) -> None:
        _, token, table = await room(service)
        method = "TableService/GetTable"
        for key, body in (
            (token, {"tableId": table}),
            (token, {"tableId": 5}),
            (token, {"table": "x"}),
            (None, {}),
        ):
            await post(service, method, body, key)
        await post(service, "TableService/Nothing", {}, token)
        records = service.server.door.calls.records
        counted = {
            labels: count
            for labels, count in records.ended.counts.items()
            if labels[0] in {f"kartejo.v1.{method}", "unknown"}
        }
        name = f"kartejo.v1.{method}"
        assert counted == {
            (name, "OK"): 1,
            (name, "MALFORMED"): 2,
            (name, "TOKEN_MISSING"): 1,
            ("unknown", "UNIMPLEMENTED"): 1,
        }
        assert service.server.door.unary.taken == 0
        assert records.open[name] == 0

    scene(dsn, play)


def test_what_the_system_does_for_a_connection(dsn):
    """It holds no answer back: head and body are two pieces, and the second would wait 40 ms.  And
    it asks who is silent whether he lives: a watcher's machine may sleep."""

    async def play(service: Running) -> None:
        assert service.web is not None
        async with Line.to(service) as line:
            line.ask("GET", "/")
            await line.answer()
            (connection,) = service.web.connections
            held = connection.transport.get_extra_info("socket")
            assert held.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            assert held.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
            assert held.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 60

    scene(dsn, play)


def test_a_role_is_needed_here_as_there(dsn):
    """Nothing more can be done by HTTP than by gRPC."""

    async def play(service: Running) -> None:
        body = {"requestId": "1", "owner": {"subject": "ann"}, "amount": "5"}
        method = "AccountService/CreditAccount"
        answer = await post(service, method, body, service.token("ann"))
        assert (answer.status, answer.json["code"]) == (403, "permission_denied")
        answer = await post(service, method, body, service.token("house", Role.HOST))
        assert answer.status == 200

    scene(dsn, play)
