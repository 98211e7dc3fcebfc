"""Metrics as Prometheus reads them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from prometheus_client.parser import text_string_to_metric_families

from service.metrics import MetricsEndpoint, Observer
from service.telemetry import Tally
from tests.service.harness import Running


async def fetch(port: int, request: str) -> tuple[int, dict[str, str], str]:
    """Status, headers and body of one HTTP request."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write((request + "\r\n\r\n").encode("latin-1"))
    answer = (await reader.read()).decode()
    writer.close()
    if not answer:
        return 0, {}, ""
    head, _, body = answer.partition("\r\n\r\n")
    first, *lines = head.split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines)
    return int(first.split()[1]), headers, body


class Samples:
    """The samples of a page."""

    def __init__(self, text: str) -> None:
        self.all = {
            (sample.name, frozenset(sample.labels.items())): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        }

    def __call__(self, name: str, **labels: str) -> float:
        """One sample; 0 where it is not there."""
        return self.all.get((f"kartejo_{name}", frozenset(labels.items())), 0)

    def labelled(self, name: str) -> dict[tuple[str, ...], float]:
        """The samples of a name that are not zero, by the values of their labels in their order."""
        return {
            tuple(value for _, value in sorted(labels)): sample
            for (found, labels), sample in self.all.items()
            if found == f"kartejo_{name}" and sample
        }


class Scraper:
    """Reads the page of one server."""

    def __init__(self, endpoint: MetricsEndpoint) -> None:
        self.port = int(endpoint.url.split(":")[2].partition("/")[0])

    async def __call__(self) -> Samples:
        status, _, body = await fetch(self.port, "GET /metrics HTTP/1.1\r\nHost: here")
        assert status == 200
        return Samples(body)


@asynccontextmanager
async def scraped(service: Running) -> AsyncGenerator[Scraper, None]:
    """A running server with its page."""
    endpoint = MetricsEndpoint(("127.0.0.1", 0))
    async with Observer(service.world, endpoint, Tally("event", "level")) as observer:
        observer.look_at(service.server)
        yield Scraper(endpoint)
