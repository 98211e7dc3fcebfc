"""What the tables in memory count: how they come, go, and are kept."""

from __future__ import annotations

from service.telemetry import Histogram

__all__ = ["TableRecords"]


class TableRecords:
    """``loads``: seconds that a table took to come into memory; ``unloadable``: those that did
    not.  ``evicted``: left because others were used; ``forgotten``: let go because memory might
    not be what is stored.  ``snapshots`` were saved, ``unsaved`` could not be.
    """

    def __init__(self) -> None:
        self.loads = Histogram()
        self.unloadable = 0
        self.evicted = 0
        self.forgotten = 0
        self.snapshots = 0
        self.unsaved = 0
