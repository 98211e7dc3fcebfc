"""Lints proto/ with buf: ``python tools/lint_proto.py``.

buf resolves google/rpc/status.proto over a network; it is in an installed wheel anyway, so the
files are laid side by side in a temporary workspace, in which only ours are linted.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from make_proto import PROTO, google_rpc


def main() -> int:
    """buf's exit code; its findings are printed."""
    buf = Path(sys.executable).with_name("buf")
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        shutil.copytree(PROTO, work / "proto")
        rpc = work / "vendor" / "google" / "rpc"
        rpc.mkdir(parents=True)
        shutil.copy(Path(google_rpc()) / "google" / "rpc" / "status.proto", rpc)
        rules = (PROTO / "buf.yaml").read_text()
        modules = "modules:\n  - path: proto\n  - path: vendor\n    lint:\n      ignore: [vendor]\n"
        (work / "buf.yaml").write_text(rules + modules)
        return subprocess.run([str(buf), "lint"], cwd=work, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
