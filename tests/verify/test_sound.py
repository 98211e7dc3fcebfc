"""What a service exports verifies; every decision of a told epoch is made once more."""

from __future__ import annotations

import json

import pytest

from engine.games import GAMES
from service.verify import verify
from tests.verify.conftest import Made
from tests.verify.forging import FORGER


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
    key = json.loads(made.short[0])["key"]
    assert verify(made.short, key).ok
    found = verify(made.short, FORGER.verifier.told()).findings
    assert found[0].line == 1
    assert "another key" in found[0].what


def test_commits_are_in_the_log_that_was_signed(made: Made) -> None:
    """Of a table each has its proof; of the store the root is computed."""
    report = verify(made.short)
    # All but the one that records the export itself.
    assert report.counts["commits proved to be in the log"] == report.counts["commits"] - 1
    size = verify(made.store).counts["commits of the checkpoint"]
    assert size > report.counts["commits"]
