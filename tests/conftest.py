"""Fixtures that every test may use: the PostgreSQL servers of tests/pg.py."""

pytest_plugins = ["tests.pg"]
