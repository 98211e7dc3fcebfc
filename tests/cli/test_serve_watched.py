"""``kartejo serve --metrics`` and ``--traces``: what an operator's tools get from the command."""

from __future__ import annotations

import asyncio
import re
import socket
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.request import urlopen

import pytest

from engine.errors import Malformed, Unavailable
from service.cli.failures import CommandError
from service.cli.watched import spans_for
from service.metrics import MetricsEndpoint
from tests.cli.conftest import SECONDS, Commands, Served


class Collector(HTTPServer):
    """Takes what is sent to it, as an OpenTelemetry collector does."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Taking)
        self.taken: list[tuple[str, bytes]] = []
        self.url = f"http://127.0.0.1:{self.server_port}/v1/traces"
        self._thread = threading.Thread(target=self.serve_forever, daemon=True)
        self._thread.start()

    def end(self) -> None:
        self.shutdown()
        self._thread.join(SECONDS)
        self.server_close()


class Taking(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.taken.append((self.path, body))
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


def test_metrics_and_traces_of_a_served_call(alone: Commands) -> None:
    """The page is where the command says; what is left of the traces is sent when it ends."""
    collector = Collector()
    served = Served(
        alone.data,
        *("--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--traces", collector.url),
    )
    url = served.told["metrics"]
    assert re.fullmatch(r"http://127\.0\.0\.1:[1-9][0-9]*/metrics", url)
    assert alone("tables", "--json").ok().json == []
    with urlopen(url, timeout=SECONDS) as answer:
        page = answer.read().decode()
    method = "kartejo.v1.TableService/ListTables"
    assert f'kartejo_calls_total{{method="{method}",reason="OK"}} 1.0\n' in page
    assert "process_resident_memory_bytes" in page
    assert not served.stop()
    collector.end()
    assert {path for path, _ in collector.taken} == {"/v1/traces"}
    assert method.encode() in b"".join(body for _, body in collector.taken)


def test_an_address_for_metrics_that_cannot_be(alone: Commands) -> None:
    """Said before a database is started; there is no address that nobody named."""
    reason, told = alone.fails("serve", "--temporary-data", "--metrics", ":9464")
    assert reason == "MALFORMED"
    assert "metrics: expected host:port" in told
    assert not alone.data.exists()


def test_an_address_for_metrics_that_is_taken() -> None:
    async def scenario(port: int) -> None:
        async with MetricsEndpoint(("127.0.0.1", port)):
            raise AssertionError("two listen at one address")

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(Unavailable, match=f"cannot show metrics on 127.0.0.1:{port}: "):
            asyncio.run(scenario(port))


def test_traces_go_to_a_url() -> None:
    with pytest.raises(Malformed, match="http://127"):
        spans_for("127.0.0.1:4318")


def test_traces_without_the_packages_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Said with what to install."""
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    monkeypatch.delitem(sys.modules, "service.metrics.traces", raising=False)
    with pytest.raises(CommandError) as refused:
        spans_for("http://127.0.0.1:4318/v1/traces")
    assert refused.value.reason == "NO_OPENTELEMETRY"
    assert refused.value.hint == "pip install 'kartejo[otel]'"
