"""Hands of all four games, with trouble, everything logged: no card, no token, no name in it."""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from uuid import UUID

import grpc
import psycopg
import pytest
import structlog

from engine.cards import PACK, card_name
from engine.errors import Corrupt
from engine.games import GAMES
from engine.script import ScriptError, ScriptFailure, parse
from engine.script import run as run_script
from service.cli.logs import log_to_stderr
from service.client import LabStage
from service.identity import Role
from service.pb import replay_service_pb2 as old
from service.pb import table_service_pb2 as pb
from service.telemetry.seldom import Seldom
from tests.faults.test_database_away import CUT
from tests.service.harness import MASTER, Running, failing, run, running
from tests.service.parlour_room import Room
from tests.service.test_a_damaged_table import poison
from tests.service.test_hands_over_grpc import FILES, lab_client
from tests.service.test_token_life import add_chips

CARDS = re.compile(rf"(?<![\w-])(?:{'|'.join(map(card_name, PACK))})(?![\w-])")
NAMES = ("Annabel Lee", "Bob Roy", "teacher")
SCRIPTS = 3


@contextmanager
def logged_at_debug() -> Iterator[None]:
    """The log as ``serve --log-json`` writes it, with every event of every level in it."""
    root = logging.getLogger()
    level, handlers, hook = root.level, root.handlers[:], sys.excepthook
    before = structlog.get_config()
    root.handlers.clear()
    log_to_stderr(as_json=True)
    processors = structlog.get_config()["processors"]
    structlog.configure(
        processors=[each for each in processors if not isinstance(each, Seldom)],
        wrapper_class=structlog.make_filtering_bound_logger(logging.DEBUG),
        cache_logger_on_first_use=False,
    )
    root.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        structlog.configure(**before)
        sys.excepthook = hook
        root.setLevel(level)
        root.handlers[:] = handlers


async def games_with_faults(service: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hands of every game; then a fault in each whose text is the whole table, cards and all."""
    async with lab_client(service) as client:
        for key, game in GAMES.items():
            for path in FILES[key][:SCRIPTS]:
                for script in parse(path.read_text(encoding="utf-8"), path.name, GAMES):
                    with suppress(ScriptFailure):
                        await run_script(script, LabStage(client, game))

            def broken(self: Any, state: Any, viewer: int) -> Any:
                raise ValueError(f"{state} {' '.join(map(card_name, PACK))}")

            with monkeypatch.context() as patch:
                patch.setattr(type(game), "view", broken)
                script = parse(FILES[key][0].read_text(encoding="utf-8"), key, GAMES)[0]
                with suppress(Exception):
                    await run_script(script, LabStage(client, game))


async def trouble(service: Running, admin_dsn: str) -> list[str]:
    """Callers that are refused, lines that are cut, a table that cannot be read; the tokens."""
    room = await Room.open(service, NAMES[:2])
    ann, bob = room.players
    await room.start()
    await room.play_out()
    await failing(bob.tables.GetTable(pb.GetTableRequest(table_id=room.table)))
    stranger = service.with_token(service.token("Annabel Lee")[:-3] + "AAA")
    await failing(stranger.get(room.table))
    play = ann.tables.Play(metadata=ann.metadata, timeout=60)
    await play.write(add_chips(room.table))
    await play.read()
    with psycopg.connect(admin_dsn, autocommit=True) as db:
        db.execute(CUT, ("kartejo-%",))
    await ann.get(room.table)
    with suppress(grpc.aio.AioRpcError):
        await room.start()
    error = Corrupt(f"stream {room.table} version 7: hash does not follow")
    tables = service.server.host.tables
    tables.forget(UUID(room.table))
    poison(service, room.table, error)
    assert (await failing(ann.get(room.table))).reason == "CORRUPT"
    request = old.GetStateAtRequest(table_id=room.table, version=3)
    await failing(ann.call(ann.replay.GetStateAt, request))
    play.cancel()
    callers = [ann, bob, stranger, service.client("Bob Roy", Role.HOST)]
    return [caller.metadata[0][1].split()[1] for caller in callers]


def test_the_log_of_all_games_holds_no_card_no_token_and_no_name(
    dsn: str, admin_dsn: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    async def scenario() -> list[str]:
        async with running(dsn) as service:
            await games_with_faults(service, monkeypatch)
            return await trouble(service, admin_dsn)

    with logged_at_debug():
        tokens = run(scenario())
    lines = capfd.readouterr().err.splitlines()
    said = [json.loads(line) for line in lines]
    events = [line["event"] for line in said]
    assert events.count("call_failed") >= len(GAMES)
    assert {"corrupt", "task_ended"} & set(events)
    for line in lines:
        assert not CARDS.search(line), line
        assert not any(name in line for name in (*NAMES, MASTER.hex())), line
        assert not any(token in line or token.rsplit(".", 1)[1] in line for token in tokens), line
        assert len(line) < 4_000, line


def test_what_is_looked_for_would_be_found() -> None:
    """Card names as the log would print them, and no id or number taken for one."""
    for text in ("card=5s", '"cards": ["Kc", "9d"]', "10h", "(As)"):
        found = bool(CARDS.search(text))
        assert found == ("10h" not in text)
    for text in ("3f2c-5c1d-4d", "0.05s", "seconds=5", "stream=5s1d"):
        assert not CARDS.search(text)
    with pytest.raises(ScriptError):
        parse("no script", "x", GAMES)
