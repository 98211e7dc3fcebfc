"""Single questions and orders about tournaments."""

from __future__ import annotations

from typing import Any, Final

from google.protobuf.timestamp_pb2 import Timestamp
from rich.table import Table

from service.cli.console import Output, moment, print_json, program
from service.cli.options import Where
from service.cli.tournament_screen import (
    phase_word,
    standings_table,
    state_line,
    status_word,
    tables_table,
)
from service.cli.tournament_telling import standing_json
from service.client import Client
from service.client import tournaments as client_tournaments
from service.client.connection import request_id
from service.pb import tournament_service_pb2 as pb
from service.pb.tournament_events_pb2 import TournamentStructure

__all__ = ["ORDERS", "enter_tournament", "lead_tournament", "list_tournaments", "show_tournament"]

ORDERS: Final = ("start", "pause", "resume", "cancel", "exclude")


async def list_tournaments(
    where: Where, game: str, *, over: bool, most: int, as_json: bool
) -> None:
    """Print the newest ones."""
    phases = [number for number in pb.TournamentPhase.values() if number] if over else []
    async with where.client() as client:
        found = await client_tournaments.list_tournaments(client, game, phases, most)
    if as_json:
        print_json([_summary(row) for row in found])
        return
    out = Output()
    if not found:
        out.print(f"There are no tournaments. See one: {program()} tournament demo", markup=False)
        return
    rows = Table(box=None, header_style="dim", pad_edge=False)
    for title in ("tournament", "name", "game", "format", "phase", "entries", "created"):
        rows.add_column(title, no_wrap=True)
    for row in found:
        entries = f"{row.entries} + {row.waiting}" if row.waiting else str(row.entries)
        told = (row.tournament_id, row.name, row.game, row.format, phase_word(row.phase), entries)
        rows.add_row(*told, moment(row.create_time))
    out.print(rows)


def _summary(row: pb.TournamentSummary) -> dict[str, object]:
    return {
        "tournament": row.tournament_id,
        "name": row.name,
        "game": row.game,
        "format": row.format,
        "host": row.host,
        "phase": phase_word(row.phase),
        "entries": row.entries,
        "waiting": row.waiting,
        "created": moment(row.create_time),
        "started": moment(row.start_time) if row.HasField("start_time") else None,
        "ended": moment(row.end_time) if row.HasField("end_time") else None,
    }


async def show_tournament(where: Where, tournament: str, *, most: int, as_json: bool) -> None:
    """Print one as it stands."""
    async with where.client() as client:
        found = await client_tournaments.get_tournament(client, tournament)
        tables = await client_tournaments.tables(client, tournament)
        standings = await client_tournaments.standings(client, tournament, most)
    told, state = found.tournament.structure, found.tournament.state
    if as_json:
        print_json(
            {
                "tournament": tournament,
                "name": told.name,
                "game": told.game,
                "format": told.format,
                "phase": phase_word(state.phase),
                "starts": _start_of(told) if told.start_at else None,
                "paused": state.paused,
                "version": state.version,
                "entries": state.entries,
                "waiting": state.waiting,
                "left": state.left,
                "level": state.level,
                "level_options": {each.name: each.value for each in state.level_options},
                "clock_left_ms": state.clock.left_ms if state.HasField("clock") else None,
                "deals": state.deals,
                "prize_pool": state.prize_pool,
                "prizes": list(state.prizes),
                "tables": [_table(table) for table in tables],
                "standings": [standing_json(row) for row in standings],
            }
        )
        return
    out = Output()
    out.print(f"{told.name} · {told.game} · {told.format}", style="bold", markup=False)
    out.print(state_line(state), markup=False)
    if told.start_at and state.phase == pb.TOURNAMENT_PHASE_REGISTERING:
        who = "by itself" if told.start == "time" else "when its host says so"
        out.print(f"starts {_start_of(told)}, {who}", markup=False)
    if tables:
        out.print(tables_table(tables))
    if standings:
        out.print(standings_table(standings))


def _start_of(structure: TournamentStructure) -> str:
    """When it starts, in UTC."""
    stamp = Timestamp()
    stamp.FromMilliseconds(structure.start_at)
    return moment(stamp)


def _table(table: pb.TournamentTable) -> dict[str, object]:
    return {
        "number": table.number,
        "table": table.table_id,
        "status": status_word(table.status),
        "hand": table.hand,
        "seats": {
            seat.seat: {"entry": seat.entry, "player": seat.player, "chips": seat.chips}
            for seat in table.seats
        },
    }


async def lead_tournament(
    where: Where, tournament: str, order: str, *, reason: str, player: str
) -> None:
    """Give an order and say how the tournament stands with it."""
    more = {"reason": reason} if order in {"cancel", "exclude"} else {}
    name = f"{order.capitalize()}Tournament"
    if order == "exclude":
        name, more["player"] = "Disqualify", player
    async with where.client() as client:
        answer = await _asked(client, name, tournament, **more)
    Output().print(state_line(answer.state), markup=False)


async def enter_tournament(where: Where, tournament: str, asked: str, choice: str) -> None:
    """Ask something for the player of the token, and say how his entry stands."""
    more = {"choice": choice} if choice else {}
    async with where.client() as client:
        mine = (await _asked(client, asked, tournament, **more)).mine
    status = pb.TournamentEntryStatus.Name(mine.status).removeprefix("TOURNAMENT_ENTRY_STATUS_")
    Output().print(f"entry {mine.entry}: {status.lower()}", markup=False)


async def _asked(client: Client, name: str, tournament: str, **more: str) -> Any:
    kind = getattr(pb, f"{name}Request")
    request = kind(request_id=request_id(), tournament_id=tournament, **more)
    return await client.call(getattr(client.tournaments, name), request)
