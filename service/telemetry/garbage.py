"""How long Python's garbage collector keeps everything else waiting."""

from __future__ import annotations

import gc
from time import perf_counter
from types import TracebackType
from typing import Final, Self

from service.telemetry.recorders import Histograms

__all__ = ["GarbagePauses"]

_BOUNDS: Final = (0.000_1, 0.000_5, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5)


class GarbagePauses:
    """``pauses`` in seconds by generation, while the block runs; a context manager."""

    def __init__(self) -> None:
        self.pauses = Histograms("generation", _BOUNDS)
        self._began = 0.0

    def __enter__(self) -> Self:
        gc.callbacks.append(self._told)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        gc.callbacks.remove(self._told)

    def _told(self, phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            self._began = perf_counter()
        else:
            self.pauses.observe(str(info["generation"]), perf_counter() - self._began)
