"""A server that is watched: what it counts is shown, and what it does is traced."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from functools import partial
from typing import NamedTuple

from engine.errors import Malformed
from service.cli.failures import CommandError
from service.metrics import MetricsEndpoint, Observer, Show
from service.rpc.server import Parts, Server, Settings, serve
from service.telemetry import Tally
from service.telemetry.spans import Spans, no_spans
from service.web.settings import WebSettings

__all__ = ["Look", "serve_watched", "spans_for"]


class Look(NamedTuple):
    """Where a process is looked at: its page if it has one, its spans, the count of its log.

    ``whole``: the page of all workers, for one of several.
    """

    page: MetricsEndpoint | None
    spans: AbstractContextManager[Spans]
    lines: Tally
    whole: Show | None = None


async def serve_watched(
    settings: Settings,
    parts: Parts,
    look: Look,
    web: WebSettings | None,
    ready: Callable[[Server, str], None],
) -> None:
    """``serve``, and HTTP beside it; ``ready`` gets its URL too, empty without ``web``.

    Raises ``Unavailable`` for a page that cannot be shown where it should be.
    """
    with look.spans as spans:
        async with Observer(parts.world, look.page, look.lines) as observer:
            urls: list[str] = []

            def listens(server: Server) -> None:
                observer.look_at(server)
                ready(server, "".join(urls))

            figures = look.whole or observer.show
            others = [] if web is None else [partial(_web_door, web, figures, urls.append)]
            await serve(settings, parts._replace(spans=spans), listens, *others)


@asynccontextmanager
async def _web_door(
    web: WebSettings,
    figures: Show,
    tell: Callable[[str], None],
    server: Server,
) -> AsyncGenerator[None, None]:
    # Its packages are an extra, and take a while to read.
    from service.web.door import WebDoor

    async with WebDoor(server, web, figures) as door:
        tell(door.url)
        yield


def spans_for(url: str | None) -> AbstractContextManager[Spans]:
    """Spans for a collector, if there is one; raises ``Malformed`` for what is no URL.

    Raises ``CommandError`` where the packages for it are missing.
    """
    if url is None:
        return nullcontext(no_spans)
    if not url.startswith(("http://", "https://")):
        raise Malformed("traces", "expected a URL such as http://127.0.0.1:4318/v1/traces")
    try:
        from service.metrics.traces import traces_to
    except ModuleNotFoundError as error:
        hint = "pip install 'kartejo[otel]'"
        raise CommandError("NO_OPENTELEMETRY", f"traces need {error.name}", hint) from None
    return traces_to(url)
