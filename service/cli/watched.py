"""A server that is watched: what it counts is shown, and what it does is traced."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple

from engine.errors import Malformed
from service.cli.failures import CommandError
from service.metrics import MetricsEndpoint, Observer
from service.rpc.server import Parts, Server, Settings, serve
from service.telemetry import Tally
from service.telemetry.spans import Spans, no_spans

__all__ = ["Look", "serve_watched", "spans_for"]


class Look(NamedTuple):
    """Where a process is looked at: its page if it has one, its spans, the count of its log."""

    page: MetricsEndpoint | None
    spans: AbstractContextManager[Spans]
    lines: Tally


async def serve_watched(
    settings: Settings, parts: Parts, look: Look, ready: Callable[[Server], None]
) -> None:
    """``serve``, and ``Unavailable`` for a page that cannot be shown where it should be."""
    with look.spans as spans:
        async with Observer(parts.world, look.page, look.lines) as observer:

            def listens(server: Server) -> None:
                observer.look_at(server)
                ready(server)

            await serve(settings, parts._replace(spans=spans), listens)


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
