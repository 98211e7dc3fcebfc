"""Accounts: credit and debit, buying in and cashing out as one group with the seat's event."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import grpc

from engine.actions import AddChips, LeaveSeat, TakeSeat
from service.identity import LAB_ISSUER, Role
from service.pb import account_service_pb2 as pb
from service.pb import lab_service_pb2
from tests.parlour.actions import Keep
from tests.service.harness import Client, Running, failing, names, run, running

HOUSE = {"purse": "account"}


class Bank:
    """The account calls of a caller."""

    def __init__(self, service: Running, client: Client) -> None:
        self._client = client
        self._stub = client.accounts

    async def credit(self, subject: str, amount: int, **fields: Any) -> Any:
        fields.setdefault("request_id", uuid4().hex)
        owner = pb.AccountOwner(subject=subject)
        request = pb.CreditAccountRequest(owner=owner, amount=amount, **fields)
        return (await self._client.call(self._stub.CreditAccount, request)).account

    async def debit(self, subject: str, amount: int, **fields: Any) -> Any:
        fields.setdefault("request_id", uuid4().hex)
        owner = pb.AccountOwner(subject=subject)
        request = pb.DebitAccountRequest(owner=owner, amount=amount, **fields)
        return (await self._client.call(self._stub.DebitAccount, request)).account

    async def balance(self, **owner: str) -> int:
        request = pb.GetAccountRequest(owner=pb.AccountOwner(**owner))
        return (await self._client.call(self._stub.GetAccount, request)).account.balance

    async def entries(self, size: int = 0, token: str = "", **owner: str) -> Any:
        request = pb.ListEntriesRequest(
            owner=pb.AccountOwner(**owner), page_size=size, page_token=token
        )
        return await self._client.call(self._stub.ListEntries, request)


def test_nobody_is_credited_who_never_was_here(dsn):
    """A player id that stands for nobody is a typing error: its chips would be lost."""

    async def scenario():
        async with running(dsn) as service:
            bank = Bank(service, service.client("house", Role.HOST))
            for call in (bank.balance(player=str(uuid4())), bank.entries(player=str(uuid4()))):
                assert (await failing(call)).code is grpc.StatusCode.NOT_FOUND
            ann = await bank.credit("ann", 100)
            request = pb.CreditAccountRequest(
                request_id="r", owner={"player": str(uuid4())}, amount=100
            )
            client = service.client("house", Role.HOST)
            refused = await failing(client.call(client.accounts.CreditAccount, request))
            assert refused.code is grpc.StatusCode.NOT_FOUND
            request.owner.player = ann.player
            given = await client.call(client.accounts.CreditAccount, request)
            assert given.account.balance == 200

    run(scenario())


def test_credit_and_debit_by_a_host(dsn):
    """Balances by replay; repeats once; beyond the balance nothing happens."""

    async def scenario():
        async with running(dsn) as service:
            host = Bank(service, service.client("house", Role.HOST))
            one = await host.credit("ann", 100, request_id="c", note="welcome")
            two = await host.credit("ann", 100, request_id="c", note="welcome")
            assert one == two
            assert one.balance == 100
            other = await failing(host.credit("ann", 101, request_id="c"))
            assert other.reason == "REQUEST_ID_REUSED"
            assert (await host.debit("ann", 30)).balance == 70
            short = await failing(host.debit("ann", 71))
            assert (short.code, short.reason) == (
                grpc.StatusCode.FAILED_PRECONDITION,
                "INSUFFICIENT_CHIPS",
            )
            for amount in (0, -1, 2**63 - 1):
                wrong = await failing(host.credit("ann", amount))
                assert wrong.reason == "BAD_PARAMETER"
            long = await failing(host.credit("ann", 1, note="x" * 201))
            assert (long.reason, long.metadata["field"]) == ("BAD_PARAMETER", "note")
        async with running(dsn) as service:
            ann = Bank(service, service.client("ann"))
            assert await ann.balance() == 70
            first = await ann.entries(size=1)
            rest = await ann.entries(token=first.next_page_token)
            lines = [*first.entries, *rest.entries]
            assert [line.balance for line in lines] == [100, 70]
            assert lines[0].event.credited.note == "welcome"

    run(scenario())


def test_only_hosts_see_and_change_the_accounts_of_others(dsn):
    """A player sees his own; a lab token and a seat's token none."""

    async def scenario():
        async with running(dsn) as service:
            host = Bank(service, service.client("house", Role.HOST))
            await host.credit("ann", 5)
            bob = Bank(service, service.client("bob"))
            for call in (bob.balance(subject="ann"), bob.credit("bob", 5), bob.debit("ann", 1)):
                assert (await failing(call)).code is grpc.StatusCode.PERMISSION_DENIED
            lab = Bank(service, service.client("t", Role.ADMIN, issuer=LAB_ISSUER))
            assert (await failing(lab.balance())).code is grpc.StatusCode.PERMISSION_DENIED
            assert await bob.balance() == 0

    run(scenario())


def test_chips_move_between_account_and_seat_in_one_group(dsn):
    """Buying in, adding, cashing out: the sum of account and table never changes."""

    async def scenario():
        async with running(dsn) as service:
            host = Bank(service, service.client("house", Role.HOST))
            await host.credit("ann", 100)
            ann = service.client("ann")
            bank = Bank(service, ann)
            made = await ann.create("royal_flush", house_options=HOUSE)
            table = made.table.table_id
            poor = await failing(ann.act(table, 0, TakeSeat("", 101)))
            assert poor.reason == "INSUFFICIENT_CHIPS"
            sat = await ann.act(table, 0, TakeSeat("", 60), request_id="sit")
            assert await bank.balance() == 40
            again = await ann.act(table, 0, TakeSeat("", 60), request_id="sit")
            assert again.events == sat.events
            await ann.act(table, 0, AddChips(40), request_id="add")
            assert await bank.balance() == 0
            # Decided anew the account would refuse it; it was accepted before, once.
            await ann.act(table, 0, AddChips(40), request_id="add")
            assert (await failing(ann.act(table, 0, AddChips(1)))).reason == "INSUFFICIENT_CHIPS"
            await ann.act(table, 0, LeaveSeat())
            assert await bank.balance() == 100
            kinds = [line.event.WhichOneof("event") for line in (await bank.entries()).entries]
            assert kinds == ["credited", "bought_in", "bought_in", "cashed_out"]
            commits = await service.store.follow_batches(0).__anext__()
            groups = [commit.group for commit in commits]
            assert sum(groups.count(group) == 2 for group in set(groups)) == 3

    run(scenario())


def test_a_hundred_chips_buy_in_once_however_many_try(dsn):
    """64 simultaneous buy-ins from one purse, over two processes: never overdrawn."""

    async def scenario():
        async with running(dsn) as one, running(dsn) as two:
            host = Bank(one, one.client("house", Role.HOST))
            await host.credit("ann", 100)
            clients = [one.client("ann"), two.client("ann")]
            tables = [
                (await clients[0].create("royal_flush", house_options=HOUSE)).table.table_id
                for _ in range(64)
            ]
            answers = await asyncio.gather(
                *(clients[n % 2].act(table, 0, TakeSeat("", 30)) for n, table in enumerate(tables)),
                return_exceptions=True,
            )
            won = [answer for answer in answers if not isinstance(answer, BaseException)]
            assert len(won) == 3
            lost = {
                (await failing(_raise(answer))).reason
                for answer in answers
                if isinstance(answer, BaseException)
            }
            assert lost == {"INSUFFICIENT_CHIPS"}
            assert await Bank(two, clients[1]).balance() == 10

    run(scenario(), 120)


async def _raise(error: BaseException) -> None:
    raise error


def test_a_leaver_is_paid_inside_somebody_elses_action(dsn):
    """Parlour: he leaves in mid-hand; his stack comes back with the action that ends the hand."""

    async def scenario():
        async with running(dsn) as service:
            host = Bank(service, service.client("house", Role.HOST))
            players = [service.client(name) for name in ("ann", "bob")]
            for name in ("ann", "bob"):
                await host.credit(name, 50)
            made = await players[0].create("parlour", options={"seats": "2"}, house_options=HOUSE)
            table = made.table.table_id
            for seat, player in enumerate(players):
                await player.act(table, seat, TakeSeat("", 50))
            state = (await players[0].start(table)).state
            waiting = 1 - state.decision.seats[0]
            left = await players[waiting].act(table, waiting, LeaveSeat())
            assert names(left.events) == ["SeatLeaving"]
            bank = Bank(service, players[waiting])
            assert await bank.balance() == 0
            acting = 1 - waiting
            ended = await players[acting].act(table, acting, Keep(), state)
            assert "SeatLeft" in names(ended.events)
            assert await bank.balance() == 49
            assert "cashed_out" in [
                line.event.WhichOneof("event") for line in (await bank.entries()).entries
            ]

    run(scenario())


def test_a_lab_table_has_no_purse(dsn):
    """Its chips are nobody's."""

    async def scenario():
        async with running(dsn) as service:
            teacher = service.lab()
            wrong = await failing(
                teacher.call(
                    teacher.lab.OpenLabTable,
                    lab_service_pb2.OpenLabTableRequest(
                        request_id="r", game="royal_flush", house_options=HOUSE
                    ),
                )
            )
            assert (wrong.reason, wrong.metadata["option"]) == ("INVALID_OPTIONS", "purse")

    run(scenario())
