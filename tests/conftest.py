"""Fixtures that every test may use: the PostgreSQL servers of tests/pg.py."""

from importlib.util import find_spec

pytest_plugins = ["tests.pg"]

collect_ignore = [] if find_spec("playwright") else ["browser"]
"""What the tests of the pages need is installed by ``make test-browser`` only."""
