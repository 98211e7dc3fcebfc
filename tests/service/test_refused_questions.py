"""Questions that must fail: lists, replays, positions, decks, and bytes that are no message."""

from __future__ import annotations

import base64
from hashlib import sha256
from typing import Any
from uuid import UUID, uuid4

import grpc

from engine.actions import CloseTable, LeaveSeat, TakeSeat
from engine.games.royal_flush.actions import StartGame
from engine.kernel import HOST
from service.identity import Role
from service.pb import lab_service_pb2 as lab
from service.pb import replay_service_pb2 as old
from service.pb import table_service_pb2 as pb
from tests.parlour.actions import Keep, StartHand
from tests.service.harness import Client, Failure, Running, failing, run, running, unmoved
from tests.service.parlour_room import Room, lab_parlour
from tests.service.test_refused_actions import told

Code = grpc.StatusCode
BAD = ("INVALID_ARGUMENT", "MALFORMED")


def test_pages_have_bounds_and_tokens_of_their_own(dsn):
    """AIP-158: sizes 0 to 200; a token fits the question it came with and nothing else."""

    async def scenario():
        async with running(dsn) as service:
            ann = service.client("ann")
            tables = {(await ann.create("parlour")).table.table_id for _ in range(5)}

            async def page(**fields: Any) -> Any:
                return await ann.call(ann.tables.ListTables, pb.ListTablesRequest(**fields))

            while len((await page()).tables) < 5:
                pass
            listed: list[str] = []
            token = ""
            while True:
                answer = await page(page_size=2, page_token=token)
                listed += [table.table_id for table in answer.tables]
                token = answer.next_page_token or token
                if not answer.next_page_token:
                    break
            assert sorted(listed) == sorted(tables)
            for size in (-1, 201, 2**31 - 1, -(2**31)):
                failure = await failing(page(page_size=size))
                assert told(failure) == (*BAD, "page_size")
            foreign = base64.urlsafe_b64encode(b"123456" + b"x" * 36).decode()
            question = sha256(b"tables  False").digest()[:6]
            made_up = base64.urlsafe_b64encode(question + b"9" * 40).decode()
            far = base64.urlsafe_b64encode(question + f"{10**29} {UUID(int=7)}".encode()).decode()
            for wrong in ("x", "☃", "=", foreign, made_up, far, token[:-4], "A" * 50_000):
                failure = await failing(page(page_token=wrong))
                assert told(failure) == (*BAD, "page_token"), wrong[:40]
            for other in ({"game": "parlour"}, {"include_closed": True}):
                failure = await failing(page(page_token=token, **other))
                assert told(failure) == (*BAD, "page_token")
            no_game = await failing(page(game="whist"))
            assert told(no_game) == ("NOT_FOUND", "NOT_FOUND", "")

    run(scenario())


def test_questions_about_the_past_have_bounds(dsn):
    """Hands and versions that are not there, tokens made up, at every edge of 64 bits."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            await room.start()
            state = await room.play_out()
            ann, table = room.players[0], room.table

            async def hands(**fields: Any) -> Any:
                request = old.ListHandsRequest(table_id=table, **fields)
                return await ann.call(ann.replay.ListHands, request)

            async def replay(hand: int, **viewer: Any) -> list[Any]:
                request = old.ReplayHandRequest(table_id=table, hand=hand, viewer=viewer)
                call = ann.replay.ReplayHand(request, metadata=ann.metadata, timeout=60)
                return [step async for step in call]

            async def at(version: int, **viewer: Any) -> Any:
                request = old.GetStateAtRequest(table_id=table, version=version, viewer=viewer)
                return await ann.call(ann.replay.GetStateAt, request)

            async with unmoved(service, ann, table):
                mark = sha256(f"hands {table}".encode()).digest()[:6]
                for last in (b"9" * 40, b"-1", b"x", "٣".encode(), b"\xff"):
                    token = base64.urlsafe_b64encode(mark + last).decode()
                    failure = await failing(hands(page_token=token))
                    assert told(failure) == (*BAD, "page_token"), last
                assert told(await failing(hands(page_size=201))) == (*BAD, "page_size")

                async def played(**fields: Any) -> Any:
                    request = old.ListPlayedHandsRequest(player=me, **fields)
                    return await admin.call(admin.replay.ListPlayedHands, request)

                admin, me = service.client("boss", Role.ADMIN), str(UUID(int=5))
                mark = sha256(f"played {me}".encode()).digest()[:6]
                place = f"1 {UUID(int=7)} 1 0"
                for last in ("", "x", place[1:], "-" + place, "٣" + place, place + " ", "9" * 30):
                    token = base64.urlsafe_b64encode(mark + last.encode()).decode()
                    assert told(await failing(played(page_token=token))) == (*BAD, "page_token")
                token = base64.urlsafe_b64encode(mark + place.encode()).decode()
                assert not (await played(page_token=token)).hands
                assert told(await failing(played(page_size=201))) == (*BAD, "page_size")
                for hand in (0, 2, -1, 2**63 - 1, -(2**63)):
                    failure = await failing(replay(hand))
                    assert told(failure) == ("NOT_FOUND", "NOT_FOUND", ""), hand
                for version in (0, -1, state.version + 1, 2**63 - 1, -(2**63)):
                    failure = await failing(at(version))
                    assert told(failure) == (*BAD, "version"), version
                inside = await failing(at(2))
                assert told(inside) == (*BAD, "version")
                auditor = service.client("carl", Role.AUDITOR)
                for seat in (-1, 30, 2**31 - 1, -(2**31)):
                    request = old.GetStateAtRequest(
                        table_id=table, version=state.version, viewer={"seat": seat}
                    )
                    failure = await failing(auditor.call(auditor.replay.GetStateAt, request))
                    assert told(failure) == (*BAD, "viewer.seat"), seat
                for word in ("observer", "auditor"):
                    failure = await failing(at(state.version, **{word: False}))
                    assert told(failure) == (*BAD, f"viewer.{word}")

    run(scenario())


def test_a_watch_begins_where_a_commit_ends(dsn):
    """Versions inside a commit, negative ones and those to come are refused with their field."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            state = await room.start()
            ann = room.players[0]
            ends = {message.version for message in await ann.watched(room.table)}
            assert state.version in ends
            for version in range(-1, state.version + 2):
                if version in ends or version == 0:
                    await ann.watched(room.table, version)
                else:
                    failure = await failing(ann.watched(room.table, version))
                    assert told(failure) == (*BAD, "after_version"), version
            for version in (2**63 - 1, -(2**63)):
                failure = await failing(ann.watched(room.table, version))
                assert told(failure) == (*BAD, "after_version")

    run(scenario())


POSITIONS = (
    "",
    "phase",
    "phase NOWHERE",
    "\x00",
    "phase LOBBY\nphase LOBBY",
    "phase LOBBY\ntally 1 2",
    "phase LOBBY\nstacks 0=99999999999999999999",
    "phase LOBBY\nstacks 0=-1",
    "phase DEAL\nround 1\nstock 2c",
    "☃ ☃",
    "pile 1\npile 2",
    "x" * 60_000,
)


def test_a_position_that_cannot_be_is_malformed(dsn):
    async def scenario():
        async with running(dsn) as service:
            teacher = service.lab()
            table = await solitaire(teacher)
            async with unmoved(service, teacher, table):
                for position in POSITIONS:
                    failure = await failing(place(teacher, table, position))
                    assert told(failure) == (*BAD, "position"), position

    run(scenario())


def test_a_position_with_endless_hands_ends_in_no_fault(dsn):
    """Numbers that no column holds are refused, and not first when they are stored."""

    async def scenario():
        async with running(dsn) as service:
            teacher = service.lab()
            for tally in (2**31 - 2, 2**31, 2**63 - 2, 2**63 - 1):
                table = await solitaire(teacher)
                await teacher.lab_act(table, 0, TakeSeat("ann", 5))
                await teacher.lab_act(table, HOST, StartGame())
                await teacher.lab_act(table, 0, LeaveSeat())
                look = lab.LookRequest(table_id=table, viewer={"auditor": True})
                text = (await teacher.call(teacher.lab.Look, look)).state.text
                assert "tally 0 0 1" in text
                text = text.replace("tally 0 0 1", f"tally {tally} {tally} {tally}")
                try:
                    await place(teacher, table, text)
                    await teacher.lab_act(table, 0, TakeSeat("ann", 5))
                    await teacher.lab_act(table, HOST, StartGame())
                except grpc.aio.AioRpcError as error:
                    failure = Failure(error)
                    assert failure.code in {Code.INVALID_ARGUMENT, Code.RESOURCE_EXHAUSTED}, tally
                await teacher.get(table)

    run(scenario())


def test_decks_are_different_cards(dsn):
    async def scenario():
        async with running(dsn) as service:
            teacher, room = await lab_parlour(service, ())
            async with unmoved(service, teacher, room.table):
                for cards in ([0], [53], [2**32 - 1], [7, 7], list(range(1, 54))):
                    request = lab.StackDeckRequest(request_id="r", table_id=room.table, cards=cards)
                    failure = await failing(teacher.call(teacher.lab.StackDeck, request))
                    assert told(failure) == (*BAD, "cards")

    run(scenario())


def test_a_lab_action_of_another_game_or_seat_is_malformed(dsn):
    async def scenario():
        async with running(dsn) as service:
            teacher = service.lab()
            table = await solitaire(teacher)
            async with unmoved(service, teacher, table):
                for seat, action in ((0, Keep()), (HOST, StartHand())):
                    foreign = await failing(teacher.lab_act(table, seat, action))
                    assert told(foreign) == (*BAD, "action")
                for seat, action in ((0, StartGame()), (-1, TakeSeat("a", 1)), (-2, StartGame())):
                    failure = await failing(teacher.lab_act(table, seat, action))
                    assert told(failure) == (*BAD, "seat")
                for seat in (-2, -(2**31), 1, 2**15, 2**31 - 1):
                    failure = await failing(teacher.lab_act(table, seat, TakeSeat("a", 1)))
                    assert failure.code in {Code.INVALID_ARGUMENT, Code.FAILED_PRECONDITION}
                for name in ("a b", "a\nphase CLOSED", "\x00", "x" * 10_000, "0=1"):
                    failure = await failing(teacher.lab_act(table, 0, TakeSeat(name, 1)))
                    assert told(failure) == (*BAD, "action.player"), name[:20]

    run(scenario())


def test_a_closed_lab_table_says_that_it_is_closed(dsn):
    """Also after a restart, when its last epoch is long over."""

    async def closed(service: Running, table: str) -> None:
        teacher = service.lab()
        calls = [
            teacher.lab_act(table, 0, TakeSeat("a", 1)),
            place(teacher, table, "phase LOBBY"),
            teacher.call(
                teacher.lab.StackDeck,
                lab.StackDeckRequest(request_id="r", table_id=table, cards=[1]),
            ),
        ]
        for call in calls:
            failure = await failing(call)
            assert told(failure) == ("FAILED_PRECONDITION", "TABLE_CLOSED", "")

    async def scenario():
        async with running(dsn) as service:
            table = await solitaire(service.lab())
            await service.lab().lab_act(table, HOST, CloseTable())
            await closed(service, table)
        async with running(dsn) as service:
            await closed(service, table)

    run(scenario())


NO_MESSAGES = (
    b"\xff",
    b"\x0a\xff",
    b"\x0a\x02\xff\xfe",
    b"\x22\x02" * 3,
    b"\x0b" * 20_000,
    b"\x22\x80",
)


def test_bytes_that_are_no_message_are_malformed(dsn):
    """Truncated, of wrong types, not UTF-8, nested groups: INVALID_ARGUMENT, never a fault."""

    async def scenario():
        async with running(dsn) as service:
            metadata = service.client("ann").metadata
            async with grpc.aio.insecure_channel(service.address) as channel:
                path = "/kartejo.v1.TableService/"
                for raw in NO_MESSAGES:
                    for method in ("SubmitAction", "CreateTable", "GetTable"):
                        call = channel.unary_unary(path + method)
                        failure = await failing(call(raw, metadata=metadata, timeout=5))
                        assert told(failure) == (*BAD, "request"), raw[:8]
                    watch = channel.unary_stream(path + "WatchTable")
                    failure = await failing(watch(raw, metadata=metadata, timeout=5).read())
                    assert told(failure) == (*BAD, "request"), raw[:8]
                    play = channel.stream_stream(path + "Play")(metadata=metadata, timeout=5)
                    await play.write(raw)
                    assert told(await failing(play.read())) == (*BAD, "request"), raw[:8]
                    nobody = await failing(channel.unary_unary(path + "GetTable")(raw, timeout=5))
                    assert nobody.code is Code.UNAUTHENTICATED

    run(scenario())


async def solitaire(teacher: Client) -> str:
    request = lab.OpenLabTableRequest(request_id=uuid4().hex, game="royal_flush")
    return (await teacher.call(teacher.lab.OpenLabTable, request)).table_id


async def place(teacher: Client, table: str, position: str) -> Any:
    request = lab.SetPositionRequest(request_id=uuid4().hex, table_id=table, position=position)
    return await teacher.call(teacher.lab.SetPosition, request)
