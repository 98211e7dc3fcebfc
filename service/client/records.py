"""Reading the past of a table: its hands, their steps, as any viewer the caller may be."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from service.client.connection import Client
from service.pb import common_pb2
from service.pb import export_service_pb2 as export_pb
from service.pb import replay_service_pb2 as pb
from service.pb import table_service_pb2 as table_pb

__all__ = [
    "accesses",
    "complete",
    "get_table",
    "hands",
    "list_tables",
    "parse_viewer",
    "state_at",
    "steps",
    "table_steps",
]

PAGE = 200


def parse_viewer(text: str) -> common_pb2.Viewer:
    """``self``, ``seat N``, ``observer`` or ``auditor``; raises ``ValueError``.

    >>> parse_viewer("seat 2").seat
    2
    """
    match text.split():
        case ["self"]:
            return common_pb2.Viewer()
        case ["observer"]:
            return common_pb2.Viewer(observer=True)
        case ["auditor"]:
            return common_pb2.Viewer(auditor=True)
        case ["seat", number] if number.isdecimal():
            return common_pb2.Viewer(seat=int(number))
        case _:
            raise ValueError(f"a viewer is self, seat N, observer or auditor, not {text!r}")


async def list_tables(
    client: Client,
    game: str = "",
    *,
    include_closed: bool = False,
    with_free_seat: bool = False,
    most: int = PAGE,
) -> list[table_pb.Table]:
    """The newest tables, ``most`` of them."""
    found: list[table_pb.Table] = []
    token = ""
    while True:
        request = table_pb.ListTablesRequest(
            game=game,
            include_closed=include_closed,
            page_size=min(PAGE, most - len(found)),
            page_token=token,
            with_free_seat=with_free_seat,
        )
        page = await client.call(client.tables.ListTables, request)
        found += page.tables
        token = page.next_page_token
        if not token or len(found) >= most:
            return found


async def get_table(client: Client, table_id: str) -> table_pb.GetTableResponse:
    """One table as the caller sees it."""
    request = table_pb.GetTableRequest(table_id=table_id)
    return await client.call(client.tables.GetTable, request)


async def hands(client: Client, table_id: str) -> list[pb.Hand]:
    """All hands of a table, oldest first."""
    found: list[pb.Hand] = []
    token = ""
    while True:
        request = pb.ListHandsRequest(table_id=table_id, page_size=PAGE, page_token=token)
        page = await client.call(client.replays.ListHands, request)
        found += page.hands
        token = page.next_page_token
        if not token:
            return found


def steps(
    client: Client, table_id: str, hand: int, viewer: common_pb2.Viewer
) -> AsyncGenerator[pb.ReplayHandResponse, None]:
    """A hand, commit by commit, with the state after each."""
    request = pb.ReplayHandRequest(table_id=table_id, hand=hand, viewer=viewer)
    return client.stream(client.replays.ReplayHand, request)


def table_steps(
    client: Client, table_id: str, viewer: common_pb2.Viewer
) -> AsyncGenerator[pb.ReplayTableResponse, None]:
    """A table from its beginning to where it stands, commit by commit."""
    request = pb.ReplayTableRequest(table_id=table_id, viewer=viewer)
    return client.stream(client.replays.ReplayTable, request)


async def accesses(client: Client, table_id: str) -> list[pb.Access]:
    """Who looked at a table with an auditor's eyes, oldest first."""
    found: list[pb.Access] = []
    token = ""
    while True:
        request = pb.ListAccessesRequest(table_id=table_id, page_size=PAGE, page_token=token)
        page = await client.call(client.replays.ListAccesses, request)
        found += page.accesses
        token = page.next_page_token
        if not token:
            return found


def complete(
    client: Client, table_id: str
) -> AsyncGenerator[export_pb.ExportCommitsResponse, None]:
    """The commits of a table as they are stored, or of the whole store for an empty id."""
    request = export_pb.ExportCommitsRequest(table_id=table_id)
    return client.stream(client.exports.ExportCommits, request)


async def state_at(
    client: Client, table_id: str, version: int, viewer: common_pb2.Viewer
) -> table_pb.TableState:
    """The state of a table at a version that a commit ends at."""
    request = pb.GetStateAtRequest(table_id=table_id, version=version, viewer=viewer)
    return (await client.call(client.replays.GetStateAt, request)).state
