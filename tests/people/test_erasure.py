"""A person who was erased has left no trace: not in a dump, an answer, a log or a data file."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import grpc
import psycopg
import pytest
from structlog.testing import capture_logs

from engine.actions import LeaveSeat
from service.identity import Role
from service.pb import account_service_pb2 as accounts_pb
from service.pb import investigation_service_pb2 as case_pb
from service.pb import replay_service_pb2 as replay_pb
from service.pb import table_service_pb2 as table_pb
from service.store.embedded import EmbeddedServer
from service.transparency.signer import Signing
from tests.audit.looking import audited
from tests.investigation.gathering import Party, indexed
from tests.people.test_persons import change, erase, profile
from tests.projections.log import served
from tests.service.harness import Running, failing, run, running
from tests.service.test_accounts import HOUSE, Bank
from tests.service.test_dump import every_row, pg_dump
from tests.service.tournament_desk import REGISTERING, ask, create, listed, rich
from tests.transparency.growing import KEY
from tests.verify.conftest import complete

SUBJECT = "annabel.lee"
NAME = "Annabél Lee"
CONTACT = "sepulchre by the sea"
NOTE = "for Annabel, by cheque"
NEEDLES = [text.encode() for text in (SUBJECT, NAME, CONTACT, NOTE, "Annabel", "annabel")]


async def life(service: Running) -> str:
    """She comes, is known, plays at two tables with chips of her account, and is paid out."""
    ann = service.client(SUBJECT)
    await change(ann, NAME, CONTACT)
    bank = Bank(service, service.client("house", Role.HOST))
    for name in (SUBJECT, "bob", "cid"):
        await bank.credit(name, 2_000, note=NOTE)
    for game in ("palace_poker", "pontoon"):
        party = await Party.open(service, game, (SUBJECT, "bob", "cid"), house_options=HOUSE)
        await party.play(2)
        await party.leave()
    solitaire = await Party.open(service, "royal_flush", (SUBJECT,))
    await solitaire.play(1)
    await ann.act(solitaire.id, 0, LeaveSeat())
    await bank.debit(SUBJECT, await bank.balance(subject=SUBJECT), note=NOTE)
    await indexed(service)
    return str((await profile(ann)).player)


async def answers(service: Running) -> bytes:
    """What auditors and admins are told of everything that was played."""
    auditor = service.client("carl", Role.AUDITOR)
    told = [
        await auditor.call(auditor.tables.ListTables, table_pb.ListTablesRequest()),
        await auditor.call(auditor.investigations.FindHands, case_pb.FindHandsRequest()),
        await auditor.call(
            auditor.investigations.RankPairs, case_pb.RankPairsRequest(least_hands=1)
        ),
    ]
    for table in told[0].tables:
        hands = replay_pb.ListHandsRequest(table_id=table.table_id)
        told.append(await auditor.call(auditor.replay.ListHands, hands))
        request = replay_pb.ReplayHandRequest(table_id=table.table_id, hand=1)
        call = auditor.replay.ReplayHand(request, metadata=auditor.metadata, timeout=20)
        told += [step async for step in call]
    assert len(told) > 20
    return b"".join(message.SerializeToString() for message in told)


def data_files(home: Path, admin_dsn: str) -> bytes:
    """The database's files as they lie on the disk after a checkpoint."""
    with psycopg.connect(admin_dsn, autocommit=True) as db:
        db.execute("CHECKPOINT")
        (oid,) = db.execute(
            "SELECT oid FROM pg_database WHERE datname = current_database()"
        ).fetchone() or (0,)
    folder = home / "postgres" / "base" / str(oid)
    return b"\n".join(path.read_bytes() for path in folder.iterdir())


def found_in(haystack: bytes) -> list[bytes]:
    return [needle for needle in NEEDLES if needle in haystack]


def test_nothing_is_left_of_a_person(
    dsn: str,
    admin_dsn: str,
    pg: EmbeddedServer,
    caplog: pytest.LogCaptureFixture,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nor in a complete export; and an audit of everything that was played finds nothing."""
    caplog.set_level(logging.DEBUG)

    async def scenario() -> None:
        async with running(dsn, signing=Signing(KEY, tmp_path)) as service:
            player = await life(service)
            before = set(found_in(pg_dump(admin_dsn)))
            assert {SUBJECT.encode(), NAME.encode(), CONTACT.encode()} <= before
            assert NOTE.encode() not in before
            assert found_in(await answers(service)) == []
            admin = service.client("root", Role.ADMIN)
            assert (await erase(admin, subject=SUBJECT)).player == player
            assert found_in(every_row(admin_dsn)) == []
            assert found_in(pg_dump(admin_dsn)) == []
            told = await answers(service)
            assert found_in(told) == []
            assert player.encode() in told
            lines = b"".join(await complete(service.client("eve", Role.AUDITOR)))
            assert player.encode() in lines
            assert found_in(lines) == []

    with capture_logs() as logs:
        run(scenario())
    checked = audited(admin_dsn, monkeypatch).result
    # No key to check signatures with is given to this audit.
    assert [each for each in checked.findings if each.check != "checkpoint"] == []
    assert checked.count.decided > 20
    assert [line["event"] for line in logs if line["event"] == "person_erased"]
    assert found_in(repr(logs).encode() + caplog.text.encode()) == []
    assert found_in((pg.home / "server.log").read_bytes()) == []


def test_data_files_hold_nothing_once_the_tables_are_written_anew(
    dsn: str, admin_dsn: str, pg: EmbeddedServer
) -> None:
    """What docs/operating.md says of files: VACUUM FULL of two tables, then a checkpoint."""

    async def scenario() -> None:
        async with running(dsn) as service:
            await change(service.client(SUBJECT), NAME, CONTACT)
            with psycopg.connect(admin_dsn, autocommit=True) as db:
                db.execute("ANALYZE")
            assert set(found_in(data_files(pg.home, admin_dsn))) >= {NAME.encode()}
            await erase(service.client("root", Role.ADMIN), subject=SUBJECT)
            with psycopg.connect(admin_dsn, autocommit=True) as db:
                db.execute("VACUUM FULL kartejo.person, kartejo.principal")
            assert found_in(data_files(pg.home, admin_dsn)) == []

    run(scenario())


def test_a_token_of_an_erased_person_is_somebody_new(dsn: str) -> None:
    """No chips, no past, and nobody whom the old id would open."""

    async def scenario() -> None:
        async with running(dsn) as service:
            ann = service.client(SUBJECT)
            old = (await change(ann, NAME, CONTACT)).player
            bank = Bank(service, service.client("house", Role.HOST))
            await bank.credit(SUBJECT, 30, note=NOTE)
            admin = service.client("root", Role.ADMIN)
            assert (await erase(admin, player=old, force=True)).balance == 30
            again = await failing(erase(admin, player=old))
            assert again.code is grpc.StatusCode.NOT_FOUND
            assert (await failing(profile(admin, player=old))).code is grpc.StatusCode.NOT_FOUND
            assert (await failing(bank.credit(SUBJECT, 1, request_id=""))).field == "request_id"
            new = await profile(ann)
            assert new.player != old
            assert (new.name, new.contact) == ("", "")
            assert await bank.balance(subject=SUBJECT) == 0
            owner = accounts_pb.CreditAccountRequest(
                request_id="r", owner={"player": old}, amount=1, note=NOTE
            )
            house = service.client("house", Role.HOST)
            lost = await failing(house.call(house.accounts.CreditAccount, owner))
            assert lost.code is grpc.StatusCode.NOT_FOUND

    run(scenario())


def test_who_is_in_a_tournament_is_not_erased_by_the_way(dsn: str) -> None:
    """What he paid is there: it would come back to somebody who is nobody any more."""

    async def scenario() -> None:
        async with running(dsn) as service:
            (player,) = await rich(service, SUBJECT, money=110)
            admin = service.client("root", Role.ADMIN)
            made = await create(service.client("host", Role.HOST))
            await ask(player, "Register", made.tournament_id)
            await listed(player, made.tournament_id, REGISTERING, entries=1)
            entered = await failing(erase(admin, subject=SUBJECT))
            assert (entered.reason, entered.metadata["tournaments"]) == ("STILL_ENTERED", "1")
            await ask(player, "Unregister", made.tournament_id)
            wealthy = await failing(erase(admin, subject=SUBJECT))
            assert wealthy.reason == "STILL_HAS_CHIPS"

    run(scenario())


def test_who_has_chips_or_a_seat_is_not_erased_by_the_way(dsn: str) -> None:
    async def scenario() -> None:
        async with running(dsn) as service:
            bank = Bank(service, service.client("house", Role.HOST))
            admin = service.client("root", Role.ADMIN)
            await bank.credit(SUBJECT, 500)
            rich = await failing(erase(admin, subject=SUBJECT))
            assert (rich.reason, rich.metadata["balance"]) == ("STILL_HAS_CHIPS", "500")
            party = await Party.open(service, "palace_poker", (SUBJECT,), house_options=HOUSE)
            await served(service.store, "hands", await service.store.position())
            seated = await failing(erase(admin, subject=SUBJECT))
            assert (seated.reason, seated.metadata["tables"]) == ("STILL_SEATED", "1")
            await party.leave()
            await bank.debit(SUBJECT, 500)
            await served(service.store, "hands", await service.store.position())
            await erase(admin, subject=SUBJECT)

    run(scenario())


def test_another_process_takes_up_no_trace_of_an_erased_person(dsn: str) -> None:
    """It remembers the id for a minute: what it would write of her is refused."""

    async def scenario() -> None:
        async with running(dsn) as service, running(dsn, tokens=service.tokens) as other:
            here = service.client(SUBJECT)
            there = other.client(SUBJECT)
            old = (await change(there, NAME, CONTACT)).player
            assert (await profile(here)).player == old
            await erase(service.client("root", Role.ADMIN), player=old)
            late: Any = await failing(change(there, NAME, CONTACT))
            assert late.code is grpc.StatusCode.NOT_FOUND
            assert (await profile(here)).player != old

    run(scenario())
