"""What is drawn of a tournament: a line for how it stands, its tables, its standings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from service.pb import tournament_service_pb2 as pb

__all__ = ["phase_word", "screen", "standings_table", "state_line", "status_word", "tables_table"]

MOST_TABLES: Final = 10
MOST_STANDINGS: Final = 12
"""Lines on a screen."""


def phase_word(phase: pb.TournamentPhase.ValueType) -> str:
    """A phase as one word."""
    return pb.TournamentPhase.Name(phase).removeprefix("TOURNAMENT_PHASE_").lower()


def status_word(status: pb.TournamentTableStatus.ValueType) -> str:
    """A table's status as one word."""
    name = pb.TournamentTableStatus.Name(status)
    return name.removeprefix("TOURNAMENT_TABLE_STATUS_").lower()


def state_line(state: pb.TournamentState) -> str:
    """How a tournament stands, on a line."""
    told = ["paused" if state.paused else phase_word(state.phase)]
    told.append(f"{state.left} of {state.entries} in" if state.left else f"{state.entries} entered")
    if state.waiting:
        told.append(f"{state.waiting} waiting")
    if state.level:
        bets = " ".join(f"{option.name}={option.value}" for option in state.level_options)
        told.append(f"level {state.level} {bets}".rstrip())
    if state.on_break:
        told.append("break")
    if state.HasField("clock"):
        minutes, seconds = divmod(state.clock.left_ms // 1000, 60)
        told.append(f"{minutes}:{seconds:02} left")
    told += [f"{state.tables} tables", f"{state.deals} hands", f"prizes {state.prize_pool}"]
    return " · ".join(told)


def _table(*titles: str) -> Table:
    rows = Table(box=None, header_style="dim", pad_edge=False)
    for title in titles:
        rows.add_column(title, no_wrap=True)
    return rows


def tables_table(tables: Sequence[pb.TournamentTable]) -> Table:
    """Tables with who sits there: entry and chips, seat by seat."""
    rows = _table("table", "", "hand", "level", "entries and chips")
    for table in tables:
        sitting = "  ".join(f"{seat.entry}:{seat.chips}" for seat in table.seats)
        level = str(table.level or "")
        rows.add_row(
            str(table.number), status_word(table.status), str(table.hand), level, Text(sitting)
        )
    return rows


def standings_table(standings: Sequence[pb.TournamentStanding]) -> Table:
    """Places, entries, what they have, what they won."""
    rows = _table("place", "entry", "player", "score", "prize")
    for row in standings:
        place = str(row.place or "")
        rows.add_row(place, str(row.entry), Text(row.player), str(row.score), str(row.prize or ""))
    return rows


def screen(
    tournament: pb.Tournament,
    state: pb.TournamentState,
    tables: Mapping[int, pb.TournamentTable],
    best: Sequence[pb.TournamentStanding],
) -> RenderableType:
    """All of it, as much as fits."""
    told = tournament.structure
    shown = [tables[number] for number in sorted(tables)]
    parts: list[RenderableType] = [
        Text(f"{told.name} · {told.game} · {told.format} · {tournament.tournament_id}", "bold"),
        Text(state_line(state)),
    ]
    if shown:
        parts += [Text(""), tables_table(shown[:MOST_TABLES])]
    if len(shown) > MOST_TABLES:
        parts.append(Text(f"and {len(shown) - MOST_TABLES} more tables", "dim"))
    if best:
        parts += [Text(""), standings_table(best[:MOST_STANDINGS])]
    if len(best) > MOST_STANDINGS:
        parts.append(Text(f"and {len(best) - MOST_STANDINGS} more entries", "dim"))
    return Group(*parts)
