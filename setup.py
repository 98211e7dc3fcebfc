"""Only what cffi needs; everything else is in pyproject.toml (cffi has no other hook)."""

from setuptools import setup

setup(
    cffi_modules=["csrc/build_ffi.py:ffi"],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
