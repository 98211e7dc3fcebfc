"""A table as bytes and back: what a snapshot holds, sealed and before.

The game is its options and its canonical position text (hand_script 1.1), so a snapshot says in
words what it claims; the house is a JSON object.  Snapshots are disposable: a fold replaces them.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple
from uuid import UUID

from engine.errors import Corrupt, Refused
from engine.events import TableOpened
from engine.house import House, Table
from engine.house_options import HouseOptions
from engine.kernel import AnyGame, PositionError
from engine.notation import lines_of_text, text_of_lines
from engine.visibility import AUDITOR
from service.store.snapshots import Snapshot
from service.vault import MasterKey, open_snapshot, seal_snapshot

__all__ = ["Saved", "load_table", "read_snapshot", "save_table", "sealed_snapshot"]

FORM = 4


class Saved(NamedTuple):
    """A table from a snapshot, the fact that opened it, and when that was (microseconds)."""

    table: Table
    opened: TableOpened
    created_at: int


def sealed_snapshot(
    master: MasterKey,
    stream: UUID,
    last_hash: bytes,
    table: Table,
    opened: TableOpened,
    created_at: int,
) -> Snapshot:
    """The snapshot of a table as it stands after the commit with ``last_hash``."""
    rules = table.game.RULES
    sealed = seal_snapshot(
        master,
        save_table(table, opened, created_at),
        stream=stream,
        version=table.version,
        commit_hash=last_hash,
        rules=rules,
    )
    return Snapshot(stream, table.version, last_hash, rules, sealed)


def read_snapshot(master: MasterKey, snapshot: Snapshot, games: dict[str, AnyGame]) -> Saved:
    """The table of a snapshot; raises ``Corrupt`` for one that this program cannot read."""
    content = open_snapshot(
        master,
        snapshot.sealed,
        stream=snapshot.stream,
        version=snapshot.version,
        commit_hash=snapshot.hash,
        rules=snapshot.rules,
    )
    return load_table(games, content)


def save_table(table: Table, opened: TableOpened, created_at: int) -> bytes:
    """The table's bytes."""
    game = table.game
    house = table.house
    content = {
        "form": FORM,
        "game": game.key,
        "options": opened.options,
        "start": opened.start,
        "created_at": created_at,
        "version": table.version,
        "position": text_of_lines(game.lines(game.view(table.state, AUDITOR))),
        "house": {
            **house._asdict(),
            "options": house.options._asdict(),
            "commitment": house.commitment.hex(),
            "wrapped": house.wrapped.hex(),
            "kept": [(epoch, one.hex(), other.hex()) for epoch, one, other in house.kept],
            "entropy": [(seat, value.hex()) for seat, value in house.entropy],
            "timed_out": sorted(house.timed_out),
            "answered": sorted(house.answered),
        },
    }
    return json.dumps(content, separators=(",", ":")).encode()


def load_table(games: dict[str, AnyGame], data: bytes) -> Saved:
    """The table; raises ``Corrupt`` for bytes that this program would not have written."""
    try:
        content = json.loads(data)
        if content["form"] != FORM:
            raise Corrupt("snapshot of another form")
        game = games[content["game"]]
        opened = TableOpened(game.key, _pairs(content["options"]), _pairs(content["start"]))
        house = _house(content["house"])
        empty = game.with_options(game.evolve(game.initial(), opened), dict(house.agreed))
        state = game.place(empty, lines_of_text(game.NUMBERED, content["position"]))
        table = Table(game, state, house, int(content["version"]))
        return Saved(table, opened, int(content["created_at"]))
    except (KeyError, TypeError, ValueError, PositionError, Refused) as error:
        raise Corrupt(f"snapshot: {type(error).__name__}") from None


def _pairs(rows: list[list[str]]) -> tuple[tuple[str, str], ...]:
    return tuple((name, value) for name, value in rows)


def _house(values: dict[str, Any]) -> House:
    return House(
        **{
            **values,
            "options": HouseOptions(**values["options"]),
            "commitment": bytes.fromhex(values["commitment"]),
            "wrapped": bytes.fromhex(values["wrapped"]),
            "entropy": tuple((seat, bytes.fromhex(value)) for seat, value in values["entropy"]),
            "kept": tuple(
                (epoch, bytes.fromhex(commitment), bytes.fromhex(wrapped))
                for epoch, commitment, wrapped in values["kept"]
            ),
            "bank_used_ms": tuple((seat, used) for seat, used in values["bank_used_ms"]),
            "timed_out": frozenset(values["timed_out"]),
            "answered": frozenset(values["answered"]),
            "missed": tuple((seat, hands) for seat, hands in values["missed"]),
            "stacked": tuple(tuple(order) for order in values["stacked"]),
            "agreed": _pairs(values["agreed"]),
            "began": tuple((seat, chips) for seat, chips in values["began"]),
        }
    )
