"""Spans sent to an OpenTelemetry collector (``pip install kartejo[otel]``, ``serve --traces``).

Only this module knows OpenTelemetry, and only ``--traces`` imports it.  Exceptions are never
recorded: their texts may quote what was in play.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span as OtelSpan
from opentelemetry.trace import StatusCode

from engine.errors import KartejoError
from service.telemetry.spans import Span, Spans

__all__ = ["spans_to", "traces_to"]

FLUSH_MS = 3_000


class _Span:
    def __init__(self, span: OtelSpan) -> None:
        self._span = span

    def fail(self, reason: str) -> None:
        self._span.set_attribute("reason", reason)
        self._span.set_status(StatusCode.ERROR)


@contextmanager
def traces_to(url: str) -> Iterator[Spans]:
    """Spans for a collector that takes OTLP over HTTP at ``url``; the rest is sent at the end."""
    with spans_to(BatchSpanProcessor(OTLPSpanExporter(endpoint=url))) as spans:
        yield spans


@contextmanager
def spans_to(processor: SpanProcessor) -> Iterator[Spans]:
    """Spans for a processor of OpenTelemetry's."""
    provider = TracerProvider(resource=Resource.create({"service.name": "kartejo"}))
    provider.add_span_processor(processor)
    tracer = provider.get_tracer("kartejo")

    @contextmanager
    def spans(name: str, **facts: str | int) -> Iterator[Span]:
        begin = tracer.start_as_current_span
        with begin(
            name, attributes=facts, record_exception=False, set_status_on_exception=False
        ) as span:
            told = _Span(span)
            try:
                yield told
            except KartejoError as error:
                told.fail(error.reason)
                raise

    try:
        yield spans
    finally:
        provider.force_flush(FLUSH_MS)
        provider.shutdown()
