"""The TypeScript library is tested where it is built: ``make test-clients`` does both."""

from __future__ import annotations

from tests.commands import ROOT

BUILT = ROOT / "clients" / "typescript" / "dist" / "examples" / "bot.js"

collect_ignore = [] if BUILT.exists() else ["test_typescript.py"]
