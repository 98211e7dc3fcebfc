"""Fixtures of the tests of the transparency log."""

from __future__ import annotations

from tests.service.conftest import other_dsn

__all__ = ["other_dsn"]
