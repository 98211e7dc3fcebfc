"""An outage is told when it begins and when it is over, however often it is met."""

from __future__ import annotations

from structlog.testing import capture_logs

from engine.errors import Unavailable
from service.store.connection import Pool, told_apart
from service.store.outage import Outage
from tests.store.lines import run


def test_an_outage_is_news_twice():
    """When it begins and when it is over, and so is the next one."""
    outage = Outage()
    assert outage.over() is None
    for _ in range(2):
        assert outage.met()
        assert not outage.met()
        seconds = outage.over()
        assert seconds is not None
        assert seconds >= 0
        assert outage.over() is None


def test_a_database_that_is_not_there_is_one_line():
    """However many ask for it."""

    async def scenario() -> None:
        async with Pool("host=/nowhere") as pool:
            for _ in range(20):
                try:
                    await pool.ask(None)  # type: ignore[arg-type]
                except Unavailable:
                    continue
                raise AssertionError("there is no such database")

    with capture_logs() as lines:
        run(scenario())
    assert [line["event"] for line in lines] == ["store_unreachable"]


def test_what_works_again_says_so():
    outage = Outage()
    with capture_logs() as lines:
        outage.met()
        for _ in range(2):
            with told_apart(outage):
                pass
    assert [line["event"] for line in lines] == ["store_reachable"]
