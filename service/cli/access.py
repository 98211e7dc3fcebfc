"""``kartejo access``: who looked at a table with an auditor's eyes."""

from __future__ import annotations

from typing import Annotated

import typer

from service.cli.loop import run_async
from service.cli.options import Address, AsJson, Certificate, Data, TokenFile, Where

__all__ = ["command"]


def command(
    table: Annotated[str, typer.Argument(help="The table's id.")],
    as_json: AsJson = False,
    address: Address = None,
    token_file: TokenFile = None,
    certificate: Certificate = None,
    data: Data = None,
) -> None:
    """Tell who looked at the hidden cards of a table, and when.

    Every look of an auditor is recorded before anything is shown to him; copies of the whole
    store are looks at every table. Whoever may see the table may see this.

    Examples
      kartejo access 5e1d…
      kartejo access 5e1d… --json | jq '.[].reader'
    """
    run_async(_list(Where(address, token_file, certificate, data), table, as_json=as_json))


async def _list(where: Where, table: str, *, as_json: bool) -> None:
    from service.cli.console import Output, moment, print_json
    from service.client.records import accesses
    from service.exports.decoded import fields_of

    async with where.client() as client:
        found = await accesses(client, table)
    if as_json:
        told = [{"at": moment(each.record_time), **fields_of(each.looked)} for each in found]
        print_json(told)
        return
    out = Output()
    if not found:
        out.print("Nobody has looked at this table with an auditor's eyes.")
    for each in found:
        looked = each.looked
        who = looked.reader or "the operator"
        what = f"hand {looked.hand}" if looked.hand else "the table"
        if not looked.table:
            what = "the whole store"
        out.print(
            f"{moment(each.record_time)}  {who}  {what} as {looked.eyes} ({looked.surface})",
            markup=False,
        )
