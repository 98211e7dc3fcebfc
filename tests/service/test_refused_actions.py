"""Actions that must fail: a precise status, its reason and field, and nothing has moved."""

from __future__ import annotations

from typing import Any

import grpc
import pytest
from google.protobuf.any_pb2 import Any as AnyMessage

from engine.actions import AddChips, CloseTable, LeaveSeat, OpenTable, SitIn, TakeSeat, TimeOut
from engine.games.royal_flush.actions import DealPiles, SearchPile, StartGame
from service.pb import games_pb2
from service.pb import table_service_pb2 as pb
from tests.parlour.actions import Keep, StartHand, Swap
from tests.service.harness import CODEC, Failure, failing, run, running, unmoved
from tests.service.parlour_room import Room, view_of

Code = grpc.StatusCode
HUGE = 2**63 - 1
LOW = -(2**63)


def told(failure: Failure) -> tuple[str, str, str]:
    """Code, reason and field in one line of a test."""
    return failure.code.name, failure.reason, failure.field


async def submit(client: Any, **fields: Any) -> Failure:
    return await failing(client.call(client.tables.SubmitAction, pb.SubmitActionRequest(**fields)))


def test_a_request_that_makes_no_sense_names_its_field(dsn):
    """Malformed input is INVALID_ARGUMENT with the field, before any rule is asked."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            await room.start()
            ann, table = room.players[0], room.table
            keep = CODEC.action_to_wire(Keep())
            good = {"request_id": "r", "table_id": table, "seat": 0, "action": keep}
            unknown = AnyMessage(type_url="type.googleapis.com/other.Game", value=b"\x08\x01")
            broken = AnyMessage()
            broken.CopyFrom(keep.extension)
            broken.value = b"\x0a\x7f"
            cases: list[tuple[dict[str, Any], tuple[str, str, str]]] = [
                ({}, ("INVALID_ARGUMENT", "MALFORMED", "action")),
                ({"action": None}, ("INVALID_ARGUMENT", "MALFORMED", "action")),
                (
                    {"action": games_pb2.Action(common={})},
                    ("INVALID_ARGUMENT", "MALFORMED", "action.common"),
                ),
                (
                    {"action": games_pb2.Action(royal_flush={})},
                    ("INVALID_ARGUMENT", "MALFORMED", "action.royal_flush"),
                ),
                (
                    {"action": games_pb2.Action(extension=unknown)},
                    ("INVALID_ARGUMENT", "MALFORMED", "action"),
                ),
                (
                    {"action": games_pb2.Action(extension=broken)},
                    ("INVALID_ARGUMENT", "MALFORMED", "action"),
                ),
                (
                    {"action": CODEC.action_to_wire(DealPiles())},
                    ("INVALID_ARGUMENT", "MALFORMED", "action"),
                ),
                ({"seat": -1}, ("INVALID_ARGUMENT", "MALFORMED", "seat")),
                ({"seat": -(2**31)}, ("INVALID_ARGUMENT", "MALFORMED", "seat")),
                ({"request_id": ""}, ("INVALID_ARGUMENT", "MALFORMED", "request_id")),
                ({"request_id": "x" * 65}, ("INVALID_ARGUMENT", "MALFORMED", "request_id")),
                ({"request_id": "x" * 50_000}, ("INVALID_ARGUMENT", "MALFORMED", "request_id")),
            ]
            async with unmoved(service, ann, table):
                for change, expected in cases:
                    fields = {**good, **change} if change else {}
                    failure = await submit(ann, **fields)
                    assert told(failure) == expected, change

    run(scenario())


def test_a_request_id_may_be_any_text_of_1_to_64_characters(dsn):
    """Also one that is not ASCII; it is hashed and never stored."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            ann = room.players[0]
            for request_id in ("ŝ" * 64, "\x00", "😀" * 64):
                answer = await ann.act(room.table, 0, AddChips(1), request_id=request_id)
                again = await ann.act(room.table, 0, AddChips(1), request_id=request_id)
                assert answer.request_id == request_id
                assert again == answer

    run(scenario())


@pytest.mark.parametrize(
    "table_id",
    ["", "x", "\x00", "0" * 32, "☃", "5d1f0a52-0000-4000-8000-000000000001", "9" * 5_000, "../1"],
)
def test_a_table_that_is_not_there_is_not_found(dsn, table_id):
    """Garbage and unknown ids answer alike, through every call that names a table."""

    async def scenario():
        async with running(dsn) as service:
            ann = service.client("ann")
            action = CODEC.action_to_wire(Keep())
            failures = [
                await submit(ann, request_id="r", table_id=table_id, action=action),
                await failing(ann.get(table_id)),
                await failing(ann.start(table_id)),
                await failing(
                    ann.call(
                        ann.tables.CloseTable,
                        pb.CloseTableRequest(request_id="r", table_id=table_id),
                    )
                ),
                await failing(ann.watched(table_id)),
            ]
            assert {told(failure) for failure in failures} == {("NOT_FOUND", "NOT_FOUND", "")}
            assert len({failure.message for failure in failures}) == 1

    run(scenario())


def test_a_table_has_one_name_only(dsn):
    """Other spellings of the same id are no ids of ours."""

    async def scenario():
        async with running(dsn) as service:
            ann = service.client("ann")
            table = (await ann.create("parlour")).table.table_id
            for other in (
                table.upper(),
                f"{{{table}}}",
                f"urn:uuid:{table}",
                table.replace("-", ""),
                f" {table}",
            ):
                assert (await failing(ann.get(other))).code is Code.NOT_FOUND, other

    run(scenario())


def test_actions_of_the_host_do_not_come_through_a_seat(dsn):
    """Starting, closing, opening and timing out are not a player's."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            state = await room.start()
            ann = room.players[0]
            async with unmoved(service, ann, room.table):
                for action in (
                    StartHand(),
                    TimeOut(),
                    CloseTable(),
                    OpenTable({}, {}),
                    StartGame(),
                ):
                    failure = await failing(ann.act(room.table, 0, action, state))
                    assert told(failure) == ("PERMISSION_DENIED", "PERMISSION_DENIED", ""), action

    run(scenario())


def test_numbers_at_the_edge_of_64_bits_are_refused_by_their_rule(dsn):
    """No number of a request overflows anything."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service, ("ann",))
            ann = room.players[0]
            bob = service.client("bob")
            async with unmoved(service, ann, room.table):
                for seat in (2, 29, 30, 63, 2**15, 2**31 - 1):
                    failure = await failing(bob.act(room.table, seat, TakeSeat("", 5)))
                    assert told(failure) == ("FAILED_PRECONDITION", "SEAT_OUT_OF_RANGE", ""), seat
                    failure = await failing(ann.act(room.table, seat, LeaveSeat()))
                    assert told(failure) == ("FAILED_PRECONDITION", "NOT_SEATED", ""), seat
                for chips, reason in ((HUGE, "BAD_PARAMETER"), (LOW, "BAD_PARAMETER")):
                    failure = await failing(bob.act(room.table, 1, TakeSeat("", chips)))
                    assert told(failure) == ("FAILED_PRECONDITION", reason, "")
                for amount, reason in (
                    (HUGE, "BUY_IN_OUT_OF_RANGE"),
                    (LOW, "BAD_PARAMETER"),
                    (0, "BAD_PARAMETER"),
                    (None, "BAD_PARAMETER"),
                ):
                    failure = await failing(ann.act(room.table, 0, AddChips(amount)))
                    assert told(failure) == ("FAILED_PRECONDITION", reason, "")
                bare = await failing(bob.act(room.table, 1, TakeSeat("", None)))
                assert told(bare) == ("FAILED_PRECONDITION", "BAD_PARAMETER", "")
            made = await ann.create("royal_flush")
            solitaire = made.table.table_id
            await ann.act(solitaire, 0, TakeSeat("", HUGE))
            state = (await ann.start(solitaire)).state
            await ann.act(solitaire, 0, DealPiles(), state)
            state = (await ann.get(solitaire)).state
            async with unmoved(service, ann, solitaire):
                for pile in (HUGE, LOW, 6):
                    failure = await failing(ann.act(solitaire, 0, SearchPile(pile), state))
                    assert failure.code is Code.FAILED_PRECONDITION, pile

    run(scenario())


def test_a_turn_action_answers_the_decision_that_runs(dsn):
    """Missing, old and future decisions never land elsewhere (design 7)."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            first = await room.start()
            (seat,) = first.decision.seats
            ann = room.players[seat]
            await ann.act(room.table, seat, Keep(), first)
            now = (await ann.get(room.table)).state.decision
            other = room.players[now.seats[0]]
            table = room.table
            async with unmoved(service, ann, table):
                none = await failing(other.act(table, now.seats[0], Keep()))
                assert told(none) == ("INVALID_ARGUMENT", "MALFORMED", "hand")
                half = await failing(other.act(table, now.seats[0], Keep(), hand=now.hand))
                assert told(half) == ("INVALID_ARGUMENT", "MALFORMED", "decision")
                for hand, number in (
                    (now.hand, now.number - 1),
                    (now.hand, now.number + 1),
                    (now.hand + 1, now.number),
                    (now.hand - 1, now.number),
                    (HUGE, HUGE),
                    (LOW, LOW),
                    (0, 0),
                ):
                    stale = await failing(
                        other.act(table, now.seats[0], Keep(), hand=hand, decision=number)
                    )
                    assert told(stale) == ("ABORTED", "STALE_DECISION", ""), (hand, number)

    run(scenario())


def test_a_decision_that_is_over_is_stale_though_no_other_runs(dsn):
    """After the hand has ended, and before there was one: ABORTED, not a word of the rules."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            early = await failing(room.players[0].act(room.table, 0, Keep(), hand=1, decision=1))
            assert told(early) == ("ABORTED", "STALE_DECISION", "")
            last = await room.start()
            while last.HasField("decision"):
                (seat,) = last.decision.seats
                answered = last
                last = (await room.players[seat].act(room.table, seat, Keep(), last)).state
            async with unmoved(service, room.players[seat], room.table):
                twice = await failing(room.players[seat].act(room.table, seat, Keep(), answered))
                assert told(twice) == ("ABORTED", "STALE_DECISION", "")

    run(scenario())


def test_what_the_rules_refuse_is_refused_with_their_word(dsn):
    """Out of turn, not held, no such seat, between hands: FAILED_PRECONDITION and the reason."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            for named in ({}, {"hand": 0, "decision": 0}):
                early = await failing(room.players[0].act(room.table, 0, Keep(), **named))
                assert told(early) == ("FAILED_PRECONDITION", "WRONG_PHASE", "")
            state = await room.start()
            (seat,) = state.decision.seats
            waiting, acting = room.players[1 - seat], room.players[seat]
            mine = [card for hand in _hands(await room.state(seat), seat) for card in hand]
            foreign = next(card for card in range(1, 53) if card not in mine)
            async with unmoved(service, acting, room.table):
                turn = await failing(waiting.act(room.table, 1 - seat, Keep(), state))
                assert told(turn) == ("FAILED_PRECONDITION", "NOT_YOUR_TURN", "")
                for cards, reason in (
                    ((foreign,), "CARD_NOT_HELD"),
                    ((), "INVALID_CARD"),
                    ((0,), "INVALID_CARD"),
                    ((53,), "INVALID_CARD"),
                    ((2**32 - 1,), "INVALID_CARD"),
                    (tuple(mine), "INVALID_CARD"),
                ):
                    failure = await failing(acting.act(room.table, seat, Swap(cards), state))
                    assert told(failure) == ("FAILED_PRECONDITION", reason, ""), cards
                again = await failing(room.host.start(room.table))
                assert told(again) == ("FAILED_PRECONDITION", "WRONG_PHASE", "")
                not_out = await failing(acting.act(room.table, seat, SitIn()))
                assert told(not_out) == ("FAILED_PRECONDITION", "NOT_OUT", "")

    run(scenario())


def _hands(state: pb.TableState, seat: int) -> list[tuple[int, ...]]:
    view = view_of(state)
    return [hand for at, hand in zip(view.order, view.hands, strict=True) if at == seat]


def test_somebody_elses_seat_is_out_of_reach(dsn):
    """Whatever the action; and nobody starts or closes a table that is not his."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            state = await room.start()
            eve = service.client("eve")
            async with unmoved(service, eve, room.table):
                for action in (Keep(), LeaveSeat(), AddChips(1), SitIn()):
                    failure = await failing(eve.act(room.table, 0, action, state))
                    assert told(failure) == ("PERMISSION_DENIED", "PERMISSION_DENIED", "")
                    failure = await failing(room.players[1].act(room.table, 0, action, state))
                    assert failure.code is Code.PERMISSION_DENIED
                taken = await failing(eve.act(room.table, 0, TakeSeat("", 9)))
                assert told(taken) == ("FAILED_PRECONDITION", "SEAT_TAKEN", "")
                for call in (
                    eve.start(room.table),
                    eve.call(
                        eve.tables.CloseTable,
                        pb.CloseTableRequest(request_id="r", table_id=room.table),
                    ),
                ):
                    assert (await failing(call)).code is Code.PERMISSION_DENIED

    run(scenario())


def test_a_repeat_is_answered_and_other_content_is_not(dsn):
    """One id, one request, whichever call it comes through."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            ann, table = room.players[0], room.table
            first = await ann.act(table, 0, AddChips(3), request_id="one")
            started = await ann.start(table, request_id="two")
            async with unmoved(service, ann, table):
                assert await ann.act(table, 0, AddChips(3), request_id="one") == first
                assert (await ann.start(table, request_id="two")).events == started.events
                for call in (
                    ann.act(table, 0, AddChips(4), request_id="one"),
                    ann.act(table, 1, AddChips(3), request_id="one"),
                    ann.act(table, 0, AddChips(3), request_id="one", hand=1),
                    ann.act(table, 0, AddChips(3), request_id="two"),
                    ann.start(table, request_id="one"),
                ):
                    failure = await failing(call)
                    assert told(failure) == ("ALREADY_EXISTS", "REQUEST_ID_REUSED", "")

    run(scenario())
