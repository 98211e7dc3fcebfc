"""Write down the stored type numbers of new events; numbers that stand there never move.

``.venv/bin/python tools/stored_types.py`` adds what is missing to tests/codec/stored_types.json;
with ``--check`` it only says whether something is.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from engine.events import COMMON_EVENTS, HOUSE_EVENTS
from engine.games import GAMES
from service.codec import Codec

WRITTEN = Path(__file__).parents[1] / "tests" / "codec" / "stored_types.json"


def numbers() -> dict[str, int]:
    """Every event of the registered games, by game and class."""
    codec = Codec(GAMES)
    kinds = [*COMMON_EVENTS, *HOUSE_EVENTS, *(kind for g in GAMES.values() for kind in g.EVENTS)]
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
