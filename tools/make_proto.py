"""Writes what is generated from proto/: ``python tools/make_proto.py [--check | --image FILE]``.

Runs the protocol compiler of grpcio-tools with the gRPC and typing plug-ins, then moves the
modules from ``kartejo.v1`` to ``service.pb`` and to the client library's ``kartejo_client.pb``.
``--check`` writes nothing and fails if the committed files differ from what would be written.
``--image`` writes one file with all of the contract and what it imports, comments included: what
buf generates other languages from, without a network (docs/clients.md).
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
TARGETS = {
    "service.pb": ROOT / "service" / "pb",
    "kartejo_client.pb": ROOT / "clients" / "python" / "src" / "kartejo_client" / "pb",
}
ERROR_DETAILS = "google/rpc/error_details.proto"
"""What failures carry; no file of the contract imports it."""

INIT = '"""Generated from proto/ by tools/make_proto.py; do not edit."""\n'


def well_known() -> str:
    """The folder with google/protobuf/*.proto."""
    return str(resources.files("grpc_tools") / "_proto")


def google_rpc() -> str:
    """The folder above google/rpc/*.proto, from googleapis-common-protos."""
    return str(Path(next(iter(google.rpc.__path__))).parent.parent)


def compile_proto(*options: str) -> None:
    """Run the protocol compiler over all of proto/ with these options, or files besides."""
    sources = sorted(str(path.relative_to(PROTO)) for path in PROTO.rglob("*.proto"))
    # The plug-ins' scripts lie beside the interpreter that runs this.
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    folders = (f"-I{PROTO}", f"-I{well_known()}", f"-I{google_rpc()}")
    code = protoc.main(["protoc", *folders, *options, *sources])
    if code:
        raise SystemExit(f"the protocol compiler failed with {code}")


def generate() -> dict[str, str]:
    """File name → text of all modules, as of the package ``kartejo.v1``."""
    with tempfile.TemporaryDirectory() as out:
        compile_proto(
            f"--python_out={out}",
            f"--grpc_python_out={out}",
            f"--mypy_out=quiet:{out}",
            f"--mypy_grpc_out=quiet:{out}",
        )
        return {path.name: path.read_text() for path in sorted(Path(out).rglob("*.py*"))}


def moved(text: str, package: str) -> str:
    """A module of ``kartejo.v1`` as one of another package."""
    text = re.sub(r"\bfrom kartejo\.v1 import", f"from {package} import", text)
    text = re.sub(r"^import kartejo\.v1\.", f"import {package}.", text, flags=re.MULTILINE)
    return re.sub(r"\bkartejo\.v1\.(\w+_pb2)", rf"{package}.\1", text)


def differing(target: Path, files: dict[str, str]) -> list[str]:
    """Files of a target that are not what they should be."""
    have = {path.name: path.read_text() for path in target.glob("*.py*") if path.is_file()}
    names = sorted(files.keys() | have.keys())
    return [
        str(target.relative_to(ROOT) / name) for name in names if files.get(name) != have.get(name)
    ]


def write(target: Path, files: dict[str, str]) -> None:
    """Make a target hold these files and no others."""
    target.mkdir(parents=True, exist_ok=True)
    for old in target.glob("*.py*"):
        if old.is_file() and old.name not in files:
            old.unlink()
    for name, text in files.items():
        (target / name).write_text(text)


def main() -> None:
    """Write, or check."""
    if "--image" in sys.argv:
        image = Path(sys.argv[sys.argv.index("--image") + 1])
        image.parent.mkdir(parents=True, exist_ok=True)
        how = (f"--descriptor_set_out={image}", "--include_imports", "--include_source_info")
        compile_proto(*how, ERROR_DETAILS)
        return
    made = generate()
    wrong: list[str] = []
    for package, target in TARGETS.items():
        files = {name: moved(text, package) for name, text in made.items()}
        files["__init__.py"] = INIT
        if "--check" in sys.argv:
            wrong += differing(target, files)
        else:
            write(target, files)
    if wrong:
        raise SystemExit("not what proto/ makes: " + ", ".join(wrong))


if __name__ == "__main__":
    main()
