"""Statements that count rows which should not be there, each in one moment of the database."""

from __future__ import annotations

from typing import Final

__all__ = ["STRAYS"]

_LANES: Final = "SELECT count(*) FROM kartejo.commit WHERE lane <> %(lane)s"
# Index: primary key of kartejo.commit (lane, stream, version), for each of the next six.
_SNAPSHOTS: Final = """
SELECT count(*) FROM kartejo.snapshot r WHERE r.lane = %(lane)s
   AND NOT EXISTS (SELECT FROM kartejo.commit c WHERE c.lane = r.lane AND c.stream = r.stream)
"""
_TABLES: Final = """
SELECT count(*) FROM kartejo.table_index r
  JOIN kartejo.progress p ON p.lane = r.lane AND p.version = r.build
 WHERE r.lane = %(lane)s AND p.consumer = 'tables' AND p.state = 'serving'
   AND NOT EXISTS (SELECT FROM kartejo.commit c WHERE c.lane = r.lane AND c.stream = r.stream)
"""
_HANDS: Final = """
SELECT count(*) FROM kartejo.hand_index r
  JOIN kartejo.progress p ON p.lane = r.lane AND p.version = r.build
 WHERE r.lane = %(lane)s AND p.consumer = 'hands' AND p.state = 'serving'
   AND NOT EXISTS (SELECT FROM kartejo.commit c WHERE c.lane = r.lane AND c.stream = r.stream)
"""
_HAND_TABLES: Final = """
SELECT count(*) FROM kartejo.hand_table r
  JOIN kartejo.progress p ON p.lane = r.lane AND p.version = r.build
 WHERE r.lane = %(lane)s AND p.consumer = 'hands' AND p.state = 'serving'
   AND NOT EXISTS (SELECT FROM kartejo.commit c WHERE c.lane = r.lane AND c.stream = r.stream)
"""
_LEDGER: Final = """
SELECT count(*) FROM kartejo.ledger r
  JOIN kartejo.progress p ON p.lane = r.lane AND p.version = r.build
 WHERE r.lane = %(lane)s AND p.consumer = 'ledger' AND p.state = 'serving'
   AND NOT EXISTS (SELECT FROM kartejo.commit c WHERE c.lane = r.lane AND c.stream = r.account)
"""
_TOURNAMENTS: Final = """
SELECT count(*) FROM kartejo.tournament_index r
  JOIN kartejo.progress p ON p.lane = r.lane AND p.version = r.build
 WHERE r.lane = %(lane)s AND p.consumer = 'tournaments' AND p.state = 'serving'
   AND NOT EXISTS (SELECT FROM kartejo.commit c WHERE c.lane = r.lane AND c.stream = r.stream)
"""
# Both ways: nobody is missing, and nobody is there who was not dealt in.
_PLAYERS: Final = """
WITH serving AS (
  SELECT version AS build FROM kartejo.progress
   WHERE lane = %(lane)s AND consumer = 'hands' AND state = 'serving'),
due AS (
  SELECT d.player::uuid, h.started_at, h.stream, h.hand, d.seat
    FROM serving JOIN kartejo.hand_index h USING (build)
    JOIN kartejo.hand_table t USING (lane, build, stream)
   CROSS JOIN LATERAL unnest(h.players, h.seats) AS d(player, seat)
   WHERE lane = %(lane)s AND NOT t.lab),
found AS (
  SELECT player, started_at, stream, hand, seat
    FROM serving JOIN kartejo.hand_player USING (build) WHERE lane = %(lane)s)
SELECT count(*) FROM ((TABLE due EXCEPT TABLE found) UNION ALL (TABLE found EXCEPT TABLE due)) d
"""

STRAYS: Final = (
    ("lane", "commits in one lane", _LANES),
    ("snapshot", "snapshots of streams of the log", _SNAPSHOTS),
    ("projection tables", "rows of table_index for streams of the log", _TABLES),
    ("projection hands", "rows of hand_index for streams of the log", _HANDS),
    ("projection hands", "rows of hand_table for streams of the log", _HAND_TABLES),
    ("projection hands", "a row of hand_player for everybody who was dealt in", _PLAYERS),
    ("projection ledger", "rows of ledger for streams of the log", _LEDGER),
    ("projection tournaments", "rows of tournament_index for streams of the log", _TOURNAMENTS),
)
"""What is checked, what is expected, and the statement that counts what differs."""
