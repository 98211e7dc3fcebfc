"""Builds ``engine._native`` from the C core: cffi, API mode, limited API.

The declarations are read from the public header, between its two cdef lines, so that there is
one text of them.  Warnings are errors in ``make check-native``; an installation must not
fail because a newer compiler knows a new warning, and code that cffi writes is not ours.
"""

import sys
from pathlib import Path

from cffi import FFI

HERE = Path(__file__).parent
SOURCES = (
    "odds_battles.c",
    "odds_royal_flush.c",
    "odds_simulation.c",
    "odds_simulation_avx512.c",
    "ranking.c",
    "ranking_avx2.c",
    "ranking_avx512.c",
    "ranking_bmi2.c",
    "ranking_portable.c",
    "royal_casino.c",
    "royal_flush.c",
    "shuffle.c",
)
BEGIN, END = "/* ---- cdef begin ---- */", "/* ---- cdef end ---- */"


def declarations() -> str:
    """What the public header offers to Python."""
    header = (HERE / "kartejo.h").read_text(encoding="utf-8")
    return header.split(BEGIN)[1].split(END)[0]


ffi = FFI()
ffi.cdef(declarations())
ffi.set_source(
    "engine._native",
    '#include "kartejo.h"\n#include "python_lock.h"',
    sources=[f"csrc/{name}" for name in SOURCES],  # relative to the project: a rule of setuptools
    include_dirs=["csrc"],
    # Before the library of this very Python, which setuptools names where there are no others.
    libraries=["python3"] if sys.platform == "win32" else [],
    depends=[f"csrc/{path.name}" for path in sorted(HERE.glob("*.h"))],
    # Hidden: what a library exports is neither inlined nor called directly.  Without debugging
    # information, which would hold the folder of the build: the same source gives the same bytes.
    extra_compile_args=[
        "-std=c11",
        "-O3",
        "-g0",
        "-fvisibility=hidden",
        "-Wall",
        "-Wextra",
        "-Wconversion",
        "-Wshadow",
    ],
)
