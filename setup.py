"""Only what cffi needs; everything else is in pyproject.toml (cffi has no other hook)."""

import sys

from setuptools import setup

# The C core is for GCC and Clang; on Windows that is the GCC of MinGW-w64.
COMPILER = {"build_ext": {"compiler": "mingw32"}} if sys.platform == "win32" else {}

setup(
    cffi_modules=["csrc/build_ffi.py:ffi"],
    options={"bdist_wheel": {"py_limited_api": "cp311"}, **COMPILER},
)
