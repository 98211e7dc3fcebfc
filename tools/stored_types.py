"""Write down the stored type numbers of new events; numbers that stand there never move.

``.venv/bin/python tools/stored_types.py`` adds what is missing to tests/codec/stored_types.json;
with ``--check`` it only says whether something is.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from engine.account import ACCOUNT_EVENTS
from engine.events import COMMON_EVENTS, HOUSE_EVENTS
from engine.games import GAMES
from engine.tournament.all_events import ALL_TOURNAMENT_EVENTS
from service.codec import Codec

WRITTEN = Path(__file__).parents[1] / "tests" / "codec" / "stored_types.json"


def numbers() -> dict[str, int]:
    """Every event, by the package it is of (a game, or what all games share) and its class."""
    codec = Codec(GAMES)
    of_games = (kind for g in GAMES.values() for kind in g.EVENTS)
    kinds = [*COMMON_EVENTS, *HOUSE_EVENTS, *ACCOUNT_EVENTS, *ALL_TOURNAMENT_EVENTS, *of_games]
    return {
        f"{kind.__module__.split('.')[-2]}.{kind.__name__}": codec.type_of(kind) for kind in kinds
    }


def main() -> None:
    now, before = numbers(), json.loads(WRITTEN.read_text(encoding="utf-8"))
    moved = sorted(name for name, number in before.items() if now.get(name) != number)
    if moved:
        raise SystemExit(
            "these are stored already and must keep their numbers: " + ", ".join(moved)
        )
    if "--check" in sys.argv[1:]:
        if now != before:
            raise SystemExit("new events are not written down: run tools/stored_types.py")
        return
    WRITTEN.write_text(json.dumps(now, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
