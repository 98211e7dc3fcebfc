"""Tournaments beside as many plain tables of the same game: what an action and a hand cost.

    python benchmarks/tournaments.py
    python benchmarks/tournaments.py palace_poker --tables 64 --seconds 60

For each game one service on an embedded PostgreSQL is loaded in turns: with plain tables, and with
a tournament of as many tables, as many seats at each, that does not end meanwhile.  Both are
played by the same bots at full speed (`kartejo load`), each player on a stream of his own, which
watches his table.  What is compared is the processor time of the service: rates depend on whoever
else uses the machine.  Not all that is played is an action of a player: where hosts of plain tables
start hands, and players of Pontoon bank, a tournament's manager and the bank of the house do.  So
"play" counts the commits of hands at the tables, whoever is their cause.  Then the constants of
docs/scaling.md: events, bytes and commits of a hand, memory of a table.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import psycopg
from actions import cpu_of, start_command

BETS: Final = "[[levels]]\nhands = 1_000\noptions = { small_bet = 10, big_bet = 20 }"

STRUCTURES: Final = {
    "palace_poker": (6, f'format = "elimination"\nstack = 1_000_000\n{BETS}\n'),
    "pontoon": (5, 'format = "rounds"\nstack = 1_000_000\n[settings]\ndeals = 100\n'),
    "royal_casino": (2, 'format = "knock_out"\n[settings]\nbest_of = 9\n'),
    "royal_flush": (1, 'format = "series"\n[settings]\ngames = 100\n'),
}
"""Seats of a table, and a tournament in which nobody is soon out.  In Pontoon one is the bank's."""


class Spent(NamedTuple):
    """What a run took: actions, seconds of the processor of service and PostgreSQL, and so on.

    ``play``: commits of hands at tables.
    """

    actions: int = 0
    service: float = 0.0
    database: float = 0.0
    commits: int = 0
    events: int = 0
    play: int = 0
    hands: int = 0
    size: int = 0

    def __add__(self, other: tuple[Any, ...]) -> Spent:
        return Spent(*(one + two for one, two in zip(self, other, strict=True)))


class Bench:
    """One service, and the loads that it is put under."""

    def __init__(self, folder: Path, tables: int, seconds: float) -> None:
        self._folder = folder
        self._tables = tables
        self._seconds = seconds
        self._process, told = start_command(
            *("serve", "--json", "--log-json", "--temporary-data", "--listen", "127.0.0.1:0"),
            *("--data", str(folder), "--caller-rate", "0", "--connection-rate", "0"),
        )
        assert told

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()

    def rss(self) -> int:
        """Memory of the service, bytes."""
        pages = Path(f"/proc/{self._process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def stored(self) -> tuple[int, ...]:
        """Commits, events, commits of hands, hands, bytes of the table of commits and indexes."""
        told = json.loads((self._folder / "server.json").read_text(encoding="utf-8"))
        with psycopg.connect(told["conninfo"]) as db:
            row = db.execute(
                "SELECT count(*), coalesce(sum(count), 0), count(*) FILTER (WHERE hand > 0), "
                "count(DISTINCT (stream, hand)) FILTER (WHERE hand > 0), "
                "pg_total_relation_size('kartejo.commit') FROM kartejo.commit"
            ).fetchone()
        assert row is not None
        return tuple(map(int, row))

    def run(self, *arguments: str) -> Spent:
        """A load; what it took from its second second to the end of its play."""
        path = self._folder.parent / "load.json"
        common = ("--data", str(self._folder), "--seconds", str(self._seconds), "--json", str(path))
        load = subprocess.Popen(
            [sys.executable, "-m", "service.cli", "load", *common, *arguments],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parent.parent)},
        )
        assert load.stdout is not None
        first = last = (0.0, 0.0)
        before: tuple[int, ...] = (0,) * 5
        after = before
        printed: list[str] = []
        for line in load.stdout:
            printed.append(line)
            if " 1 s " in line:
                first, before = cpu_of(self._process.pid), self.stored()
            elif line.startswith(("settling", "verifying")) and last == (0.0, 0.0):
                last, after = cpu_of(self._process.pid), self.stored()
        if load.wait():
            sys.exit("".join(printed))  # it says what was not as it should be
        told = json.loads(path.read_text(encoding="utf-8"))
        actions = sum(each["actions"] for each in told["over_time"][1:])
        grown = [new - old for new, old in zip(after, before, strict=True)]
        return Spent(actions, last[0] - first[0], last[1] - first[1], *grown)


def race(game: str, tables: int, seconds: float, rounds: int) -> None:
    seats, structure = STRUCTURES[game]
    players = seats - (game == "pontoon")
    with tempfile.TemporaryDirectory(prefix="kartejo-bench-") as folder:
        Path(folder).chmod(0o711)
        file = Path(folder) / "structure.toml"
        common = f'name = "bench"\ngame = "{game}"\ntable_size = {seats}\n'
        file.write_text(common + structure, encoding="utf-8")
        bench = Bench(Path(folder) / "data", tables, seconds)
        found = {"plain tables": Spent(), "a tournament": Spent()}
        grown: dict[str, int] = {}
        loads = {
            "plain tables": (
                "--game",
                game,
                "--tables",
                f"{tables}",
                "--seats",
                f"{max(2, seats)}",
                "--apart",
            ),
            "a tournament": ("--tournament", f"{file}", "--entries", f"{tables * players}"),
        }
        try:
            for _ in range(rounds):
                for name, arguments in loads.items():
                    memory = bench.rss()
                    found[name] += bench.run(*arguments)
                    grown.setdefault(name, bench.rss() - memory)
        finally:
            bench.close()
    for line in told_of(game, tables, seats, found, grown):
        print(line)


def told_of(
    game: str, tables: int, seats: int, found: dict[str, Spent], grown: dict[str, int]
) -> Iterator[str]:
    plain = found["plain tables"]
    title = f"{game}, {tables} tables of {seats}"
    yield (
        f"\n{title:34} {'actions':>8} {'ms each':>8} {'of plain':>9} {'ms a commit':>12} "
        f"{'of plain':>9} {'ms of play':>11} {'of plain':>9} {'ms a hand':>10} {'database':>9}"
    )
    for name, one in found.items():
        ms, hands = 1000 * one.service, max(1, one.hands)
        by_actions = plain.service / plain.actions * one.actions / one.service
        by_commits = plain.service / plain.commits * one.commits / one.service
        by_play = plain.service / plain.play * one.play / one.service
        yield (
            f"{name:34} {one.actions:8} {ms / one.actions:8.2f} {by_actions:9.2f} "
            f"{ms / one.commits:12.2f} {by_commits:9.2f} {ms / one.play:11.2f} {by_play:9.2f} "
            f"{ms / hands:10.1f} "
            f"{1000 * one.database / one.actions:9.2f}"
        )
    yield (
        f"{'':34} {'actions':>8} {'commits':>8} {'play':>8} {'events':>9} {'bytes':>12}   "
        "a hand; kB a table"
    )
    for name, one in found.items():
        hands = max(1, one.hands)
        yield (
            f"{name:34} {one.actions / hands:8.1f} {one.commits / hands:8.1f} "
            f"{one.play / hands:8.1f} "
            f"{one.events / hands:9.1f} {one.size / hands:12.0f} {grown[name] / tables / 1024:8.0f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", default=[*STRUCTURES])
    parser.add_argument("--tables", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--rounds", type=int, default=2, help="turns of each (default 2)")
    wished = parser.parse_args()
    for game in wished.games:
        race(game, wished.tables, wished.seconds, wished.rounds)


if __name__ == "__main__":
    main()
