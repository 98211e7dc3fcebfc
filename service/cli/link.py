"""``kartejo link``."""

from __future__ import annotations

from typing import Annotated

import typer

from service.cli.failures import CommandError
from service.cli.options import AsJson, Data, home_of

__all__ = ["command"]


def command(
    subject: Annotated[
        str, typer.Argument(help="Whom the link is for: any name you know. Default: you.")
    ] = "you",
    host: Annotated[
        bool, typer.Option("--host", help="May hold tournaments too, with the role host.")
    ] = False,
    as_json: AsJson = False,
    data: Data = None,
) -> None:
    """Print a link that lets somebody play in a browser, for a service that runs on --data.

    Whoever opens it within 15 minutes is SUBJECT for 12 hours: a player and no more, or with
    --host also a host, as the link is that the service prints when it starts.

    Examples
      kartejo link --host
      kartejo link ann
    """
    from service.cli.browser import link_to
    from service.cli.console import print_json
    from service.client import Endpoint
    from service.identity.links import LINK_SECONDS

    home = home_of(data)
    endpoint = Endpoint.read(home)
    if endpoint is None:
        raise CommandError("NO_SERVICE", f"no service runs on {home}")
    if not endpoint.web:
        raise CommandError(
            "NO_WEB", "the service on this data serves no pages", "start it with --web HOST:PORT"
        )
    try:
        link = link_to(endpoint.web, home, subject, host=host)
    except ValueError as error:
        raise CommandError("BAD_SUBJECT", str(error), "name somebody as tokens do") from None
    if as_json:
        print_json({"link": link, "subject": subject, "seconds": LINK_SECONDS})
    else:
        print(link)  # noqa: T201
