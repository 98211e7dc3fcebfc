"""Whoever holds the database, or the logs, of a running hand holds no card of it."""

from __future__ import annotations

import logging
import subprocess
import time
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest
from google.protobuf.message import DecodeError
from structlog.testing import capture_logs

from engine.cards import card_name
from engine.events import DeckShuffled, EpochOpened
from engine.house import secret_epochs
from service.host.live import Live
from service.pb import games_pb2
from service.store.binaries import find_binaries
from service.store.commit import unpack_body
from service.store.embedded import EmbeddedServer
from tests.parlour.actions import Peek, Swap
from tests.service.harness import CODEC, MASTER, Running, failing, run, running
from tests.service.parlour_room import Room, view_of
from tests.service.scenes import SCENES
from tests.service.test_hidden_cards import hidden_value, truth_of

WINDOW = 5
"""So many cards in a row are no accident among 52 to the power of 5 others."""


async def running_hand(service: Running) -> tuple[Room, Live, list[bytes]]:
    """A hand with a peek and a face-down swap under way, and the actions that were sent."""
    room = await Room.open(service, draw_pile=1)
    await room.start()
    actions: list[bytes] = []
    for turn in range(3):
        state = (await room.host.get(room.table)).state
        (seat,) = state.decision.seats
        player = room.players[seat]
        if turn == 0:
            state = (await player.act(room.table, seat, Peek(1 - seat, 0), state)).state
        view = view_of(await room.state(seat))
        swap = Swap((view.hands[view.order.index(seat)][0],))
        await player.act(room.table, seat, swap, state)
        actions.append(CODEC.action_to_wire(swap).extension.value)
    live = await service.server.host.tables.get(UUID(room.table))
    await service.server.host.tables.save(live)
    return room, live, actions


async def needles(service: Running, live: Live, actions: list[bytes]) -> dict[str, list[bytes]]:
    """What must not be found, as raw bytes, by what it is."""
    truth = await truth_of(service, str(live.stream))
    deck = next(bytes(e.order.value) for e in truth.values() if isinstance(e, DeckShuffled))
    assert len(deck) == 52
    runs = [deck[i : i + WINDOW] for i in range(52 - WINDOW + 1)]
    names = [" ".join(map(card_name, window)).encode() for window in runs]
    keys = live.opener.keys(live.table.house.epoch)
    return {
        "order": runs,
        "names": names,
        "numbers": [", ".join(map(str, window)).encode() for window in runs],
        "action": actions,
        "secret": [keys.reveal(), MASTER],
    }


def found_in(haystack: bytes, wanted: dict[str, list[bytes]], *, text: bool = True) -> list[str]:
    """Which of them lie in it, as they are or, in a text, in hexadecimal."""
    lower = haystack.lower() if text else b""
    return [
        kind
        for kind, values in wanted.items()
        for value in values
        if value in haystack or value.hex().encode() in lower
    ]


def every_row(admin_dsn: str) -> bytes:
    """All columns of all rows of all tables, bytea as it is and everything as text."""
    parts: list[bytes] = []
    with psycopg.connect(admin_dsn) as db:
        tables = db.execute(
            "SELECT schemaname, tablename FROM pg_tables"
            " WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
        ).fetchall()
        assert ("kartejo", "commit") in tables
        for schema, table in tables:
            name = psycopg.sql.Identifier(schema, table)
            for row in db.execute(psycopg.sql.SQL("SELECT * FROM {}").format(name)):
                parts += [each if isinstance(each, bytes) else str(each).encode() for each in row]
            as_text = psycopg.sql.SQL("SELECT t::text FROM {} AS t").format(name)
            parts += [text.encode() for (text,) in db.execute(as_text)]
    return b"\n".join(parts)


def pg_dump(admin_dsn: str) -> bytes:
    program = find_binaries() / "pg_dump"
    return subprocess.run(
        [program, "--inserts", "-d", admin_dsn], check=True, capture_output=True
    ).stdout


def test_a_dump_in_mid_hand_holds_no_hidden_face(dsn, admin_dsn, pg: EmbeddedServer):
    """Rows, a dump by pg_dump, the server's log: no order, no card, no action, no secret."""

    since, log_since = time.time(), log_position(admin_dsn)

    async def scenario():
        async with running(dsn) as service:
            room, live, actions = await running_hand(service)
            wanted = await needles(service, live, actions)
            rows = every_row(admin_dsn)
            dump = pg_dump(admin_dsn)
            log = (pg.home / "server.log").read_bytes()
            files = database_files(pg.home, admin_dsn, since, log_since)
            assert b"INSERT INTO kartejo.snapshot" in dump
            assert room.table.encode() in dump
            for haystack in (rows, dump, log):
                assert found_in(haystack, wanted) == []
            assert UUID(room.table).bytes in files
            assert found_in(files, wanted, text=False) == []

    run(scenario())


def log_position(admin_dsn: str) -> str:
    """Where the write-ahead log ends."""
    with psycopg.connect(admin_dsn) as db:
        (position,) = db.execute("SELECT pg_current_wal_insert_lsn()").fetchone() or ("",)
    return str(position)


def database_files(home: Path, admin_dsn: str, since: float, log_since: str) -> bytes:
    """The data files of the test's database, after a checkpoint, and the write-ahead log.

    Of the files those written ``since`` a time of day, of the log what comes after a position:
    its segments hold what other tests wrote, before that and, used again, behind the end.
    """
    with psycopg.connect(admin_dsn, autocommit=True) as db:
        db.execute("CHECKPOINT")
        (oid,) = db.execute(
            "SELECT oid FROM pg_database WHERE datname = current_database()"
        ).fetchone() or (0,)
        (first, start), (last, end) = (
            db.execute("SELECT * FROM pg_walfile_name_offset(%s::pg_lsn)", (at,)).fetchone()
            or ("", 0)
            for at in (log_since, log_position(admin_dsn))
        )
    base = home / "postgres"
    segments = sorted(path for path in (base / "pg_wal").glob("0*") if first <= path.name <= last)
    *whole, cut = [path.read_bytes() for path in segments]
    log = b"".join([*whole, cut[:end]])[start:]
    files = (base / "base" / str(oid)).iterdir()
    return b"\n".join(
        [log, *(path.read_bytes() for path in files if path.stat().st_mtime >= since)]
    )


def test_the_search_can_find_something(dsn, admin_dsn):
    """A planted order, action or secret in any table is found by the same search."""

    async def scenario():
        async with running(dsn) as service:
            _, live, actions = await running_hand(service)
            wanted = await needles(service, live, actions)
            planted = {kind: values[-1] for kind, values in wanted.items()}
            with psycopg.connect(admin_dsn, autocommit=True) as db:
                for kind, value in planted.items():
                    db.execute(
                        "INSERT INTO kartejo.principal (lane, issuer, subject, id)"
                        " VALUES (0, %s, %s, gen_random_uuid())",
                        (kind, value.hex()),
                    )
            assert set(found_in(every_row(admin_dsn), wanted)) == set(wanted)
            assert set(found_in(pg_dump(admin_dsn), wanted)) == set(wanted)

    run(scenario())


def is_action(data: bytes) -> bool:
    """Whether bytes can be read as an action."""
    wire = games_pb2.Action()
    try:
        wire.ParseFromString(data)
    except DecodeError:
        return False
    return wire.WhichOneof("family") is not None


def test_public_bytes_of_events_hold_no_card_of_a_sealed_slot(dsn, admin_dsn):
    """Every stored event, decoded without keys: hidden faces are zeros, actions unreadable."""

    async def scenario():
        async with running(dsn) as service:
            room, _, _ = await running_hand(service)
            truth = await truth_of(service, room.table)
            hidden = 0
            commits = await service.store.read(UUID(room.table), 0, 1000)
            for commit in commits:
                forms = unpack_body(commit.body, commit.count)
                for version, form in enumerate(forms, commit.expected + 1):
                    member = CODEC._by_number[form.type]
                    public = member.pair.decode(member.pair.message.FromString(form.public))
                    real = hidden_value(truth[version])
                    if real is None or isinstance(truth[version], EpochOpened):
                        continue
                    name, value = real
                    said = getattr(public, name).value
                    assert not any(said if isinstance(said, tuple) else (said,))
                    (slot,) = form.slots
                    assert slot.audience == value.audience
                    assert len(slot.ciphertext) > 16
                    hidden += 1
                assert not commit.action or not is_action(commit.action)
            assert hidden > 12

    run(scenario())


def test_logs_name_no_card_no_token_and_no_secret(
    dsn, admin_dsn, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
):
    """Everything that is logged at any level during a run, faults of ours included."""
    caplog.set_level(logging.DEBUG)

    async def scenario() -> tuple[dict[str, list[bytes]], list[str]]:
        async with running(dsn) as service:
            room, live, actions = await running_hand(service)
            wanted = await needles(service, live, actions)
            game = type(live.table.game)

            def broken(self: Any, state: Any, viewer: int) -> Any:
                raise ValueError(f"{state} {bytes(state.draw + state.aside)!r}")

            with monkeypatch.context() as patch:
                patch.setattr(game, "view", broken)
                fault = await failing(room.host.get(room.table))
                assert (fault.code.name, fault.reason) == ("INTERNAL", "INTERNAL")
                assert fault.message == "an internal fault; it was logged"
                assert (await failing(room.turn())).code.name == "INTERNAL"
                assert (await failing(room.host.watched(room.table))).code.name == "INTERNAL"
            tokens = [player.metadata[0][1].split()[1] for player in room.players]
            return wanted, tokens

    with capture_logs() as logs:
        wanted, tokens = run(scenario())
    assert {"call_failed"} <= {line["event"] for line in logs}
    told = repr(logs).encode() + caplog.text.encode()
    assert found_in(told, wanted) == []
    for token in tokens:
        assert token not in told.decode()
        assert token.rsplit(".", 1)[1] not in told.decode()


@pytest.mark.parametrize("scene", SCENES)
def test_a_dump_of_any_game_in_play_holds_no_order_and_no_secret(dsn, admin_dsn, scene):
    """Rows and dump, a snapshot of the running hand among them: nothing of what is not told yet."""

    async def scenario():
        async with running(dsn) as service:
            table, _, _ = await scene(service)
            tables = service.server.host.tables
            live = await tables.get(UUID(table))
            await tables.save(live)
            wanted: dict[str, list[bytes]] = {"secret": [MASTER]}
            epoch = 0
            for _, event in sorted((await truth_of(service, table)).items()):
                if isinstance(event, EpochOpened):
                    epoch = event.epoch
                if epoch not in secret_epochs(live.table.house):
                    continue
                if isinstance(event, DeckShuffled):
                    deck = bytes(event.order.value)
                    runs = [deck[i : i + WINDOW] for i in range(len(deck) - WINDOW + 1)]
                    wanted.setdefault("order", []).extend(runs)
                    names = [" ".join(map(card_name, window)).encode() for window in runs]
                    wanted.setdefault("names", []).extend(names)
                elif isinstance(event, EpochOpened):
                    wanted["secret"].append(live.opener.keys(epoch).reveal())
            assert len(wanted["order"]) > 40
            assert len(wanted["secret"]) > 1
            with psycopg.connect(admin_dsn) as db:
                rows = db.execute(
                    "SELECT version FROM kartejo.snapshot WHERE stream = %s", (table,)
                ).fetchall()
            assert (live.table.version,) in rows
            assert found_in(every_row(admin_dsn), wanted) == []
            assert found_in(pg_dump(admin_dsn), wanted) == []

    run(scenario())
