"""``kartejo account``: balances, credit and debit, and what happened to an account."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from service.cli.loop import run_async
from service.cli.options import (
    Address,
    AsJson,
    Certificate,
    Data,
    TokenFile,
    Where,
    help_text,
)

if TYPE_CHECKING:
    from service.pb import account_service_pb2 as pb

__all__ = ["app"]

MAX_AMOUNT: Final = 2**63 - 1

app = typer.Typer(
    no_args_is_help=True,
    help="Players' accounts: chips that are at no table. Tables with the house option "
    "purse=account take chips from them and pay back to them.",
)

Owner = Annotated[
    str,
    typer.Argument(metavar="NAME", help="Whose: the name his token was made for, or his id."),
]
OwnOrOther = Annotated[
    str | None,
    typer.Argument(
        metavar="[NAME]", help="Whose: the name his token was made for, or his id. Default: yours."
    ),
]
Amount = Annotated[int, typer.Argument(min=1, max=MAX_AMOUNT, help="Whole chips.")]
Note = Annotated[str, typer.Option(help="Why, for the account's history; at most 200 characters.")]


def show(
    name: OwnOrOther = None,
    as_json: AsJson = False,
    address: Address = None,
    token_file: TokenFile = None,
    certificate: Certificate = None,
    data: Data = None,
) -> None:
    """Show a balance.

    Somebody else's needs the role host or admin.

    Examples
      kartejo account show ann
      kartejo account show --token-file ann.token
    """

    from service.client import purse

    where = Where(address, token_file, certificate, data)

    async def ask() -> pb.Account:
        async with where.client() as client:
            return await purse.show(client, purse.owner_of(name))

    _tell(run_async(ask()), as_json=as_json)


def credit(
    name: Owner,
    amount: Amount,
    note: Note = "",
    as_json: AsJson = False,
    address: Address = None,
    token_file: TokenFile = None,
    certificate: Certificate = None,
    data: Data = None,
) -> None:
    """Put chips on an account.

    This is how chips enter the house. It needs the role host or admin.

    Examples
      kartejo account credit ann 5000 --note "bought at the desk"
    """
    _move(Where(address, token_file, certificate, data), "credit", name, amount, note, as_json)


def debit(
    name: Owner,
    amount: Amount,
    note: Note = "",
    as_json: AsJson = False,
    address: Address = None,
    token_file: TokenFile = None,
    certificate: Certificate = None,
    data: Data = None,
) -> None:
    """Take chips off an account.

    This is how chips leave the house; never more than the balance. It needs the role host or admin.

    Examples
      kartejo account debit ann 1200 --note "paid out"
    """
    _move(Where(address, token_file, certificate, data), "debit", name, amount, note, as_json)


def entries(
    name: OwnOrOther = None,
    as_json: AsJson = False,
    address: Address = None,
    token_file: TokenFile = None,
    certificate: Certificate = None,
    data: Data = None,
) -> None:
    """List everything that happened to an account, with the balance after each.

    Examples
      kartejo account entries ann
      kartejo account entries ann --json | jq '.[].balance'
    """

    from service.cli.console import Output, moment, print_json
    from service.client import purse

    where = Where(address, token_file, certificate, data)

    async def ask() -> list[pb.AccountEntry]:
        async with where.client() as client:
            return await purse.entries(client, purse.owner_of(name))

    found = run_async(ask())
    if as_json:
        print_json([{**_entry(each), "recorded": moment(each.record_time)} for each in found])
        return
    out = Output()
    if not found:
        out.print("Nothing has happened to this account.")
    for each in found:
        told = _entry(each)
        about = told["note"]
        if told["table"]:
            about = f"table {told['table']}, seat {told['seat']}"
        out.print(
            f"{moment(each.record_time)}  {told['kind']:<10} {told['change']:>+14} "
            f"{each.balance:>14}  {about}",
            markup=False,
        )


def history(
    name: OwnOrOther = None,
    table: Annotated[str, typer.Option(help="Only what this table took or paid.")] = "",
    most: Annotated[int, typer.Option(min=1, max=100_000, help="How many, newest first.")] = 50,
    as_json: AsJson = False,
    address: Address = None,
    token_file: TokenFile = None,
    certificate: Certificate = None,
    data: Data = None,
) -> None:
    """Show the ledger of an account, newest first: every change and the balance after it.

    Somebody else's needs the role admin. [bold]kartejo account entries[/] lists the account's
    events instead, oldest first.

    Examples
      kartejo account history ann
      kartejo account history --table 5e1d… --token-file ann.token
      kartejo account history ann --most 1000 --json | jq 'map(.change) | add'
    """

    from service.cli.console import Output, moment, print_json
    from service.client import purse

    where = Where(address, token_file, certificate, data)

    async def ask() -> list[pb.AccountChange]:
        async with where.client() as client:
            return await purse.changes(client, purse.owner_of(name), table, most)

    found = run_async(ask())
    if as_json:
        print_json([_change(each) for each in found])
        return
    out = Output()
    if not found:
        out.print("Nothing has happened to this account.")
    for each in found:
        about = f"table {each.table_id}, seat {each.seat}" if each.table_id else each.note
        out.print(
            f"{moment(each.record_time)}  {each.kind.replace('_', ' '):<10} {each.change:>+14} "
            f"{each.balance:>14}  {about}",
            markup=False,
        )


def _change(each: pb.AccountChange) -> dict[str, object]:
    from service.cli.console import moment

    return {
        "version": each.version,
        "kind": each.kind.replace("_", " "),
        "change": each.change,
        "balance": each.balance,
        "note": each.note,
        "table": each.table_id,
        "seat": each.seat if each.HasField("seat") else None,
        "recorded": moment(each.record_time),
    }


def _move(where: Where, what: str, name: str, amount: int, note: str, as_json: bool) -> None:

    from engine.errors import Refused
    from service.cli.failures import CommandError
    from service.cli.reasons import plain
    from service.client import purse

    doing = purse.credit if what == "credit" else purse.debit

    async def ask() -> pb.Account:
        async with where.client() as client:
            return await doing(client, purse.owner_of(name), amount, note)

    try:
        account = run_async(ask())
    except Refused as error:
        raise CommandError(error.reason, plain(error)) from None
    _tell(account, as_json=as_json)


def _tell(account: pb.Account, *, as_json: bool) -> None:
    from service.cli.console import print_json
    from service.cli.words import counted

    if as_json:
        told = {"player": account.player, "balance": account.balance, "version": account.version}
        print_json(told)
    else:
        print(counted(account.balance, "chip"))  # noqa: T201


def _entry(entry: pb.AccountEntry) -> dict[str, object]:
    """Kind, change and what goes with them."""
    kind = entry.event.WhichOneof("event") or ""
    event = getattr(entry.event, kind)
    taken = kind in {"debited", "bought_in", "entry_paid"}
    amount = -event.amount if taken else event.amount
    return {
        "kind": kind.replace("_", " "),
        "change": amount,
        "balance": entry.balance,
        "note": getattr(event, "note", ""),
        "table": getattr(event, "table", ""),
        "tournament": getattr(event, "tournament", ""),
        "seat": getattr(event, "seat", None),
    }


for command in (show, credit, debit, entries, history):
    app.command(command.__name__, help=help_text(command))(command)
