"""AccountService: balances, histories, credit and debit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from engine.account import Account, Credited, Debited, credit, debit
from engine.errors import Denied, Malformed, Unknown
from engine.events import Event
from service.codec import Codec
from service.host.accounts import Accounts, account_stream
from service.host.commands import Command, Digester
from service.identity import ISSUER, IdentityMap, Principal, Role, is_subject
from service.pb import account_service_pb2 as pb
from service.pb.account_service_pb2_grpc import AccountServiceServicer
from service.people.notes import Notes
from service.projections.ledger import Changes
from service.rpc.calls import Calls
from service.rpc.messages import table_id, timestamp
from service.rpc.pages import page_size, page_token, place_of, read_token
from service.store.commit import ActorKind
from service.store.ledger import NEWEST, Change
from service.world import World

__all__ = ["AccountCalls"]


class AccountCalls(AccountServiceServicer):
    """The servicer."""

    def __init__(
        self,
        calls: Calls,
        world: World,
        accounts: Accounts,
        changes: Changes,
        codec: Codec,
        identities: IdentityMap,
        digest_of: Digester,
        notes: Notes,
    ) -> None:
        self._calls = calls
        self._world = world
        self._accounts = accounts
        self._changes = changes
        self._codec = codec
        self._identities = identities
        self._digest_of = digest_of
        self._notes = notes

    async def _owner(
        self,
        caller: Principal,
        owner: pb.AccountOwner,
        others: tuple[Role, ...] = (Role.HOST, Role.ADMIN),
    ) -> UUID:
        """The player a request is about; raises ``Denied`` for somebody else's account.

        Who has one of the roles ``others`` may ask about anybody's.
        """
        caller.require_unlimited()
        if caller.lab:
            raise Denied("the laboratory has no accounts")
        match owner.WhichOneof("owner"):
            case None:
                return caller.id
            case "player":
                try:
                    player = UUID(owner.player)
                except ValueError:
                    raise Unknown("no such player") from None
            case _:
                caller.require(*others)
                if not is_subject(owner.subject):
                    why = "expected 1 to 128 printable ASCII characters"
                    raise Malformed("owner.subject", why)
                return await self._identities.resolve(ISSUER, owner.subject)
        if player != caller.id:
            caller.require(*others)
            # Chips for a typing error would be lost.
            if not await self._identities.is_known(player):
                raise Unknown("no such player")
        return player

    @staticmethod
    def _message(player: UUID, account: Account) -> pb.Account:
        return pb.Account(player=str(player), balance=account.balance, version=account.version)

    async def GetAccount(
        self, request: pb.GetAccountRequest, context: Any
    ) -> pb.GetAccountResponse:
        async def work(caller: Principal) -> pb.GetAccountResponse:
            player = await self._owner(caller, request.owner)
            account = await self._accounts.balance(player)
            return pb.GetAccountResponse(account=self._message(player, account))

        return await self._calls.unary(context, work)

    async def ListEntries(
        self, request: pb.ListEntriesRequest, context: Any
    ) -> pb.ListEntriesResponse:
        async def work(caller: Principal) -> pb.ListEntriesResponse:
            player = await self._owner(caller, request.owner)
            size = page_size(request.page_size)
            question = f"entries {player}"
            last = read_token(question, request.page_token)
            (version,) = (0,) if last is None else place_of(last, 10)
            before = await self._changes.balance_at(account_stream(player), version)
            entries = await self._accounts.entries(player, before, version, size + 1)
            answer = pb.ListEntriesResponse()
            events = await self._in_clear(player, [entry.event for entry in entries[:size]])
            for entry, event in zip(entries[:size], events, strict=True):
                answer.entries.add(
                    version=entry.version,
                    event=self._codec.account_event_to_wire(event),
                    balance=entry.balance,
                    record_time=timestamp(entry.recorded_at),
                )
            if len(entries) > size:
                answer.next_page_token = page_token(question, str(entries[size - 1].version))
            return answer

        return await self._calls.unary(context, work)

    async def ListChanges(
        self, request: pb.ListChangesRequest, context: Any
    ) -> pb.ListChangesResponse:
        async def work(caller: Principal) -> pb.ListChangesResponse:
            player = await self._owner(caller, request.owner, (Role.ADMIN,))
            table = table_id(request.table_id) if request.table_id else None
            size = page_size(request.page_size)
            question = f"changes {player} {request.table_id}"
            last = read_token(question, request.page_token)
            (before,) = (NEWEST,) if last is None else place_of(last, 10)
            stream = account_stream(player)
            changes = await self._changes.of_account(stream, size + 1, before, table)
            shown = changes[:size]
            notes = await self._notes.open(player, [row.note for row in shown])
            rows = [row._replace(note=note) for row, note in zip(shown, notes, strict=True)]
            answer = pb.ListChangesResponse(changes=map(_change, rows))
            if len(changes) > size:
                answer.next_page_token = page_token(question, str(changes[size - 1].version))
            return answer

        return await self._calls.unary(context, work)

    async def CreditAccount(
        self, request: pb.CreditAccountRequest, context: Any
    ) -> pb.CreditAccountResponse:
        async def work(caller: Principal) -> pb.CreditAccountResponse:
            player, command = await self._command(caller, request, b"credit")
            note = await self._notes.seal(player, request.note)

            def decide(now: Account) -> Event:
                return replace(credit(now, request.amount, request.note), note=note)

            account = await self._accounts.run(player, command, decide)
            return pb.CreditAccountResponse(account=self._message(player, account))

        return await self._calls.unary(context, work)

    async def DebitAccount(
        self, request: pb.DebitAccountRequest, context: Any
    ) -> pb.DebitAccountResponse:
        async def work(caller: Principal) -> pb.DebitAccountResponse:
            player, command = await self._command(caller, request, b"debit")
            note = await self._notes.seal(player, request.note)

            def decide(now: Account) -> Event:
                return replace(debit(now, request.amount, request.note), note=note)

            account = await self._accounts.run(player, command, decide)
            return pb.DebitAccountResponse(account=self._message(player, account))

        return await self._calls.unary(context, work)

    async def _in_clear(self, owner: UUID, events: Sequence[Event]) -> list[Event]:
        """Events with their notes as they were written."""
        noted = [event for event in events if isinstance(event, (Credited, Debited))]
        notes = iter(await self._notes.open(owner, [event.note for event in noted]))
        return [
            replace(event, note=next(notes)) if isinstance(event, (Credited, Debited)) else event
            for event in events
        ]

    async def _command(self, caller: Principal, request: Any, label: bytes) -> tuple[UUID, Command]:
        caller.require(Role.HOST, Role.ADMIN)
        player = await self._owner(caller, request.owner)
        content = f"{request.amount} {request.note}".encode()
        digest = self._digest_of(label, player.bytes, content)
        command = Command.of_caller(
            self._world, caller.id, request.request_id, digest, ActorKind.HOST, label.decode()
        )
        return player, command


def _change(row: Change) -> pb.AccountChange:
    return pb.AccountChange(
        version=row.version,
        kind=row.kind,
        change=row.change,
        balance=row.balance,
        table_id="" if row.at_table is None else str(row.at_table),
        seat=row.seat,
        note=row.note,
        record_time=timestamp(row.recorded_at),
    )
