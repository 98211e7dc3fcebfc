"""Playing scripts here and there, and writing them from recorded hands."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from engine.games import GAMES
from engine.script import ScriptError, ScriptFailure, parse, run, run_text
from service.cli.failures import CommandError
from service.cli.options import Where
from service.client import Client, LabStage
from service.client.exporting import export_hand
from service.pb import common_pb2

__all__ = ["Result", "play_here", "play_there", "write_script"]


class Result(NamedTuple):
    """What became of a file: how many scripts were played, and what did not hold."""

    path: Path
    scripts: int
    faults: list[ScriptError | ScriptFailure]


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise CommandError("NO_SCRIPTS", f"{path} is not UTF-8 text") from None


def _require_some(path: Path, count: int) -> None:
    """Of nothing every line would hold."""
    if not count:
        raise CommandError("NO_SCRIPTS", f"{path} holds no script", "a script begins with game:")


def play_here(path: Path) -> Result:
    """Play a file with the engine in process."""
    text = _read(path)
    try:
        verdicts = run_text(text, str(path))
    except ScriptError as error:
        return Result(path, 0, [error])
    _require_some(path, len(verdicts))
    return Result(path, len(verdicts), [v.failure for v in verdicts if v.failure is not None])


async def play_there(where: Where, paths: Sequence[Path]) -> list[Result]:
    """Play files on lab tables of a running service."""
    async with where.client(lab=True, patience=5.0) as client:
        return [await _play_file(client, path) for path in paths]


async def _play_file(client: Client, path: Path) -> Result:
    faults: list[ScriptError | ScriptFailure] = []
    try:
        scripts = parse(_read(path), str(path))
    except ScriptError as error:
        return Result(path, 0, [error])
    _require_some(path, len(scripts))
    for script in scripts:
        try:
            await run(script, LabStage(client, script.header.game))
        except ScriptFailure as failure:
            faults.append(failure)
        except ScriptError as error:
            return Result(path, 0, [error])
    return Result(path, len(scripts), faults)


async def write_script(where: Where, table: str, hand: int, eyes: common_pb2.Viewer) -> str:
    """The script of a recorded hand, tried out; raises ``CommandError`` where there is none."""
    async with where.client() as client:
        try:
            text = await export_hand(client, table, hand, eyes)
        except ValueError as error:
            hint = "wait for the end of the hand, or ask as auditor"
            raise CommandError("NOT_EXPORTABLE", str(error), hint) from None
    for verdict in run_text(text, f"hand {hand}", GAMES):
        if verdict.failure is not None:
            raise verdict.failure
    return text
