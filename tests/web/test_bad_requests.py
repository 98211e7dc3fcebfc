"""What is no proper request is refused in words, early, and costs the others nothing."""

from __future__ import annotations

import asyncio
from typing import Any

from service.rpc import connections as limits
from service.rpc import door
from service.rpc.budget import Limits
from service.rpc.calls import Speed
from service.rpc.connections import MOST_METADATA_BYTES, MOST_REQUEST_BYTES
from service.web import body, connections
from service.world import SteppedWorld
from tests.service.harness import Running
from tests.service.test_clocks import until
from tests.web.http import (
    Answer,
    Line,
    enveloped,
    grpc_web_end,
    nobody_is_left,
    post,
    scene,
    told,
)

GAMES = "/kartejo.v1.GameService/ListGames"
GET_TABLE = "TableService/GetTable"
WATCH = "/kartejo.v1.TableService/WatchTable"


async def alone(service: Running, data: bytes) -> Answer:
    """The answer to some bytes."""
    async with Line.to(service) as line:
        line.send(data)
        return await line.answer()


OTHERS = [
    ("GET", GAMES, "", 405, "METHOD_NOT_ALLOWED", "expected POST, not GET"),
    ("PUT", GAMES, "application/json", 405, "METHOD_NOT_ALLOWED", "expected POST, not PUT"),
    ("POST", "/", "application/json", 405, "METHOD_NOT_ALLOWED", "expected GET, not POST"),
    ("GET", "/login", "", 405, "METHOD_NOT_ALLOWED", "expected POST, not GET"),
    ("GET", "/nothing", "", 404, "NOT_FOUND", "nothing is here"),
    ("GET", "/../pages.py", "", 404, "NOT_FOUND", "nothing is here"),
    ("GET", "/%2e%2e/pages.py", "", 404, "NOT_FOUND", "nothing is here"),
    ("POST", GAMES + "/", "application/json", 404, "NOT_FOUND", "nothing is here"),
    ("POST", "/grpc.health.v1.Health/Check", "application/json", 404, "NOT_FOUND", "nothing"),
    ("POST", GAMES, "", 415, "WRONG_CONTENT_TYPE", "application/json, application/proto"),
    ("POST", GAMES, "text/plain", 415, "WRONG_CONTENT_TYPE", "not text/plain"),
    ("POST", GAMES, "multipart/form-data", 415, "WRONG_CONTENT_TYPE", "not multipart"),
    ("POST", GAMES, "application/x-www-form-urlencoded", 415, "WRONG_CONTENT_TYPE", "not app"),
    ("POST", GAMES, "application/connect+json", 415, "WRONG_CONTENT_TYPE", "application/json"),
    ("POST", WATCH, "application/json", 415, "WRONG_CONTENT_TYPE", "application/connect+json"),
    ("POST", GAMES, "application/grpc", 415, "WRONG_CONTENT_TYPE", "is spoken on port"),
    ("POST", "/login", "text/plain", 415, "WRONG_CONTENT_TYPE", "expected Content-Type"),
]


def test_requests_of_another_kind(dsn):
    """Methods, paths and content types: what was expected, and what would have been read.

    All on one connection, which goes on, and where what is asked properly is answered.
    """

    async def play(service: Running) -> None:
        token = f"Bearer {service.token('ann')}"
        async with Line.to(service) as line:
            for method, path, kind, number, reason, words in OTHERS:
                line.ask(method, path, b"{}", content_type=kind, authorization=token)
                answer = await line.answer()
                found = told(answer.json)
                assert (answer.status, found.reason) == (number, reason), (method, path, kind)
                assert words in found.message
                assert answer.headers["x-content-type-options"] == "nosniff"
                line.ask("POST", GAMES, b"{}", content_type="application/json", authorization=token)
                assert (await line.answer()).status == 200

    scene(dsn, play)


MALFORMED = [
    (b"", "request", "no JSON: expecting value, line 1 column 1"),
    (b"{", "request", "no JSON: expecting property name enclosed in double quotes"),
    (b"[]", "request", "expected a JSON object"),
    (b'"x"', "request", "expected a JSON object"),
    (b"null", "request", "expected a JSON object"),
    (b"\xff\xfe", "request", "expected JSON in UTF-8"),
    (b'{"tableId":"\\ud800"}', "table_id", "expected text that is Unicode"),
    (b'{"tableId":7}', "table_id", "expected text in quotes"),
    (b'{"tableId":["x"]}', "table_id", "expected text in quotes"),
    (b'{"tabelId":"x"}', "tabelId", "no such field; expected one of: table_id"),
    (b'{"tableId":"a","tableId":"b"}', "request", "the field tableId stands there twice"),
    (b'{"tableId":"a","table_id":"b"}', "table_id", "only one of tableId and table_id"),
    (b'{"\\ud800":1}', "request", "expected names that are Unicode"),
    (b'{"\\udfff":1,"\\udfff":1}', "request", "expected names that are Unicode"),
    (b'{"tableId":NaN}', "request", "NaN is no number"),
    (b'{"tableId":' + b"9" * 5000 + b"}", "request", "a number is too long"),
    (b"[" * 60_000, "request", "nested too deeply"),
    (b'{"a":' * 10_000, "request", "nested too deeply"),
]


def test_broken_json_is_refused_by_its_field(dsn):
    """Whatever it is, its caller learns where and what was expected, if he is one."""

    async def play(service: Running) -> None:
        token = service.token("ann")
        for data, field, words in MALFORMED:
            answer = await post(service, GET_TABLE, data, token)
            found = told(answer.json)
            assert (answer.status, found.reason, found.field) == (400, "MALFORMED", field), data[
                :30
            ]
            assert words in found.message
            answer = await post(service, GET_TABLE, data)
            assert told(answer.json).reason == "TOKEN_MISSING"
        words = "request: these bytes are no message of this call"
        answer = await post(service, GET_TABLE, b"\xff", token, content_type="application/proto")
        assert told(answer.json).message == words
        kind = "application/grpc-web"
        answer = await post(service, GET_TABLE, enveloped(b"\xff"), token, content_type=kind)
        assert (await grpc_web_end(answer))["grpc-message"] == words
        await nobody_is_left(service)

    scene(dsn, play)


def test_what_is_too_large_is_refused(dsn):
    """A body, a head; to the byte, and also where its length was not told before."""

    async def play(service: Running) -> None:
        token = service.token("ann")
        bearer = f"Bearer {token}"
        most = b'{"tableId":"%s"}' % (b"x" * (MOST_REQUEST_BYTES - 14))
        assert len(most) == MOST_REQUEST_BYTES
        assert told((await post(service, GET_TABLE, most, token)).json).reason == "NOT_FOUND"
        answer = await post(service, GET_TABLE, most + b" " * 6, token)
        found = told(answer.json)
        assert (answer.status, found.reason) == (429, "REQUEST_TOO_LARGE")
        assert str(MOST_REQUEST_BYTES) in found.message
        for path in (f"/kartejo.v1.{GET_TABLE}", "/login", "/bots"):
            async with Line.to(service) as line:  # nothing of it comes, and nothing is waited for
                line.ask(
                    "POST",
                    path,
                    content_type="application/json",
                    authorization=bearer,
                    content_length="99999999999999999999",
                )
                assert told((await line.answer()).json).reason == "REQUEST_TOO_LARGE"
        async with Line.to(service) as line:
            head = {"content_type": "application/json", "authorization": bearer}
            line.ask(
                "POST",
                f"/kartejo.v1.{GET_TABLE}",
                content_length="",
                transfer_encoding="chunked",
                **head,
            )
            for _ in range(20):
                line.send(b"2000\r\n" + b" " * 0x2000 + b"\r\n")
            assert told((await line.answer()).json).reason == "REQUEST_TOO_LARGE"
            line.send(b"0\r\n\r\n")
            line.ask("POST", GAMES, b"{}", **head)
            assert (await line.answer()).status == 200
        async with Line.to(service) as line:
            line.ask("POST", GAMES, b"{}", x_long="x" * MOST_METADATA_BYTES)
            answer = await line.answer()
            assert (answer.status, told(answer.json).reason) == (431, "HEADERS_TOO_LARGE")
            line.send(f"POST {GAMES} HTTP/1.1\r\nx: ".encode() + b"x" * 3 * MOST_METADATA_BYTES)
            assert (await line.answer()).status == 400
            assert await line.ended() == b""
        await nobody_is_left(service)

    scene(dsn, play)


def test_what_is_no_http_is_refused(dsn):
    """And headers that are not ASCII, of which some are twice."""

    async def play(service: Running) -> None:
        assert (await alone(service, b"\x16\x03\x01\x02\x00\x01\r\n\r\n")).status == 400
        token = service.token("ann")
        head = f"POST {GAMES} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        twice = f"authorization: Bearer {token}\r\n" * 2 + "content-length: 2\r\n\r\n{}"
        answer = await alone(service, (head + twice).encode())
        assert told(answer.json).reason == "TOKEN_MALFORMED"
        answer = await alone(service, (head + "x-name: Zo\xeb\r\n\r\n").encode("latin-1"))
        assert (answer.status, told(answer.json).reason) == (400, "HEADER_NOT_ASCII")
        for upgrade in ("websocket", "h2c"):
            answer = await alone(
                service,
                f"GET / HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\n"
                f"upgrade: {upgrade}\r\n\r\n".encode(),
            )
            assert answer.status == 200

    scene(dsn, play)


def test_whoever_is_slow_is_not_waited_for(dsn, monkeypatch):
    """A head that trickles in, a body that does not come, a connection that does nothing."""
    monkeypatch.setattr(body, "BODY_SECONDS", 0.3)
    monkeypatch.setattr(connections, "IDLE_SECONDS", 0.5)

    async def play(service: Running) -> None:
        bearer = f"Bearer {service.token('ann')}"
        head = {"content_type": "application/json", "authorization": bearer}

        async def trickle(line: Line) -> None:
            line.send(f"POST {GAMES} HTTP/1.1\r\n".encode())
            while not line.writer.is_closing():
                line.send(b"x: y\r\n")
                await asyncio.sleep(0.05)

        async with Line.to(service) as late:
            late.ask("POST", GAMES, b"{", content_length="2", **head)
            answer = await late.answer()
            found = told(answer.json)
            assert (answer.status, found.reason) == (504, "REQUEST_TOO_SLOW")
            async with Line.to(service) as silent, Line.to(service) as slow:
                trickling = asyncio.ensure_future(trickle(slow))
                for line in (late, silent, slow):
                    assert await line.ended() == b""
                await trickling
        assert service.web is not None
        assert len(service.web.connections) == 0
        await nobody_is_left(service)

    scene(dsn, play)


def test_a_caller_who_leaves_before_he_has_asked(dsn):
    """Half a head, half a body: nothing is done, and no place is kept."""

    async def play(service: Running) -> None:
        bearer = f"Bearer {service.token('ann')}"
        create = "/kartejo.v1.TableService/CreateTable"
        asked = b'{"game":"royal_flush","requestId":"1"}'
        before = await service.commits()
        for size in (0, 10, len(asked) - 1):
            async with Line.to(service) as line:
                length = str(len(asked))
                line.ask(
                    "POST",
                    create,
                    asked[:size],
                    content_length=length,
                    content_type="application/json",
                    authorization=bearer,
                )
                await line.writer.drain()
                await asyncio.sleep(0.02)
        async with Line.to(service) as line:
            line.send(b"POST " + create.encode())
        await nobody_is_left(service)
        assert await service.commits() == before

    scene(dsn, play)


def test_requests_that_come_at_once_are_answered_one_after_the_other(dsn):
    """On one connection, without waiting for answers; and it is at work until the last."""

    async def play(service: Running) -> None:
        bearer = f"Bearer {service.token('ann')}"
        head = {"content_type": "application/json", "authorization": bearer}
        async with Line.to(service) as line:
            for at in range(20):
                body = b'{"tableId":"%d"}' % at if at % 2 else b"{}"
                line.ask("POST", f"/kartejo.v1.{GET_TABLE}" if at % 2 else GAMES, body, **head)
            answers = [await line.answer() for _ in range(20)]
            assert [answer.status for answer in answers] == [200, 404] * 10
            assert service.server.door.connections.taken == 1
        await nobody_is_left(service)

    scene(dsn, play)


def test_connections_are_limited(dsn, monkeypatch):
    """One more takes the place of the one that has been idle for the longest; where all are at
    work it is turned away."""
    monkeypatch.setattr(limits, "HTTP", 2)

    async def play(service: Running) -> None:
        bearer = f"Bearer {service.token('ann')}"
        head: dict[str, Any] = {"content_type": "application/json", "authorization": bearer}
        table = (await service.client("ann").create("royal_flush")).table.table_id
        watch = enveloped(b'{"tableId":"%s"}' % table.encode())
        stream = {**head, "content_type": "application/connect+json"}
        async with Line.to(service) as first, Line.to(service) as second:
            for line in (first, second):
                line.ask("POST", GAMES, b"{}", **head)
                assert (await line.answer()).status == 200
            second.ask("POST", WATCH, watch, **stream)
            assert (await second.head())[0] == 200
            async with Line.to(service) as third:
                third.ask("POST", WATCH, watch, **stream)
                assert (await third.head())[0] == 200
                assert await first.ended() == b""
                async with Line.to(service) as fourth:
                    answer = await fourth.answer()
                    assert (answer.status, answer.headers["retry-after"]) == (503, "1")
                    assert told(answer.json).code == "unavailable"
                    assert await fourth.ended() == b""
        await nobody_is_left(service)
        assert (await post(service, GAMES, {}, service.token("bob"))).status == 200
        assert service.server.door.connections.refused == 1

    scene(dsn, play)


def test_an_address_brings_so_many_connections_in_a_short_time(dsn):
    """One more is turned away unread; those that are there go on, and others come a bit later."""
    world = SteppedWorld()

    async def play(service: Running) -> None:
        head = {"content_type": "application/json"}
        async with Line.to(service) as kept:
            for _ in range(3):
                async with Line.to(service) as line:
                    line.ask("GET", "/nothing")
                    assert (await line.answer()).status == 404
            async with Line.to(service) as line:
                answer = await line.answer()
                assert (answer.status, answer.headers["retry-after"]) == (503, "1")
                assert await line.ended() == b""
            kept.ask("POST", GAMES, b"{}", **head)
            assert (await kept.answer()).status == 401
            world.advance(0.5)
            async with Line.to(service) as line:
                line.ask("GET", "/nothing")
                assert (await line.answer()).status == 404
        assert service.server.door.calls.arrivals.refused == 1

    scene(dsn, play, speed=Speed(of_caller=0, of_connection=0, of_address=2), world=world)


def test_so_many_bodies_of_an_address_are_waited_for(dsn, monkeypatch):
    """One more is refused at once; what comes whole is none of them."""
    monkeypatch.setattr(door, "BODIES", Limits(each=1, all=2))

    async def play(service: Running) -> None:
        token = service.token("ann")
        head = {"content_type": "application/json", "authorization": f"Bearer {token}"}
        bodies = service.server.door.bodies
        async with Line.to(service) as slow, Line.to(service) as slower:
            slow.ask("POST", GAMES, b"{", content_length="2", **head)

            async def waited_for() -> bool:
                return bodies.taken == 1

            await until(waited_for)
            slower.ask("POST", GAMES, b"", content_length="2", **head)
            answer = await slower.answer()
            found = told(answer.json)
            assert (answer.status, found.reason) == (429, "RESOURCE_EXHAUSTED")
            assert found.message.startswith("too many requests that have not come whole")
            assert (await post(service, GAMES, {}, token)).status == 200
            slow.send(b"}")
            assert (await slow.answer()).status == 200
        assert (bodies.taken, bodies.refused) == (0, 1)

    scene(dsn, play)
