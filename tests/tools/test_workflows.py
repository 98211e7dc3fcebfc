""".github/workflows: what they run is there, with as few rights and as little chance as can be."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.commands import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))


@pytest.fixture(params=WORKFLOWS, ids=lambda path: path.stem)
def workflow(request: pytest.FixtureRequest) -> Path:
    path = request.param
    assert isinstance(path, Path)
    return path


def jobs_of(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))["jobs"]
    return found


def test_every_action_is_one_commit(workflow: Path) -> None:
    """Named by its hash, beside the version that people read."""
    uses = re.findall(r"uses: (.*)", workflow.read_text("utf-8"))
    assert uses
    for each in uses:
        assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", each)


def test_it_may_read_and_nothing_else(workflow: Path) -> None:
    told = yaml.safe_load(workflow.read_text("utf-8"))
    assert told["permissions"] == {"contents": "read"}
    for job in told["jobs"].values():
        assert "permissions" not in job
        assert job["timeout-minutes"] <= 60
        (checkout,) = (step for step in job["steps"] if "checkout" in step.get("uses", ""))
        assert checkout["with"] == {"persist-credentials": False}


def test_what_comes_from_outside_never_becomes_a_command(workflow: Path) -> None:
    """Names of branches and titles are whatever somebody writes: only the matrix is put in."""
    for job in jobs_of(workflow).values():
        for step in job["steps"]:
            put_in = re.findall(r"\$\{\{ *(.*?) *\}\}", step.get("run", ""))
            assert all(each.startswith("matrix.") for each in put_in)


def test_the_targets_are_those_of_the_makefile() -> None:
    commands = [
        (step["run"], job.get("strategy", {}).get("matrix", {}))
        for job in jobs_of(ROOT / ".github" / "workflows" / "ci.yml").values()
        for step in job["steps"]
        if "run" in step
    ]
    named: set[str] = set()
    for text, matrix in commands:
        for words in re.findall(r"^ *make (.*)$", text, re.MULTILINE):
            plain = words.replace("${{ matrix.target }}", " ".join(matrix.get("target", ())))
            named |= {word for word in plain.split() if "=" not in word}
    wanted = {"check", "test", "test-browser", "test-clients", "packages", "sbom"}
    assert named == wanted
    assert wanted <= TARGETS
