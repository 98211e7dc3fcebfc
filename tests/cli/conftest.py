"""The real commands, as processes, against a real service with a database of its own."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

import pytest

from tests.commands import KARTEJO, environment, quick

SECONDS: Final = 180


class Ended(NamedTuple):
    """A command that has run."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    def ok(self) -> Ended:
        assert self.code == 0, self.err
        assert not self.err
        return self


class Background(subprocess.Popen[str]):
    """A command that runs beside a test, and no longer than the test."""

    def __exit__(self, *args: object) -> None:
        self.kill()
        super().__exit__(*args)


class Commands:
    """Runs ``kartejo`` on one data directory."""

    def __init__(self, data: Path) -> None:
        self.data = data

    def __call__(self, *arguments: str, typed: str = "", **env: str) -> Ended:
        done = subprocess.run(
            [*quick(), *arguments],
            input=typed,
            capture_output=True,
            encoding="utf-8",
            env={**environment(self.data), **env},
            timeout=SECONDS,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return Ended(done.returncode, done.stdout, done.stderr)

    def tables(self, *arguments: str) -> list[Any]:
        """What ``kartejo tables`` lists, once the list has come to the end of the log.

        It follows at a pace of its own, some tenths of a second behind.
        """
        until = time.monotonic() + SECONDS
        while any(row["lag"] for row in self("rebuild", "tables", "--status", "--json").ok().json):
            assert time.monotonic() < until
        listed = self("tables", "--json", *arguments).ok().json
        assert isinstance(listed, list)
        return listed

    def fails(self, *arguments: str, **env: str) -> tuple[str, str]:
        """Reason and words of a command that fails as it should: exit code 1, a line, a hint."""
        ended = self(*arguments, **env)
        assert ended.code == 1, ended
        assert not ended.out
        lines = ended.err.splitlines()
        assert 1 <= len(lines) <= 2, ended.err
        found = re.fullmatch(r"kartejo: ([A-Z_]+): (.+)", lines[0])
        assert found is not None, ended.err
        assert all(line.startswith("  next: ") for line in lines[1:])
        return found[1], ended.err


class Served:
    """A running ``kartejo serve``; ``told`` is what it said when it was ready."""

    all: ClassVar[list[Served]] = []

    def __init__(self, data: Path, *arguments: str, kartejo: Sequence[str] = ()) -> None:
        self.process = subprocess.Popen(
            [
                *(kartejo or quick()),
                "serve",
                "--json",
                "--log-json",
                "--temporary-data",
                *arguments,
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            env=environment(data),
        )
        self.all.append(self)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            _, err = self.process.communicate(timeout=SECONDS)
            raise AssertionError(f"the service did not start: {err}")
        self.told: dict[str, Any] = json.loads(line)

    @property
    def pid(self) -> int:
        """The process itself; what was started may stand for it."""
        return int(self.told["process"])

    @property
    def address(self) -> str:
        return str(self.told["address"])

    def stop(self) -> str:
        """End it as an operator does; what it logged, but for what a busy machine does to it."""
        self.process.terminate()
        _, err = self.process.communicate(timeout=SECONDS)
        assert self.process.returncode == 0, err
        return "".join(line for line in err.splitlines(True) if '"loop_stalled"' not in line)

    def kill(self) -> None:
        """End it as a crash does."""
        if self.process.poll() is None:
            os.kill(self.pid, signal.SIGKILL)
        self.process.communicate(timeout=SECONDS)


@pytest.fixture(autouse=True)
def _nothing_left() -> Iterator[None]:
    """A test that failed leaves no service behind, which others would be blamed for."""
    yield
    for served in Served.all:
        served.kill()
    Served.all.clear()


@pytest.fixture(scope="session")
def service(pg_folder: Path) -> Iterator[Served]:
    """One service with lab tables for all tests that do it no harm."""
    data = pg_folder / "cli"
    served = Served(data, "--lab", "--listen", "127.0.0.1:0", kartejo=KARTEJO)
    Served.all.remove(served)
    yield served
    assert not served.stop(), "the service logged something"


@pytest.fixture
def kartejo(service: Served) -> Commands:
    """The commands beside that service."""
    return Commands(Path(service.told["data"]))


@pytest.fixture
def alone(pg_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Commands:
    """The commands on a data directory where nothing was served yet."""
    return Commands(pg_folder / tmp_path_factory.mktemp("data").name)
