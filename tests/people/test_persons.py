"""Profiles: whose they are, who sees what, and notes that only their owner's key opens."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import grpc
import psycopg

from engine.actions import TakeSeat
from service.identity import LAB_ISSUER, Role
from service.pb import account_service_pb2 as accounts_pb
from service.pb import person_service_pb2 as pb
from service.store.people import People
from tests.service.harness import Client, failing, run, running
from tests.service.test_accounts import Bank
from tests.service.test_auditors import standing_index

Code = grpc.StatusCode


async def profile(client: Client, **person: str) -> Any:
    request = pb.GetProfileRequest(person=pb.Person(**person))
    return (await client.call(client.persons.GetProfile, request)).profile


async def change(client: Client, name: str, contact: str = "", **person: str) -> Any:
    request = pb.SetProfileRequest(person=pb.Person(**person), name=name, contact=contact)
    return (await client.call(client.persons.SetProfile, request)).profile


async def names(client: Client, *players: str) -> dict[str, str]:
    answer = await client.call(client.persons.ListNames, pb.ListNamesRequest(players=players))
    return {each.player: each.name for each in answer.names}


async def erase(client: Client, *, force: bool = False, **person: str) -> Any:
    request = pb.ErasePersonRequest(person=pb.Person(**person), force=force)
    return await client.call(client.persons.ErasePerson, request)


def test_a_profile_is_its_owners_and_admins(dsn: str) -> None:
    async def scenario() -> None:
        async with running(dsn) as service:
            ann, bob = service.client("ann"), service.client("bob")
            admin = service.client("root", Role.ADMIN)
            mine = await profile(ann)
            assert (mine.name, mine.contact) == ("", "")
            assert await change(ann, "Ann", "ann@example.org") == await profile(ann)
            assert await profile(admin, subject="ann") == await profile(admin, player=mine.player)
            assert (await profile(ann, player=mine.player)).contact == "ann@example.org"
            other = await profile(bob)
            assert await names(bob, other.player, mine.player) == {mine.player: "Ann"}
            for roles in ((Role.PLAYER,), (Role.HOST,), (Role.AUDITOR,)):
                caller = service.client("eve", *roles)
                for call in (
                    profile(caller, player=mine.player),
                    profile(caller, subject="ann"),
                    change(caller, "Eve", player=mine.player),
                    erase(caller, player=mine.player),
                ):
                    assert (await failing(call)).code is Code.PERMISSION_DENIED
            await change(admin, "Anna", subject="ann")
            assert await profile(ann) == pb.Profile(player=mine.player, name="Anna", contact="")
            table = (await ann.create("royal_flush")).table.table_id
            seat = service.client("ann", table=table, seat=0)
            teacher = service.client("teacher", Role.ADMIN, issuer=LAB_ISSUER)
            for caller in (seat, teacher):
                assert (await failing(profile(caller))).code is Code.PERMISSION_DENIED
            assert await names(seat, mine.player) == {mine.player: "Anna"}

    run(scenario())


def test_whom_nobody_knows(dsn: str) -> None:
    """No row is made for an id or a subject that never came with a token."""

    async def scenario() -> None:
        async with running(dsn) as service:
            admin = service.client("root", Role.ADMIN)
            await profile(admin)
            for person in ({"player": str(uuid4())}, {"player": "x"}, {"subject": "nobody"}):
                for call in (
                    profile(admin, **person),
                    change(admin, "No", **person),
                    erase(admin, **person),
                ):
                    assert (await failing(call)).code is Code.NOT_FOUND
            assert (await failing(erase(admin))).field == "person"
            assert (await failing(profile(admin, subject="Zoë"))).field == "person.subject"
            assert await names(admin, str(uuid4())) == {}
            assert (await failing(names(admin, "x"))).field == "players"
            assert (await failing(names(admin, *[str(uuid4())] * 201))).field == "players"

    run(scenario())
    with psycopg.connect(dsn) as db:
        assert db.execute("SELECT count(*) FROM kartejo.principal").fetchone() == (1,)
        assert db.execute("SELECT count(*) FROM kartejo.person").fetchone() == (0,)


def test_a_bad_name_is_refused_and_changes_nothing(dsn: str) -> None:
    async def scenario() -> None:
        async with running(dsn) as service:
            ann = service.client("ann")
            before = await change(ann, "Ann", "here")
            for name, contact, field in (
                ("A\u202enn", "", "name"),
                ("x" * 41, "", "name"),
                ("Ann", "y" * 201, "contact"),
                ("Ann", "a\nb", "contact"),
            ):
                failure = await failing(change(ann, name, contact))
                assert (failure.code, failure.field) == (Code.INVALID_ARGUMENT, field)
            assert await profile(ann) == before

    run(scenario())


def test_notes_are_sealed_under_a_key_of_the_owner(dsn: str, admin_dsn: str) -> None:
    """Read by who may read the account; stored nowhere in clear; a repeat is the same note."""

    async def scenario() -> None:
        async with running(dsn) as service:
            host = service.client("house", Role.HOST)
            bank = Bank(service, host)
            await bank.credit("ann", 70, note="paid by Ann Lee", request_id="a")
            await bank.credit("ann", 70, note="paid by Ann Lee", request_id="a")
            await bank.debit("ann", 20, note="to Ann Lee's sister")
            await bank.credit("ann", 5)
            ann = service.client("ann")
            entries = (await Bank(service, ann).entries()).entries
            notes = [getattr(each.event, each.event.WhichOneof("event")).note for each in entries]
            assert notes == ["paid by Ann Lee", "to Ann Lee's sister", ""]
            asked = accounts_pb.ListChangesRequest()
            changes = (await ann.call(ann.accounts.ListChanges, asked)).changes
            assert [each.note for each in changes] == notes[::-1]
            assert (await failing(bank.credit("ann", 1, note="x" * 201))).code is (
                Code.FAILED_PRECONDITION
            )
            assert await bank.balance(subject="ann") == 55
            key = await People(service.store.pool).key(UUID((await profile(ann)).player))
            assert key is not None
            assert len(key) == 32

    run(scenario())
    with psycopg.connect(admin_dsn) as db:
        bodies = b"".join(body for (body,) in db.execute("SELECT body FROM kartejo.commit"))
        kept = db.execute("SELECT note FROM kartejo.ledger").fetchall()
    assert b"Ann" not in bodies
    assert not any("Ann" in note for (note,) in kept)
    assert bodies.count(b"sealed:") == 2


def test_who_has_just_sat_down_is_not_erased(dsn: str, admin_dsn: str) -> None:
    """The list of who sits where is behind the log: his chips would be lost."""

    async def scenario() -> None:
        async with running(dsn) as service:
            admin, ann = service.client("root", Role.ADMIN), service.client("ann")
            table = (await admin.create("palace_poker")).table.table_id
            with standing_index(admin_dsn):
                await ann.act(table, 0, TakeSeat("", 1_000))
                fault = await failing(erase(admin, subject="ann"))
                assert fault.code is Code.UNAVAILABLE
            fault = await failing(erase(admin, subject="ann"))
            assert fault.reason == "STILL_SEATED"

    run(scenario())
