"""Who sees which card, through every surface, at tables of two to four seats.

What a caller may see is worked out here from the rules of Parlour and from who sat where, without
the masks that the service writes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import pytest

from engine import events as c
from engine.actions import LeaveSeat, TakeSeat
from engine.visibility import EVERYONE, Private
from service.identity import Role
from service.pb import lab_service_pb2 as lab
from service.pb import table_service_pb2 as pb
from tests.parlour import events as e
from tests.parlour.actions import Peek, Swap
from tests.service.harness import CODEC, Client, Running, run, running
from tests.service.parlour_room import Room, lab_parlour, lab_start, view_of
from tests.service.surfaces import Answers, events_of, everything, replayed, state_at, states_of

Truth = dict[int, Any]
Seats = dict[int, frozenset[int]]


async def truth_of(service: Running, table: str) -> Truth:
    """Every event in full by version, from the server's own memory."""
    live = await service.server.host.tables.get(UUID(table))
    found: Truth = {}
    async for recorded in service.server.host.tables.stored.history(live):
        for version, event in enumerate(recorded.events, recorded.commit.expected + 1):
            found[version] = event
    return found


def knowers(truth: Truth) -> dict[int, frozenset[int]]:
    """By version: the seats that know the private card of that event, by the rules alone."""
    known: dict[tuple[int, int], set[int]] = {}
    found: dict[int, frozenset[int]] = {}
    for version, event in truth.items():
        match event:
            case e.CardDealt(seat, index):
                known[seat, index] = {seat}
                found[version] = frozenset({seat})
            case e.CardShown(seat, target, index):
                known[target, index].add(seat)
                found[version] = frozenset({seat, target})
            case e.CardDiscarded(seat, index):
                found[version] = frozenset(known[seat, index])
            case e.HouseCardDealt() | c.DeckShuffled() | c.DeckStacked():
                found[version] = frozenset()
            case c.EpochOpened() | c.EpochClosed():
                found[version] = frozenset()
    return found


def seats_held(truth: Truth, player: str) -> Seats:
    """By version: the seats a player holds just after it."""
    held: frozenset[int] = frozenset()
    found: Seats = {}
    for version, event in truth.items():
        if isinstance(event, c.SeatTaken) and event.player == player:
            held |= {event.seat}
        if isinstance(event, c.SeatLeft):
            held -= {event.seat}
        found[version] = held
    return found


def hidden_value(event: Any) -> tuple[str, Private[Any]] | None:
    for name in getattr(type(event), "__dataclass_fields__", {}):
        value = getattr(event, name)
        if isinstance(value, Private):
            return name, value
    return None


def check(answers: Answers, truth: Truth, seats: Mapping[int, frozenset[int]]) -> tuple[int, int]:
    """Compare every event and state with what may be seen; (faces shown, faces hidden)."""
    who = knowers(truth)
    shown = hidden = 0
    for told in events_of(answers):
        event, real = CODEC.event_from_wire(told.event), truth[told.version]
        assert type(event) is type(real)
        private = hidden_value(real)
        if private is None:
            assert event == real
            continue
        name, value = private
        said = getattr(event, name).value
        if seats[told.version] & who[told.version]:
            assert said == value.value
            shown += 1
        else:
            assert not any(said if isinstance(said, (tuple, bytes)) else (said,))
            hidden += 1
    for state in states_of(answers):
        mine = seats[state.version]
        assert set(state.seats) == mine
        view = view_of(state)
        assert not any(view.draw)
        assert not any(view.aside)
        faces = [*(face for hand in view.hands for face in hand), *view.discard]
        for face, mask in zip(faces, (*view.known, *view.discard_known), strict=True):
            may = mask == EVERYONE or any(mask >> seat & 1 for seat in mine)
            assert bool(face) == may
        assert bool(state.offers) == (view.acting in mine)
    return shown, hidden


async def play_hands(room: Room, answers: dict[int, list[Any]]) -> None:
    """Two hands with a peek, swaps and a reshuffle; the second one is left running."""
    seats = range(len(room.players))
    for hand in (1, 2):
        state = await room.start()
        for turn in range(len(seats) * (2 if hand == 1 else 1)):
            state = (await room.host.get(room.table)).state
            (seat,) = state.decision.seats
            player = room.players[seat]
            if turn == 0:
                target = next(other for other in seats if other != seat)
                peeked = await player.act(room.table, seat, Peek(target, 1), state)
                answers[seat].append(peeked)
                state = peeked.state
            view = view_of(await room.state(seat))
            mine = view.hands[view.order.index(seat)]
            answers[seat].append(await player.act(room.table, seat, Swap((mine[1],)), state))


@pytest.mark.parametrize("count", [2, 3, 4])
def test_every_surface_shows_a_viewer_what_he_may_see(dsn, count):
    """Answers, watches live and resumed, Play, replay and states: players and an observer."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service, ["ann", "bob", "cid", "dora"][:count], draw_pile=1)
            answers: dict[int, list[Any]] = {seat: [] for seat in range(count)}
            await play_hands(room, answers)
            truth = await truth_of(service, room.table)
            names = [each.player for each in (await room.host.get(room.table)).table.seats]
            for seat, player in enumerate(room.players):
                found = await everything(player, room.table)
                found["SubmitAction"] = answers[seat]
                shown, hidden = check(found, truth, seats_held(truth, names[seat]))
                assert shown > 20
                assert hidden > 20
            eve = service.client("eve")
            shown, hidden = check(await everything(eve, room.table), truth, seats_held(truth, "-"))
            assert shown == 0
            assert hidden > 50

    run(scenario())


def test_who_sits_down_later_sees_nothing_of_who_sat_there(dsn):
    """A plays, leaves, B takes the seat: each sees his own time there, and only that."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service, ("ann", "bob"))
            ann, table = room.players[0], room.table
            await room.start()
            view = view_of(await room.state(0))
            mine = view.hands[view.order.index(0)]
            state = (await ann.get(table)).state
            if state.decision.seats != [0]:
                await room.turn()
                state = (await ann.get(table)).state
            swap = {"at": state, "request_id": "my swap"}
            first = await ann.act(table, 0, Swap((mine[0],)), **swap)
            await room.play_out()
            before = await everything(ann, table)
            await ann.act(table, 0, LeaveSeat())
            dora = service.client("dora")
            await dora.act(table, 0, TakeSeat("", 50))
            room.players[0] = dora
            await ann.start(table)
            running_state = (await dora.get(table)).state
            assert running_state.seats == [0]
            truth = await truth_of(service, table)
            players = [event.player for event in truth.values() if isinstance(event, c.SeatTaken)]
            for client, player in ((ann, players[0]), (dora, players[2])):
                shown, hidden = check(
                    await everything(client, table), truth, seats_held(truth, player)
                )
                assert shown
                assert hidden
            after = await everything(ann, table)
            assert after["WatchTable"][: len(before["WatchTable"]) - 1] == before["WatchTable"][:-1]
            assert after["GetStateAt"][: len(before["GetStateAt"])] == before["GetStateAt"]
            repeated = await ann.act(table, 0, Swap((mine[0],)), **swap)
            first.state.decision.remaining_ms = 0
            assert repeated == first

    run(scenario())


async def audited(client: Client, table: str, hand: int, **viewer: Any) -> list[pb.TableEvent]:
    return [
        event for step in await replayed(client, table, hand, **viewer) for event in step.events
    ]


def test_an_auditor_sees_closed_epochs_in_full_and_the_running_one_as_an_observer(dsn):
    """Nobody, staff included, sees a live card (trust.md 1.1)."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            await room.start()
            first = await room.play_out()
            await room.start()
            truth = await truth_of(service, room.table)
            auditor = service.client("carl", Role.AUDITOR)
            past = await audited(auditor, room.table, 1, auditor=True)
            for told in past:
                real = hidden_value(truth[told.version])
                if real and not isinstance(truth[told.version], c.EpochOpened):
                    said = getattr(CODEC.event_from_wire(told.event), real[0]).value
                    assert said == real[1].value
            assert any(isinstance(truth[told.version], c.EpochClosed) for told in past)
            state = (await state_at(auditor, room.table, first.version, seat=0)).state
            assert state.text
            for viewer in ({"auditor": True}, {"seat": 0}, {"seat": 1}, {"observer": True}):
                live = {"ReplayHand": await replayed(auditor, room.table, 2, **viewer)}
                shown, hidden = check(live, truth, seats_held(truth, "-"))
                assert (shown, hidden > 3) == (0, True)
            shown, _ = check(await everything(auditor, room.table), truth, seats_held(truth, "-"))
            assert shown == 0

    run(scenario())


@pytest.mark.parametrize("reveal", ["auditor", "public"])
def test_a_secret_is_told_when_its_epoch_is_over_to_whom_it_may_concern(dsn, reveal):
    """EpochClosed.secret is for auditors, or everybody; EpochOpened.wrapped is for nobody."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service, house={"reveal": reveal})
            await room.start()
            await room.play_out()
            auditor = service.client("carl", Role.AUDITOR)
            for client in (*room.players, service.client("eve"), auditor):
                found = await everything(client, room.table)
                for event in (told.event.house for told in events_of(found)):
                    assert not event.epoch_opened.wrapped
                    if event.HasField("epoch_closed"):
                        assert bool(event.epoch_closed.secret) == (reveal == "public")
            told = await audited(auditor, room.table, 1, auditor=True)
            closed = [event.event.house.epoch_closed for event in told]
            assert [len(event.secret) for event in closed if event.epoch] == [32]
            assert not any(event.event.house.epoch_opened.wrapped for event in told)

    run(scenario())


def test_a_lab_admin_looks_with_any_eyes_and_each_sees_his_own(dsn):
    """LabService.Look: seats and observers as everywhere, the auditor everything but secrets."""

    async def scenario():
        async with running(dsn) as service:
            teacher, room = await lab_parlour(service, range(1, 20))
            await lab_start(teacher, room)
            truth = await truth_of(service, room.table)
            names = [each.player for each in (await room.host.get(room.table)).table.seats]
            for viewer, seats in (
                ({"seat": 0}, seats_held(truth, names[0])),
                ({"seat": 1}, seats_held(truth, names[1])),
                ({"observer": True}, seats_held(truth, "-")),
            ):
                request = lab.LookRequest(table_id=room.table, viewer=viewer)
                looked = await teacher.call(teacher.lab.Look, request)
                check({"Look": [looked]}, truth, seats)
            request = lab.LookRequest(table_id=room.table, viewer={"auditor": True})
            looked = await teacher.call(teacher.lab.Look, request)
            assert "??" not in looked.state.text
            assert not any(told.event.house.epoch_opened.wrapped for told in looked.events)

    run(scenario())
