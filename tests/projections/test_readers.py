"""What readers see: whole lists while they are made anew, and what was stored a moment ago."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar
from uuid import UUID, uuid4

import grpc
import psycopg
import pytest
from structlog.testing import capture_logs

from service.host.accounts import account_stream
from service.identity import Role
from service.pb import account_service_pb2 as accounts_pb
from service.pb import replay_service_pb2 as replay_pb
from service.projections import runner as module
from service.projections.hand_index import Hands
from service.projections.ledger import Changes
from service.projections.runner import Runner
from service.projections.table_list import TableList
from service.store.commit import Commit
from service.store.progress import standings
from service.store.table_index import TableIndex, TableRow
from service.world import RealWorld
from tests.projections.log import PROJECTIONS, builds, rows_of, served
from tests.projections.test_rebuild import rebuilt, untold
from tests.service.harness import failing, run, running
from tests.service.parlour_room import Room
from tests.service.test_accounts import HOUSE, Bank
from tests.service.test_two_servers import deafen
from tests.store.lines import Line, fast, until


class Newer(TableList):
    """The list of tables by code that says something else of each."""

    REVISION: ClassVar[int] = 2

    def fold(self, known: TableRow | None, commit: Commit) -> TableRow:
        return super().fold(known, commit)._replace(house='{"newer": "yes"}')


def test_readers_see_the_old_rows_or_the_new_ones_and_never_a_part(
    dsn: str, admin_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """New code builds beside the old rows; a list is whole and of one revision at any moment."""
    monkeypatch.setattr(module, "BATCH", 3)

    async def scenario() -> None:
        async with fast(dsn) as store:
            index = TableIndex(store.pool)
            before = await index.page(closed=True)
            assert len(before) == 2
            seen: list[bool] = []
            making = asyncio.ensure_future(
                Runner(RealWorld(), store, Newer(PROJECTIONS.tables._facts)).rebuild(untold)
            )
            while not making.done() or len(seen) < 2 or not seen[-1]:
                rows = await index.page(closed=True)
                assert [row.stream for row in rows] == [row.stream for row in before]
                (newer,) = {"newer" in row.house for row in rows}
                seen.append(newer)
            assert seen == sorted(seen)
            assert not seen[0]
            # Older code leaves the rows of newer code alone, and does not wait for ever.
            old = Runner(RealWorld(), store, PROJECTIONS.tables)
            keeping = asyncio.ensure_future(old.run())
            await asyncio.wait_for(old.caught_up.wait(), 10)
            keeping.cancel()
        assert [(revision, state) for _, revision, state, _ in builds(admin_dsn, "tables")] == [
            (2, "serving")
        ]

    run(scenario())


def test_a_commit_that_cannot_be_read_concerns_its_own_stream_alone(
    dsn: str, admin_dsn: str
) -> None:
    before = rows_of(admin_dsn, "hands")

    async def scenario() -> None:
        async with fast(dsn) as store:
            line = Line()
            for _ in range(2):
                (stored,) = await store.append([line.next()])
                line.took(stored)
            with capture_logs() as logs:
                await rebuilt(store, PROJECTIONS.hands)
            assert [log["version"] for log in logs if log["event"] == "commit_not_projected"] == [
                1,
                2,
            ]
            assert {one.lag for one in await standings(store.pool)} == {0, 2}

    run(scenario())
    assert rows_of(admin_dsn, "hands") == before


def test_what_was_just_stored_is_found_however_far_the_projection_lags(dsn: str) -> None:
    """Hands and changes beyond the index are folded when they are asked for."""

    async def scenario() -> None:
        async with running(dsn) as service:
            await deafen(service)
            bank = Bank(service, service.client("house", Role.HOST))
            await bank.credit("dan", 100)
            room = await Room.open(service, ("dan", "eve"), house={"purse": "free"})
            for _ in range(3):
                await room.start()
                await room.play_out()
            dan = room.players[0]
            request = replay_pb.ListHandsRequest(table_id=room.table, page_size=2)
            first = await dan.call(dan.replay.ListHands, request)
            assert [(hand.hand, hand.over, len(hand.dealt_in)) for hand in first.hands] == [
                (1, True, 2),
                (2, True, 2),
            ]
            assert first.hands[0].game == "parlour"
            request.page_token = first.next_page_token
            assert [
                hand.hand for hand in (await dan.call(dan.replay.ListHands, request)).hands
            ] == [3]
            changes = accounts_pb.ListChangesRequest()
            found = (await dan.call(dan.accounts.ListChanges, changes)).changes
            assert [(one.kind, one.change, one.balance) for one in found] == [
                ("credited", 100, 100)
            ]

    run(scenario())


def test_pages_over_index_and_tail_join_without_a_gap(dsn: str) -> None:
    """Every page size gives the same hands and changes, rows and tail mixed as they may be."""

    async def scenario() -> None:
        async with running(dsn) as service:
            host = service.client("house", Role.HOST)
            room = await Room.open(service, ("ann", "bob"), house=HOUSE)
            await room.start()
            await room.play_out()
            for each in PROJECTIONS:
                await served(service.store, each.NAME, await service.store.position())
            await deafen(service)
            for _ in range(2):
                await room.start()
                await room.play_out()
            await Bank(service, host).credit("ann", 7)
            stream = UUID(room.table)
            hands = Hands(service.store, PROJECTIONS.hands)
            whole = await hands.of_table(stream, 0, 10)
            assert [row.hand for row in whole] == [1, 2, 3]
            for size in (1, 2, 3):
                pages, after = [], 0
                while page := await hands.of_table(stream, after, size):
                    pages += page
                    after = page[-1].hand
                assert pages == whole
            changes = Changes(service.store, PROJECTIONS.ledger)
            ann = account_stream(UUID(whole[0].players[0]))
            listed = await changes.of_account(ann, 200)
            assert [one.version for one in listed] == list(range(len(listed), 0, -1))
            assert listed[0].change == 7
            for size in (1, 3):
                pages, before = [], 2**31 - 1
                while page := await changes.of_account(ann, size, before):
                    pages += page
                    before = page[-1].version
                assert pages == listed
            there = await changes.of_account(ann, 200, table=stream)
            assert there == [one for one in listed if one.at_table == stream]
            assert there

    run(scenario())


def test_who_played_which_hands(dsn: str) -> None:
    """Newest first, in pages; one's own, or as an admin; nobody who was not dealt in."""

    async def scenario() -> None:
        async with running(dsn) as service:
            ann, cid = service.client("ann"), service.client("cid")

            async def played(client: Any, **fields: Any) -> Any:
                request = replay_pb.ListPlayedHandsRequest(**fields)
                return await client.call(client.replay.ListPlayedHands, request)

            mine = (await played(ann)).hands
            assert len(mine) == 5
            times = [one.hand.start_time.ToMicroseconds() for one in mine]
            assert times == sorted(times, reverse=True)
            me = {(one.seat, who.player) for one in mine for who in one.hand.dealt_in}
            token, pages = "", []
            while True:
                page = await played(ann, page_size=2, page_token=token)
                pages += page.hands
                token = page.next_page_token
                if not token:
                    break
            assert pages == list(mine)
            assert len((await played(cid)).hands) == 2
            player = next(who.player for who in mine[0].hand.dealt_in if who.seat == mine[0].seat)
            assert (mine[0].seat, player) in me
            refused = await failing(played(cid, player=player))
            assert refused.code is grpc.StatusCode.PERMISSION_DENIED
            admin = service.client("boss", Role.ADMIN)
            assert (await played(admin, player=player)).hands == mine
            assert not (await played(admin, player=str(uuid4()))).hands
            unknown = await failing(played(admin, player="x"))
            assert unknown.code is grpc.StatusCode.NOT_FOUND

    run(scenario())


def test_the_ledger_is_for_the_owner_and_admins(dsn: str) -> None:
    async def scenario() -> None:
        async with running(dsn) as service:
            request = accounts_pb.ListChangesRequest(owner={"subject": "cid"})
            for client, ok in (
                (service.client("boss", Role.ADMIN), True),
                (service.client("house", Role.HOST), False),
                (service.client("bob"), False),
            ):
                call = client.call(client.accounts.ListChanges, request)
                if ok:
                    assert [one.change for one in (await call).changes][-2:] == [-10, 1_000]
                else:
                    assert (await failing(call)).code is grpc.StatusCode.PERMISSION_DENIED
            bank = Bank(service, service.client("cid"))
            first = await bank.entries(size=1)
            rest = await bank.entries(token=first.next_page_token)
            assert [line.balance for line in (*first.entries, *rest.entries)][:2] == [1_000, 990]

    run(scenario())


def test_a_list_that_was_made_by_the_code_before_is_shown_until_there_is_a_new_one(
    dsn: str, admin_dsn: str
) -> None:
    """As after the migration that brought builds: revision 0 serves."""
    with psycopg.connect(admin_dsn, autocommit=True) as db:
        db.execute("UPDATE kartejo.progress SET revision = 0 WHERE consumer = 'tables'")

    async def scenario() -> None:
        async with running(dsn) as service:
            index = TableIndex(service.store.pool)
            assert len(await index.page(closed=True)) == 2

            async def alone() -> bool:
                return len(builds(admin_dsn, "tables")) == 1

            await until(alone)
            assert len(await index.page(closed=True)) == 2

    run(scenario())
    assert [(number, state) for number, _, state, _ in builds(admin_dsn, "tables")] == [
        (2, "serving")
    ]
