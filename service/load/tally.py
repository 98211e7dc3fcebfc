"""What a process counts while it plays, and how it is told second by second."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from service.load.latency import Latencies

__all__ = ["Sample", "Tally"]


class Sample(NamedTuple):
    """What happened since the sample before.

    ``number``: of the second that it is counted to, from 0; ``until``: seconds since the start.
    ``latencies``, ``lags``: histograms, encoded; a lag is how late the process's own loop was.
    ``actions`` were acknowledged, with ``events`` in them; ``pushed`` events came over watches.
    ``cpu``: seconds of the processor since the start; ``thought``: seconds that bots took.
    """

    number: int
    until: float
    latencies: bytes
    lags: bytes
    actions: int
    events: int
    pushed: int
    retries: int
    errors: dict[str, int]
    cpu: float
    thought: float


class Tally:
    """Counts on, until a sample is taken."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Begin anew."""
        self.latencies = Latencies()
        self.lags = Latencies()
        self.actions = self.events = self.pushed = self.retries = 0
        self.errors: Counter[str] = Counter()
        self.thought = 0.0

    def sample(self, number: int, until: float, cpu: float) -> Sample:
        """What was counted; from here on it counts anew."""
        told = Sample(
            number,
            until,
            self.latencies.encode(),
            self.lags.encode(),
            self.actions,
            self.events,
            self.pushed,
            self.retries,
            dict(self.errors),
            cpu,
            self.thought,
        )
        self.forget()
        return told
