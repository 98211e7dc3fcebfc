"""The same audit of an export: in this process, in others, and on a Ray cluster."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

from engine.errors import Corrupt, Malformed
from service.audit.export import exported
from service.audit.on_ray import on_ray
from service.audit.whole import Audited, Map, Plan, audit
from service.cli.app import app
from service.exports import CompleteLines
from service.rpc.export_service import stored_commit
from service.store.commit import Commit
from service.verify import verify
from tests.audit.forging import Forger
from tests.audit.looking import looked_at
from tests.service.harness import CODEC, MASTER
from tests.verify.forging import exported as signed


def written(path: Path, log: Sequence[Commit], table: str = "", note: str = "") -> Path:
    """A complete export of a log; its note is not looked at by an audit."""
    lines = CompleteLines(CODEC, table)
    parts = [lines.first("", ""), *(lines.commit(stored_commit(one)) for one in log)]
    path.write_bytes(b"".join(parts) + lines.last(note))
    return path


@pytest.mark.parametrize("which", ["played_log", "small_log"])
def test_honest_play_verifies_offline(request: pytest.FixtureRequest, which: str) -> None:
    """Clocks that ran out, time banks, tables that were closed or left in the middle of a hand."""
    log: Sequence[Commit] = request.getfixturevalue(which)
    report = verify(signed(log))
    assert not report.findings
    assert report.counts["commits not opened"] == 0


@pytest.fixture
def key(tmp_path: Path) -> Path:
    """A copy of the master key, in a folder that others may enter: only the file has to be shut."""
    folder = tmp_path / "keys"
    folder.mkdir()
    folder.chmod(0o755)
    path = folder / "master.key"
    path.write_text(MASTER.hex() + "\n")
    path.chmod(0o600)
    return path


def audited(path: Path, key: Path, *, jobs: int = 1, mapped: Map | None = None) -> Audited:
    with exported(path) as source:
        standing, whole = source.standing(), source.is_whole
    plan = Plan(partial(exported, path), (key,), standing.head, standing.newest)
    return audit(plan, standing, jobs, lambda _: None, whole=whole, log=whole, mapped=mapped)


def test_an_export_says_what_the_store_says(
    tmp_path: Path, small_log: Sequence[Commit], key: Path
) -> None:
    found = audited(written(tmp_path / "all.jsonl", small_log), key).result
    assert not found.findings
    assert found.count == looked_at(small_log).count


def test_a_forged_export_is_found_as_in_the_store(
    tmp_path: Path, small_log: Sequence[Commit], key: Path
) -> None:
    forger = Forger(small_log)
    commit = forger.log[60]
    log = forger.replaced(commit, hand=commit.hand + 1)
    found = audited(written(tmp_path / "all.jsonl", log), key).result
    assert found.findings == looked_at(log).findings
    assert (found.findings[0].position, found.findings[0].check) == (61, "hand")


def test_one_table_is_audited_without_the_others(
    tmp_path: Path, small_log: Sequence[Commit], key: Path
) -> None:
    """What its players' accounts say of it is not at hand, and counted as such."""
    stream = next(one.stream for one in small_log if one.kind == 1)
    mine = [one for one in small_log if one.stream == stream]
    found = audited(written(tmp_path / "one.jsonl", mine, str(stream)), key).result
    assert not found.findings
    assert (found.count.tables, found.count.transfers) == (1, 0)
    assert found.count.unread > 0


@pytest.mark.parametrize(
    "text", ["", "x", "[]", '{"type":"export","format":2}', '{"type":"export","format":1}']
)
def test_what_is_no_complete_export_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x"
    path.write_text(text + "\n")
    with pytest.raises(Malformed, match="kartejo export"), exported(path):
        raise AssertionError(text)


def test_a_line_that_was_cut_is_named_by_its_place(
    tmp_path: Path, small_log: Sequence[Commit], key: Path
) -> None:
    path = written(tmp_path / "all.jsonl", small_log[:20])
    lines = path.read_bytes().splitlines(keepends=True)
    lines[7] = lines[7][:-40] + b"\n"
    path.write_bytes(b"".join(lines))
    with pytest.raises(Corrupt, match=f"byte {sum(map(len, lines[:7]))} .*kartejo verify"):
        audited(path, key)


@pytest.mark.long
@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="needs the extra 'ray'")
@pytest.mark.filterwarnings("default")
def test_a_cluster_finds_the_same(tmp_path: Path, small_log: Sequence[Commit], key: Path) -> None:
    """Parts are worked on by Ray's own processes; the report is the same, order and all."""
    forger = Forger(small_log)
    log = forger.replaced(forger.log[60], hand=forger.log[60].hand + 1)
    path = written(tmp_path / "all.jsonl", log)
    here = audited(path, key).result
    there = audited(path, key, mapped=on_ray()).result
    assert there.findings == here.findings
    assert there.count == here.count


def test_an_export_that_was_cut_off_is_not_well(
    tmp_path: Path, small_log: Sequence[Commit], key: Path
) -> None:
    path = written(tmp_path / "all.jsonl", small_log, note=f"\ncommits {len(small_log)}\n")
    assert not audited(path, key).result.findings
    whole = path.read_bytes().splitlines(keepends=True)
    for number, cut in enumerate((whole[:-1], whole[:-3], [*whole[:-1], whole[-1][:-5]])):
        short = tmp_path / f"{number}.jsonl"
        short.write_bytes(b"".join(cut))
        with pytest.raises(Malformed, match="ends in the middle"), exported(short):
            pass
    short = tmp_path / "short.jsonl"
    short.write_bytes(b"".join([*whole[:-3], whole[-1]]))
    (finding,) = audited(short, key).result.findings[:1]
    assert finding.expected == f"a log that ends at position {len(small_log)}"


def test_a_table_without_its_last_commits_is_not_well(
    tmp_path: Path, small_log: Sequence[Commit]
) -> None:
    stream = next(one.stream for one in small_log if one.kind == 1)
    log = [one for one in small_log if one.stream == stream]
    note = f"\ncommits {len(log)}\n"
    for lacking, code in ((0, 0), (1, 2)):
        cut = log[: len(log) - lacking]
        path = written(tmp_path / f"{lacking}.jsonl", cut, str(stream), note=note)
        data = ("--data", str(tmp_path / "data"))
        done = CliRunner().invoke(app, ["audit", "--export", str(path), *data])
        assert done.exit_code == code, done.output
