"""The pages of several workers as one: every sample with the number of its worker.

Each worker shows its page at a socket of its own, in a folder that only this user reaches.  The
process that keeps them reads those pages whenever its own is asked for, and so does the worker whom
an administrator asks over HTTP.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from prometheus_client import CollectorRegistry
from prometheus_client.core import Metric
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector

from service.metrics.endpoint import PATH, Answer, text_of
from service.metrics.families import gauges

__all__ = ["Together"]

WORKER_SECONDS: Final = 3.0
"""How long a worker may take; one that stands still is left out, and said to be down."""

MOST_PAGE_BYTES: Final = 16 * 1024 * 1024


class Together:
    """The workers by number, and where each shows its page."""

    def __init__(self, places: Mapping[int, Path]) -> None:
        self._places = dict(places)

    async def show(self, accept: str) -> Answer:
        """One page of all; see ``MetricsEndpoint.show``."""
        pages = await asyncio.gather(*(_page(place) for place in self._places.values()))
        told = dict(zip(self._places, pages, strict=True))
        registry = CollectorRegistry(auto_describe=False)
        registry.register(_Merged(told))
        return await text_of(registry, accept)


class _Merged(Collector):
    def __init__(self, pages: Mapping[int, str | None]) -> None:
        self._pages = pages

    def collect(self) -> Iterator[Metric]:
        """The families of all workers, each once, and who of them answered."""
        up = {str(number): int(page is not None) for number, page in self._pages.items()}
        yield gauges("worker_up", "1 for a worker that shows its page", "worker", up)
        merged: dict[str, Metric] = {}
        for number, page in self._pages.items():
            for family in text_string_to_metric_families(page or ""):
                whole = merged.setdefault(
                    family.name, Metric(family.name, family.documentation, family.type)
                )
                for sample in family.samples:
                    labels = {**sample.labels, "worker": str(number)}
                    whole.samples.append(sample._replace(labels=labels))
        yield from merged.values()


async def _page(place: Path) -> str | None:
    """A worker's page, None if it shows none in time."""
    try:
        async with asyncio.timeout(WORKER_SECONDS):
            reader, writer = await asyncio.open_unix_connection(place, limit=MOST_PAGE_BYTES)
            try:
                writer.write(f"GET {PATH} HTTP/1.1\r\n\r\n".encode())
                head, _, body = (await reader.read()).partition(b"\r\n\r\n")
            finally:
                writer.close()
    except (OSError, TimeoutError):
        return None
    return body.decode() if head.startswith(b"HTTP/1.1 200 ") else None
