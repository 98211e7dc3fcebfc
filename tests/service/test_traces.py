"""Traces by option: a call, what was decided in it, and what was stored; no text of an error."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from engine.actions import AddChips
from service.metrics.traces import spans_to
from service.pb import table_service_pb2 as pb
from tests.service.harness import failing, run, running
from tests.service.parlour_room import Room
from tests.service.surfaces import read_out
from tests.service.test_token_life import add_chips

SUBMIT = "kartejo.v1.TableService/SubmitAction"


def traced(dsn: str, scenario: Any) -> list[ReadableSpan]:
    """The spans of a scenario with a server, in the order of their beginning."""
    exporter = InMemorySpanExporter()

    async def whole() -> None:
        with spans_to(SimpleSpanProcessor(exporter)) as spans:
            async with running(dsn, spans=spans) as service:
                room = await Room.open(service)
                exporter.clear()
                await scenario(room)

    run(whole())
    return sorted(exporter.get_finished_spans(), key=lambda span: span.start_time or 0)


def shape(spans: list[ReadableSpan]) -> list[tuple[str, str]]:
    """Every span by name, with its parent's."""
    names = {span.context.span_id: span.name for span in spans if span.context}
    return [(span.name, names[span.parent.span_id] if span.parent else "") for span in spans]


def test_a_call_leads_to_a_decision_and_a_commit(dsn):
    rooms: list[Room] = []

    async def scenario(room: Room) -> None:
        rooms.append(room)
        await room.players[0].act(room.table, 0, AddChips(5))

    spans = traced(dsn, scenario)
    assert shape(spans) == [(SUBMIT, ""), ("decide", SUBMIT), ("commit", SUBMIT)]
    assert spans[1].attributes == {
        "game": "parlour",
        "action": "AddChips",
        "table": rooms[0].table,
    }
    assert spans[2].attributes == {"events": 1, "table": rooms[0].table}
    assert all(span.status.is_unset for span in spans)


def test_a_refusal_is_a_reason_and_no_text(dsn):
    async def scenario(room: Room) -> None:
        await failing(room.players[1].act(room.table, 0, AddChips(5)))

    spans = traced(dsn, scenario)
    assert shape(spans) == [(SUBMIT, ""), ("decide", SUBMIT)]
    for span in spans:
        assert span.attributes is not None
        assert span.attributes["reason"] == "PERMISSION_DENIED"
        assert not span.status.is_ok
        assert span.status.description is None
        assert not span.events


def test_every_request_on_play_is_a_span_of_its_own(dsn):
    async def scenario(room: Room) -> None:
        ann = room.players[0]
        play = ann.tables.Play(metadata=ann.metadata, timeout=60)
        for _ in range(2):
            await play.write(add_chips(room.table))
            await play.read()
        await play.write(pb.PlayRequest())
        await play.read()
        await play.done_writing()
        await read_out(play)

    spans = traced(dsn, scenario)
    one = [("Play submit", ""), ("decide", "Play submit"), ("commit", "Play submit")]
    assert shape(spans) == [*one, *one, ("Play nothing", "")]


def test_without_the_option_nothing_of_it_is_imported():
    code = (
        "import sys; import service.cli.running; import service.metrics; "
        "print([name for name in sys.modules if name.startswith('opentelemetry')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
