"""How long a player thinks before he acts."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from random import Random
from typing import Final, NamedTuple

__all__ = ["FULL_SPEED", "BadThink", "Think"]

FORMS: Final = "none, constant:MS, uniform:LOW:HIGH, exponential:MEAN or lognormal:MEDIAN:SIGMA"
LONGEST_MS: Final = 3_600_000.0


class BadThink(ValueError):
    """A text that names no distribution; the message says which there are."""


class Think(NamedTuple):
    """A distribution of think times.  ``kind`` is its name, ``numbers`` are its parameters.

    ``none``: full speed.  Times are milliseconds; the sigma of ``lognormal`` is that of the
    logarithm (0.5 is lively, 1 is human).
    """

    kind: str = "none"
    numbers: tuple[float, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Think:
        """A distribution as it is typed; raises :class:`BadThink`.

        >>> Think.parse("exponential:250")
        Think(kind='exponential', numbers=(250.0,))
        >>> Think.parse("none")
        Think(kind='none', numbers=())
        """
        kind, *words = text.split(":")
        if kind not in _NUMBERS or len(words) != _NUMBERS[kind]:
            raise BadThink(f"{text!r} is no think time: expected {FORMS}")
        if not all(re.fullmatch(r"\d+(\.\d+)?", word) for word in words):
            raise BadThink(f"{text!r}: expected numbers from 0 up, times in milliseconds")
        numbers = tuple(map(float, words))
        times = numbers[:1] if kind == "lognormal" else numbers
        if any(each > LONGEST_MS for each in times) or (kind == "lognormal" and numbers[1] > 5):
            raise BadThink(f"{text!r}: at most an hour, and a sigma of at most 5")
        if kind == "uniform" and numbers[0] > numbers[1]:
            raise BadThink(f"{text!r}: the low end is above the high one")
        if kind != "none" and not cls(kind, numbers).mean_seconds:
            raise BadThink(f"{text!r} is no time at all: say none for full speed")
        return cls(kind, numbers)

    def __str__(self) -> str:
        return ":".join((self.kind, *(f"{number:g}" for number in self.numbers)))

    @property
    def mean_seconds(self) -> float:
        """The mean time.

        >>> round(Think.parse("lognormal:1000:1").mean_seconds, 3)
        1.649
        """
        match self.kind, self.numbers:
            case "uniform", (low, high):
                mean = (low + high) / 2
            case "lognormal", (median, sigma):
                mean = median * math.exp(sigma * sigma / 2)
            case "constant" | "exponential", (mean,):
                pass
            case _:
                mean = 0.0
        return mean / 1_000

    def sampler(self, random: Random) -> Callable[[], float]:
        """Draws one time after another, in seconds."""
        match self.kind, self.numbers:
            case "uniform", (low, high):
                return lambda: random.uniform(low, high) / 1_000
            case "exponential", (mean,):
                return lambda: random.expovariate(1_000 / mean)
            case "lognormal", (median, sigma):
                return lambda: random.lognormvariate(math.log(median / 1_000), sigma)
            case "constant", (time,):
                return lambda: time / 1_000
            case _:
                return lambda: 0.0


_NUMBERS: Final = {"none": 0, "constant": 1, "uniform": 2, "exponential": 1, "lognormal": 2}
"""How many parameters a distribution has."""

FULL_SPEED: Final = Think()
