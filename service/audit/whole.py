"""The audit of a whole log: its streams in parts, in one process or many.

A part is worked on by itself, wherever it is; parts add up in any order, so that the report does
not depend on how many processes there were.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, wait
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol
from uuid import UUID

from engine.games import GAMES
from service.audit.checkpoints import Checkpoints
from service.audit.findings import Findings, Result, joined
from service.audit.log import check_log
from service.audit.source import Source, Standing, StreamSize
from service.audit.streams import Tools, audit_stream
from service.codec import Codec
from service.store.master_keys import NotedKey
from service.vault import MasterKey
from service.world import RealWorld

__all__ = ["Audited", "Map", "Part", "Plan", "audit", "in_processes", "parts_of", "work"]

BATCH: Final = 1_000
"""Commits of small streams that make a part together."""

LOOK_SECONDS: Final = 0.2

Part = tuple[UUID, ...]
"""Streams that are audited together; none: the log as a whole."""

Tick = Callable[[int], object]
"""Hears how many commits were read since it heard the last time."""


class Plan(NamedTuple):
    """What a part has to know, in whatever process: where commits come from, how the log stands.

    ``source`` opens the source; ``keys`` are files of master keys that open running epochs (None:
    what the environment names).  ``trusted``: keys of the log whose signatures count, those that
    the source names where there are none; ``kept``: checkpoints that lay elsewhere.
    ``rows`` beside the log that belong to no stream are looked for.
    """

    source: Callable[[], AbstractContextManager[Source]]
    keys: tuple[Path | None, ...]
    head: int
    newest: int
    trusted: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    rows: bool = True


class Map(Protocol):
    """Has parts worked on somewhere."""

    def __call__(self, plan: Plan, parts: Sequence[Part], tick: Tick) -> Iterable[Result]:
        """What comes of each part, in any order."""
        ...


class Audited(NamedTuple):
    """What came of an audit, and how many seconds it took in how many processes."""

    standing: Standing
    result: Result
    seconds: float
    jobs: int


def audit(
    plan: Plan,
    standing: Standing,
    jobs: int,
    tick: Tick,
    *,
    whole: bool = True,
    log: bool = True,
    mapped: Map | None = None,
) -> Audited:
    """Audit streams, in as many processes as ``jobs`` says, or as ``mapped`` has it.

    ``whole``: they are all there are, so that the chips of the house add up.  ``log``: the log is
    audited as a whole too, with what was signed of it.
    """
    begun = time.perf_counter()
    spread = mapped or (in_processes(jobs) if jobs > 1 else here)
    parts = parts_of(standing.streams)
    result = joined(spread(plan, [(), *parts] if log else parts, tick))
    if whole:
        _check_house(result)
    return Audited(standing, result, time.perf_counter() - begun, jobs)


def parts_of(streams: Iterable[StreamSize]) -> list[Part]:
    """Streams in the order in which they are given out: large ones first, small ones together."""
    parts: list[list[UUID]] = []
    room = 0
    for stream, commits in sorted(streams, key=lambda one: (-one.commits, one.stream)):
        if commits > room:
            parts.append([])
            room = BATCH
        parts[-1].append(stream)
        room -= commits
    return [tuple(part) for part in parts]


def _check_house(result: Result) -> None:
    """Chips enter the house by credits and leave it by debits, and lie somewhere in between."""
    count = result.count
    put_in = count.credited - count.debited
    there = count.balance + count.at_tables + count.in_tournaments
    if put_in != there and not count.unchecked:
        findings = Findings()
        expected = f"{put_in} chips, credited and not debited"
        findings.add("house", expected, f"{there} on accounts, at tables and in tournaments")
        result.take(findings)
    if count.in_tournaments != count.tournament_money and not count.unchecked:
        findings = Findings()
        expected = f"{count.in_tournaments} chips, paid in and not paid out"
        findings.add("house", expected, f"{count.tournament_money} in tournaments")
        result.take(findings)


# --- a part -------------------------------------------------------------------------------------


def work(plan: Plan, part: Part, tick: Tick) -> Result:
    """Audit a part, in whatever process."""
    begun = time.process_time()
    with plan.source() as source:
        if part:
            tools = _tools(plan.keys, source.master_keys())
            result = joined(_stream(tools, source, plan, stream, tick) for stream in part)
        else:
            result = _log(source, plan)
    result.worked = time.process_time() - begun
    return result


def _stream(tools: Tools, source: Source, plan: Plan, stream: UUID, tick: Tick) -> Result:
    beside = source.beside(stream)  # before the commits: no row can be newer than all of them
    return audit_stream(
        tools,
        stream,
        source.commits(stream, plan.head),
        newest=plan.newest,
        partners=source.following,
        openings=lambda other: next(source.commits(other, plan.head), None),
        beside=beside,
        tick=tick,
    )


def _log(source: Source, plan: Plan) -> Result:
    result, findings = Result(), Findings()
    check = Checkpoints(
        source.signed(),
        plan.kept,
        plan.trusted or source.log_keys(),
        source.head_now,
        findings,
    )
    result.count.checkpoints = check_log(source.log(plan.head), plan.head, findings, check)
    for stray in source.strays() if plan.rows else ():
        findings.add(stray.check, stray.expected, f"{stray.number} that should not be there")
    result.take(findings)
    return result


@cache
def _tools(keys: tuple[Path | None, ...], noted: tuple[NotedKey, ...]) -> Tools:
    """The games of this program, and the master keys in some files with those before them.

    Raises ``KeyFileError``.
    """
    world = RealWorld()
    masters = [
        MasterKey.load(Path(os.devnull), os.environ, world, make=False)
        if path is None
        else MasterKey.read(path, world)  # in whatever folder: it is no installation's own
        for path in keys
    ]
    for master in masters:
        master.recover(noted)
    return Tools.of(GAMES, Codec(GAMES), masters)


# --- where parts are worked on ------------------------------------------------------------------


def here(plan: Plan, parts: Sequence[Part], tick: Tick) -> Iterator[Result]:
    """One part after the other, in this process."""
    for part in parts:
        yield work(plan, part, tick)


def in_processes(jobs: int) -> Map:
    """Parts side by side in processes of this machine."""

    def spread(plan: Plan, parts: Sequence[Part], tick: Tick) -> Iterator[Result]:
        # Not forked: a copy of this process would share its connections and threads.
        context = multiprocessing.get_context("spawn")
        read = context.Value("q", 0)
        told = 0
        with ProcessPoolExecutor(jobs, context, _begin, (read,)) as pool:
            running = {pool.submit(_work, plan, part) for part in parts}
            try:
                while running:
                    done, running = wait(running, LOOK_SECONDS, return_when="FIRST_COMPLETED")
                    tick(read.value - told)
                    told = read.value
                    yield from [each.result() for each in done]
            finally:
                for each in running:
                    each.cancel()

    return spread


_read: Any = None
"""Commits read by all processes; set in each of them."""


def _begin(read: Any) -> None:
    global _read  # noqa: PLW0603 what a process of a pool is given stands nowhere else
    _read = read


def _work(plan: Plan, part: Part) -> Result:
    def tick(commits: int) -> None:
        with _read.get_lock():
            _read.value += commits

    return work(plan, part, tick)
