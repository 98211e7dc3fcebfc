"""Hand scripts: a small text language for hands, positions and checks (hand_script).

``run_local`` plays a file with the engine in process; ``run`` plays a script on any stage, such
as a running service.  ``export`` writes a recorded hand as a script.
"""

from __future__ import annotations

from engine.script.export import Recorded, export
from engine.script.model import At, Header, Script, ScriptError, ScriptFailure
from engine.script.parser import parse
from engine.script.patterns import action_name, action_text, event_text
from engine.script.runner import Verdict, opening_of, run, run_local, run_text
from engine.script.stage import (
    LocalStage,
    NoShuffle,
    NotOffered,
    Opening,
    Plays,
    ScriptedShuffler,
    Stage,
)

__all__ = [
    "At",
    "Header",
    "LocalStage",
    "NoShuffle",
    "NotOffered",
    "Opening",
    "Plays",
    "Recorded",
    "Script",
    "ScriptError",
    "ScriptFailure",
    "ScriptedShuffler",
    "Stage",
    "Verdict",
    "action_name",
    "action_text",
    "event_text",
    "export",
    "opening_of",
    "parse",
    "run",
    "run_local",
    "run_text",
]
