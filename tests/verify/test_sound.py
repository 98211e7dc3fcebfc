"""What a service exports verifies; every decision of a told epoch is made once more."""

from __future__ import annotations

import json

import pytest

from engine.games import GAMES
from service.vault.note import NoteSigner
from service.verify import verify
from tests.verify.conftest import Made


def test_a_whole_store_verifies(made: Made) -> None:
    report = verify(made.store)
    assert not report.findings
    counts = report.counts
    assert counts["commits"] == len(made.store) - 2
    assert counts["tables"] == len(GAMES) + 2
    assert counts["accounts"] == 2
    assert counts["accesses"] == len(GAMES) + 1
    # All but what belongs to the epoch that runs at each table.
    assert counts["commits decided again"] > 100
    assert counts["commits decided again"] == counts["commits opened"]
    assert counts["slots opened"] > 50
    assert counts["commits not opened"] == 0


@pytest.mark.parametrize("game", GAMES)
def test_a_table_verifies(made: Made, game: str) -> None:
    """Everybody has left, and so every epoch but one that was never touched is told."""
    report = verify(made.tables[game])
    assert not report.findings
    assert report.scope.startswith("table ")
    assert report.counts["accesses"] == 1
    assert report.counts["commits decided again"] >= 3
    assert report.counts["epochs told"] >= 1


def test_the_key_that_must_have_signed_is_held_against_the_one_that_did(made: Made) -> None:
    key = json.loads(made.short[-1])["key"]
    assert verify(made.short, key).ok
    (finding,) = verify(made.short, NoteSigner("kartejo-export", bytes(32)).key).findings
    assert finding.line == len(made.short)
    assert "another key" in finding.what
