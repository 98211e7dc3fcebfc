"""AuditService over gRPC: every commit is proved, to whoever may ask."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from engine.actions import AddChips
from service.host.accounts import account_stream
from service.identity import LAB_ISSUER, Role
from service.pb import audit_service_pb2 as pb
from service.store.leases import SIGNER
from service.transparency.checkpoint import Checkpoint
from service.transparency.merkle import Frontier, verify_consistency, verify_inclusion
from tests.service.harness import failing, run, running
from tests.service.parlour_room import Room
from tests.service.test_accounts import Bank
from tests.transparency.growing import KEY, secrets_in
from tests.transparency.naive import mth
from tests.transparency.serving import (
    checkpoint,
    consistency,
    covered,
    inclusion,
    refused,
    signing,
)

MUCH = 2**63 - 1


def test_every_commit_is_included_and_every_checkpoint_continues_the_last(
    dsn: str, tmp_path: Path
) -> None:
    async def scenario() -> None:
        async with signing(dsn, secrets_in(tmp_path / "s")) as service:
            eve, auditor = service.client("eve"), service.client("carl", Role.AUDITOR)
            assert await refused(eve.call(eve.audits.GetCheckpoint, pb.GetCheckpointRequest())) == (
                "NOT_FOUND",
                "",
            )
            room = await Room.open(service)
            first = await covered(service, eve)
            await room.start()
            await room.play_out()
            last = await covered(service, eve)
            assert 0 < first.size < last.size == await service.store.position()
            listed = await auditor.call(auditor.audits.ListLeaves, pb.ListLeavesRequest())
            leaves = list(listed.commit_hashes)
            assert Frontier().extended(leaves).root() == mth(leaves) == last.root
            for size in {first.size, last.size}:
                for index in range(size):
                    proof = await inclusion(eve, leaf_index=index, tree_size=size)
                    assert (proof.leaf_index, proof.tree_size) == (index, size)
                    assert proof.commit_hash == leaves[index]
                    root = first.root if size == first.size else last.root
                    verify_inclusion(proof.commit_hash, index, size, proof.hashes, root)
            answer = await consistency(eve, first.size)
            assert answer.tree_size == last.size
            verify_consistency(first.size, last.size, answer.hashes, first.root, last.root)
            assert list((await consistency(eve, last.size, last.size)).hashes) == []
            # A player asks for what he knows: the table, and a version that he has seen.
            head = (await room.host.get(room.table)).state.version
            for version in range(1, head + 1):
                place = pb.CommitPlace(table_id=room.table, version=version)
                proof = await inclusion(room.host, commit=place)
                verify_inclusion(
                    proof.commit_hash, proof.leaf_index, last.size, proof.hashes, last.root
                )
                (commit,) = await service.store.read(UUID(room.table), version - 1, 1)
                assert commit.hash == proof.commit_hash
                assert commit.version - commit.count < version <= commit.version

    run(scenario())


def test_checkpoints_are_listed_in_pages_newest_first(dsn: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with signing(dsn, secrets_in(tmp_path / "s")) as service:
            eve = service.client("eve")
            room = await Room.open(service)
            sizes = [(await covered(service, eve)).size]
            for _ in range(2):
                await room.host.act(room.table, 0, AddChips(1))
                sizes.append((await covered(service, eve)).size)
            found: list[pb.Checkpoint] = []
            token = ""
            while True:
                request = pb.ListCheckpointsRequest(page_size=2, page_token=token)
                page = await eve.call(eve.audits.ListCheckpoints, request)
                assert len(page.checkpoints) <= 2
                found += page.checkpoints
                if not (token := page.next_page_token):
                    break
            assert [each.number for each in found] == list(range(len(found), 0, -1))
            assert set(sizes) <= {each.tree_size for each in found}
            for each in found:
                Checkpoint.opened(each.note, KEY.verifier)
            # The oldest that covers so many.
            assert (await checkpoint(eve, sizes[0])).size <= sizes[0]
            assert (await checkpoint(eve, 1)).size == found[-1].tree_size
            for request in (
                pb.ListCheckpointsRequest(page_size=201),
                pb.ListCheckpointsRequest(page_token="x"),
            ):
                assert (await refused(eve.call(eve.audits.ListCheckpoints, request)))[0] == (
                    "MALFORMED"
                )

    run(scenario())


def test_the_log_key_is_told_and_belongs_to_the_notes(dsn: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with signing(dsn, secrets_in(tmp_path / "s")) as service:
            eve = service.client("eve")
            told = await eve.call(eve.audits.GetLogKey, pb.GetLogKeyRequest())
            assert (told.origin, told.public_key) == (KEY.verifier.name, KEY.verifier.public)
            assert told.verifier_key == KEY.verifier.told()

    run(scenario())


def test_who_may_ask_for_what(dsn: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with signing(dsn, secrets_in(tmp_path / "s")) as service:
            room = await Room.open(service)
            bank = Bank(service, service.client("house", Role.HOST))
            ann = (await bank.credit("ann", 100)).player
            await covered(service, room.host)
            account = pb.CommitPlace(player=ann, version=1)
            found = await inclusion(service.client("ann"), commit=account)
            head = await service.store.head(account_stream(UUID(ann)))
            assert head is not None
            assert head[1] == found.commit_hash
            for role in (Role.AUDITOR, Role.ADMIN):
                await inclusion(service.client("carl", role), commit=account)
            for who in (service.client("eve"), service.client("house", Role.HOST)):
                assert (await refused(inclusion(who, commit=account)))[0] == "PERMISSION_DENIED"
            leaves = pb.ListLeavesRequest()
            for who in (service.client("eve"), service.client("house", Role.HOST)):
                call = who.call(who.audits.ListLeaves, leaves)
                assert (await refused(call))[0] == "PERMISSION_DENIED"
            # Of the laboratory, and limited to another table: neither may know of this one.
            table = pb.CommitPlace(table_id=room.table, version=1)
            other = service.client("bot", table=str(uuid4()))
            for who in (service.lab(), other):
                assert (await refused(inclusion(who, commit=table)))[0] == "NOT_FOUND"
            assert (await refused(inclusion(other, commit=account)))[0] == "PERMISSION_DENIED"
            lab = service.client("teacher", Role.ADMIN, issuer=LAB_ISSUER)
            assert (await refused(inclusion(lab, commit=account)))[0] == "PERMISSION_DENIED"
            nobody = service.with_token(None)
            call = nobody.call(nobody.audits.GetCheckpoint, pb.GetCheckpointRequest())
            assert (await failing(call)).reason.startswith("TOKEN")

    run(scenario())


def test_what_makes_no_sense_is_refused_with_its_field(dsn: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with signing(dsn, secrets_in(tmp_path / "s")) as service:
            eve = service.client("carl", Role.AUDITOR)
            room = await Room.open(service)
            size = (await covered(service, eve)).size
            table = room.table

            def place(**fields: Any) -> dict[str, Any]:
                return {"commit": pb.CommitPlace(**fields)}

            def leaves(**fields: Any) -> Any:
                return eve.call(eve.audits.ListLeaves, pb.ListLeavesRequest(**fields))

            def least(number: int) -> Any:
                request = pb.GetCheckpointRequest(least_size=number)
                return eve.call(eve.audits.GetCheckpoint, request)

            for call, reason, field in (
                (inclusion(eve), "MALFORMED", "which"),
                (inclusion(eve, leaf_index=-1), "MALFORMED", "which"),
                (inclusion(eve, leaf_index=size), "MALFORMED", "which"),
                (inclusion(eve, leaf_index=0, tree_size=-1), "MALFORMED", "tree_size"),
                (inclusion(eve, leaf_index=0, tree_size=MUCH), "MALFORMED", "tree_size"),
                (inclusion(eve, leaf_index=2, tree_size=2), "MALFORMED", "which"),
                (inclusion(eve, **place(version=1)), "MALFORMED", "commit.stream"),
                (inclusion(eve, **place(table_id=table)), "MALFORMED", "commit.version"),
                (
                    inclusion(eve, **place(table_id=table, version=MUCH)),
                    "MALFORMED",
                    "commit.version",
                ),
                (inclusion(eve, **place(table_id="x", version=1)), "NOT_FOUND", ""),
                (inclusion(eve, **place(table_id=str(uuid4()), version=1)), "NOT_FOUND", ""),
                (inclusion(eve, **place(table_id=table, version=10**6)), "NOT_FOUND", ""),
                (inclusion(eve, **place(player="x", version=1)), "NOT_FOUND", ""),
                (inclusion(eve, **place(player=str(uuid4()), version=1)), "NOT_FOUND", ""),
                (consistency(eve, 0), "MALFORMED", "old_size"),
                (consistency(eve, -1), "MALFORMED", "old_size"),
                (consistency(eve, size + 1), "MALFORMED", "old_size"),
                (consistency(eve, 1, size + 1), "MALFORMED", "tree_size"),
                (leaves(first_index=-1), "MALFORMED", "first_index"),
                (leaves(page_size=1_001), "MALFORMED", "page_size"),
                (leaves(page_size=-1), "MALFORMED", "page_size"),
                (least(-1), "MALFORMED", "least_size"),
                (least(size + 1), "NOT_FOUND", ""),
            ):
                assert await refused(call) == (reason, field)
            assert list((await leaves(first_index=size)).commit_hashes) == []
            assert list((await leaves(first_index=MUCH)).commit_hashes) == []
            assert len((await leaves(first_index=1, page_size=2)).commit_hashes) == 2

    run(scenario())


def test_a_commit_that_no_checkpoint_covers_yet_is_worth_another_try(
    dsn: str, tmp_path: Path
) -> None:
    async def scenario() -> None:
        async with signing(dsn, secrets_in(tmp_path / "s")) as service:
            room = await Room.open(service)
            await covered(service, room.host)
            assert service.server.signer is not None
            service.server.signer._seconds = 3_600
            await asyncio.sleep(1.1)  # the look that is due yet
            answer = await room.host.act(room.table, 0, AddChips(1))
            place = pb.CommitPlace(table_id=room.table, version=answer.state.version)
            failure = await failing(inclusion(room.host, commit=place))
            assert (failure.reason, failure.retry_ms) == ("UNAVAILABLE", 2_000)
            last = await covered(service, room.host)
            proof = await inclusion(room.host, commit=place)
            verify_inclusion(
                proof.commit_hash, proof.leaf_index, last.size, proof.hashes, last.root
            )

    run(scenario())


def test_a_service_that_signs_nothing_says_so(dsn: str) -> None:
    async def scenario() -> None:
        async with running(dsn) as service:
            eve = service.client("eve")
            await Room.open(service)
            for call in (
                eve.call(eve.audits.GetLogKey, pb.GetLogKeyRequest()),
                eve.call(eve.audits.GetCheckpoint, pb.GetCheckpointRequest()),
                inclusion(eve, leaf_index=0),
                consistency(eve, 1),
            ):
                assert await refused(call) == ("NOT_FOUND", "")

    run(scenario())


def test_two_services_sign_one_series_and_one_goes_on_without_the_other(
    dsn: str, tmp_path: Path
) -> None:
    """Under load, and while the one that signs is shut down."""

    async def scenario() -> None:
        folder = secrets_in(tmp_path / "s")
        async with signing(dsn, folder) as here:
            room = await Room.open(here)
            eve = here.client("eve")
            async with signing(dsn, folder) as there:
                first = await covered(here, eve)
                assert first == await checkpoint(there.client("eve"), first.size)
                for chips in range(20):
                    await room.host.act(room.table, 0, AddChips(chips + 1))
                second = await covered(here, eve)
                signers = [here.server.signer, there.server.signer]
                assert all(signers)
                # Let the one that leaves be the one that signs.
                mine, other = here.server.signer, there.server.signer
                assert mine is not None
                assert other is not None
                assert mine.records.refused == other.records.refused == 0
                await mine._leases.release([SIGNER])
                await other._leases.claim([SIGNER])
            await room.host.act(room.table, 0, AddChips(1))
            third = await covered(here, eve)
            for old, new in ((first, second), (second, third)):
                assert old.size < new.size
                proof = await consistency(eve, old.size, new.size)
                verify_consistency(old.size, new.size, proof.hashes, old.root, new.root)

    run(scenario())
