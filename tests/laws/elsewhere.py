"""Replays walks that come on standard input and answers with what they make: determinism."""

from __future__ import annotations

import pickle
import sys

from tests.laws.base import transcript
from tests.laws.walks import replay


def main() -> None:
    """Read (game class, walks), write the transcripts."""
    kind, lives = pickle.load(sys.stdin.buffer)
    texts = [transcript(replay(kind(), tries)) for tries in lives]
    sys.stdout.buffer.write(pickle.dumps(texts))


if __name__ == "__main__":
    main()
