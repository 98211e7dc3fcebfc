"""The public header, the types of the extension and the extension itself say the same."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from engine._native import ffi, lib

ROOT = Path(__file__).parents[2]
HEADER = (ROOT / "csrc" / "kartejo.h").read_text(encoding="utf-8")
STUB = ast.parse((ROOT / "engine" / "_native.pyi").read_text(encoding="utf-8"))


def stub_of_lib() -> ast.ClassDef:
    return next(n for n in STUB.body if isinstance(n, ast.ClassDef) and n.name == "_Lib")


def declared() -> str:
    public = HEADER.split("cdef begin")[1].split("cdef end")[0]
    return re.sub(r"/\*.*?\*/", "", public, flags=re.DOTALL)


def test_every_declared_function_is_typed_with_its_parameters():
    """Names and order of the parameters in _native.pyi are those of the header."""
    in_header = {
        name: [p.split()[-1].lstrip("*") for p in parameters.split(",") if p != "void"]
        for name, parameters in re.findall(r"\b(kj_\w+)\(([^)]*)\);", declared())
    }
    in_stub = {
        method.name: [argument.arg for argument in method.args.posonlyargs][1:]
        for method in stub_of_lib().body
        if isinstance(method, ast.FunctionDef)
    }
    assert in_stub == in_header
    assert set(in_header) <= set(dir(lib))


def test_functions_that_keep_the_lock_are_declared():
    """A name in python_lock.h that is misspelt would only be slow."""
    text = (ROOT / "csrc" / "python_lock.h").read_text(encoding="utf-8")
    names = re.findall(r'"_cffi_f_(kj_\w+)"', text)
    assert "kj_strength" in names
    assert set(names) <= set(re.findall(r"\b(kj_\w+)\(", declared()))


def test_every_constant_is_typed_with_its_value():
    """Constants of header, stub and extension are equal."""
    in_stub = {
        line.target.id: ast.literal_eval(line.value)
        for line in stub_of_lib().body
        if isinstance(line, ast.AnnAssign) and line.value and isinstance(line.target, ast.Name)
    }
    assert in_stub == {name: getattr(lib, name) for name in dir(lib) if name.startswith("KJ_")}
    assert set(in_stub) == set(re.findall(r"\bKJ_\w+", declared()))


def test_structures_have_no_hidden_gaps():
    """Buffers of outcomes may be sliced by hand: 55 bytes each; options are two words.  A play of
    Royal Casino is one word, read byte by byte."""
    assert ffi.sizeof("kj_rf_outcome") == 55
    assert ffi.sizeof("kj_rf_options") == 16
    assert ffi.sizeof("kj_rc_play") == 8
    assert ffi.sizeof("kj_rc_position") == 74
    offsets = {name: field.offset for name, field in ffi.typeof("kj_rc_play").fields}
    assert list(offsets.items()) == [
        ("kind", 0),
        ("card", 1),
        ("value", 2),
        ("base", 3),
        ("loose", 4),
        ("builds", 6),
    ]
