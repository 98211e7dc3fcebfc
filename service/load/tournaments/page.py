"""The result of a tournament under load as one HTML page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from service.load.page import page as page_of_load
from service.load.tournaments.result import words

__all__ = ["page"]


def page(told: Mapping[str, Any]) -> str:
    """The page of a document (:func:`service.load.tournaments.result.document`)."""
    played = told["tournament"]
    title = f"{played['name']}, {played['entries']} entries at {told['load']['tables']} tables"
    return page_of_load(told, title, words)
