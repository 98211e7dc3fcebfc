"""Exports: what a caller may see of a table, or the record as it is stored, as a file.

decoded    stored events in words, as far as they are public
complete   the record as lines of JSON: what `kartejo verify` reads
seen       what a viewer sees of a table, as lines of JSON
parquet    either of them as tables for analysis
files      files that are there whole or not at all
"""

from __future__ import annotations

from service.exports.complete import CompleteLines
from service.exports.files import whole_file
from service.exports.seen import SeenLines

__all__ = ["CompleteLines", "SeenLines", "whole_file"]
