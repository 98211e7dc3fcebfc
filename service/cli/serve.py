"""``kartejo serve``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from service.cli.options import AsJson, Data, a_path

__all__ = ["command"]


def command(
    data: Data = None,
    database: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            envvar="KARTEJO_DATABASE",
            help="A PostgreSQL of yours (15 or newer), migrated before. Default: an embedded one.",
        ),
    ] = None,
    listen: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Where to listen; port 0 takes a free one.")
    ] = "127.0.0.1:50100",
    tls_cert: Annotated[
        Path | None, typer.Option(metavar="FILE", parser=a_path, help="Certificate chain, PEM.")
    ] = None,
    tls_key: Annotated[
        Path | None, typer.Option(metavar="FILE", parser=a_path, help="Its key, PEM.")
    ] = None,
    lab: Annotated[
        bool, typer.Option("--lab", help="Allow lab tables: stacked decks, positions, all eyes.")
    ] = False,
    reflection: Annotated[
        bool, typer.Option(help="Tell clients such as grpcurl what services there are.")
    ] = True,
    caller_rate: Annotated[
        int,
        typer.Option(
            metavar="CALLS", min=0, help="Calls a second of one caller (Play apart); 0: any."
        ),
    ] = 400,
    connection_rate: Annotated[
        int,
        typer.Option(metavar="CALLS", min=0, help="Calls a second of one connection; 0: any."),
    ] = 1_000,
    address_rate: Annotated[
        int,
        typer.Option(
            metavar="N", min=0, help="Connections of HTTP a second from one address; 0: any."
        ),
    ] = 100,
    connections: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            help="Connections of gRPC that may be open; further ones are closed at once.",
        ),
    ] = 10_000,
    metrics: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT",
            help="Show metrics for Prometheus at http://HOST:PORT/metrics, without TLS or token: "
            "an address that only your own network reaches. Default: nowhere.",
        ),
    ] = None,
    web: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT",
            help="Serve pages, and the same calls over HTTP (Connect, gRPC-Web, JSON), there; "
            "beyond this machine with TLS only. Needs the extra `web`. Default: 127.0.0.1:50180 or "
            "another free port, if --listen is this machine's own.",
        ),
    ] = None,
    no_web: Annotated[bool, typer.Option("--no-web", help="Serve no pages, and gRPC alone.")] = (
        False
    ),
    web_origin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ORIGIN",
            help="Let pages of another site call over HTTP (https://cards.example); may be given "
            "several times. Name a proxy's own site so too. Default: none may.",
        ),
    ] = None,
    traces: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Send traces of calls to an OpenTelemetry collector, by OTLP over HTTP "
            "(http://127.0.0.1:4318/v1/traces). Needs the extra `otel`. Default: none.",
        ),
    ] = None,
    log_json: Annotated[
        bool, typer.Option("--log-json", help="Log JSON lines instead of text.")
    ] = False,
    new_master_key: Annotated[
        bool,
        typer.Option(
            "--new-master-key",
            help="The store's master key is lost: go on with another one. Hands that are running "
            "cannot go on; finished ones stay readable.",
        ),
    ] = False,
    log_origin: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="What the transparency log is called, for good: a domain of yours and a path "
            "(cards.example/log). Counts when its key is made. Default: a random name.",
        ),
    ] = None,
    new_log_key: Annotated[
        bool,
        typer.Option(
            "--new-log-key",
            help="The key of the transparency log is lost, or no longer yours alone (then move "
            "log.key away first): go on with another one. Tell every witness.",
        ),
    ] = False,
    checkpoint_seconds: Annotated[
        int,
        typer.Option(
            metavar="SECONDS",
            min=0,
            max=3_600,
            help="Between two signed checkpoints of a log that grows; 0: this service signs none, "
            "and needs no log.key.",
        ),
    ] = 5,
    workers: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            max=64,
            help="Processes that serve on the one port, each on every table; about one for each "
            "core. docs/operating.md says what to choose.",
        ),
    ] = 1,
    as_json: AsJson = False,
    temporary_data: Annotated[bool, typer.Option("--temporary-data", hidden=True)] = False,
) -> None:
    """Run the service until Ctrl-C or SIGTERM, then drain it.

    Without options it listens on this machine alone and keeps everything in a PostgreSQL of its
    own. It makes its keys on the first start, and writes the administrator's token where the
    other commands find it. Beyond this machine it insists on TLS.

    Examples
      kartejo serve
      kartejo serve --lab --listen 127.0.0.1:0
      kartejo serve --workers 4
      kartejo serve --listen 0.0.0.0:443 --tls-cert chain.pem --tls-key key.pem
      kartejo serve --database postgresql://cards@db.example/cards
      kartejo serve --metrics 127.0.0.1:9464
      kartejo serve --web 127.0.0.1:8080 --web-origin https://cards.example
    """
    from service.cli.running import Plan, run

    run(
        Plan(
            data=data,
            database=database,
            listen=listen,
            certificate=tls_cert,
            key=tls_key,
            lab=lab,
            reflection=reflection,
            caller_rate=caller_rate,
            connection_rate=connection_rate,
            address_rate=address_rate,
            connections=connections,
            metrics=metrics,
            traces=traces,
            log_json=log_json,
            as_json=as_json,
            temporary_data=temporary_data,
            new_master_key=new_master_key,
            log_origin=log_origin,
            new_log_key=new_log_key,
            checkpoint_seconds=checkpoint_seconds,
            workers=workers,
            web=web,
            no_web=no_web,
            web_origins=tuple(web_origin or ()),
        )
    )
