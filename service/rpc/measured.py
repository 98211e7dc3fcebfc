"""How calls end and how long they take: counted where they are handed over.

A call is counted with what its caller is told, read from the context when its handler ends: not
what the service meant to say, but what it said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import Any, Final

from google.rpc.status_pb2 import Status

from service.rpc.context import Context, reason_in
from service.telemetry import Histograms, Tally
from service.telemetry.spans import Spans, no_spans

__all__ = ["Behaviour", "CallRecords"]

OK: Final = "OK"
LEFT: Final = "CANCELLED"
"""The caller went away, or his deadline passed, before there was an answer."""

NO_METHOD: Final = "unknown"
"""Stands for every method that there is not: what a caller sends is no word of ours."""

Behaviour = Callable[[Any, Any], Awaitable[Any]]
"""Takes a request and its ``Context``."""


class CallRecords:
    """What became of the calls of one server.

    ``ended``: calls by method and reason, ``OK`` among them; ``seconds``: unary calls by method;
    ``open``: calls under way by method.  ``asked`` and ``asked_seconds``: the same of the
    requests on Play streams.
    """

    def __init__(self, spans: Spans = no_spans) -> None:
        self.spans = spans
        self.ended = Tally("method", "reason")
        self.seconds = Histograms("method")
        self.open: Counter[str] = Counter()
        self.asked = Tally("request", "reason")
        self.asked_seconds = Histograms("request")

    def unary(self, method: str, work: Behaviour) -> Behaviour:
        """A unary handler whose calls are counted, timed and traced."""
        seconds = self.seconds.of(method)

        async def measured(request: Any, context: Context) -> Any:
            began = perf_counter()
            reason = LEFT
            self.open[method] += 1
            with self.spans(method) as span:
                try:
                    answer = await work(request, context)
                except Exception:
                    reason = context.reason
                    span.fail(reason)
                    raise
                else:
                    reason = OK
                    return answer
                finally:
                    self.open[method] -= 1
                    self.ended.add(method, reason)
                    seconds.observe(perf_counter() - began)

        return measured

    def stream(self, method: str, work: Behaviour) -> Behaviour:
        """A handler of streams whose calls are counted; how long they last is their callers'."""

        async def measured(request: Any, context: Context) -> None:
            reason = LEFT
            self.open[method] += 1
            try:
                await work(request, context)
            except Exception:
                reason = context.reason
                raise
            else:
                reason = OK
            finally:
                self.open[method] -= 1
                self.ended.add(method, reason)

        return measured

    def turned_away(self, method: str, status: Status) -> None:
        """Count a call that was refused by its headers alone."""
        self.ended.add(method, reason_in(status))

    def answered(self, request: str, seconds: float, status: Status | None = None) -> None:
        """Count a request on a Play stream; ``status`` is how it failed."""
        self.asked.add(request, OK if status is None else reason_in(status))
        self.asked_seconds.observe(request, seconds)

    def no_such(self) -> None:
        """Count a call of a method that there is not."""
        self.ended.add(NO_METHOD, "UNIMPLEMENTED")
