"""Callers that must be turned away: tokens, roles, limits, lab doors, oversized calls."""

from __future__ import annotations

import base64
import json
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

import grpc
import jwt
import pytest

from engine.actions import TakeSeat
from service.identity import ISSUER, LAB_ISSUER, KeyRing, Role, Tokens
from service.pb import (
    account_service_pb2,
    game_service_pb2,
    investigation_service_pb2,
    lab_service_pb2,
    odds_service_pb2,
    person_service_pb2,
    replay_service_pb2,
)
from service.pb import table_service_pb2 as pb
from service.world import RealWorld, SteppedWorld
from tests.parlour.actions import Keep
from tests.service.harness import CODEC, Client, failing, run, running, unmoved
from tests.service.parlour_room import Room, lab_parlour
from tests.service.test_refused_actions import told

Code = grpc.StatusCode


def every_call(client: Client, table: str) -> dict[str, Callable[[], Awaitable[Any]]]:
    """A call of every method, with a request that would be good."""
    keep = CODEC.action_to_wire(Keep())
    t = {"table_id": table}
    r = {"request_id": uuid4().hex}
    old, lab = replay_service_pb2, lab_service_pb2
    odds = odds_service_pb2
    person, case = person_service_pb2, investigation_service_pb2
    step = {"metadata": client.metadata, "timeout": 10}

    async def replayed() -> Any:
        call = client.replay.ReplayHand(old.ReplayHandRequest(**t, hand=1), **step)
        return [message async for message in call]

    def unary(stub: Any, request: Any) -> Callable[[], Awaitable[Any]]:
        return lambda: client.call(stub, request)

    return {
        "ListGames": unary(client.games.ListGames, game_service_pb2.ListGamesRequest()),
        "GetGame": unary(client.games.GetGame, game_service_pb2.GetGameRequest(game="parlour")),
        "CreateTable": lambda: client.create("parlour"),
        "ListTables": unary(client.tables.ListTables, pb.ListTablesRequest()),
        "GetTable": lambda: client.get(table),
        "SubmitAction": lambda: client.act(table, 0, Keep(), hand=1, decision=1),
        "StartHand": lambda: client.start(table),
        "CloseTable": unary(client.tables.CloseTable, pb.CloseTableRequest(**r, **t)),
        "WatchTable": lambda: client.watched(table),
        "Play": lambda: client.tables.Play(**step).read(),
        "ListHands": unary(client.replay.ListHands, old.ListHandsRequest(**t)),
        "ListPlayedHands": unary(client.replay.ListPlayedHands, old.ListPlayedHandsRequest()),
        "ListChanges": unary(client.accounts.ListChanges, account_service_pb2.ListChangesRequest()),
        "ReplayHand": replayed,
        "GetStateAt": unary(client.replay.GetStateAt, old.GetStateAtRequest(**t, version=1)),
        "GetProfile": unary(client.persons.GetProfile, person.GetProfileRequest()),
        "SetProfile": unary(client.persons.SetProfile, person.SetProfileRequest(name="Ann")),
        "ListNames": unary(client.persons.ListNames, person.ListNamesRequest()),
        "ErasePerson": unary(client.persons.ErasePerson, person.ErasePersonRequest()),
        "FindHands": unary(client.investigations.FindHands, case.FindHandsRequest()),
        "GetPair": unary(client.investigations.GetPair, case.GetPairRequest()),
        "RankPairs": unary(client.investigations.RankPairs, case.RankPairsRequest()),
        "GetRoyalFlushOdds": unary(client.odds.GetRoyalFlushOdds, odds.GetRoyalFlushOddsRequest()),
        "SimulateRoyalFlush": unary(
            client.odds.SimulateRoyalFlush, odds.SimulateRoyalFlushRequest(deals=1)
        ),
        "GetBattleOdds": unary(client.odds.GetBattleOdds, odds.GetBattleOddsRequest()),
        "GetPontoonOdds": unary(
            client.odds.GetPontoonOdds, odds.GetPontoonOddsRequest(hand=[1, 2])
        ),
        "GetBankOdds": unary(client.odds.GetBankOdds, odds.GetBankOddsRequest()),
        "CountUnseenCards": unary(client.odds.CountUnseenCards, odds.CountUnseenCardsRequest()),
        "OpenLabTable": unary(
            client.lab.OpenLabTable, lab.OpenLabTableRequest(**r, game="parlour")
        ),
        "StackDeck": unary(client.lab.StackDeck, lab.StackDeckRequest(**r, **t, cards=[1])),
        "SetPosition": unary(client.lab.SetPosition, lab.SetPositionRequest(**r, **t)),
        "Act": unary(client.lab.Act, lab.ActRequest(**r, **t, action=keep)),
        "Look": unary(client.lab.Look, lab.LookRequest(**t)),
    }


LAB = ("OpenLabTable", "StackDeck", "SetPosition", "Act", "Look")


def forged(token: str) -> dict[str, str]:
    """Tokens that look right and are not, each with the reason it is refused with."""
    head, body, signature = token.split(".")

    def part(values: dict[str, Any]) -> str:
        return base64.urlsafe_b64encode(json.dumps(values).encode()).rstrip(b"=").decode()

    claims = json.loads(base64.urlsafe_b64decode(body + "=="))
    header = json.loads(base64.urlsafe_b64decode(head + "=="))
    stranger = Tokens(KeyRing.draw(RealWorld()), RealWorld()).issue("ann", [Role.ADMIN], 60)
    flipped = ("A" if signature[0] != "A" else "B") + signature[1:]
    return {
        f"{part({'alg': 'none', 'typ': 'JWT'})}.{body}.": "TOKEN_MALFORMED",
        f"{part({'alg': 'none', 'typ': 'JWT'})}.{body}.{signature}": "TOKEN_WRONG_ALGORITHM",
        f"{part({**header, 'alg': 'HS256'})}.{body}.{signature}": "TOKEN_WRONG_ALGORITHM",
        jwt.encode(claims, b"k" * 32, "HS256", {"kid": header["kid"]}): "TOKEN_WRONG_ALGORITHM",
        f"{head}.{part({**claims, 'roles': ['admin']})}.{signature}": "TOKEN_FORGED",
        f"{head}.{body}.{flipped}": "TOKEN_FORGED",
        stranger: "TOKEN_FORGED",
        "": "TOKEN_MISSING",
        "x": "TOKEN_MALFORMED",
        "a.b.c": "TOKEN_MALFORMED",
        token + "=": "TOKEN_MALFORMED",
        token[:-1]: "TOKEN_MALFORMED",
        "." * 3000: "TOKEN_MALFORMED",
    }


def test_without_a_good_token_nothing_is_answered(dsn):
    """Missing and forged tokens: UNAUTHENTICATED through every method, and nothing moves."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            await room.start()
            ann = room.players[0]
            async with unmoved(service, ann, room.table):
                nobody = service.with_token(None)
                for name, call in every_call(nobody, room.table).items():
                    failure = await failing(call())
                    assert told(failure) == ("UNAUTHENTICATED", "TOKEN_MISSING", ""), name
                for token, reason in forged(service.token("ann")).items():
                    failure = await failing(service.with_token(token).get(room.table))
                    assert told(failure) == ("UNAUTHENTICATED", reason, ""), token[:40]
                    assert len(token) < 3 or token not in failure.message
                basic = service.with_token(None)
                basic.metadata = (("authorization", f"Basic {service.token('ann')}"),)
                wrong_scheme = await failing(basic.get(room.table))
                assert told(wrong_scheme) == ("UNAUTHENTICATED", "TOKEN_MALFORMED", "")

    run(scenario())


def test_an_expired_token_is_refused_and_a_future_one_too(dsn):
    """Times are judged by the service's clock, with a leeway of seconds."""

    async def scenario():
        world = SteppedWorld()
        async with running(dsn, world=world) as service:
            table = (await service.client("ann").create("parlour")).table.table_id
            short = service.client("ann", lifetime=60)
            await short.get(table)
            world.set_now(world.now() + 70_000_000)
            assert told(await failing(short.get(table))) == (
                "UNAUTHENTICATED",
                "TOKEN_EXPIRED",
                "",
            )
            late = service.client("ann")
            world.set_now(world.now() - 3_600_000_000)
            assert told(await failing(late.get(table)))[1] == "TOKEN_NOT_YET_VALID"

    run(scenario())


def test_a_role_opens_what_it_is_for_and_no_more(dsn):
    """player acts, host opens, auditor looks back; none of them does the other's work."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            state = await room.start()
            ann = room.players[0]
            auditor = service.client("carl", Role.AUDITOR)
            host = service.client("hera", Role.HOST)
            ann_as_auditor = service.client("ann", Role.AUDITOR)
            async with unmoved(service, ann, room.table):
                for call in (
                    auditor.create("parlour"),
                    auditor.act(room.table, 0, TakeSeat("", 5)),
                    host.act(room.table, 0, TakeSeat("", 5)),
                    ann_as_auditor.act(room.table, 0, Keep(), state),
                    ann_as_auditor.start(room.table),
                ):
                    failure = await failing(call)
                    assert told(failure) == ("PERMISSION_DENIED", "PERMISSION_DENIED", "")
                for viewer in ({"seat": 0}, {"auditor": True}):
                    failure = await failing(
                        ann.call(
                            ann.replay.GetStateAt,
                            replay_service_pb2.GetStateAtRequest(
                                table_id=room.table, version=state.version, viewer=viewer
                            ),
                        )
                    )
                    assert told(failure) == ("PERMISSION_DENIED", "PERMISSION_DENIED", "")
            await host.create("parlour")

    run(scenario())


def test_a_token_for_one_seat_reaches_nothing_else(dsn):
    """A bot's token: another table is as if it were not there, another seat too."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            other = await Room.open(service, ("cid", "dora"))
            state = await room.start()
            bot = service.client("ann", table=room.table, seat=0)
            at_table = service.client("ann", table=room.table)
            await bot.get(room.table)
            async with unmoved(service, room.players[0], room.table, other.table):
                for client in (bot, at_table):
                    for call in (
                        client.get(other.table),
                        client.watched(other.table),
                        client.act(other.table, 1, TakeSeat("", 5)),
                        client.start(other.table),
                    ):
                        failure = await failing(call)
                        assert told(failure) == ("NOT_FOUND", "NOT_FOUND", "")
                    for call in (
                        client.create("parlour"),
                        client.call(client.tables.ListTables, pb.ListTablesRequest()),
                    ):
                        failure = await failing(call)
                        assert failure.code is Code.PERMISSION_DENIED
                foreign_seat = await failing(bot.act(room.table, 1, Keep(), state))
                assert told(foreign_seat) == ("NOT_FOUND", "NOT_FOUND", "")

    run(scenario())


def test_lab_calls_need_the_lab_and_its_own_admin(dsn):
    """Without --lab there is no lab; with it, an ordinary admin has no key to it."""

    async def scenario():
        async with running(dsn) as service:
            _, room = await lab_parlour(service, range(1, 10))
            table = room.table
            for client in (
                service.client("root", Role.ADMIN),
                service.client("ann"),
                service.client("student", issuer=LAB_ISSUER),
            ):
                for name in LAB:
                    failure = await failing(every_call(client, table)[name]())
                    assert failure.code is Code.PERMISSION_DENIED, name
            for client in (service.client("root", Role.ADMIN), service.client("ann")):
                for call in (client.get(table), client.watched(table), client.start(table)):
                    assert told(await failing(call)) == ("NOT_FOUND", "NOT_FOUND", "")
                listed = await client.call(client.tables.ListTables, pb.ListTablesRequest())
                assert not listed.tables
            teacher = service.lab()
            ordinary = await Room.open(service)
            for name in LAB[1:]:
                failure = await failing(every_call(teacher, ordinary.table)[name]())
                assert told(failure) == ("NOT_FOUND", "NOT_FOUND", ""), name
        async with running(dsn, lab=False) as service:
            root = service.client("root", Role.ADMIN)
            for name in LAB:
                failure = await failing(every_call(root, table)[name]())
                assert failure.code is Code.PERMISSION_DENIED, name
            with pytest.raises(ValueError, match="--lab"):
                service.lab()
            lab_ring = KeyRing.draw(RealWorld(), LAB_ISSUER)
            issuer = Tokens(KeyRing.draw(RealWorld(), ISSUER), RealWorld(), lab_ring=lab_ring)
            token = issuer.issue("teacher", [Role.ADMIN], 60, LAB_ISSUER)
            failure = await failing(service.with_token(token).get(table))
            assert told(failure) == ("UNAUTHENTICATED", "TOKEN_OF_LAB", "")

    run(scenario())


def test_the_labs_admin_and_auditor_are_nobody_at_an_ordinary_table(dsn):
    """A key of the laboratory opens no door of the house."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            await room.start()
            state = await room.play_out()
            for role in (Role.ADMIN, Role.AUDITOR):
                lab = service.client("teacher", role, issuer=LAB_ISSUER)
                async with unmoved(service, room.players[0], room.table):
                    for call in (
                        lab.start(room.table),
                        lab.call(
                            lab.tables.CloseTable,
                            pb.CloseTableRequest(request_id="r", table_id=room.table),
                        ),
                        lab.call(
                            lab.replay.GetStateAt,
                            replay_service_pb2.GetStateAtRequest(
                                table_id=room.table,
                                version=state.version,
                                viewer={"auditor": True},
                            ),
                        ),
                    ):
                        failure = await failing(call)
                        assert failure.code in {Code.PERMISSION_DENIED, Code.NOT_FOUND}

    run(scenario())


def test_oversized_calls_are_refused_before_they_are_read(dsn):
    """64 KiB of request, 16 KiB of metadata; the connection and the process live on."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            ann, table = room.players[0], room.table
            async with unmoved(service, ann, table):
                big = pb.CreateTableRequest(request_id="r", game="g" * (64 * 1024))
                failure = await failing(ann.call(ann.tables.CreateTable, big))
                assert failure.code is Code.RESOURCE_EXHAUSTED
                fat = service.with_token(None)
                fat.metadata = (*ann.metadata, *((f"x{i}", "y" * 8_000) for i in range(5)))
                failure = await failing(fat.get(table))
                assert failure.code is Code.RESOURCE_EXHAUSTED
                play = ann.tables.Play(metadata=ann.metadata, timeout=60)
                await play.write(pb.PlayRequest(submit={"request_id": "r" * 70_000}))
                failure = await failing(play.read())
                assert failure.code is Code.RESOURCE_EXHAUSTED
                await ann.get(table)

    run(scenario())


def test_an_answer_to_nonsense_is_small(dsn):
    """What a caller sent is not sent back at length: a status has to fit into the trailers."""

    async def scenario():
        async with running(dsn) as service:
            ann = service.client("ann")
            for long in ("o" * 60_000, "ŝ" * 30_000, "\n" * 60_000):
                for call, code in (
                    (ann.create(long), Code.NOT_FOUND),
                    (ann.create("parlour", options={long: "1"}), Code.FAILED_PRECONDITION),
                    (ann.create("parlour", options={"ante": long}), Code.FAILED_PRECONDITION),
                    (ann.create("parlour", house_options={long: "1"}), Code.FAILED_PRECONDITION),
                    (ann.create("parlour", start={long: "1"}), Code.FAILED_PRECONDITION),
                    (ann.get(long), Code.NOT_FOUND),
                ):
                    failure = await failing(call)
                    assert failure.code is code
                    assert failure.reason
                    size = len(failure.message) + sum(map(len, failure.metadata.values()))
                    assert size < 2_000

    run(scenario())


def test_a_play_stream_goes_on_after_a_failure(dsn):
    """Each failed request is told with the status of the unary call."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            ann = room.players[0]
            play = ann.tables.Play(metadata=ann.metadata, timeout=60)
            missing = str(uuid4())
            requests = [
                (pb.PlayRequest(), 3),
                (pb.PlayRequest(submit={}), 3),
                (pb.PlayRequest(submit={"request_id": "a", "table_id": missing}), 3),
                (pb.PlayRequest(start={"request_id": "b", "table_id": missing}), 5),
                (pb.PlayRequest(watch={"table_id": missing}), 5),
                (pb.PlayRequest(watch={"table_id": room.table, "after_version": -1}), 3),
                (pb.PlayRequest(watch={"table_id": room.table, "after_version": 2**62}), 3),
            ]
            for request, code in requests:
                await play.write(request)
                answer = await play.read()
                assert answer.failed.status.code == code, request
            await play.write(pb.PlayRequest(unwatch={"table_id": missing}))
            await play.write(pb.PlayRequest(start={"request_id": "c", "table_id": room.table}))
            assert (await play.read()).WhichOneof("response") == "started"
            await play.done_writing()
            assert await play.read() is grpc.aio.EOF

    run(scenario())
