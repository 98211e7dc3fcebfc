"""One page for several workers: every sample once, with the number of its worker."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

from prometheus_client.openmetrics.parser import text_string_to_metric_families

from service.metrics import MetricsEndpoint, Observer, Together
from service.telemetry import Tally
from tests.service.harness import run
from tests.service.scraping import Scraper, fetch
from tests.service.test_two_servers import two

GET_TABLE = "kartejo.v1.TableService/GetTable"
LIST_GAMES = "kartejo.v1.GameService/ListGames"


def test_one_page_shows_every_worker(dsn, tmp_path: Path):
    """Counts of each by its number; one that has gone is down, and the others are still shown."""

    async def scenario():
        places = {number: tmp_path / f"{number}.sock" for number in (1, 2)}
        async with AsyncExitStack() as stack:
            services = await stack.enter_async_context(two(dsn))
            observers = []
            for service, place in zip(services, places.values(), strict=True):
                lines = Tally("event", "level")
                observer = Observer(service.world, MetricsEndpoint(place), lines)
                await stack.enter_async_context(observer)
                observer.look_at(service.server)
                observers.append(observer)
            page = await stack.enter_async_context(MetricsEndpoint(("127.0.0.1", 0)))
            page.show = Together(places).show
            scrape = Scraper(page)
            ann, bob = (service.client("ann") for service in services)
            table = (await ann.create("parlour")).table.table_id
            for caller, times in ((ann, 2), (bob, 3)):
                for _ in range(times):
                    await caller.get(table)
            seen = await scrape()
            for number, times in (("1", 2), ("2", 3)):
                assert seen("worker_up", worker=number) == 1
                assert seen("calls_total", method=GET_TABLE, reason="OK", worker=number) == times
                assert seen("call_seconds_count", method=GET_TABLE, worker=number) == times
                assert seen("database_up", worker=number) == 1
            commands = seen.labelled("commands_total")
            assert commands == {("OpenTable", "parlour", "accepted", "1"): 1}
            wanted = "GET /metrics HTTP/1.1\r\nAccept: application/openmetrics-text; version=1.0.0"
            families = text_string_to_metric_families((await fetch(scrape.port, wanted))[2])
            assert {"kartejo_calls", "kartejo_worker_up"} <= {family.name for family in families}
            await observers[0].__aexit__(None, None, None)
            seen = await scrape()
            assert (seen("worker_up", worker="1"), seen("worker_up", worker="2")) == (0, 1)
            workers = {
                dict(labels)["worker"] for name, labels in seen.all if "worker_up" not in name
            }
            assert workers == {"2"}

    run(scenario())


def test_a_worker_that_is_starting_or_silent_is_down(tmp_path: Path, monkeypatch):
    async def scenario():
        async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read()
            writer.close()

        monkeypatch.setattr("service.metrics.together.WORKER_SECONDS", 0.1)
        places = {number: tmp_path / str(number) for number in (1, 2, 3)}
        async with (
            MetricsEndpoint(places[1]),
            await asyncio.start_unix_server(silent, places[2]),
            MetricsEndpoint(("127.0.0.1", 0)) as page,
        ):
            page.show = Together(places).show
            seen = await Scraper(page)()
            assert list(seen.all.values()) == [0, 0, 0]

    run(scenario())
