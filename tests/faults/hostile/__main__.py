"""``python -m tests.faults.hostile KIND TARGET``: one attack, until it is killed."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from typing import Final

from service.store.trampoline import end_with
from tests.faults.hostile.floods import CHURNS, FLOODS, flood
from tests.faults.hostile.lodgers import LODGERS, stay, watchers
from tests.faults.hostile.target import Target, Thrift, begun


def burn(_: Target) -> None:
    """Attack nobody, and use the processor as much as the others: what that costs by itself."""
    begun()
    thrift = Thrift()
    while True:
        sum(range(10_000))
        thrift.rest()


KINDS: Final[dict[str, Callable[[Target], None]]] = {
    **{kind: partial(flood, kind) for kind in FLOODS},
    **{kind: partial(stay, kind) for kind in LODGERS},
    "watchers": watchers,
    "histories": partial(watchers, past=True),
    **CHURNS,
    "burn": burn,
}

if __name__ == "__main__":
    end_with(os.getppid(), signal.SIGKILL)
    kind, text = sys.argv[1:]
    KINDS[kind](Target.of(text))
