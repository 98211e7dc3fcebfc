"""The script beside a replay is written as scripts are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict

from service.cli.tapes import told
from service.identity import Role
from service.pb import common_pb2
from service.pb import replay_service_pb2 as pb
from tests.service.harness import CODEC, Running
from tests.service.played import SEATS, seated
from tests.verify.javascript import PAGES, run
from tests.web.http import scene


@pytest.mark.parametrize("game", SEATS)
def test_every_event_is_written_as_the_terminal_writes_it(dsn, tmp_path: Path, game: str) -> None:
    """All events of three hands, as a player sees them and as an auditor does."""
    wires: list[Any] = []

    async def play(service: Running) -> None:
        played = await seated(service, game)
        await played.hands(3)
        auditor = service.client("auditor", Role.AUDITOR)
        for client, viewer in (
            (played.players[-1], common_pb2.Viewer()),
            (auditor, common_pb2.Viewer(auditor=True)),
        ):
            request = pb.ReplayTableRequest(table_id=played.table, viewer=viewer)
            async for step in client.replay.ReplayTable(request, metadata=client.metadata):
                wires.extend(each.event for each in step.events)

    scene(dsn, play)
    events = [CODEC.event_from_wire(wire) for wire in wires]
    file = tmp_path / "events.json"
    file.write_text(json.dumps([MessageToDict(wire) for wire in wires]))
    written = run(
        Path(__file__).with_name("script_lines.mjs"), PAGES / "replay" / "script.js", file
    )
    assert written.splitlines() == told(events)
