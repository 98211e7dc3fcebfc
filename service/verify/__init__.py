"""Verifying an export offline, from the export alone (design 6).

Nothing here is shared with what wrote the record: framing, hashes, keys, ciphertexts, decoding and
notes are read by code of their own, from docs/auditing.md.  Shared are the rules of the games
(``engine``) and the messages that protobuf generates.

findings   what is wrong, and where
records    a commit, its body and its hash
lines      a line of an export, and whether it is written in the one way it may be
notes      signed notes
merkle     RFC 6962 trees
secrets    what derives from the secret of an epoch
decoding   events and actions from their stored bytes
tables     a table: epochs, slots, decisions, chips and cards
books      accounts and accesses
counted    chips and cards, which never change
seen       exports of what a viewer saw
reading    an export from its first line to its last
"""

from __future__ import annotations

from service.verify.findings import Finding, Report
from service.verify.reading import verify, verify_file

__all__ = ["Finding", "Report", "verify", "verify_file"]
