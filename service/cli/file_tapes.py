"""Recorded hands from an export: offline, and only from one in which everything holds."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from engine.errors import Unknown
from engine.events import Event
from engine.games import GAMES
from engine.house import Table, apply_all
from engine.notation import text_of_lines
from engine.script import action_name
from engine.visibility import AUDITOR, OBSERVER, redact, seat_viewer
from service.cli.failures import CommandError
from service.cli.tapes import HandRow, Step, Tape, told
from service.codec import Codec
from service.pb import games_pb2
from service.verify import Report, verify_file
from service.verify.tables import Opened

__all__ = ["file_tape"]


def file_tape(path: Path, table: str, viewer: str) -> Tape:
    """The tape of an export.  ``table`` chooses one where there are several.

    ``viewer``: ``self`` (what the export shows), ``auditor``, ``observer`` or ``seat N``.  Raises
    ``CommandError`` where the export does not verify, or does not show that.
    """
    found: dict[UUID, list[Opened]] = {}

    def shown(opened: Opened) -> None:
        if not table or str(opened.record.stream) == table:
            found.setdefault(opened.record.stream, []).append(opened)

    report = verify_file(path, shown=shown)
    _require_sound(report, path)
    if report.kind == "seen":
        if viewer != "self":
            why = "it holds what its viewer saw, and nothing for other eyes"
            raise CommandError("NOT_SHOWN", f"{path}: {why}", "leave --as out")
        return _SeenTape(path)
    if len(found) != 1:
        ids = ", ".join(map(str, found)) or "none"
        raise CommandError("WHICH_TABLE", f"{path} shows these tables: {ids}", "name it by --table")
    ((_, opened),) = found.items()
    return _CompleteTape(opened, _mask(viewer))


def _require_sound(report: Report, path: Path) -> None:
    if not report.ok:
        hint = f"`kartejo verify {path}` tells all of it"
        raise CommandError("NOT_SOUND", f"{path}: {report.findings[0]}", hint)


def _mask(viewer: str) -> int:
    match viewer.split():
        case ["observer"]:
            return OBSERVER
        case ["seat", number]:
            return OBSERVER | seat_viewer(int(number))
        case _:
            return AUDITOR


class _Recorded:
    """Hands and steps of commits that are in memory."""

    def __init__(self, game: str) -> None:
        self.game = game
        self._rows: dict[int, HandRow] = {}
        self._steps: dict[int, list[Step]] = {}

    def add(self, hand: int, base: int, step: Step) -> None:
        """One more step; those between hands are of none."""
        if not hand:
            return
        row = self._rows.get(hand) or HandRow(hand, base, 0, step.recorded, "")
        self._rows[hand] = row._replace(last_version=step.version, end=step.recorded)
        self._steps.setdefault(hand, []).append(step)

    def hands(self) -> Sequence[HandRow]:
        """See ``Tape``."""
        return [self._rows[hand] for hand in sorted(self._rows)]

    def steps(self, hand: int) -> Sequence[Step]:
        """See ``Tape``."""
        if hand not in self._steps:
            raise Unknown(f"no hand {hand} in this export")
        return self._steps[hand]


class _CompleteTape(_Recorded):
    """A table of a complete export, with the eyes of whoever is asked for."""

    def __init__(self, commits: Sequence[Opened], mask: int) -> None:
        super().__init__(commits[0].after.game.key)
        for each in commits:
            record = each.record
            step = _step(
                each.after,
                record.seat,
                action_name(type(each.action)) if each.action else "",
                [redact(event, mask) for event in each.events],
                record.recorded_at,
                mask,
            )
            self.add(record.hand, record.base, step)


class _SeenTape(_Recorded):
    """What a viewer saw: the events fold to all that he knows of the table."""

    def __init__(self, path: Path) -> None:
        codec = Codec(GAMES)
        with path.open("rb") as file:
            head = json.loads(next(file))
            super().__init__(head["game"])
            table = Table.empty(GAMES[self.game])
            for line in file:
                each = json.loads(line)
                if each["type"] != "commit":
                    break
                events = [_event(codec, event["wire"]) for event in each["events"]]
                base, table = table.version, apply_all(table, events, each["seat"])
                mask = OBSERVER | AUDITOR * each["sees_all"]
                for seat in each["seats"]:
                    mask |= seat_viewer(seat)
                actor, action, at = each["seat"], each["action"], each["recorded_at"]
                self.add(each["hand"], base, _step(table, actor, action, events, at, mask))


def _event(codec: Codec, wire: str) -> Event:
    return codec.event_from_wire(games_pb2.Event.FromString(b64decode(wire)))


def _step(
    table: Table, seat: int, action: str, events: Sequence[Any], recorded_at: int, mask: int
) -> Step:
    view = table.game.view(table.state, mask)
    at = datetime.fromtimestamp(recorded_at / 1e6, UTC).isoformat(timespec="milliseconds")
    return Step(
        version=table.version,
        seat=seat,
        action=action,
        events=told(events),
        text=text_of_lines(table.game.lines(view)),
        view=view,
        recorded=at.replace("+00:00", "Z"),
    )
