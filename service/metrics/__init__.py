"""What the service counts, shown to Prometheus.

The only place that knows how metrics are written down: everything below counts in plain values
of ``service.telemetry`` and does not know who looks.
"""

from __future__ import annotations

from service.metrics.endpoint import MetricsEndpoint, Show
from service.metrics.observer import Observer
from service.metrics.together import Together

__all__ = ["MetricsEndpoint", "Observer", "Show", "Together"]
