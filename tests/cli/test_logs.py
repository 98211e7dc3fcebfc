"""A service's log: events and places, never what was in play."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

FAULTS = """
import asyncio, logging, sys
import structlog
from engine.events import DeckShuffled
from engine.visibility import SERVER, Private
from service.cli.logs import log_to_stderr, watch_loop

log_to_stderr(as_json=sys.argv[1] == "json")

def fault(cards):
    event = DeckShuffled("DEAL", Private(cards, SERVER))
    known = {"order": cards}
    raise KeyError(cards)

def logged(log):
    try:
        fault((4711, 4712))
    except KeyError:
        log.exception("it_failed")

async def forgotten(cards):
    fault(cards)

async def main():
    loop = asyncio.get_running_loop()
    watch_loop(loop)
    loop.call_soon(fault, (4711, 4712))
    task = loop.create_task(forgotten((4711, 4712)))
    await asyncio.wait([task])
    del task
    loop.call_exception_handler({"message": "said by the loop"})

logged(structlog.get_logger())
logged(logging.getLogger("a.library"))
logging.getLogger("a.library").error("it failed too", exc_info=KeyError((4711, 4712)))
asyncio.run(main())
log = structlog.get_logger()
log.info("dealt", event_dealt=DeckShuffled("DEAL", Private((4711, 4712), SERVER)))
fault((4711, 4712))
"""


@pytest.mark.parametrize("form", ["console", "json"])
def test_a_fault_is_logged_with_its_places_and_nothing_that_was_in_play(form: str) -> None:
    """Our own, a library's, a callback's, a forgotten task's, and the one that ends it all."""
    done = subprocess.run(
        [sys.executable, "-c", FAULTS, form],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    told = re.sub("0x[0-9a-f]+", "", done.stderr)  # addresses hold all digits by chance
    assert "4711" not in told
    assert "4712" not in told
    assert done.stderr.count("<string>:13 fault") == 5
    assert done.stderr.count("KeyError") == 6
    for said in ("it_failed", "it failed too", "said by the loop", "loop_fault", "ended_by_fault"):
        assert said in done.stderr
    if form == "json":
        for line in done.stderr.splitlines():
            assert json.loads(line)["timestamp"]
