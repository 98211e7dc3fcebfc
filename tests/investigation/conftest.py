"""A database with hands of every game, copied for every test that reads them."""

from __future__ import annotations

from itertools import count

import pytest
from psycopg.conninfo import make_conninfo

from service.store.embedded import EmbeddedServer
from tests.investigation.gathering import evening
from tests.pg import TEMPLATE, create
from tests.service.harness import run

_numbers = count(1)


@pytest.fixture(scope="session")
def evening_played(pg: EmbeddedServer) -> str:
    """The name of a database with hands of every game."""
    create(pg, "evening", TEMPLATE)
    run(evening(make_conninfo(pg.conninfo, dbname="evening", user="kartejo_service")))
    return "evening"


@pytest.fixture
def evening_dsn(pg: EmbeddedServer, evening_played: str) -> str:
    """A copy of it, as the login that the service uses."""
    name = f"evening_{next(_numbers)}"
    create(pg, name, evening_played)
    return make_conninfo(pg.conninfo, dbname=name, user="kartejo_service")
