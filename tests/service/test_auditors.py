"""Every look with an auditor's eyes is recorded before anything is shown, and told."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import psycopg
import pytest

from engine.games import GAMES
from service.identity import LAB_ISSUER, Role
from service.pb import export_service_pb2 as xp
from service.pb import replay_service_pb2 as pb
from tests.audit.looking import audited
from tests.service.harness import Client, Running, failing, run, running, unmoved
from tests.service.parlour_room import Room
from tests.service.played import seated
from tests.service.surfaces import replayed, state_at, whole
from tests.service.test_clocks import until
from tests.transparency.serving import signing


async def accesses(client: Client, table: str, size: int = 0) -> list[Any]:
    """All accesses to a table, page by page."""
    found: list[Any] = []
    token = ""
    while True:
        request = pb.ListAccessesRequest(table_id=table, page_size=size, page_token=token)
        page = await client.call(client.replay.ListAccesses, request)
        found += [each.looked for each in page.accesses]
        token = page.next_page_token
        if not token:
            return found


async def exported(client: Client, table: str = "") -> list[xp.ExportCommitsResponse]:
    request = xp.ExportCommitsRequest(table_id=table)
    call = client.exports.ExportCommits(request, metadata=client.metadata, timeout=60)
    return [message async for message in call]


@contextmanager
def standing_index(admin_dsn: str) -> Iterator[None]:
    """The index of hands does not get on inside."""
    with psycopg.connect(admin_dsn) as db:
        db.execute("SELECT FROM kartejo.progress WHERE consumer = 'hands' FOR UPDATE")
        yield


async def one_hand(service: Running) -> Room:
    room = await Room.open(service)
    await room.start()
    await room.play_out()
    return room


def test_every_look_of_an_auditor_is_recorded_once_and_told(dsn: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with signing(dsn, tmp_path) as service:
            room = await one_hand(service)
            carol = service.client("carol", Role.AUDITOR)
            last = (await room.state(0)).version
            before = await service.commits()
            assert await replayed(carol, room.table, 1, auditor=True)
            await state_at(carol, room.table, last, seat=1)
            await whole(carol, room.table, auditor=True)
            await exported(carol, room.table)
            await exported(carol)
            assert await service.commits() == before + 5
            found = await accesses(room.players[1], room.table)
            told = [(a.surface, a.eyes, a.hand, a.first_version, a.last_version) for a in found]
            hand = (await carol.call(carol.replay.ListHands, hands_of(room))).hands[0]
            assert told == [
                ("ReplayHand", "auditor", 1, hand.first_version, hand.last_version),
                ("GetStateAt", "seat 1", 0, last - 1, last),
                ("ReplayTable", "auditor", 0, 0, last),
                ("ExportCommits", "complete", 0, 0, last),
                ("ExportCommits", "complete", 0, 0, before + 4),
            ]
            assert [a.table for a in found] == [room.table] * 4 + [""]
            assert len({a.reader for a in found}) == 1
            assert found[0].reader
            assert await accesses(room.players[1], room.table, 2) == found

    run(scenario())


def hands_of(room: Room) -> pb.ListHandsRequest:
    return pb.ListHandsRequest(table_id=room.table)


def test_other_eyes_and_refused_ones_leave_no_record(dsn: str) -> None:
    """One's own, an observer's, those of the laboratory; and who is refused has seen nothing."""

    async def scenario() -> None:
        async with running(dsn) as service:
            room = await one_hand(service)
            ann = room.players[0]
            carol = service.client("carol", Role.AUDITOR)
            playing = service.client("ann", Role.AUDITOR)
            version = (await room.state(0)).version
            async with unmoved(service, ann, room.table):
                await replayed(ann, room.table, 1)
                await state_at(ann, room.table, version)
                await whole(ann, room.table)
                for viewer in ({}, {"observer": True}):
                    await replayed(carol, room.table, 1, **viewer)
                    await whole(carol, room.table, **viewer)
                for caller in (ann, playing):
                    for call in (
                        state_at(caller, room.table, version, auditor=True),
                        whole(caller, room.table, auditor=True),
                        replayed(caller, room.table, 1, seat=1),
                        exported(caller, room.table),
                    ):
                        error = await failing(call)
                        assert error.code is grpc.StatusCode.PERMISSION_DENIED
            assert not await accesses(ann, room.table)

    run(scenario())


def test_who_may_have_a_complete_export(dsn: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with signing(dsn, tmp_path) as service:
            played = await seated(service, "palace_poker")
            await played.hands(1)
            denied = grpc.StatusCode.PERMISSION_DENIED
            for caller in (
                service.client("host", Role.HOST, Role.ADMIN),
                service.client("palace_poker 1", Role.AUDITOR),
            ):
                assert (await failing(exported(caller, played.table))).code is denied
            player = service.client("palace_poker 1", Role.AUDITOR)
            lab = service.client("teacher", Role.AUDITOR, issuer=LAB_ISSUER)
            await until(lambda: is_indexed(player))
            for caller in (player, lab):
                assert (await failing(exported(caller))).code is denied
            other = await seated(service, "royal_flush")
            messages = await exported(player, other.table)
            assert messages[-1].note
            assert (await failing(exported(lab, other.table))).reason == "NOT_FOUND"
            assert (await failing(exported(player, "no-table"))).reason == "NOT_FOUND"

    run(scenario())


async def is_indexed(player: Client) -> bool:
    """Whether the index of hands knows what a player was dealt in."""
    request = pb.ListPlayedHandsRequest()
    return bool((await player.call(player.replay.ListPlayedHands, request)).hands)


def test_what_cannot_be_recorded_is_not_shown(dsn: str, admin_dsn: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with signing(dsn, tmp_path) as service:
            room = await one_hand(service)
            carol = service.client("carol", Role.AUDITOR)
            version = (await room.state(0)).version
            with psycopg.connect(admin_dsn, autocommit=True) as db:
                db.execute("ALTER FUNCTION kartejo.append RENAME TO appended")
                for call in (
                    replayed(carol, room.table, 1, auditor=True),
                    state_at(carol, room.table, version, auditor=True),
                    whole(carol, room.table, auditor=True),
                    exported(carol, room.table),
                    exported(carol),
                ):
                    assert (await failing(call)).code is grpc.StatusCode.UNAVAILABLE
                assert await whole(room.players[0], room.table)
                db.execute("ALTER FUNCTION kartejo.appended RENAME TO append")
            assert await replayed(carol, room.table, 1, auditor=True)

    run(scenario())


def test_looks_at_the_same_time_are_all_recorded(dsn: str) -> None:
    async def scenario() -> None:
        async with running(dsn) as service:
            room = await one_hand(service)
            readers = [service.client(f"auditor {n}", Role.AUDITOR) for n in range(8)]
            await asyncio.gather(*(whole(each, room.table, auditor=True) for each in readers))
            found = await accesses(room.players[0], room.table, 3)
            assert len({each.reader for each in found}) == len(found) == 8

    run(scenario())


def test_nobody_hears_of_accesses_to_a_table_that_is_not_his_to_know(dsn: str) -> None:
    async def scenario() -> None:
        async with running(dsn) as service:
            room = await one_hand(service)
            elsewhere = service.client("eve", table="00000000-0000-8000-8000-000000000000")
            assert (await failing(accesses(elsewhere, room.table))).reason == "NOT_FOUND"
            request = pb.ListAccessesRequest(table_id=room.table, page_token="AAAA")
            ann = room.players[0]
            assert (await failing(ann.call(ann.replay.ListAccesses, request))).field == "page_token"

    run(scenario())


@pytest.mark.parametrize("game", GAMES)
def test_a_table_is_replayed_as_its_watchers_saw_it(dsn: str, game: str) -> None:
    """Every player, and an observer: the same events, byte for byte, in the same commits."""

    async def scenario() -> None:
        async with running(dsn) as service:
            played = await seated(service, game)
            await played.hands(1)
            for caller in (*played.players, service.client("observer")):
                watched = [m for m in await caller.watched(played.table) if m.events]
                steps = await whole(caller, played.table)
                assert len(steps) == len(watched)
                for step, message in zip(steps, watched, strict=True):
                    assert step.version == message.version
                    assert step.record_time == message.record_time
                    told = [each.SerializeToString(deterministic=True) for each in step.events]
                    seen = [each.SerializeToString(deterministic=True) for each in message.events]
                    assert told == seen

    run(scenario())


def test_accesses_are_part_of_what_an_audit_looks_at(
    dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> str:
        async with signing(dsn, tmp_path) as service:
            room = await one_hand(service)
            carol = service.client("carol", Role.AUDITOR)
            await whole(carol, room.table, auditor=True)
            await exported(carol)
            return room.table

    table = run(scenario())
    result = audited(dsn, monkeypatch).result
    assert result.count.streams == 3
    assert {str(each.stream) for each in result.findings} <= {table}


def test_who_has_just_begun_to_play_gets_no_copy_of_the_store(
    dsn: str, admin_dsn: str, tmp_path: Path
) -> None:
    """The index of hands is behind the log: what it does not know yet is no permission."""

    async def scenario() -> None:
        async with signing(dsn, tmp_path) as service:
            room = await Room.open(service)
            player = service.client("ann", Role.PLAYER, Role.AUDITOR)
            assert await exported(player)
            with standing_index(admin_dsn):
                await room.start()
                before = await service.commits()
                fault = await failing(exported(player))
                assert fault.code is grpc.StatusCode.UNAVAILABLE
                assert await service.commits() == before
            fault = await failing(exported(player))
            assert fault.code is grpc.StatusCode.PERMISSION_DENIED

    run(scenario())
