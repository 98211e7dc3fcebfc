"""What a process that plays a part of a field counts beside what all processes do."""

from __future__ import annotations

from collections import Counter

from service.load.latency import Latencies
from service.load.tally import Tally

__all__ = ["FieldTally"]


class FieldTally(Tally):
    """``news``: how long after it was recorded a commit was told, by the clocks of both machines.

    ``clocks``: those that expired, ``SLOW``: of players who thought for too long, ``OURS``: of
    those who had answered in time, or were never asked.  ``given_up``: decisions that nobody could
    answer, by reason.  These are not told second by second, but at the end.
    """

    def __init__(self) -> None:
        super().__init__()
        self.news = Latencies()
        self.clocks: Counter[str] = Counter()
        self.given_up: Counter[str] = Counter()
