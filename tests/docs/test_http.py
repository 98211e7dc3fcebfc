"""docs/clients.md, "Over HTTP": its commands run as they stand, and answer what it says."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Commands, Served
from tests.commands import KARTEJO, ROOT, environment

PAGE = (ROOT / "docs" / "clients.md").read_text(encoding="utf-8")


@pytest.fixture
def served(pg_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Served:
    data = pg_folder / tmp_path_factory.mktemp("data").name
    return Served(data, "--listen", "127.0.0.1:0")


def test_the_curl_examples_run(served: Served) -> None:
    section = PAGE.partition("## Over HTTP, without gRPC\n")[2].partition("\n## ")[0]
    blocks = re.findall(r"```sh\n(.*?)```", section, flags=re.DOTALL)
    assert len(blocks) == 3
    script = "echo; echo ----\n".join(blocks)
    script = script.replace("http://127.0.0.1:50180/", served.told["web"])
    script = script.replace(".venv/bin/kartejo", " ".join(KARTEJO))
    done = subprocess.run(
        ["bash", "-uc", script.replace("--max-time 1", "--max-time 3")],
        capture_output=True,
        encoding="utf-8",
        env=environment(Path(served.told["data"])),
        timeout=60,
        check=False,
    )
    assert not done.stderr
    first, refused, watched = done.stdout.split("\n----\n")
    assert '"game":"palace_poker"' in first
    assert '"game":"royal_flush"' in first
    (shown,) = re.findall(r"```json\n(.*?)```", section, flags=re.DOTALL)
    told = json.loads(refused)
    assert {name: told[name] for name in ("code", "message")} == json.loads(shown)
    assert '"live":true' in watched
    assert '"tableOpened"' in watched
    assert Commands(Path(served.told["data"])).tables()
    served.stop()
