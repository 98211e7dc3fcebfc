"""Accounts over the API: whose, how much, what happened to them."""

from __future__ import annotations

from uuid import UUID

from engine.errors import Malformed
from service.client.connection import Client, request_id
from service.pb import account_service_pb2 as pb

__all__ = ["changes", "credit", "debit", "entries", "owner_of", "show"]

PAGE = 200


def owner_of(name: str | None) -> pb.AccountOwner:
    """A player's opaque id, or the subject that the operator knows him by; None: the caller.

    Raises ``Malformed`` for an empty text: it is the variable of a script that was not set, and
    not the caller.

    >>> owner_of("ann").subject, owner_of(None).WhichOneof("owner")
    ('ann', None)
    """
    if name is None:
        return pb.AccountOwner()
    if not name:
        raise Malformed("name", "expected a name or an id, not an empty text")
    try:
        return pb.AccountOwner(player=str(UUID(name)))
    except ValueError:
        return pb.AccountOwner(subject=name)


async def show(client: Client, owner: pb.AccountOwner) -> pb.Account:
    """The account as it stands."""
    request = pb.GetAccountRequest(owner=owner)
    return (await client.call(client.accounts.GetAccount, request)).account


async def credit(client: Client, owner: pb.AccountOwner, amount: int, note: str) -> pb.Account:
    """Chips from outside; the account after it."""
    request = pb.CreditAccountRequest(
        request_id=request_id(), owner=owner, amount=amount, note=note
    )
    return (await client.call(client.accounts.CreditAccount, request)).account


async def debit(client: Client, owner: pb.AccountOwner, amount: int, note: str) -> pb.Account:
    """Chips to outside; the account after it."""
    request = pb.DebitAccountRequest(request_id=request_id(), owner=owner, amount=amount, note=note)
    return (await client.call(client.accounts.DebitAccount, request)).account


async def entries(client: Client, owner: pb.AccountOwner) -> list[pb.AccountEntry]:
    """Everything that happened to the account, in the order of the service."""
    found: list[pb.AccountEntry] = []
    token = ""
    while True:
        request = pb.ListEntriesRequest(owner=owner, page_size=PAGE, page_token=token)
        page = await client.call(client.accounts.ListEntries, request)
        found += page.entries
        token = page.next_page_token
        if not token:
            return found


async def changes(
    client: Client, owner: pb.AccountOwner, table_id: str, most: int
) -> list[pb.AccountChange]:
    """The newest lines of the account's ledger, of one table or of all (empty)."""
    found: list[pb.AccountChange] = []
    token = ""
    while True:
        request = pb.ListChangesRequest(
            owner=owner,
            table_id=table_id,
            page_size=min(PAGE, most - len(found)),
            page_token=token,
        )
        page = await client.call(client.accounts.ListChanges, request)
        found += page.changes
        token = page.next_page_token
        if not token or len(found) >= most:
            return found
