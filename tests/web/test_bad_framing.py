"""Frames that are broken, calls on terms that are not kept, requests that end in two places."""

from __future__ import annotations

import gzip
import json
import struct
from base64 import b64encode

from tests.service.harness import Running
from tests.web.http import (
    Line,
    enveloped,
    framed,
    grpc_web_end,
    nobody_is_left,
    plain,
    post,
    request,
    scene,
    told,
)

GAMES = "/kartejo.v1.GameService/ListGames"
GET_TABLE = "TableService/GetTable"
WATCH = "/kartejo.v1.TableService/WatchTable"


def test_broken_frames_are_refused(dsn):
    """Cut short, too many, of a length that is not there, compressed though nothing may be: with
    a reason of ours, by every way in which messages are framed."""
    whole = enveloped(b"{}")
    broken = [
        (b"", "0 bytes came"),
        (b"\0\0", "2 bytes came"),
        (whole[:-1], "expected one message of the 2 bytes that it tells; 1 bytes came"),
        (whole + b"x", "3 bytes came"),
        (whole + whole, "9 bytes came"),
        (whole + enveloped(b""), "7 bytes came"),
        (b"\x40" + whole[1:], "expected the flags 0, not 64"),
        (b"\1" + whole[1:], "expected the flags 0, not 1: one message that is not compressed"),
        (b"\2" + whole[1:], "expected the flags 0, not 2"),
        (b"\x80" + whole[1:], "expected the flags 0, not 128"),
        (struct.pack(">BI", 0, 2**16) + b"{}", "65536 bytes that it tells"),
    ]

    async def play(service: Running) -> None:
        token = service.token("ann")
        web, text = "application/grpc-web+json", "application/grpc-web-text"
        for data, words in broken:
            answer = await post(
                service, WATCH, data, token, content_type="application/connect+json"
            )
            ((flags, end),) = await framed(answer.body)
            assert flags == 2
            found = told(json.loads(end)["error"])
            assert found[:3] == ("invalid_argument", "MALFORMED", "request"), data
            assert words in found.message
            for method, kind in ((GET_TABLE, web), (WATCH, web), (GET_TABLE, text)):
                sent = b64encode(data) if kind is text else data
                answer = await post(service, method, sent, token, content_type=kind)
                read = plain(answer.body) if kind is text else answer.body
                failed = await grpc_web_end(answer._replace(body=read))
                assert failed["grpc-status"] == "3"
                assert words in failed["grpc-message"]
                assert "grpc-status-details-bin" in failed
        for data in (b"****", b"AAAAA"):
            answer = await post(service, GET_TABLE, data, token, content_type=text)
            end = await grpc_web_end(answer._replace(body=plain(answer.body)))
            assert end["grpc-message"] == "request: expected base64"
        huge = struct.pack(">BI", 0, 2**32 - 1)
        answer = await post(service, GET_TABLE, huge, token, content_type=web)
        assert (await grpc_web_end(answer))["grpc-status"] == "8"
        await nobody_is_left(service)

    scene(dsn, play)


def test_what_is_compressed_is_refused(dsn):
    """By whichever header; before anything is read of it, and by calls, logins and bots alike."""

    async def play(service: Running) -> None:
        token = service.token("ann")
        bomb = gzip.compress(b" " * 1_000_000)
        for path in (GET_TABLE, "/login", "/bots"):
            for kind in ("gzip", "br", "identity, gzip"):
                answer = await post(service, path, bomb, token, content_encoding=kind)
                found = told(answer.json)
                assert (found.code, found.reason) == ("unimplemented", "COMPRESSED")
                assert found.message.startswith("content-encoding: nothing may be compressed")
        for method, kind, header in (
            (WATCH, "application/connect+json", "connect_content_encoding"),
            (WATCH, "application/grpc-web+json", "grpc_encoding"),
            (GET_TABLE, "application/grpc-web+json", "content_encoding"),
        ):
            answer = await post(
                service, method, enveloped(bomb), token, content_type=kind, **{header: "gzip"}
            )
            assert b"COMPRESSED" in answer.body or b"nothing%20may%20be" in answer.body
        answer = await post(service, GAMES, {}, token, content_encoding="identity")
        assert answer.status == 200
        await nobody_is_left(service)

    scene(dsn, play)


def test_a_call_on_other_terms_is_refused(dsn):
    """Another version of the protocol, two deadlines; with the header as the field."""

    async def play(service: Running) -> None:
        token = service.token("ann")
        answer = await post(service, GAMES, {}, token, connect_protocol_version="1")
        assert answer.status == 200
        answer = await post(service, GAMES, {}, token, connect_protocol_version="2")
        found = told(answer.json)
        assert (answer.status, found.reason, found.field) == (
            400,
            "MALFORMED",
            "connect-protocol-version",
        )
        both = {"connect_timeout_ms": "5000", "grpc_timeout": "5S"}
        answer = await post(service, GAMES, {}, token, **both)
        assert (answer.status, told(answer.json).message) == (
            400,
            "connect-timeout-ms: expected one deadline",
        )

    scene(dsn, play)


def test_a_request_that_ends_in_two_places_is_refused_and_its_line_closed(dsn):
    """What a proxy in front took for the next request is none; nor is what follows garbage."""

    async def play(service: Running) -> None:
        bearer = f"Bearer {service.token('ann')}"
        head = {"content_type": "application/json", "authorization": bearer}
        hidden = b"0\r\n\r\n" + request("POST", GAMES, b"{}", **head)
        async with Line.to(service) as line:
            line.ask(
                "POST",
                GAMES,
                hidden,
                content_length=str(len(hidden)),
                transfer_encoding="chunked",
                **head,
            )
            answer = await line.answer()
            assert (answer.status, told(answer.json).reason) == (400, "LENGTH_AMBIGUOUS")
            assert answer.headers["connection"] == "close"
            assert await line.ended() == b""
        # An answer that was given before its request was over is the only one.
        async with Line.to(service) as line:
            line.ask("POST", GAMES, content_length="", transfer_encoding="chunked", **head)
            line.send(b"no chunk\r\n")
            assert (await line.answer()).status == 400
        async with Line.to(service) as line:
            line.ask("GET", GAMES, content_length="", transfer_encoding="chunked")
            assert (await line.answer()).status == 405
            line.send(b"no chunk\r\n")
            assert await line.ended() == b""

    scene(dsn, play)
