"""What ``kartejo demo`` does: a bot plays, then the record is held against what was seen."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import aclosing, contextmanager
from typing import Any, Final, NamedTuple, Self

from rich.live import Live

from engine.events import Event, HouseEvent
from engine.games import GAMES
from engine.kernel import AnyGame
from engine.notation import text_of_lines
from engine.visibility import OBSERVER, seat_viewer
from service.cli.console import Output, print_json, program
from service.cli.failures import CommandError
from service.cli.options import Where, home_of
from service.cli.telling import draw_state
from service.cli.words import counted
from service.client import Client, Endpoint, Sitting
from service.client.offers import first_action
from service.client.records import hands as hands_of
from service.client.records import steps
from service.client.sitting import create_table, follow
from service.pb import common_pb2

__all__ = ["Outcome", "demonstrate", "report", "service_for"]

GAME: Final = "royal_flush"
SEAT: Final = 0
PATIENCE_SECONDS: Final = 60.0
START_SECONDS: Final = 120.0


class Seen(NamedTuple):
    """One answer as the bot got it: events, the position after them, how long it took."""

    events: tuple[Event, ...]
    version: int
    text: str
    seconds: float = 0.0


class Outcome(NamedTuple):
    """What a demonstration found.  ``faults``: where record and memory differ; none is good."""

    table: str
    hands: int
    actions: int
    events: int
    position: str
    call_seconds: float
    faults: tuple[str, ...]


# --- a service ----------------------------------------------------------------------------------


@contextmanager
def service_for(where: Where, *, temporary_data: bool) -> Iterator[None]:
    """The running service, or one that lives as long as this context."""
    if where.address or asyncio.run(_answers(where)):
        yield
        return
    home = home_of(where.data)
    command = [sys.executable, "-m", "service.cli", "serve", "--json", "--data", str(home)]
    command += ["--listen", "127.0.0.1:0", *(["--temporary-data"] if temporary_data else [])]
    print(f"no service runs on {home}: starting one for the demo", file=sys.stderr)  # noqa: T201
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        # It prints one line when it is ready; the pipe closes if it ends before.
        if process.stdout is None or not process.stdout.readline():
            code = process.wait(START_SECONDS)
            raise CommandError("NO_SERVICE", f"the service ended with exit code {code}")
        yield
    finally:
        process.terminate()
        process.wait(START_SECONDS)


async def _answers(where: Where) -> bool:
    endpoint = Endpoint.read(home_of(where.data))
    if endpoint is None:
        return False
    async with Client(endpoint) as client:
        return await client.is_serving()


# --- playing ------------------------------------------------------------------------------------


async def demonstrate(where: Where, hands: int, pause: float | None, *, quiet: bool) -> Outcome:
    """Play ``hands`` hands at a new table, then compare."""
    out = Output()
    shows = not quiet and out.is_terminal
    wait = (0.4 if shows else 0.0) if pause is None else pause
    game = GAMES[GAME]
    async with where.client(patience=PATIENCE_SECONDS) as client:
        made = await create_table(client, GAME)
        sitting = Sitting(client, made.state, SEAT)
        await sitting.sit(1_000)
        with Live(console=out, auto_refresh=False, transient=False) if shows else _NoLive() as live:
            seen = [await _play_hand(client, out, game, sitting, live, wait) for _ in range(hands)]
        if not shows and not quiet:
            out.print(draw_state(client.codec, out, game.key, sitting.state))
        faults = await _compare(client, game, sitting.table_id, seen)
    answers = [each for hand in seen for each in hand]
    return Outcome(
        table=sitting.table_id,
        hands=hands,
        actions=len(answers),
        events=sum(len(each.events) for each in answers),
        position=sitting.state.text,
        call_seconds=sum(each.seconds for each in answers),
        faults=tuple(faults),
    )


class _NoLive:
    """Nobody is looking."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to end."""

    def update(self, _: object, *, refresh: bool) -> None:
        """Nothing to draw."""


async def _play_hand(
    client: Client,
    out: Output,
    game: AnyGame,
    sitting: Sitting,
    live: Live | _NoLive,
    pause: float,
) -> list[Seen]:
    """Start a hand and play it to its end; every answer in order."""
    seen: list[Seen] = []
    began = time.monotonic()
    await sitting.start()
    while True:
        state = sitting.state
        took = time.monotonic() - began
        seen.append(Seen(_of_game(sitting.events), state.version, state.text, took))
        live.update(draw_state(client.codec, out, game.key, state), refresh=True)
        if pause:
            await asyncio.sleep(pause)
        if not sitting.is_asked:
            return seen
        began = time.monotonic()
        await sitting.act(first_action(game, sitting.seat, state.offers))


def _of_game(events: Sequence[Event]) -> tuple[Event, ...]:
    return tuple(event for event in events if not isinstance(event, HouseEvent))


# --- comparing ----------------------------------------------------------------------------------


async def _compare(
    client: Client, game: AnyGame, table: str, seen: Sequence[Sequence[Seen]]
) -> list[str]:
    """Where the record differs from what was seen, in words."""
    recorded = [hand.hand for hand in await hands_of(client, table)]
    if recorded != list(range(1, len(seen) + 1)):
        return [f"{len(seen)} hands were played, these are recorded: {recorded}"]
    faults: list[str] = []
    for number, answers in enumerate(seen, 1):
        replayed: list[Seen] = []
        async for step in steps(client, table, number, common_pb2.Viewer()):
            events = [client.codec.event_from_wire(each.event) for each in step.events]
            replayed.append(Seen(_of_game(events), step.state.version, step.state.text))
        faults += _differences(number, answers, replayed)
    faults += await _fold_differences(client, game, table, [each for hand in seen for each in hand])
    return faults


def _differences(number: int, seen: Sequence[Seen], replayed: Sequence[Seen]) -> Iterator[str]:
    if len(seen) != len(replayed):
        yield f"hand {number}: {len(seen)} actions were answered, {len(replayed)} are recorded"
    for index, (saw, told) in enumerate(zip(seen, replayed, strict=False), 1):
        if saw.version != told.version:
            yield f"hand {number}, step {index}: version {told.version} instead of {saw.version}"
        if saw.events != told.events:
            yield f"hand {number}, step {index}: other events than were seen"
        if saw.text != told.text:
            yield f"hand {number}, step {index}: another position than was seen"


async def _fold_differences(
    client: Client, game: AnyGame, table: str, seen: Sequence[Seen]
) -> list[str]:
    """Fold everything the table sent, from nothing, and look at each answered version."""
    state: Any = game.initial()
    expected = {each.version: each.text for each in seen}
    faults: list[str] = []
    viewer = OBSERVER | seat_viewer(SEAT)
    version = 0
    async with aclosing(follow(client, table)) as stream:
        async for news in stream:
            for each in news.events:
                if each.version != version + 1:
                    faults.append(f"version {each.version} follows {version}")
                version = each.version
                event = client.codec.event_from_wire(each.event)
                if not isinstance(event, HouseEvent):
                    state = game.evolve(state, event)
            text = expected.pop(news.version, None)
            if text is not None and text_of_lines(game.lines(game.view(state, viewer))) != text:
                faults.append(f"version {news.version}: folding the events gives another table")
            if news.live:
                break
    faults += [f"version {missing} was never sent" for missing in expected]
    return faults


# --- telling ------------------------------------------------------------------------------------


def report(outcome: Outcome, *, as_json: bool) -> None:
    """Say what came of it."""
    if as_json:
        print_json({**outcome._asdict(), "verified": not outcome.faults})
        return
    out = Output()
    rate = outcome.actions / outcome.call_seconds if outcome.call_seconds else 0.0
    out.print(
        f"\n{counted(outcome.hands, 'hand')} at table {outcome.table}: "
        f"{counted(outcome.actions, 'action')}, {counted(outcome.events, 'event')}, "
        f"{rate:.0f} durable actions a second"
    )
    if outcome.faults:
        out.lines((f"DIFFERENT: {fault}" for fault in outcome.faults), style="bold red")
        return
    out.print("Replayed: every event and every position as they were seen; the fold agrees.")
    out.print(f"See it again: {program()} replay {outcome.table} 1")
