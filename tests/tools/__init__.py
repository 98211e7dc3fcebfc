"""Tests of tools/, which are scripts and no package."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType
from unittest import mock

from tests.commands import ROOT

__all__ = ["tool"]


def tool(name: str) -> ModuleType:
    """A script of tools/ as a module; it finds its neighbours as when it is run."""
    folder = ROOT / "tools"
    spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with mock.patch.object(sys, "path", [str(folder), *sys.path]):
        spec.loader.exec_module(module)
    return module
