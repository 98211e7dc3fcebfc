"""The log against what was signed of it: truncation, and forgeries that fit everywhere else."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psycopg
import pytest

from service.audit.checkpoints import Checkpoints, SignedRow
from service.audit.findings import Finding, Findings
from service.audit.log import check_log
from service.audit.source import Recorded
from service.store.commit import Commit
from service.transparency.checkpoint import Checkpoint
from service.transparency.merkle import Frontier
from service.transparency.notes import SignerKey
from tests.audit.looking import audited
from tests.audit.test_rows import changed

KEY = SignerKey("cards.example/log", bytes(range(32)))
OTHER = SignerKey("cards.example/log", bytes(32))
TRUSTED = (KEY.verifier.told(),)
SIZES = (10, 50, 51, 150, 250)


def signed(log: Sequence[Commit], key: SignerKey = KEY, sizes: Sequence[int] = SIZES) -> list[Any]:
    """The series that a key signed while the log grew."""
    rows = []
    for number, size in enumerate(sizes, 1):
        tree = Frontier().extended(one.hash for one in log[:size])
        note = Checkpoint(key.verifier.name, size, tree.root()).signed(key)
        told = key.verifier.told()
        rows.append(SignedRow(number, size, tree.root(), tree.packed(), told, note))
    return rows


def found(
    log: Sequence[Commit],
    series: Sequence[SignedRow],
    *,
    kept: Sequence[str] = (),
    trusted: Sequence[str] = TRUSTED,
) -> tuple[int, list[Finding]]:
    findings = Findings()
    source = Recorded(log)
    check = Checkpoints(series, kept, trusted, source.head_now, findings)
    count = check_log(source.log(len(log)), source.head_now(), findings, check)
    return count, findings.kept


def test_a_log_is_as_it_was_signed(small_log: Sequence[Commit]) -> None:
    series = signed(small_log)
    assert found(small_log, series) == (5, [])
    assert found(small_log, series, kept=[series[2].note]) == (6, [])
    assert found(small_log, []) == (0, [])


def test_a_changed_commit_lies_between_the_last_good_checkpoint_and_the_first_bad_one(
    small_log: Sequence[Commit],
) -> None:
    """Though all else was made to fit, groups and chains included."""
    series = signed(small_log)
    changed = list(small_log)
    changed[99] = changed[99]._replace(hash=bytes(32))
    _, findings = found(changed, series)
    assert [each.check for each in findings] == ["checkpoint"] * 4  # two roots, two trees in short
    assert findings[0].position == 52
    assert "right for the first 51" in findings[0].expected


@pytest.mark.parametrize("left", [249, 100, 1])
def test_a_log_cut_off_at_its_end_is_shorter_than_what_was_signed(
    small_log: Sequence[Commit], left: int
) -> None:
    """Where the last position that was given out was set back too."""
    _, findings = found(small_log[:left], signed(small_log))
    cut = [each for each in findings if "as they were signed" in each.expected]
    assert cut
    assert {(each.position, each.check) for each in cut} == {(left + 1, "checkpoint")}


def test_who_signs_a_forged_log_anew_is_found_by_key_or_by_note(
    small_log: Sequence[Commit],
) -> None:
    forged = list(small_log)
    forged[30] = forged[30]._replace(hash=bytes(32))
    anew = signed(forged, OTHER)
    count, findings = found(forged, anew)
    assert count == 0
    assert len(findings) == 5
    assert "trusted" in findings[0].expected
    # By the keys that the store itself names all is well; a note that somebody kept tells.
    own = (OTHER.verifier.told(),)
    assert found(forged, anew, trusted=own) == (5, [])
    kept = signed(small_log)[3].note
    _, findings = found(forged, anew, trusted=(*own, *TRUSTED), kept=[kept])
    assert [each.position for each in findings] == [52]


@pytest.mark.parametrize(
    "change",
    [
        {"size": 49},
        {"root": bytes(32)},
        {"frontier": bytes(32)},
        {"note": "x"},
    ],
)
def test_a_row_of_the_series_that_was_changed_is_found(
    small_log: Sequence[Commit], change: dict[str, Any]
) -> None:
    series = signed(small_log)
    series[1] = series[1]._replace(**change)
    _, findings = found(small_log, series)
    assert [each.check for each in findings] == ["checkpoint"]


def test_a_series_that_shrinks_is_found(small_log: Sequence[Commit]) -> None:
    one, two, *rest = signed(small_log)
    _, findings = found(small_log, [two, one, *rest])
    assert [each.expected for each in findings] == ["a size from 50 on"]


def test_the_stored_series_is_checked(
    small_log: Sequence[Commit], dsn: str, admin_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the database: an account's chips, with every hash behind them right."""
    with psycopg.connect(admin_dsn) as db:
        db.execute("INSERT INTO kartejo.log_key (number, key) VALUES (1, %s)", TRUSTED)
        for row in signed(small_log):
            db.execute(
                "INSERT INTO kartejo.checkpoint (lane, number, size, root, frontier, key, note) "
                "VALUES (0, %s, %s, %s, %s, %s, %s)",
                row,
            )
    result = audited(dsn, monkeypatch).result
    assert not result.findings
    assert result.count.checkpoints == 5
    cut = "DELETE FROM kartejo.commit WHERE position > 240"
    changed(admin_dsn, cut, "UPDATE kartejo.lane SET head = 240", "DELETE FROM kartejo.snapshot")
    findings = audited(dsn, monkeypatch).result.findings
    (cut_off,) = [each for each in findings if each.check == "checkpoint"]
    assert cut_off.position == 241


def test_a_kept_note_is_read_beside_the_key(tmp_path: Path) -> None:
    from service.cli.auditing import _notes

    folder = tmp_path / "data-secrets"
    folder.mkdir(mode=0o700)
    last = folder / "log-00.last"
    last.write_text(json.dumps({"note": "kept"}) + "\n")
    last.chmod(0o600)
    note = tmp_path / "note"
    note.write_text("brought along")
    assert _notes([note], tmp_path / "data") == ("brought along", "kept")
    assert _notes([last], None) == ("kept",)
    assert _notes([], tmp_path / "elsewhere") == ()
