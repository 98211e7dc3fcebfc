"""docs/auditing.md shows a checkpoint and a report as they really look."""

from __future__ import annotations

import re
from uuid import UUID

from service.audit.findings import Count, Finding, Result
from service.audit.source import Standing
from service.audit.whole import Audited
from service.cli.auditing import lines
from service.transparency.notes import Note
from tests.docs.blocks import blocks, matches

NOTE, REPORT = (
    block.text for block in blocks("docs/auditing.md") if block.mark.startswith("checked by")
)


def test_the_checkpoint_is_a_signed_note() -> None:
    note = Note.parse(NOTE)
    origin, size, root = note.text.splitlines()
    assert (origin, size, len(root)) == ("cards.example/log", "20852163", 44)
    assert [signature.name for signature in note.signatures] == [origin]


def test_the_report_reads_like_that() -> None:
    """The record that is shown, told by the command's own words."""
    found = re.search(
        r"position (\d+), stream (\S+), version (\d+): (\w+)\n +expected (.*)\n +found +(.*)",
        REPORT,
    )
    assert found is not None
    position, stream, version, check, expected, told = found.groups()
    finding = Finding(int(position), UUID(stream), int(version), check, expected, told)
    count = Count(tables=2, accounts=2, tournaments=2, accesses=2)
    result = Result(count=count, findings=[finding], found=2)
    report = "\n".join(lines(Audited(Standing(0, 0, ()), result, 1.0, 1), 1))
    assert matches(REPORT + "…", report)
    assert f"{found[0]}\n" in report
