"""Writes service/pb from proto/: ``python tools/make_proto.py [--check]``.

Runs the protocol compiler of grpcio-tools with the gRPC and typing plug-ins, then moves the
modules from ``kartejo.v1`` to ``service.pb``.  ``--check`` writes nothing and fails if the
committed files differ from what would be written.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from importlib import resources
from pathlib import Path

import google.rpc
from grpc_tools import protoc

ROOT = Path(__file__).resolve().parent.parent
PROTO = ROOT / "proto"
TARGET = ROOT / "service" / "pb"
INIT = '"""Generated from proto/ by tools/make_proto.py; do not edit."""\n'


def well_known() -> str:
    """The folder with google/protobuf/*.proto."""
    return str(resources.files("grpc_tools") / "_proto")


def google_rpc() -> str:
    """The folder above google/rpc/*.proto, from googleapis-common-protos."""
    return str(Path(next(iter(google.rpc.__path__))).parent.parent)


def generate() -> dict[str, str]:
    """File name → text, for everything that belongs into service/pb."""
    sources = sorted(str(path.relative_to(PROTO)) for path in PROTO.rglob("*.proto"))
    # The plug-ins' scripts lie beside the interpreter that runs this.
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    with tempfile.TemporaryDirectory() as out:
        code = protoc.main(
            [
                "protoc",
                f"-I{PROTO}",
                f"-I{well_known()}",
                f"-I{google_rpc()}",
                f"--python_out={out}",
                f"--grpc_python_out={out}",
                f"--mypy_out=quiet:{out}",
                f"--mypy_grpc_out=quiet:{out}",
                *sources,
            ]
        )
        if code:
            raise SystemExit(f"the protocol compiler failed with {code}")
        files = {"__init__.py": INIT}
        for path in sorted(Path(out).rglob("*.py*")):
            text = path.read_text()
            text = re.sub(r"\bfrom kartejo\.v1 import", "from service.pb import", text)
            text = re.sub(r"^import kartejo\.v1\.", "import service.pb.", text, flags=re.MULTILINE)
            text = re.sub(r"\bkartejo\.v1\.(\w+_pb2)", r"service.pb.\1", text)
            files[path.name] = text
        return files


def main() -> None:
    """Write, or check."""
    files = generate()
    if "--check" in sys.argv:
        have = {path.name: path.read_text() for path in TARGET.glob("*.py*") if path.is_file()}
        names = files.keys() | have.keys()
        wrong = sorted(name for name in names if files.get(name) != have.get(name))
        if wrong:
            raise SystemExit("service/pb is not what proto/ makes: " + ", ".join(wrong))
        return
    TARGET.mkdir(parents=True, exist_ok=True)
    for old in TARGET.glob("*.py*"):
        if old.is_file() and old.name not in files:
            old.unlink()
    for name, text in files.items():
        (TARGET / name).write_text(text)


if __name__ == "__main__":
    main()
