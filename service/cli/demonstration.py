"""What ``kartejo demo`` does: bots play, then the record is held against what was seen."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple, Self

from rich.live import Live

from engine.games import GAMES
from engine.kernel import AnyGame
from service.cli.console import Output, print_json, program
from service.cli.demonstration_of_many import play_of_many
from service.cli.failures import CommandError
from service.cli.loop import run_async
from service.cli.options import Where, home_of
from service.cli.telling import draw_state
from service.cli.verifying import Seen, differences, of_game
from service.cli.words import counted
from service.client import Client, Endpoint, Sitting
from service.client.offers import first_action
from service.client.sitting import create_table
from service.pb import table_service_pb2 as pb

__all__ = ["Outcome", "Showing", "demonstrate", "report", "service_for"]

SEAT: Final = 0
PATIENCE_SECONDS: Final = 60.0
START_SECONDS: Final = 120.0


class Outcome(NamedTuple):
    """What a demonstration of one game found.

    ``faults``: where record and memory differ; none is good.  ``seconds``: time that its calls
    took, one after the other.
    """

    game: str
    table: str
    hands: int
    actions: int
    events: int
    position: str
    seconds: float
    faults: tuple[str, ...]


# --- a service ----------------------------------------------------------------------------------


@contextmanager
def service_for(where: Where, *, temporary_data: bool) -> Iterator[None]:
    """The running service, or one that lives as long as this context."""
    if where.address or run_async(_answers(where)):
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


class Showing:
    """Where states are drawn as they come; ``pause``: seconds between them."""

    def __init__(self, pause: float | None, *, quiet: bool) -> None:
        self._out = Output()
        self._quiet = quiet
        self._shows = not quiet and self._out.is_terminal
        self.pause = (0.4 if self._shows else 0.0) if pause is None else pause
        self._live = Live(console=self._out, auto_refresh=False) if self._shows else None

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def draw(self, client: Client, game: AnyGame, state: pb.TableState) -> None:
        """The state now, in the place of the one before."""
        if self._live is not None:
            self._live.update(draw_state(client.codec, self._out, game.key, state), refresh=True)

    def last(self, client: Client, game: AnyGame, state: pb.TableState) -> None:
        """The state at the end, where the ones before were not shown."""
        if not self._shows and not self._quiet:
            self._out.print(draw_state(client.codec, self._out, game.key, state))


async def demonstrate(where: Where, key: str, hands: int, showing: Showing) -> Outcome:
    """Play ``hands`` hands of a game at a new table, then compare."""
    game = GAMES[key]
    async with where.client(patience=PATIENCE_SECONDS) as client:
        if key == "royal_flush":
            return await _play_alone(client, game, hands, showing)
        with showing:
            played = await play_of_many(where, client, game, hands, showing.draw, showing.pause)
        showing.last(client, game, played.state)
        return Outcome(
            game=key,
            table=played.state.table_id,
            hands=hands,
            actions=played.actions,
            events=played.events,
            position=played.state.text,
            seconds=played.seconds,
            faults=tuple(played.faults),
        )


async def _play_alone(client: Client, game: AnyGame, hands: int, showing: Showing) -> Outcome:
    made = await create_table(client, game.key)
    sitting = Sitting(client, made.state, SEAT)
    await sitting.sit(1_000)
    with showing:
        seen = [await _play_hand(client, game, sitting, showing) for _ in range(hands)]
    showing.last(client, game, sitting.state)
    faults = await differences(client, game, sitting.table_id, seen, SEAT)
    answers = [each for hand in seen for each in hand]
    return Outcome(
        game=game.key,
        table=sitting.table_id,
        hands=hands,
        actions=len(answers),
        events=sum(len(each.events) for each in answers),
        position=sitting.state.text,
        seconds=sum(each.seconds for each in answers),
        faults=tuple(faults),
    )


async def _play_hand(
    client: Client, game: AnyGame, sitting: Sitting, showing: Showing
) -> list[Seen]:
    """Start a hand and play it to its end; every answer in order."""
    seen: list[Seen] = []
    began = time.monotonic()
    await sitting.start()
    while True:
        state = sitting.state
        took = time.monotonic() - began
        seen.append(Seen(of_game(sitting.events), state.version, state.text, took))
        showing.draw(client, game, state)
        if showing.pause:
            await asyncio.sleep(showing.pause)
        if not sitting.is_asked:
            return seen
        began = time.monotonic()
        await sitting.act(first_action(game, sitting.seat, state.offers))


# --- telling ------------------------------------------------------------------------------------


def report(outcomes: Sequence[Outcome], *, as_json: bool) -> None:
    """Say what came of it."""
    if as_json:
        verified = not any(outcome.faults for outcome in outcomes)
        print_json({"verified": verified, "games": [outcome._asdict() for outcome in outcomes]})
        return
    out = Output()
    for outcome in outcomes:
        rate = outcome.actions / outcome.seconds if outcome.seconds else 0.0
        out.print(
            f"\n{GAMES[outcome.game].TITLE}: {counted(outcome.hands, 'hand')} at table "
            f"{outcome.table}: {counted(outcome.actions, 'action')}, "
            f"{counted(outcome.events, 'event')}, {rate:.0f} durable actions a second"
        )
        if outcome.faults:
            out.lines((f"DIFFERENT: {fault}" for fault in outcome.faults), style="bold red")
            continue
        out.print("Replayed: every event and every position as they were seen; the fold agrees.")
        out.print(f"See it again: {program()} replay {outcome.table} 1")
