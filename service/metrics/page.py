"""All that one server counts, as Prometheus reads it.

Labels are the program's own words, a few dozen each; no table, player or card is ever one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Final

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from engine.errors import Unavailable
from service.metrics.families import (
    counter,
    counters,
    gauge,
    gauges,
    histogram,
    histograms,
    tally,
)
from service.metrics.limits import limits_of
from service.rpc.server import Server
from service.store.progress import standings
from service.telemetry import Tally
from service.telemetry.garbage import GarbagePauses
from service.telemetry.loop import LoopMonitor
from service.transparency.signer import SignerRecords

__all__ = ["Page", "registry_of"]


LOOK_SECONDS: Final = 1.0


class Page(Collector):
    """The metrics of a server and of the process it runs in."""

    def __init__(
        self, server: Server, loop: LoopMonitor, garbage: GarbagePauses, lines: Tally
    ) -> None:
        self._server = server
        self._loop = loop
        self._garbage = garbage
        self._lines = lines
        self._lags: dict[str, float] = {}

    async def look(self) -> None:
        """Ask the database how far the projections have come, as long as it answers at once."""
        self._lags = {}
        try:
            async with asyncio.timeout(LOOK_SECONDS):
                found = await standings(self._server.store.pool)
        except (Unavailable, TimeoutError):
            return
        self._lags = {each.build.name: each.lag for each in found if each.build.state == "serving"}

    def collect(self) -> Iterator[Metric]:
        """Everything as it stands."""
        yield from self._calls()
        yield from self._commands()
        yield from self._writer()
        yield from self._readers()
        yield from self._tables()
        yield from self._limits()
        yield from self._process()

    def _calls(self) -> Iterator[Metric]:
        calls = self._server.door.calls
        seen = calls.records
        yield tally("calls", "Calls that ended, by reason", seen.ended)
        yield gauges("calls_open", "Calls under way", "method", seen.open)
        lines = {"caller": calls.turns.waiting, "connection": calls.connection_turns.waiting}
        yield gauges("calls_waiting", "Calls that wait for their turn", "line", lines)
        yield histograms("call_seconds", "Unary calls, in the handler", seen.seconds)
        yield tally("play_requests", "Requests on Play streams that were answered", seen.asked)
        yield histograms("play_request_seconds", "The same, until answered", seen.asked_seconds)
        paced = calls.pace.paced
        yield counter("play_requests_paced", "Requests read later, for their number", paced)

    def _commands(self) -> Iterator[Metric]:
        seen = self._server.host.executor.records
        yield tally("commands", "Commands that ended, by outcome", seen.ended)
        yield histogram("command_wait_seconds", "Until a command had its table", seen.waits)
        yield histograms("decide_seconds", "What the rules took", seen.decides)
        yield histogram("commit_seconds", "From decided to durable", seen.commits)
        yield counter("command_races", "Tries that another process was faster than", seen.races)

    def _writer(self) -> Iterator[Metric]:
        writer = self._server.store.writer
        seen = writer.records
        yield gauge("database_up", "1 while the database answers the writer", writer.is_up)
        yield gauge("writer_waiting", "Commits without an outcome yet", writer.waiting)
        yield gauge(
            "writer_oldest_seconds", "How long the first of them waits", writer.oldest_seconds
        )
        yield histogram("batch_groups", "Commands stored in one transaction", seen.groups)
        yield histogram("batch_events", "Events stored in one transaction", seen.events)
        yield histogram("batch_bytes", "About so many bytes in one transaction", seen.sizes)
        yield histogram("batch_seconds", "One transaction", seen.seconds)

    def _readers(self) -> Iterator[Metric]:
        store, lobby = self._server.store, self._server.lobby
        made = {"writer": store.writer.records.connected, "reader": store.pool.records.connected}
        yield counters("database_connections", "Connections made", "of", made)
        broken = {
            "writer": store.writer.records.broken,
            "reader": store.pool.records.broken,
            "hints": store.hints.records.broken,
        }
        yield counters("database_breaks", "Connections broken, or not to be had", "of", broken)
        waits = store.pool.records.waits
        yield histogram("reader_wait_seconds", "Until a read had its connection", waits)
        hints = {"sent": store.hints.records.sent, "received": store.hints.records.received}
        yield counters("hints", "Notifications that the log has grown", "way", hints)
        yield gauge("log_position", "The newest position known here", store.hints.head)
        yield gauge("follower_lag_commits", "Known to be stored, not yet followed", lobby.lag)
        yield histogram("follow_seconds", "From recorded to followed", lobby.delays)
        lags = "Stored, not yet in the rows that readers see"
        yield gauges("projection_lag_commits", lags, "projection", self._lags)
        signer = self._server.signer
        seen = signer.records if signer is not None else SignerRecords()
        yield gauge("checkpoint_size", "Commits that the newest checkpoint covers", seen.size)
        made = {"signed": seen.signed, "refused": seen.refused}
        yield counters("checkpoints", "Checkpoints of the transparency log", "outcome", made)

    def _tables(self) -> Iterator[Metric]:
        tables = self._server.host.tables
        hot, seen = tables.hot(), tables.records
        yield gauge("tables", "Tables in memory", len(hot))
        yield gauge("watchers", "Watches of tables in memory", sum(live.watchers for live in hot))
        yield gauge("commands_waiting", "Commands at tables", sum(live.queue for live in hot))
        timers = {
            "decision": sum(live.timer is not None for live in hot),
            "start": sum(live.start_timer is not None for live in hot),
        }
        yield gauges("timers", "Clocks that run", "of", timers)
        yield gauge("processes", "Processes that live", self._server.watchman.processes)
        yield gauge("leases_held", "Tables whose clocks are kept here", self._server.watchman.held)
        yield histogram("table_load_seconds", "Tables that came into memory", seen.loads)
        yield counter("tables_unloadable", "Tables that did not", seen.unloadable)
        gone = {"evicted": seen.evicted, "forgotten": seen.forgotten}
        yield counters("tables_gone", "Tables that left memory", "why", gone)
        saved = {"saved": seen.snapshots, "failed": seen.unsaved}
        yield counters("snapshots", "Snapshots of tables", "outcome", saved)

    def _limits(self) -> Iterator[Metric]:
        limits = limits_of(self._server)
        refused = {name: limit.refused for name, limit in limits.items()}
        taken = {name: limit.taken for name, limit in limits.items() if limit.taken is not None}
        most = {name: limit.most for name, limit in limits.items() if limit.most is not None}
        yield counters("limit_refusals", "How often a limit said no", "limit", refused)
        yield gauges("limit_taken", "Places taken", "limit", taken)
        yield gauges("limit_most", "Places that there are for all together", "limit", most)

    def _process(self) -> Iterator[Metric]:
        loop = self._loop
        yield histogram("loop_late_seconds", "How late the event loop was", loop.late)
        yield counter("loop_stalls", "Times that it was late by more than 50 ms", loop.stalls)
        yield counter("clock_jumps", "Times that the time of day jumped", loop.jumps)
        yield histograms("gc_pause_seconds", "Garbage collections", self._garbage.pauses)
        yield tally("log_lines", "Lines of the log, those left out of it too", self._lines)


def registry_of(page: Page) -> CollectorRegistry:
    """A page together with what the system knows of the process."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(page)
    ProcessCollector(registry=registry)
    return registry
