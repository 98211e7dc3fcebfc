"""What the service counts and times while it works, and which of it goes into the log.

Plain values of this process: no exporter, no network, nothing but the standard library and the
log.  Each part of the service owns what it counts and hands nothing to anybody; whoever shows it
(``service.metrics``) reads it there.
"""

from __future__ import annotations

from service.telemetry.recorders import SECONDS, Histogram, Histograms, Tally

__all__ = ["SECONDS", "Histogram", "Histograms", "Tally"]
