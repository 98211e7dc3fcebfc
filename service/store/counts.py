"""What the store counts of its own work: batches, connections, hints."""

from __future__ import annotations

from typing import Final

from service.telemetry import Histogram

__all__ = ["HintRecords", "PoolRecords", "WriterRecords"]

_NUMBERS: Final = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000)
_BYTES: Final = tuple(1 << power for power in range(9, 19))


class WriterRecords:
    """Of every batch that was sent its ``groups``, ``events`` and ``sizes`` (bytes), and the
    ``seconds`` until the server had answered.  ``connected`` and ``broken``: connections made, and
    times that one broke or could not be made.  ``refused``: groups for which there was no room.
    """

    def __init__(self) -> None:
        self.groups = Histogram(_NUMBERS)
        self.events = Histogram(_NUMBERS)
        self.sizes = Histogram(_BYTES)
        self.seconds = Histogram()
        self.connected = 0
        self.broken = 0
        self.refused = 0

    def sent(self, groups: int, events: int, size: int, seconds: float) -> None:
        """Take in a batch that was answered."""
        self.groups.observe(groups)
        self.events.observe(events)
        self.sizes.observe(size)
        self.seconds.observe(seconds)


class PoolRecords:
    """``waits``: seconds until a statement had its connection; ``connected`` and ``broken`` as for
    the writer.
    """

    def __init__(self) -> None:
        self.waits = Histogram()
        self.connected = 0
        self.broken = 0


class HintRecords:
    """``sent`` and ``received``: notifications between processes; ``broken``: connections lost."""

    def __init__(self) -> None:
        self.sent = 0
        self.received = 0
        self.broken = 0
