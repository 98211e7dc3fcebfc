"""What is wrong with an export, and where."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final, NamedTuple
from uuid import UUID

__all__ = ["MOST", "Bad", "Finding", "Report"]

MOST: Final = 100
"""Findings that a report lists; those beyond are counted."""


class Bad(Exception):
    """A record is not what it must be: what was expected, what was found."""

    def __init__(self, what: str, expected: object = "", found: object = "") -> None:
        self.what = what
        self.expected = str(expected)
        self.found = str(found)
        super().__init__(what)


class Finding(NamedTuple):
    """One thing that is wrong.  ``line`` counts from 1; position and version are 0 if unknown."""

    line: int
    position: int
    stream: UUID | None
    version: int
    what: str
    expected: str
    found: str

    def __str__(self) -> str:
        place = f"line {self.line}"
        if self.stream is not None:
            place += f", stream {self.stream} version {self.version}, position {self.position}"
        told = f"{place}: {self.what}"
        if self.expected or self.found:
            told += f" (expected {self.expected or 'nothing'}, found {self.found or 'nothing'})"
        return told


@dataclass
class Report:
    """What a verification found; ``counts`` say how much was looked at, and what was not."""

    kind: str = ""
    scope: str = ""
    signer: str = ""
    made: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)
    more: int = 0

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings

    def add(self, finding: Finding) -> None:
        """Add a finding, or count it where there are too many to list."""
        if len(self.findings) < MOST:
            self.findings.append(finding)
        else:
            self.more += 1
