"""What came of a tournament under load: as a document for programs, and in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from service.load.fleet import Measured
from service.load.latency import Latencies
from service.load.result import measurements, of_latencies, row, verification
from service.load.result import words as words_of_load
from service.load.think import FULL_SPEED
from service.load.tournaments.course import Outcome
from service.load.tournaments.director import Director
from service.load.tournaments.plan import Field
from service.pb import tournament_service_pb2 as pb

__all__ = ["Result", "document", "words"]


class Result(NamedTuple):
    """A run that is over.

    ``started``: the time of day, ISO 8601.  ``batches``: see the plain load's result.
    """

    field: Field
    address: str
    started: str
    version: str
    measured: Measured
    outcome: Outcome
    director: Director
    batches: Mapping[int, int] | None = None

    @property
    def latencies(self) -> Latencies:
        """Free of coordinated omission: with what a table that waited for an answer left out."""
        measured, think = self.measured, self.field.think
        if not measured.actions:
            return measured.latencies
        if think != FULL_SPEED:
            return measured.latencies.corrected(think.mean_seconds)
        return measured.latencies.corrected(self.table_seconds / measured.actions)

    @property
    def table_seconds(self) -> float:
        """How long all tables were open while it was measured."""
        return self.outcome.folded.table_seconds(self.measured.elapsed)


def document(result: Result) -> dict[str, Any]:
    """Everything, for programs; times in milliseconds, rates by the second."""
    field, outcome, director = result.field, result.outcome, result.director
    state, checked = director.state, outcome.checked
    of_tables = checked.checked
    everything = of_tables._replace(faults=(*outcome.faults, *of_tables.faults))
    news, clocks, given_up = Latencies(), Counter[str](), Counter[str]()
    for kept in outcome.kept:
        news.add(Latencies.decode(kept.news))
        clocks += kept.clocks
        given_up += kept.given_up
    pauses = Latencies.decode(checked.pauses) if checked.pauses else Latencies()
    return {
        "kartejo": result.version,
        "started": result.started,
        "address": result.address,
        "load": {
            "games": [field.game],
            "tables": outcome.folded.most_tables,
            "processes": field.processes,
            "seconds": result.measured.elapsed,
            "watchers": 0,
            "calls": "play",
            "think": str(field.think),
            "bot": field.bot,
            "loop": "closed",
            "offered": 0.0,
        },
        "tournament": {
            "name": field.name,
            "format": field.format,
            "entries": state.entries,
            "phase": pb.TournamentPhase.Name(state.phase).removeprefix("TOURNAMENT_PHASE_").lower(),
            "hands": state.deals,
            "level": state.level,
            "prize_pool": state.prize_pool,
            "events": state.version,
            "entered_seconds": round(outcome.entered, 3),
            "table_seconds": round(result.table_seconds, 1),
            "service_killed": outcome.killed,
            "clocks_expired": checked.expired,
            "clocks_expired_through_us": clocks["OURS"],
            "clocks_expired_through_players": clocks["SLOW"],
            "decisions_given_up": dict(given_up.most_common()),
            "news_ms": of_latencies(news),
            "between_hands_ms": of_latencies(pauses),
        },
        **measurements(result.measured, result.latencies, result.batches),
        "verification": verification(everything),
    }


def words(told: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """A document in rows of two columns: what, and how much."""
    yield from words_of_load(told)
    played = told["tournament"]
    yield "news", f"{row(played['news_ms'])}, from the record to the player"
    yield "dealing", f"{row(played['between_hands_ms'])}, from a hand to the next one"
    through_us, slow = (
        played["clocks_expired_through_us"],
        played["clocks_expired_through_players"],
    )
    expired = f"{played['clocks_expired']:,} expired, {through_us:,} through our fault"
    yield "clocks", f"{expired}, {slow:,} of players who thought for too long"
    if played["decisions_given_up"]:
        left = (f"{n:,} {reason}" for reason, n in played["decisions_given_up"].items())
        yield "given up", "decisions: " + ", ".join(left)
    if played["service_killed"]:
        yield "killed", f"the service, {played['service_killed']} times"
